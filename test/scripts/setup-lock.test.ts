/** Two starts of a fresh clone at a time: only one of them builds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exclusively } from '../../scripts/lock.mjs';
import { ROOT } from '../deploy/support/dockerfile.js';

/** Runs a program as root, but bound by the modes of files as other users are. */
const BOUND = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];

let folder: string;
let lock: string;
let journal: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-lock-'));
  [lock, journal] = [path.join(folder, 'setup', 'lock'), path.join(folder, 'journal')];
  await writeFile(journal, '');
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** A process that holds the lock for `ms`, then until the journal has the line `until`, and writes down when its work begins and ends. */
function worker(
  name: string,
  ms: number,
  { end = '', until = '', under = [] }: { end?: string; until?: string; under?: readonly string[] } = {},
): ChildProcess {
  const program = `
    import { appendFileSync, readFileSync } from 'node:fs';
    import { exclusively } from ${JSON.stringify(path.join(ROOT, 'scripts', 'lock.mjs'))};
    const [, journal, lock, name, ms, until] = process.argv;
    const work = () => {
      appendFileSync(journal, 'begin ' + name + '\\n');
      const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      pause(Number(ms));
      while (!readFileSync(journal, 'utf8').includes(until)) pause(10);
      appendFileSync(journal, 'end ' + name + '\\n');
      ${end}
    };
    exclusively(lock, work, (pid) => appendFileSync(journal, 'wait ' + name + '\\n'));
  `;
  const args = ['--input-type=module', '--eval', program, journal, lock, name, String(ms), until];
  const [command = '', ...words] = [...under, process.execPath, ...args];
  const child = spawn(command, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  started.push(child);
  return child;
}

async function lines(): Promise<readonly string[]> {
  return (await readFile(journal, 'utf8')).split('\n').slice(0, -1);
}

const begins = (name: string) =>
  expect.poll(lines, { timeout: 20_000, interval: 10 }).toContain(`begin ${name}`);

test('work of several processes never overlaps', async () => {
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => once(worker(name, 100), 'exit')));
  const work = (await lines()).filter((line) => !line.startsWith('wait'));
  expect(work).toHaveLength(2 * names.length);
  for (let at = 0; at < work.length; at += 2) expect(work[at + 1]).toBe(work[at]?.replace('begin', 'end'));
  expect(await readdir(path.dirname(lock))).toEqual([]);
});

test('a process that waits says so once', async () => {
  const first = worker('a', 0, { until: 'wait b' });
  await begins('a');
  await Promise.all([once(first, 'exit'), once(worker('b', 0), 'exit')]);
  expect(await lines()).toEqual(['begin a', 'wait b', 'end a', 'begin b', 'end b']);
});

test('work that ends its process releases the lock', async () => {
  await once(worker('a', 0, { end: 'process.exit(3);' }), 'exit');
  expect(await readdir(path.dirname(lock))).toEqual([]);
  expect(exclusively(lock, () => 'done')).toBe('done');
});

test('the lock of a killed process is taken over', async () => {
  const killed = worker('a', 60_000);
  await begins('a');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await Promise.all(['b', 'c', 'd'].map((name) => once(worker(name, 50), 'exit')));
  const work = (await lines()).filter((line) => !line.startsWith('wait'));
  expect(work).toHaveLength(7);
  for (let at = 1; at < work.length; at += 2) expect(work[at + 1]).toBe(work[at]?.replace('begin', 'end'));
  expect(await readdir(path.dirname(lock))).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'another process with the same number does not hold the lock',
  async () => {
    exclusively(lock, () => {});
    await writeFile(lock, `${process.pid} 1`);
    expect(
      exclusively(
        lock,
        () => 'done',
        () => expect.unreachable(),
      ),
    ).toBe('done');
  },
);

test('a lock without a name is taken over after a while', async () => {
  exclusively(lock, () => {});
  await writeFile(lock, '');
  const waits: string[] = [];
  expect(
    exclusively(
      lock,
      () => 'done',
      (pid) => waits.push(pid),
    ),
  ).toBe('done');
  expect(waits).toEqual(['']);
});

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a user who may only read the folder needs no lock',
  async () => {
    exclusively(lock, () => {});
    await chmod(path.dirname(lock), 0o555);
    await once(worker('a', 0, { under: BOUND }), 'exit');
    expect(await lines()).toEqual(['begin a', 'end a']);
  },
);

test('an error of the work is passed on', () => {
  const work = () => {
    throw new Error('no compiler');
  };
  expect(() => exclusively(lock, work)).toThrow('no compiler');
  expect(exclusively(lock, () => 'done')).toBe('done');
});
