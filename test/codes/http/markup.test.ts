/** Feeds, entities and encodings of texts, compared with iscc-sdk 0.9.7, and binary files under names of texts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noise, upload, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { hasProgram } from '../support/recorded.js';
import { type CodesServer, startCodes } from '../support/server.js';

interface Recorded {
  readonly bytes: string;
  readonly units: readonly string[];
  readonly name: string;
  readonly description?: string;
  readonly creator?: string;
}

const FILES: Readonly<Record<string, Recorded>> = JSON.parse(
  readFileSync(new URL('../../fixtures/codes/markup/files.json', import.meta.url), 'utf8'),
);

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { environment: 'production' } });
});
afterAll(() => server?.close());

test.each(Object.entries(FILES))('%s has the units of the reference', async (file, recorded) => {
  const { bytes, ...expected } = recorded;
  const result = await uploaded(server.url, file, new Uint8Array(Buffer.from(bytes, 'base64')));
  const { units, name, description, creator } = result;
  expect({ units, name, description, creator }).toEqual({
    description: undefined,
    creator: undefined,
    ...expected,
  });
});

describe('binary data under the name of a text', () => {
  const zip = new Uint8Array([...Buffer.from('PK\x03\x04', 'latin1'), ...noise(4000)]);
  const contents = { noise: noise(8000), 'a zip archive': zip, 'zero bytes': new Uint8Array(5000) };
  const cases = Object.entries(contents).flatMap(([content, bytes]) =>
    ['a.ts', 'a.xml', 'a.txt', 'a.html'].map((name) => [content, name, bytes] as const),
  );

  test.each(cases)('%s in %s is refused', async (_, name, bytes) => {
    const response = await upload(server.url, name, bytes);
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringMatching(/\(FILE_NO_TEXT\)$/),
    ]);
  });

  test.each(['plain', 'utf16le'])('TypeScript in %s stays text', async (kind) => {
    const program = 'export const size = (a: number): string => a < 2 ? "größer" : "b";\n'.repeat(20);
    const bytes = kind === 'plain' ? program : new Uint8Array(Buffer.from(program, 'utf16le'));
    const { mode, units } = await uploaded(server.url, 'program.ts', bytes);
    const plain = await uploaded(server.url, 'program.txt', program);
    expect([mode, units.slice(0, 2)]).toEqual(['text', plain.units.slice(0, 2)]);
  });

  test.runIf(hasProgram('ffmpeg'))('a transport stream without its start is a video', async () => {
    const film = path.join(await temporaryFolder(), 'film.ts');
    const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x240:rate=10:duration=3'];
    execFileSync('ffmpeg', [
      '-v',
      'error',
      ...picture,
      '-c:v',
      'mpeg2video',
      '-g',
      '5',
      '-f',
      'mpegts',
      film,
    ]);
    const stream = new Uint8Array((await readFile(film)).subarray(60));
    const { mode, mediatype } = await uploaded(server.url, 'film.ts', stream);
    expect([mode, mediatype]).toEqual(['video', 'video/mp2t']);
  });
});

test.each(['a.ass', 'a.ssa'])('subtitles named %s are text', async (name) => {
  const subtitles =
    '[Script Info]\nTitle: Größe\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Съешь же\n';
  const { mode, mediatype, units } = await uploaded(server.url, name, subtitles);
  const plain = await uploaded(server.url, 'a.txt', subtitles);
  expect({ mode, mediatype, units }).toEqual({ mode: 'text', mediatype: 'text/plain', units: plain.units });
});

test.each(['utf16le', 'utf-16be'])('Japanese in %s without byte order mark is read', async (encoding) => {
  const text =
    '毎朝、技術者はサーバーのログを読みます。\n設定は一つのファイルに保存され、起動時に読み込まれます。\n'.repeat(
      3,
    );
  const bytes = Buffer.from(text, 'utf16le');
  const { units } = await uploaded(
    server.url,
    'a.txt',
    new Uint8Array(encoding === 'utf16le' ? bytes : bytes.swap16()),
  );
  const plain = await uploaded(server.url, 'a.txt', text);
  expect(units.slice(0, 2)).toEqual(plain.units.slice(0, 2));
});
