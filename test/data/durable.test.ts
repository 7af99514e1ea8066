/** Syncs reach the disk. That they are in the right places is what `test/faults/power-loss.test.ts` is about. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { replaceDurably, syncPath } from '../../src/storage/data/durable.js';
import { temporaryFolder } from '../codes/support/folder.js';

it.runIf(process.platform === 'linux')('a sync reports that it failed', async () => {
  // Opens, but has nothing to sync.
  await expect(syncPath('/dev/null')).rejects.toMatchObject({ code: 'EINVAL', syscall: 'fsync' });
  await expect(syncPath('/nonexistent/file')).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a file is replaced as a whole, with the wanted rights, or stays as it is', async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'list');
  await replaceDurably(file, 'old');
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  await replaceDurably(file, 'new', 0o644);
  expect(await readFile(file, 'utf8')).toBe('new');
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o644);
  await mkdir(path.join(folder, 'taken'));
  await expect(replaceDurably(path.join(folder, 'taken'), 'new')).rejects.toThrow();
  expect((await readdir(folder)).sort()).toEqual(['list', 'taken']);
});
