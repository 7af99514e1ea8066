/** `isccd code`, as a user runs it. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bodyOf, uploaded } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { hasProgram, recorded } from '../codes/support/recorded.js';
import { startCodes } from '../codes/support/server.js';
import { MAIN } from '../support/serve.js';

const UNIX = process.platform !== 'win32';
const run = promisify(execFile);

it.skipIf(!UNIX)('prints the result of the server for a file with the same name', async () => {
  const folder = await temporaryFolder();
  const server = await startCodes();
  onTestFinished(() => server.close());
  const bytes = await readFile(recorded('short_a.txt').path);
  for (const name of ['a:b?_über-*c.txt', 'con.txt', ' spaced. .txt ']) {
    const file = path.join(folder, name);
    await writeFile(file, bytes);
    const { stdout } = await run(process.execPath, [MAIN, 'code', file]);
    const { media_id } = await uploaded(server.url, name, bytes);
    const stored = await bodyOf(await fetch(`${server.url}/api/v1/iscc/${media_id}`));
    expect(JSON.parse(stdout)).toMatchObject({
      iscc: stored.iscc,
      filename: stored.filename,
      name: stored.name,
    });
  }
  const nameless = path.join(folder, '???');
  await writeFile(nameless, bytes);
  await expect(run(process.execPath, [MAIN, 'code', nameless])).rejects.toMatchObject({ code: 1 });
});

describe.skipIf(!UNIX || !hasProgram('ffmpeg'))('a video', () => {
  it('that is unreadable fails with the cause', async () => {
    const file = path.join(await temporaryFolder(), 'noise.mp4');
    await writeFile(file, Buffer.alloc(5000, 0x5a));
    const failed = await run(process.execPath, [MAIN, 'code', file]).catch(
      (error: { stderr: string }) => error,
    );
    expect(failed.stderr).toMatch(
      /^isccd: \S+noise\.mp4: ISCC processing error\. The file is damaged.+ - ff\w+ ended with .+\n$/,
    );
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('leaves no files and no processes after %s', async (signal) => {
    const folder = await temporaryFolder();
    const [films, temporary] = [path.join(folder, 'films'), path.join(folder, 'temporary')];
    await Promise.all([mkdir(films), mkdir(temporary)]);
    const film = path.join(films, 'long.mp4');
    await longFilm(film);
    const child = spawn(process.execPath, [MAIN, 'code', film], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await vi.waitFor(() => expect(runningOn(film)).toContain('ffmpeg'), 60_000);
    await vi.waitFor(
      async () => expect(await readdir(temporary, { recursive: true })).toHaveLength(2),
      60_000,
    );
    expect(await readdir(films)).toEqual(['long.mp4']);
    child.kill(signal);
    expect(await ended).toEqual(signal === 'SIGKILL' ? [null, signal] : [130, null]);
    await vi.waitFor(() => expect(runningOn(film)).toEqual([]), 20_000);
    expect(await readdir(films)).toEqual(['long.mp4']);
    if (signal !== 'SIGKILL') expect(await readdir(temporary)).toEqual([]);
  });
});

/** Reading it takes FFmpeg minutes, writing it no time. */
async function longFilm(file: string): Promise<void> {
  const once = path.join(path.dirname(path.dirname(file)), 'once.mp4');
  await copyFile(recorded('test_a.mp4').path, once);
  const loop = ['-stream_loop', '2000', '-i', once, '-map', '0:v', '-codec', 'copy', file];
  execFileSync('ffmpeg', ['-loglevel', 'error', ...loop]);
}

/** Names of the processes that have the file's path in their arguments, or, on Linux, the file open. */
function runningOn(file: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,comm=,args='], { encoding: 'utf8' }).split('\n');
  const processes = lines.flatMap((line) => {
    const [, pid, name, given] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || name === undefined || given === undefined ? [] : [{ pid, name, given }];
  });
  return processes
    .filter(({ pid, given }) => given.includes(file) || hasOpen(pid, file))
    .map(({ name }) => path.basename(name));
}

function hasOpen(pid: string, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => readlinkSync(path.join(folder, fd)) === file);
  } catch {
    // The process or its descriptor is gone, or the system has no such folder.
    return false;
  }
}
