/** Files that get a code, but that embedding would break: refused, with a reason that fits. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, postJson, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { hasProgram } from '../support/recorded.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { maxWorkers: 1 } });
});
afterAll(() => server?.close());

const content = (units: readonly string[]) => units.find((unit) => unit.startsWith('ISCC:E'));

async function embedding(name: string, bytes: Uint8Array<ArrayBuffer>) {
  const { media_id, units } = await uploaded(server.url, name, bytes);
  return { units, response: await postJson(server.url, `/metadata/${media_id}`, { name: 'Renamed' }) };
}

async function expectUnsupported(response: Response, mediatype: string) {
  const text = await response.text();
  const sentence = `Embedding metadata into files of type ${mediatype} is not supported. (EMBEDDING_UNSUPPORTED)`;
  expect([response.status, text]).toEqual([422, expect.stringContaining(sentence)]);
}

test('a JPEG 2000 code stream without boxes', async () => {
  const stream = new URL('../../fixtures/codes/jpeg2000/stream.j2k', import.meta.url);
  const { response } = await embedding('stream.j2k', new Uint8Array(await readFile(stream)));
  await expectUnsupported(response, 'image/jp2');
});

test('a BigTIFF file', async () => {
  const big = new URL('../../fixtures/codes/tiff/big.tif', import.meta.url);
  const { response } = await embedding('big.tif', new Uint8Array(await readFile(big)));
  await expectUnsupported(response, 'image/tiff');
});

describe.skipIf(!hasProgram('ffmpeg'))('audio and video', () => {
  async function made(name: string, args: readonly string[]) {
    const file = path.join(await temporaryFolder(), name);
    execFileSync('ffmpeg', ['-v', 'error', ...args, file]);
    return new Uint8Array(await readFile(file));
  }
  const SOUND = ['-f', 'lavfi', '-i', 'aevalsrc=sin(440*t*(1+t/4)):d=8:s=44100'];
  const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=8'];
  const FRAGMENTS = ['-movflags', 'frag_keyframe+empty_moov'];
  const FILM = [...PICTURES, ...SOUND, '-c:v', 'mpeg4', '-g', '50', '-c:a', 'aac', ...FRAGMENTS];

  test('fragmented MP4 with offsets from the start of the file', async () => {
    const bytes = await made('sound.m4a', [...SOUND, '-c:a', 'aac', ...FRAGMENTS]);
    const { response } = await embedding('sound.m4a', bytes);
    await expectUnsupported(response, 'audio/mp4');
  });

  test('fragmented MP4 with offsets from the fragment takes metadata', async () => {
    const args = [...SOUND, '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov+default_base_moof'];
    const { response, units } = await embedding('sound.m4a', await made('sound.m4a', args));
    const copy = await bodyOf(response);
    expect(copy.name).toBe('Renamed');
    expect(content(copy.units)).toBe(content(units));
  });

  test('WAV with ADPCM', async () => {
    const { response } = await embedding('a.wav', await made('a.wav', [...SOUND, '-c:a', 'adpcm_ms']));
    await expectUnsupported(response, 'audio/wav');
  });

  test('WAV from a pipe, without sizes', async () => {
    const wav = execFileSync('ffmpeg', ['-v', 'error', ...SOUND, '-f', 'wav', 'pipe:1'], {
      maxBuffer: 2 ** 24,
    });
    const { response } = await embedding('pipe.wav', new Uint8Array(wav));
    await expectUnsupported(response, 'audio/wav');
  });

  test('Ogg with several logical streams takes metadata', async () => {
    const two = ['-map', '0', '-map', '0', '-c:a:0', 'libvorbis', '-c:a:1', 'libopus', '-ar', '48000'];
    const { response, units } = await embedding('two.ogg', await made('two.ogg', [...SOUND, ...two]));
    const copy = await bodyOf(response);
    expect(copy.name).toBe('Renamed');
    expect(content(copy.units)).toBe(content(units));
  });

  test('a fragmented film that is cut off: a copy would end earlier', async () => {
    const film = await made('film.mp4', FILM);
    const cut = film.slice(0, Math.floor((film.length * 2) / 3));
    const { response } = await embedding('cut.mp4', cut);
    const text = await response.text();
    expect([response.status, text]).toEqual([422, expect.stringContaining('(FILE_DAMAGED)')]);
  });

  test('a fragmented film that is complete takes metadata', async () => {
    const { response, units } = await embedding('film.mp4', await made('film.mp4', FILM));
    const copy = await bodyOf(response);
    expect(copy.name).toBe('Renamed');
    expect(content(copy.units)).toBe(content(units));
  });
});
