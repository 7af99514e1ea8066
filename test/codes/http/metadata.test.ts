import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, noise, postJson, sha256, uploaded } from '../support/client.js';
import { fileBytes, recording, referenceOf } from '../support/reference.js';
import { protectedPdf } from '../support/samples.js';
import { type CodesServer, startCodes } from '../support/server.js';

const EXTRACTED = [
  'name',
  'description',
  'meta',
  'identifier',
  'creator',
  'license',
  'acquire',
  'credit',
  'rights',
];
const IMAGES = recording.files.filter(
  ({ file }) => /\.(?:jpg|png|tif|webp)$/.test(file) && referenceOf(file).embed?.reextracted,
);
const EXTRACTABLE = recording.files.filter(
  ({ file, result }) =>
    result && /\.(?:jpg|png|tif|webp|gif|bmp|txt|md|html|pdf|docx|epub|odt|mp3|flac|ogg|mp4|mkv)$/.test(file),
);

describe('metadata', () => {
  let server: CodesServer;
  beforeAll(async () => {
    server = await startCodes();
    return () => server.close();
  });

  const extract = async (id: string) => bodyOf(await fetch(`${server.url}/api/v1/metadata/${id}`));

  test.each(EXTRACTABLE)(
    'extracts the metadata of $file',
    async ({ file, extract_metadata: expected = {} }) => {
      const { media_id } = await uploaded(server.url, file, fileBytes(file), { to: 'media' });
      const fields = Object.entries(expected).filter(([key]) => EXTRACTED.includes(key));
      expect(await extract(media_id)).toEqual(Object.fromEntries(fields));
    },
  );

  test.each(['random_a.bin', 'truncated_a.jpg', 'text-named_a.png'])(
    'returns no metadata of %s, which is unreadable',
    async (file) => {
      const { media_id } = await uploaded(server.url, file, fileBytes(file), { to: 'media' });
      const response = await fetch(`${server.url}/api/v1/metadata/${media_id}`);
      expect(response.status).toBe(200);
      const fields = Object.keys(await bodyOf(response));
      expect(fields.every((field) => EXTRACTED.includes(field))).toBe(true);
    },
  );

  test.each(IMAGES)('embeds the submitted fields into a copy of $file', async ({ file, embed }) => {
    const original = await uploaded(server.url, file, fileBytes(file));
    const response = await postJson(server.url, `/metadata/${original.media_id}`, recording.embed_request);
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    expect(response.headers.get('location')).toBe(`/api/v1/media/${copy.media_id}`);
    expect(copy.media_id).not.toBe(original.media_id);
    expect(copy.content).toBe(`${server.url}/api/v1/media/${copy.media_id}`);
    expect(copy.units[1]).toBe(original.units[1]);
    expect(copy.datahash).not.toBe(original.datahash);
    expect(copy).toMatchObject(recording.embed_request);
    expect(copy).not.toHaveProperty('not_embedded');
    const submitted = { ...expected(embed?.reextracted), ...expected(recording.embed_request) };
    expect(await extract(copy.media_id)).toEqual(submitted);
    expect(sha256(await bytesOf(original.media_id))).toBe(sha256(fileBytes(file)));
    expect(sha256(await bytesOf(copy.media_id))).not.toBe(sha256(fileBytes(file)));
    const stored = await bodyOf(await fetch(`${server.url}/api/v1/iscc/${copy.media_id}`));
    expect(stored.iscc).toBe(copy.iscc);
    expect(stored.filename).toBe(file);
  });

  const expected = (fields: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => EXTRACTED.includes(key)));

  async function bytesOf(id: string): Promise<Uint8Array> {
    return new Uint8Array(await (await fetch(`${server.url}/api/v1/media/${id}`)).arrayBuffer());
  }

  test('a copy of a copy keeps its metadata', async () => {
    const first = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'), { to: 'media' });
    const second = await bodyOf(
      await postJson(server.url, `/metadata/${first.media_id}`, { name: 'One', creator: 'A' }),
    );
    const third = await bodyOf(
      await postJson(server.url, `/metadata/${second.media_id}`, { creator: 'B', rights: 'R' }),
    );
    expect(await extract(third.media_id)).toEqual({ name: 'One', creator: 'B', rights: 'R' });
    // The page sends unchanged fields too.
    const fourth = await bodyOf(
      await postJson(server.url, `/metadata/${third.media_id}`, { name: 'Two', creator: 'B' }),
    );
    expect(await extract(fourth.media_id)).toEqual({ name: 'Two', creator: 'B', rights: 'R' });
  });

  test('creates a copy even without fields to embed', async () => {
    const original = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'));
    const response = await postJson(server.url, `/metadata/${original.media_id}`, { unknown: 1 });
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    expect([copy.iscc, copy.media_id === original.media_id]).toEqual([original.iscc, false]);
  });

  test('null means that a field is not given', async () => {
    const original = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'));
    const fields = Object.fromEntries([...EXTRACTED, 'keywords'].map((field) => [field, null]));
    const response = await postJson(server.url, `/metadata/${original.media_id}`, { ...fields, rights: 'R' });
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    expect(copy).toMatchObject({ name: original.name, rights: 'R' });
    expect(await extract(copy.media_id)).toEqual({ rights: 'R' });
  });

  test('names the submitted fields that the copy does not show', async () => {
    const original = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'));
    // Longer than what extraction returns of a field that can't be cut.
    const identifier = `urn:${'x'.repeat(200_000)}`;
    const response = await postJson(server.url, `/metadata/${original.media_id}`, {
      rights: 'R',
      identifier,
    });
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    expect(copy).toMatchObject({ rights: 'R', not_embedded: ['identifier'] });
    expect(copy).not.toHaveProperty('identifier');
    const lost = await postJson(server.url, `/metadata/${original.media_id}`, { identifier });
    expect([lost.status, await lost.text()]).toEqual([422, expect.stringContaining('(EMBEDDING_LOST')]);
  });

  test('a document that its owner protects is refused with that reason', async () => {
    const { media_id } = await uploaded(server.url, 'owner.pdf', await protectedPdf(), { to: 'media' });
    const response = await postJson(server.url, `/metadata/${media_id}`, { name: 'x' });
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining('(FILE_PROTECTED'),
    ]);
  });

  test('ignores empty fields', async () => {
    const original = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'));
    const fields = { description: '', creator: '', credit: '', keywords: [], rights: 'Some' };
    const response = await postJson(server.url, `/metadata/${original.media_id}`, fields);
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    expect(copy).toMatchObject({ name: original.name, rights: 'Some' });
    for (const field of ['description', 'creator', 'credit', 'keywords'])
      expect(copy).not.toHaveProperty(field);
    const onlyEmpty = await postJson(server.url, `/metadata/${original.media_id}`, { creator: '' });
    expect(onlyEmpty.status).toBe(201);
  });

  test.each([
    'random_a.bin',
    'table_a.csv',
    'pic_a.bmp',
    'short_a.txt',
    'truncated_a.jpg',
    'text-named_a.png',
  ])('embedding into %s gets a 422', async (file) => {
    const { media_id } = await uploaded(server.url, file, fileBytes(file), { to: 'media' });
    const before = await readFolder(media_id);
    const response = await postJson(server.url, `/metadata/${media_id}`, { name: 'x' });
    expect([response.status, (await response.text()).split(' (', 1)[0]]).toEqual([
      422,
      expect.stringMatching(/Failed to embed metadata|ISCC processing error/),
    ]);
    expect(await readFolder(media_id)).toEqual(before);
  });

  async function readFolder(id: string): Promise<string> {
    const { readdir } = await import('node:fs/promises');
    const folder = path.join(server.folder, 'files', id);
    const [name = ''] = await readdir(folder);
    return sha256(await readFile(path.join(folder, name)));
  }

  test.each([
    ['name too long', { name: 'x'.repeat(129) }, 'name: must have at most 128 characters'],
    ['name empty', { name: '' }, 'name: must not be empty'],
    ['name without visible characters', { name: ' \u200b\u00ad' }, 'name: must not be empty'],
    ['name not a string', { name: 5 }, 'name: '],
    [
      'description too long',
      { description: 'x'.repeat(4097) },
      'description: must have at most 4096 characters',
    ],
    [
      'meta too long',
      { meta: `data:application/json;base64,${'A'.repeat(16384)}` },
      'meta: must have at most 16384 characters',
    ],
    ['meta not a Data-URL', { meta: '{"a": 1}' }, 'meta: must be a base64 Data-URL'],
    ['meta not base64', { meta: 'data:text/plain,hello' }, 'meta: must be a base64 Data-URL'],
    ['meta without data', { meta: 'data:;base64,' }, 'meta: must be a base64 Data-URL'],
    ['license relative', { license: 'cc-by' }, 'license: must be an absolute URI'],
    ['acquire relative', { acquire: '/buy' }, 'acquire: must be an absolute URI'],
    ['acquire without a host', { acquire: 'https://?buy' }, 'acquire: must be an absolute URI'],
    ['acquire not a string', { acquire: ['https://example.com'] }, 'acquire: '],
    ['control characters', { rights: 'a\u0000b' }, 'rights: has characters'],
    ['lone surrogate', '{"credit": "\\ud800"}', 'credit: has characters'],
    ['acquire a script', { acquire: 'javascript:alert(1)' }, 'acquire: must be the address of a page'],
    ['license of data', { license: 'data:text/html,x' }, 'license: must be the address of a page'],
    ['keywords not strings', { keywords: [1] }, 'keywords: must be text with commas'],
    ['a keyword with a comma', { keywords: ['a', 'b, c'] }, 'keywords: a keyword must not contain a comma'],
    ['an array', [], 'body: must be an object'],
    ['not JSON', '{', 'the body is not JSON'],
  ])('%s: 400 with the field and the rule', async (_, body, message) => {
    const { media_id } = await uploaded(server.url, 'a.bin', noise(10), { to: 'media' });
    const response = await postJson(server.url, `/metadata/${media_id}`, body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
  });

  test('accepts 128 code points for name and cuts it to 128 bytes for the Meta-Code', async () => {
    const { media_id } = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'), { to: 'media' });
    const name = '中'.repeat(128);
    const response = await postJson(server.url, `/metadata/${media_id}`, { name, keywords: ['a', 'b'] });
    expect(response.status).toBe(201);
    const copy = await bodyOf(response);
    expect(copy.name).toBe('中'.repeat(42));
    expect(copy.keywords).toBe('a, b');
    const emoji = await postJson(server.url, `/metadata/${media_id}`, { name: '🎉'.repeat(128) });
    expect(emoji.status).toBe(201);
    expect((await postJson(server.url, `/metadata/${media_id}`, { name: '🎉'.repeat(129) })).status).toBe(
      400,
    );
  });

  test('embedding into an unknown upload gets a 404', async () => {
    const response = await postJson(server.url, '/metadata/0000000000000', { name: 'x' });
    expect([response.status, await response.text()]).toEqual([404, 'File metadata not found']);
  });
});
