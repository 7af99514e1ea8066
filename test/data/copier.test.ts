/** Copies for backups: to the same or another file system, while files are deleted. */
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Copier } from '../../src/storage/data/copier.js';
import { temporaryFolder } from '../codes/support/folder.js';

/** A memory file system that every user of Linux may write to. */
const OTHER_DISK = '/dev/shm';

async function source(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'files', 'a'), { recursive: true });
  await writeFile(path.join(folder, 'files', 'a', 'one'), '1');
  await writeFile(path.join(folder, 'files', 'a', 'two'), '2');
  return folder;
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

test('shares files by hard link', async () => {
  const [from, to] = [await source(), await temporaryFolder()];
  const copier = new Copier(from, to);
  expect(await copier.share('files/a/one')).toBe(true);
  expect((await stat(path.join(to, 'files/a/one'))).nlink).toBe(2);
});

test('copies the bytes to another file system', async ({ skip }) => {
  const from = await source();
  const device = async (folder: string) => (await stat(folder)).dev;
  if (!(await exists(OTHER_DISK)) || (await device(OTHER_DISK)) === (await device(from)))
    skip('one file system');
  const to = await mkdtemp(path.join(OTHER_DISK, 'isccd-'));
  onTestFinished(() => rm(to, { recursive: true, force: true }));
  const copier = new Copier(from, to);
  await copier.shareAll('files', () => {});
  await copier.finish();
  expect(await readFile(path.join(to, 'files/a/one'), 'utf8')).toBe('1');
  expect(await readFile(path.join(to, 'files/a/two'), 'utf8')).toBe('2');
});

test('reports a file that was deleted in the meantime, and copies the others', async () => {
  const [from, to] = [await source(), await temporaryFolder()];
  const copier = new Copier(from, to);
  await rm(path.join(from, 'files/a/one'));
  expect(await copier.share('files/a/one')).toBe(false);
  expect(await copier.copy('files/a/one')).toBe(false);
  await copier.shareAll('files', () => {});
  expect(await copier.copiedFiles('files')).toEqual(['files/a/two']);
});

test('lists no names of a missing folder', async () => {
  const copier = new Copier(await source(), await temporaryFolder());
  expect(await copier.names('missing')).toEqual([]);
  expect(await copier.copiedFiles('missing')).toEqual([]);
});
