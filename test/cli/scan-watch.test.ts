/** `isccd scan --watch` as a process: folders that come and go, and a system that watches no more folders. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { MAIN } from '../support/serve.js';

const WAIT = { timeout: 60_000, interval: 100 };
/** Several waits, one of them for a look every 15 s. */
const LONG_MS = 240_000;
const SCAN = [MAIN, 'scan', 'files', '--out', 'out', '--watch'];

async function watching(cwd: string, program: string, args: readonly string[]) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { out: '', error: '' };
  child.stdout.on('data', (text) => {
    output.out += text;
  });
  child.stderr.on('data', (text) => {
    output.error += text;
  });
  return { child, output, ended: once(child, 'exit') };
}

/** Waits until an equal copy of `a.txt` is reported. */
async function reported(cwd: string, copy: string): Promise<void> {
  await vi.waitFor(async () => {
    const csv = await readFile(path.join(cwd, 'out/report.csv'), 'utf8');
    expect(csv).toMatch(new RegExp(`^duplicates,1,${copy},`, 'm'));
  }, WAIT);
}

async function archive(): Promise<{ cwd: string; write: (name: string) => Promise<void> }> {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, 'files/inner'), { recursive: true });
  const write = (name: string) => writeFile(path.join(cwd, name), 'Words of one text. '.repeat(20));
  await write('files/a.txt');
  return { cwd, write };
}

it('says once that its folder is missing, and scans it again when it is back', {
  timeout: LONG_MS,
}, async () => {
  const { cwd, write } = await archive();
  const { child, output, ended } = await watching(cwd, process.execPath, SCAN);
  await vi.waitFor(() => expect(output.out).toMatch(/^1 file, .+ 0 failed$/m), WAIT);
  await rename(path.join(cwd, 'files'), path.join(cwd, 'elsewhere'));
  await vi.waitFor(() => expect(output.out).toMatch(/^0 files, .+ 1 failed$/m), WAIT);
  await write('elsewhere/b.txt');
  await rename(path.join(cwd, 'elsewhere'), path.join(cwd, 'files'));
  await reported(cwd, 'files/b.txt');
  await write('files/inner/c.txt');
  await reported(cwd, 'files/inner/c.txt');
  expect(output.error).toMatch(/^isccd: files is missing or unreadable; .+ENOENT.+\nisccd: files is back\n$/);
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(130);
});

/** Runs a script with a limit of its own for watched folders. */
const LIMITED = ['-Ur', 'sh', '-c', 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"'];

function hasLimits(): boolean {
  try {
    execFileSync('unshare', [...LIMITED, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!hasLimits())(
  'looks for changes itself if the system watches no more folders',
  { timeout: LONG_MS },
  async () => {
    const { cwd, write } = await archive();
    const { output } = await watching(cwd, 'unshare', [...LIMITED, process.execPath, ...SCAN]);
    await vi.waitFor(() => expect(output.out).toMatch(/^1 file, .+ 0 failed$/m), WAIT);
    await write('files/inner/b.txt');
    await reported(cwd, 'files/inner/b.txt');
    expect(output.error).toMatch(
      /^isccd: not all folders can be watched: ENOSPC: .+ every 15 s instead \(raise fs\.inotify\.max_user_watches .+\)\n$/,
    );
  },
);
