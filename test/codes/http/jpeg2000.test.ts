/** JPEG 2000 images: codes as recorded from iscc-sdk 0.9.7, and hostile headers. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upload, uploaded } from '../support/client.js';
import { type CodesServer, startCodes } from '../support/server.js';

const FOLDER = new URL('../../fixtures/codes/jpeg2000/', import.meta.url);
const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(name, FOLDER)));

interface Recorded {
  readonly iscc?: string;
  readonly width?: number;
  readonly height?: number;
}
const { files } = JSON.parse(readFileSync(new URL('recorded.json', FOLDER), 'utf8')) as {
  readonly files: Readonly<Record<string, Recorded>>;
};
const RECORDED = Object.entries(files).filter(([, { iscc }]) => iscc !== undefined);

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { maxWorkers: 1, compat: '0.9.7' } });
});
afterAll(() => server?.close());

test.each(RECORDED)('%s has the code of the reference', async (name, { iscc, width, height }) => {
  const result = await uploaded(server.url, name, bytesOf(name));
  expect(result).toMatchObject({ iscc, width, height, mode: 'image' });
  expect(result.mediatype).toBe(name.endsWith('.jpx') ? 'image/jpx' : 'image/jp2');
});

test('a bare code stream has the Content-Code of the same stream in boxes', async () => {
  const bare = await uploaded(server.url, 'stream.j2k', bytesOf('stream.j2k'));
  const boxed = await uploaded(server.url, 'rgb.jp2', bytesOf('rgb.jp2'));
  expect(bare).toMatchObject({ mode: 'image', mediatype: 'image/jp2', width: 150, height: 110 });
  const content = (units: readonly string[]) => units.find((unit) => unit.startsWith('ISCC:E'));
  expect(content(bare.units)).toBe(content(boxed.units));
});

test('the EXIF orientation is ignored, as in the reference', async () => {
  const exif = Buffer.from(`4d4d002a00000008000101120003000000010006000000000000`.padEnd(56, '0'), 'hex');
  const header = Buffer.from('\0\0\0\0uuidJpgTiffExif->JP2', 'latin1');
  header.writeUInt32BE(header.length + exif.length);
  const rotated = new Uint8Array(Buffer.concat([bytesOf('rgb.jp2'), header, exif]));
  const { units, width } = await uploaded(server.url, 'rotated.jp2', rotated);
  const plain = await uploaded(server.url, 'rgb.jp2', bytesOf('rgb.jp2'));
  const content = (all: readonly string[]) => all.find((unit) => unit.startsWith('ISCC:E'));
  expect([content(units), width]).toEqual([content(plain.units), 150]);
});

/** The bare stream with changed bytes. Offsets count from the body of SIZ or COD. */
function changed(marker: number, changes: readonly (readonly [offset: number, bytes: string])[]) {
  const stream = Buffer.from(bytesOf('stream.j2k'));
  const body = stream.indexOf(Buffer.from([0xff, marker])) + 4;
  for (const [offset, bytes] of changes) Buffer.from(bytes, 'hex').copy(stream, body + offset);
  return new Uint8Array(stream);
}

const SIZ = 0x51;
const COD = 0x52;
const LARGE = '00001f40';

describe('a file is refused before memory is allocated:', () => {
  test.each([
    ['largest size', () => changed(SIZ, [[2, 'ffffffffffffffff']]), 'FILE_TOO_LARGE'],
    ['900 million pixels', () => changed(SIZ, [[2, '0000753000007530']]), 'FILE_TOO_LARGE'],
    [
      'a tile for each of 64 million pixels',
      () =>
        changed(SIZ, [
          [2, LARGE + LARGE],
          [18, '0000000100000001'],
        ]),
      'FILE_TOO_LARGE',
    ],
    ['16,384 components', () => changed(SIZ, [[34, '4000']]), 'FILE_DAMAGED'],
    [
      '65,535 layers of tiny blocks',
      () =>
        changed(COD, [
          [2, 'ffff'],
          [6, '0000'],
        ]),
      'FILE_TOO_COSTLY',
    ],
    ['half of the bytes', () => bytesOf('rgb.jp2').slice(0, 6800), 'FILE_DAMAGED'],
    ['only the signature', () => bytesOf('rgb.jp2').slice(0, 40), 'FILE_DAMAGED'],
    ['half of a stream', () => bytesOf('stream.j2k').slice(0, 6800), 'FILE_DAMAGED'],
  ])('%s', async (_, file, code) => {
    const response = await upload(server.url, 'hostile.jp2', file());
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining(`(${code})`)]);
    const next = await uploaded(server.url, 'rgb.jp2', bytesOf('rgb.jp2'));
    expect(next.mode).toBe('image');
  });
});
