/** Videos that are intact, but have too few pixels or frames for a signature: FFmpeg's filter crashes on them. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upload, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { hasProgram } from '../support/recorded.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;

describe.skipIf(!hasProgram('ffmpeg'))('small and short videos', () => {
  beforeAll(async () => {
    server = await startCodes({ config: { maxWorkers: 1 } });
  });
  afterAll(() => server?.close());

  const ffmpeg = (args: readonly string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]);
  async function video(size: string, frames: number) {
    const file = path.join(await temporaryFolder(), 'video.mp4');
    const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=25`, '-frames:v', `${frames}`];
    ffmpeg([...pictures, '-c:v', 'mpeg4', file]);
    return new Uint8Array(await readFile(file));
  }

  test.each([
    ['1000x20', 75],
    ['16x16', 50],
    ['40x30', 50],
    ['640x31', 50],
    ['320x180', 1],
    ['320x180', 2],
  ])('%s with %d frames is refused as too small', async (size, frames) => {
    const response = await upload(server.url, 'small.mp4', await video(size, frames));
    const text = await response.text();
    expect([response.status, text]).toEqual([422, expect.stringMatching(/32 pixels.* \(VIDEO_TOO_SMALL\)$/)]);
  });

  test.each([
    ['32x32', 50],
    ['640x32', 50],
    ['320x180', 3],
  ])('%s with %d frames gets a code', async (size, frames) => {
    const result = await uploaded(server.url, 'small.mp4', await video(size, frames));
    expect(result).toMatchObject({ mode: 'video' });
  });

  test('a video of which no frame can be decoded is damaged', async () => {
    const file = path.join(await temporaryFolder(), 'video.webm');
    ffmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2', '-c:v', 'libvpx', file]);
    const head = new Uint8Array(await readFile(file)).slice(0, 3000);
    const response = await upload(server.url, 'head.webm', head);
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining('(FILE_DAMAGED)'),
    ]);
  });

  test('a small cover does not make audio a small video', async () => {
    const folder = await temporaryFolder();
    const [cover, file] = [path.join(folder, 'cover.jpg'), path.join(folder, 'song.mp4')];
    ffmpeg(['-f', 'lavfi', '-i', 'color=red:s=16x16', '-frames:v', '1', cover]);
    const sound = ['-f', 'lavfi', '-i', 'sine=d=6', '-i', cover, '-map', '0', '-map', '1'];
    ffmpeg([...sound, '-c:a', 'aac', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic', file]);
    const song = await uploaded(server.url, 'song.mp4', new Uint8Array(await readFile(file)));
    expect(song.mode).toBe('audio');
  });
});
