/** Audio in formats that only FFmpeg decodes. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upload, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { hasProgram } from '../support/recorded.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { maxWorkers: 1 } });
});
afterAll(() => server?.close());

describe.skipIf(!hasProgram('ffmpeg'))('lossless audio has the code of the same WAV file', () => {
  const SOUND = ['-f', 'lavfi', '-i', 'aevalsrc=0.5*sin(440*t*(1+t/4)):d=8:s=44100', '-fflags', '+bitexact'];
  const unitOf = ({ units }: { readonly units: readonly string[] }) =>
    units.find((unit) => unit.startsWith('ISCC:EI'));

  async function made(name: string, args: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
    const file = path.join(await temporaryFolder(), name);
    execFileSync('ffmpeg', ['-v', 'error', ...SOUND, ...args, file]);
    return new Uint8Array(await readFile(file));
  }

  test.each([
    ['sound.tta', 'audio/x-tta', []],
    ['sound.voc', 'audio/voc', ['-c:a', 'pcm_s16le']],
    ['sound.w64', 'audio/x-w64', []],
    ['sound.au', 'audio/basic', []],
    ['sound.caf', 'audio/x-caf', ['-c:a', 'pcm_s16le']],
    ['sound.wav', 'audio/wav', ['-rf64', 'always']],
    ['sound.oga', 'audio/ogg', ['-c:a', 'flac']],
  ] as const)('%s', async (name, mediatype, args) => {
    const plain = await uploaded(server.url, 'plain.wav', await made('plain.wav', []));
    const result = await uploaded(server.url, name, await made(name, args));
    expect(result).toMatchObject({ mode: 'audio', mediatype, duration: 8 });
    expect(unitOf(result)).toBe(unitOf(plain));
  });

  test('a file with only the signature of such a format is refused', async () => {
    for (const [name, start] of [
      ['a.tta', 'TTA1'],
      ['a.dsf', 'DSD \x1c\0\0\0\0\0\0\0'],
      ['a.mpc', 'MPCK'],
    ] as const) {
      const bytes = new Uint8Array(Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(5000, 1)]));
      const response = await upload(server.url, name, bytes);
      expect([name, response.status]).toEqual([name, 422]);
      await response.text();
    }
  });
});
