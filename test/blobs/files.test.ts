import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FileBlobs } from '../../src/blobs/files.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { blobsSuite } from './suite.js';

blobsSuite('files', async () => FileBlobs.open(await temporaryFolder()));

test('removes old drafts of other processes', async () => {
  const folder = await temporaryFolder();
  await FileBlobs.open(folder);
  await writeFile(path.join(folder, 'drafts', 'leftover'), 'half an upload');
  const blobs = await FileBlobs.open(folder);
  expect(await blobs.removeDrafts(Date.now() - 60_000)).toBe(0);
  expect(await blobs.removeDrafts(Date.now() + 60_000)).toBe(1);
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});

test('discarding a draft removes files next to it', async () => {
  const folder = await temporaryFolder();
  const blobs = await FileBlobs.open(folder);
  const draft = await blobs.begin();
  await writeFile(`${draft.path}.embedding`, 'half a copy');
  await mkdir(`${draft.path}-work`);
  expect(await blobs.removeDrafts(Number.POSITIVE_INFINITY)).toBe(0);
  await draft.discard();
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});

test('a failed commit leaves no folder', async () => {
  const folder = await temporaryFolder();
  const blobs = await FileBlobs.open(folder);
  const draft = await blobs.begin();
  await expect(draft.commit({ folder: 'a', name: 'x'.repeat(300) })).rejects.toThrow('File name too long');
  expect(await readdir(path.join(folder, 'files'))).toEqual([]);
  await draft.discard();
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});
