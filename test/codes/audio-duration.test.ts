/** Durations of sound whose headers do not have them, or have them in places that only FFmpeg knows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { format } from '../../src/services/codes/pipeline/formats/audio.js';
import { run } from '../support/command.js';
import { hasProgram } from './support/recorded.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-duration-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function durationOf(name: string, seconds: number, args: readonly string[]): Promise<unknown> {
  const file = path.join(folder, name);
  const noise = ['-f', 'lavfi', '-i', `anoisesrc=r=48000:d=${seconds}`];
  const { code, stderr } = await run('ffmpeg', ['-v', 'error', ...noise, ...args, file]);
  expect(code, stderr).toBe(0);
  const one = { path: file, filename: name, mediatype: 'audio/x', granular: false, compat: '0.9.7' } as const;
  return (await format.content(one)).facts.duration;
}

describe.skipIf(!hasProgram('ffmpeg'))('the duration of', () => {
  it('DTS is that of its frames', async () => {
    expect(await durationOf('a.dts', 8, ['-strict', '-2', '-c:a', 'dca', '-b:a', '768k'])).toBe(8);
  });

  it('WavPack without a length is that of its samples', async () => {
    const unseekable = ['-seekable', '0', '-c:a', 'wavpack', '-f', 'wv'];
    expect(await durationOf('a.wv', 4, unseekable)).toBe(4);
    expect(await durationOf('whole.wv', 5, ['-c:a', 'wavpack'])).toBe(5);
  });
});
