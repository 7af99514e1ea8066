/** Jobs whose worker is killed from outside, such as by the kernel when memory is short. */
import { spawnSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { upload } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { longVideo } from '../support/hostile.js';
import { serveCodes } from '../support/process.js';
import { hasProgram } from '../support/recorded.js';
import { fileBytes } from '../support/reference.js';

const PHOTO = fileBytes('photo_a.png');

/** Process ids of the workers of a server. */
function workersOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', `${pid}`], { encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => line.includes('worker.js'));
  return lines.map((line) => Number.parseInt(line, 10));
}

test.skipIf(process.platform !== 'linux')(
  'an upload succeeds although its idle worker was killed',
  async () => {
    const { url, pid } = await serveCodes(await temporaryFolder(), { CODEWEB_MAX_WORKERS: '1' });
    for (let round = 0; round < 10; round += 1) {
      for (const worker of workersOf(pid)) process.kill(worker, 'SIGKILL');
      const response = await upload(url, 'photo.png', PHOTO);
      expect([round, response.status, await response.text()]).toEqual([round, 201, expect.any(String)]);
    }
  },
);

test.skipIf(process.platform !== 'linux' || !hasProgram('ffmpeg'))(
  'a job whose workers are killed twice gets a 503 with Retry-After; their folders go at once',
  async () => {
    const folder = await temporaryFolder();
    const { url, pid } = await serveCodes(folder, {
      CODEWEB_MAX_WORKERS: '1',
      CODEWEB_CLEANUP_INTERVAL: '0',
    });
    const drafts = path.join(folder, 'media', 'drafts');
    const response = upload(url, 'long.mkv', await longVideo());
    const killed: number[] = [];
    const folders: number[] = [];
    for (let kill = 0; kill < 2; kill += 1) {
      // The worker is decoding when FFmpeg's folder is next to the draft of the upload.
      const worker = await vi.waitFor(async () => {
        const [found] = workersOf(pid).filter((one) => !killed.includes(one));
        const [draft = '', ...work] = (await readdir(drafts)).sort();
        expect(work).toEqual([`${draft}-video`]);
        const { birthtimeMs } = await stat(path.join(drafts, work[0] ?? ''));
        expect(folders).not.toContain(birthtimeMs);
        folders.push(birthtimeMs);
        return found ?? expect.fail('no worker');
      }, 20_000);
      await pause(300);
      process.kill(worker, 'SIGKILL');
      killed.push(worker);
    }
    const { status, headers } = await response;
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(await readdir(drafts)).toEqual([]);
  },
);
