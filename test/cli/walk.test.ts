/** Which files the arguments of `isccd code` and `isccd scan` stand for, and what becomes of those that cannot be read. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Source } from '../../src/cli/batch/source.js';
import { localSources } from '../../src/cli/batch/walk.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { MAIN } from '../support/serve.js';

async function archive(): Promise<string> {
  const folder = await temporaryFolder();
  for (const inner of ['a/b/c', 'other']) await mkdir(path.join(folder, inner), { recursive: true });
  for (const file of ['top.txt', 'a/one.txt', 'a/b/two.txt', 'a/b/c/three.txt', 'other/four.txt'])
    await writeFile(path.join(folder, file), 'A text.');
  return folder;
}

async function found(folder: string, argument: string, exclude: readonly string[] = []): Promise<string[]> {
  const names: string[] = [];
  for await (const source of localSources(argument, { exclude }))
    names.push(`${path.relative(folder, source.path)}${'error' in source ? ' failed' : ''}`);
  return names;
}

/** A folder that not even the superuser can read: its path is longer than the system permits. */
async function withUnreadable(folder: string): Promise<string> {
  const name = 'n'.repeat(200);
  const script = 'cd "$0"; for i in $(seq 25); do mkdir "$1"; cd -P "./$1"; done';
  await mkdir(path.join(folder, 'unreadable'));
  execFileSync('bash', ['-c', script, path.join(folder, 'unreadable'), name]);
  onTestFinished(() => void execFileSync('rm', ['-rf', path.join(folder, 'unreadable')]));
  return folder;
}

it('a pattern is matched in the folders that it names, at any depth with two asterisks', async () => {
  const folder = await archive();
  const files = (pattern: string) => found(folder, path.join(folder, pattern));
  expect(await files('*.txt')).toEqual(['top.txt']);
  expect(await files('*/*.txt')).toEqual(['a/one.txt', 'other/four.txt']);
  expect(await files('a/**/*.txt')).toEqual(['a/one.txt', 'a/b/two.txt', 'a/b/c/three.txt']);
  expect(await files('?/b/*.txt')).toEqual(['a/b/two.txt']);
  expect(await files('{a/b,other}/*.txt')).toEqual(['a/b/two.txt', 'other/four.txt']);
});

it.skipIf(process.platform === 'win32')(
  'a folder that cannot hold matches, or is excluded, is not read and does not fail',
  async () => {
    const folder = await withUnreadable(await archive());
    expect(await found(folder, path.join(folder, '*.txt'))).toEqual(['top.txt']);
    expect(await found(folder, path.join(folder, 'a/**'))).not.toContain(expect.stringMatching('failed'));
    expect((await found(folder, path.join(folder, '**/*.txt'))).at(-1)).toMatch(/^unreadable.* failed$/);
    const remaining = ['top.txt', 'a/one.txt', 'a/b/two.txt', 'a/b/c/three.txt', 'other/four.txt'];
    expect(await found(folder, folder, ['unreadable'])).toEqual(remaining);
    expect(await found(folder, folder, ['unreadable/**', 'b'])).toEqual([
      'top.txt',
      'a/one.txt',
      'other/four.txt',
    ]);
  },
);

async function onlySource(file: string): Promise<Source> {
  for await (const source of localSources(file)) if (!('error' in source)) return source;
  throw new Error('no source');
}

it('a file that cannot be read when its turn comes fails with the code of the reason', async () => {
  const folder = await archive();
  const file = path.join(folder, 'top.txt');
  const source = await onlySource(file);
  await chmod(file, 0);
  // Permissions do not bind the superuser, and Windows does not have them.
  if (process.platform !== 'win32' && process.getuid?.() !== 0)
    await expect(source.fetch(folder)).rejects.toMatchObject({ code: 'NO_PERMISSION' });
  await rm(file);
  await expect(source.fetch(folder)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await symlink('top.txt', file);
  await expect(source.fetch(folder)).rejects.toMatchObject({ code: 'UNREADABLE' });
});

it.skipIf(process.platform === 'win32')('a signal ends the wait for the writer of a named pipe', async () => {
  const folder = await archive();
  const pipe = path.join(folder, 'pipe.txt');
  execFileSync('mkfifo', [pipe]);
  const args = [MAIN, 'code', '--jobs', '2', path.join(folder, 'top.txt'), pipe];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  // Both files are begun together, so that the pipe is open when the first line is there.
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(130);
});
