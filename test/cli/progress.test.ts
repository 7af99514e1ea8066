/** Progress bars on a terminal: they do not mix with results, and an interruption leaves the terminal as it was. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { barCharacters } from '../../src/cli/batch/progress.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { MAIN } from '../support/serve.js';

const FILES = 2000;
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const INTERRUPT = '\u0003';

/** A command on a terminal of its own, which `script` makes. */
function onTerminal(args: readonly string[], cwd: string) {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  return { child, shown: () => shown, ended: once(child, 'close') };
}

async function texts(count: number): Promise<string> {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, 'files'));
  for (let at = 0; at < count; at += 1)
    await writeFile(path.join(cwd, 'files', `t${at}.txt`), `The text of file ${at}. `.repeat(20));
  return cwd;
}

describe.runIf(process.platform === 'linux')('a progress bar', () => {
  it('is not shown among results on the same terminal', async () => {
    const { shown, ended } = onTerminal(['code', '--no-granular', 'files'], await texts(8));
    expect((await ended)[0]).toBe(0);
    expect(shown()).toContain('{"path":"files/t7.txt"');
    expect(shown()).toContain('isccd: 8 files, 0 failed');
    expect(shown()).not.toContain(NO_WRAP);
  });

  it.each([
    ['code', ['code', 'files', '--jobs', '1', '--resume', 'out.ndjson']],
    ['scan', ['scan', 'files', '--jobs', '1']],
  ])('of %s is removed at an interruption, and lines wrap again', async (_, args) => {
    const { child, shown, ended } = onTerminal(args, await texts(FILES));
    await vi.waitFor(() => expect(shown()).toContain(NO_WRAP), { timeout: 30_000, interval: 5 });
    child.stdin.write(INTERRUPT);
    expect((await ended)[0]).toBe(130);
    expect(shown().lastIndexOf(WRAP)).toBeGreaterThan(shown().lastIndexOf(NO_WRAP));
  });
});

describe('the length of a progress bar', () => {
  it.each([
    [undefined, 30],
    [200, 30],
    [80, 30],
    [60, 10],
    [40, 0],
  ])('with %s columns is %i', (columns, characters) => expect(barCharacters(columns)).toBe(characters));
});
