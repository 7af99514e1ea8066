/** Reasons why a file is refused, as clients see them in production. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, filenameHeader, noise, postJson, upload, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { encryptedOdt, encryptedPdf, pngBomb } from '../support/hostile.js';
import { hasProgram } from '../support/recorded.js';
import { distances, fileBytes } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { environment: 'production' } });
});
afterAll(() => server?.close());

const FILES: readonly (readonly [name: string, bytes: () => Uint8Array<ArrayBuffer>, code: string])[] = [
  ['locked.pdf', encryptedPdf, 'FILE_ENCRYPTED'],
  ['locked.odt', encryptedOdt, 'FILE_ENCRYPTED'],
  ['corrupt_a.pdf', () => fileBytes('corrupt_a.pdf'), 'FILE_DAMAGED'],
  ['truncated_a.jpg', () => fileBytes('truncated_a.jpg'), 'FILE_DAMAGED'],
  ['blank_a.txt', () => fileBytes('blank_a.txt'), 'FILE_NO_TEXT'],
  ['bomb.png', pngBomb, 'FILE_TOO_LARGE'],
  ['noise.heic', () => noise(5000), 'FILE_DAMAGED'],
  ['noise.avif', () => noise(5000), 'FILE_DAMAGED'],
  ...(hasProgram('ffmpeg')
    ? ([
        ['short1s_a.wav', () => fileBytes('short1s_a.wav'), 'FILE_TOO_SHORT'],
        ['noise.mp4', () => noise(5000), 'FILE_DAMAGED'],
        ['noise.mp3', () => noise(5000), 'FILE_DAMAGED'],
      ] as const)
    : []),
];

const SENTENCE = /^[^\n/]{20,140}\.$/;

test.each(FILES)('%s: the code and a sentence, without internals', async (name, bytes, code) => {
  const text = await (await upload(server.url, name, bytes())).text();
  expect(text).toMatch(/^ISCC processing error\. [A-Z]/);
  expect(text.endsWith(` (${code})`), text).toBe(true);
  const sentence = text.slice(0, text.lastIndexOf(' ('));
  expect(sentence).toMatch(SENTENCE);
  expect(sentence).not.toMatch(/ffmpeg|ffprobe|pdf-lib|pdfium|ignoreEncryption|libheif/i);

  const response = await upload(server.url, name, bytes(), {
    headers: { Accept: 'text/html, application/problem+json;q=0.9' },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([422, 'application/problem+json']);
  expect(await response.json()).toEqual({
    title: 'Unprocessable Entity',
    status: 422,
    detail: sentence,
    code,
  });
});

test.each([
  ['locked.pdf', encryptedPdf, 'FILE_ENCRYPTED'],
  ['random.bin', () => noise(100), 'EMBEDDING_UNSUPPORTED'],
  ['short_a.txt', () => fileBytes('short_a.txt'), 'EMBEDDING_UNSUPPORTED'],
  ['truncated_a.jpg', () => fileBytes('truncated_a.jpg'), 'FILE_DAMAGED'],
] as const)('embedding into %s: the code and a sentence', async (name, bytes, code) => {
  const { media_id } = await uploaded(server.url, name, bytes(), { to: 'media' });
  const response = await postJson(server.url, `/metadata/${media_id}`, { name: 'x' });
  const text = await response.text();
  expect(response.status, text).toBe(422);
  expect(text).toMatch(/^(?:Unprocessable Entity - Failed to embed metadata|ISCC processing error)\. [A-Z]/);
  expect(text.endsWith(` (${code})`), text).toBe(true);
});

test('plain text stays the default: wildcards and q=0 do not select problem details', async () => {
  for (const Accept of ['*/*', 'application/json', 'application/problem+json;q=0']) {
    const response = await upload(server.url, 'blank_a.txt', fileBytes('blank_a.txt'), {
      headers: { Accept },
    });
    expect([Accept, response.headers.get('content-type')]).toEqual([Accept, 'text/plain; charset=utf-8']);
    await response.text();
  }
});

test('refusals of the HTTP layer are problem details too', async () => {
  const headers = { Accept: 'application/problem+json' };
  const missing = await fetch(`${server.url}/api/v1/media/0000000000000`, { headers });
  expect(await missing.json()).toMatchObject({ status: 404, code: 'METADATA_NOT_FOUND' });
  const empty = await fetch(`${server.url}/api/v1/iscc`, {
    method: 'POST',
    headers: { ...headers, ...filenameHeader('a') },
    body: '',
  });
  expect(await empty.json()).toMatchObject({ status: 400, code: 'UPLOAD_SIZE' });
});

describe.skipIf(!hasProgram('ffmpeg'))('audio in video containers', () => {
  test.each([
    ['voice.mp4', 'audio/mp4', ['-c:a', 'aac']],
    ['voice.mov', 'audio/mp4', ['-c:a', 'alac']],
    ['voice.webm', 'audio/webm', ['-c:a', 'libopus']],
    ['voice.mka', 'audio/x-matroska', ['-c:a', 'flac']],
    ['voice.wma', 'audio/x-ms-wma', []],
  ] as const)('%s gets an Audio-Code', async (name, mediatype, codec) => {
    const file = path.join(await temporaryFolder(), name);
    const source = path.resolve(import.meta.dirname, '../../fixtures/codes/files/song_a.flac');
    execFileSync('ffmpeg', ['-v', 'error', '-i', source, '-vn', '-metadata', 'title=Voice', ...codec, file]);
    const song = await uploaded(server.url, 'song_a.flac', fileBytes('song_a.flac'));
    const voice = await uploaded(server.url, name, new Uint8Array(await readFile(file)));
    expect(voice).toMatchObject({ '@type': 'AudioObject', mode: 'audio', mediatype, name: 'Voice' });
    expect(voice).not.toHaveProperty('width');
    const [, content = 256] = distances(voice.units, song.units) ?? [];
    expect(content).toBeLessThan(26);
    const copy = await postJson(server.url, `/metadata/${voice.media_id}`, { name: 'Renamed' });
    expect(await bodyOf(copy)).toMatchObject({ mode: 'audio', name: 'Renamed' });
  });

  test('a cover does not make it a video', async () => {
    const folder = await temporaryFolder();
    const [cover, file] = [path.join(folder, 'cover.jpg'), path.join(folder, 'song.mp4')];
    const source = path.resolve(import.meta.dirname, '../../fixtures/codes/files/song_a.flac');
    const run = (...args: string[]) => execFileSync('ffmpeg', ['-v', 'error', ...args]);
    run('-f', 'lavfi', '-i', 'color=red:s=32x32', '-frames:v', '1', cover);
    const map = [
      '-map',
      '0:a',
      '-map',
      '1',
      '-c:a',
      'aac',
      '-c:v',
      'mjpeg',
      '-disposition:v',
      'attached_pic',
    ];
    run('-i', source, '-i', cover, ...map, file);
    const song = await uploaded(server.url, 'song.mp4', new Uint8Array(await readFile(file)));
    expect(song.mode).toBe('audio');
  });
});
