import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, upload, uploaded } from '../support/client.js';
import { distances, fileBytes, type ReferenceFile, recording, referenceOf } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

/** Media types whose results equal the reference exactly. */
const EXACT =
  /^(?:text\/(?:plain|markdown|csv|x-python)|application\/json|image\/(?:jpeg|png|gif|webp|tiff|bmp))$/;

/** Files for which the reference is wrong or depends on its decoder; see the README of the fixtures. */
const INEXACT = /^(?:latin1_|mixed_|plain_emoji|arch_)/;

const FIELDS = [
  'name',
  'description',
  'creator',
  'license',
  'rights',
  'identifier',
  'mode',
  'mediatype',
  'filename',
  'filesize',
  'width',
  'height',
  'characters',
  'metahash',
  'datahash',
];

/** Files whose results say in a note what the reference clips silently. */
const NOTED = ['gray16_a.png'];

describe('reference files', () => {
  let server: CodesServer;
  const table: Record<string, unknown>[] = [];
  beforeAll(async () => {
    server = await startCodes();
    return () => server.close();
  });
  afterAll(() => console.table(table));

  const exact = recording.files.filter(
    ({ file, result }) => result && EXACT.test(`${result.mediatype}`) && !INEXACT.test(file),
  );
  const other = recording.files.filter((entry) => !exact.includes(entry));

  test.each(exact)(
    'the result of $file equals the reference',
    async ({ file, result: expected, thumbnail_info: thumbnail }) => {
      const ours = await uploaded(server.url, file, fileBytes(file));
      expect(ours.units).toEqual(expected?.units);
      expect(ours.iscc).toBe(expected?.iscc);
      for (const field of FIELDS) expect([field, ours[field]]).toEqual([field, expected?.[field]]);
      expect(ours.features).toEqual(expected?.features);
      expect(await sizeOf(ours.thumbnail)).toEqual(
        thumbnail && { width: thumbnail.width, height: thumbnail.height },
      );
      const order = Object.keys(ours).filter((key) => key !== 'media_id' && key !== 'content');
      expect(order).toEqual([...Object.keys(expected ?? {}), ...(NOTED.includes(file) ? ['note'] : [])]);
    },
  );

  test.each(other)('$file gets a result or a 422', async ({ file, result: expected }: ReferenceFile) => {
    const response = await upload(server.url, file, fileBytes(file));
    expect([201, 422]).toContain(response.status);
    if (response.status === 422) {
      table.push({ file, status: 422, reference: expected ? 'result' : 'error' });
      return;
    }
    const ours = await bodyOf(response);
    const bits = expected && distances(ours.units, expected.units)?.join(' ');
    table.push({
      file,
      status: 201,
      reference: expected ? 'result' : 'error',
      bits: bits ?? 'different units',
    });
    expect(ours.datahash).toMatch(/^1e20[0-9a-f]{64}$/);
    expect(ours.units.length === 2 || ours.units.length === 4).toBe(true);
  });

  test.each(['text-named_a.png', 'truncated_a.jpg', 'blank_a.txt'])('%s gets a 422', async (file) => {
    const response = await upload(server.url, file, fileBytes(file));
    expect(response.status).toBe(422);
    expect(await response.text()).toMatch(/^ISCC processing error\./);
  });

  test('granular=false only omits the features', async () => {
    const file = 'long_a.txt';
    const { features, media_id, content, ...rest } = await uploaded(server.url, file, fileBytes(file));
    expect(features).toEqual(referenceOf(file).result?.features);
    const {
      media_id: _,
      content: __,
      ...without
    } = await uploaded(server.url, file, fileBytes(file), { query: '?granular=false' });
    expect(without).toEqual(rest);
  });

  test('semantic=1 without a model gets a 422 that names the variable', async () => {
    for (const [file, variable] of [
      ['short_a.txt', 'TEXT'],
      ['photo_a.png', 'IMAGE'],
    ] as const) {
      const response = await upload(server.url, file, fileBytes(file), { query: '?semantic=1' });
      expect(response.status).toBe(422);
      expect(await response.text()).toContain(`CODESDK_SEMANTIC_${variable}_MODEL`);
    }
    expect(
      (await uploaded(server.url, 'random_a.bin', fileBytes('random_a.bin'), { query: '?semantic=1' })).units,
    ).toHaveLength(2);
  });

  test('unsupported types get a 422 without fallback', async () => {
    const strict = await startCodes({ config: { fallback: false } });
    try {
      const response = await upload(strict.url, 'random_a.bin', fileBytes('random_a.bin'));
      expect(response.status).toBe(422);
      expect(await response.text()).toBe(
        'Unsupported mediatype application/octet-stream for random_a.bin (MEDIATYPE_UNSUPPORTED)',
      );
      expect((await uploaded(strict.url, 'short_a.txt', fileBytes('short_a.txt'))).units).toHaveLength(4);
    } finally {
      await strict.close();
    }
  });
});

async function sizeOf(thumbnail: unknown): Promise<{ width: number; height: number } | undefined> {
  if (thumbnail === undefined) return undefined;
  const [header, data = ''] = `${thumbnail}`.split(',');
  expect(header).toBe('data:image/webp;base64');
  const { format, width, height } = await sharp(Buffer.from(data, 'base64')).metadata();
  expect(format).toBe('webp');
  return { width, height };
}
