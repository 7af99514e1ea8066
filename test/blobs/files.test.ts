import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { alignedMemory } from '../../src/storage/blobs/direct.js';
import { FileBlobs } from '../../src/storage/blobs/files.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { blobsSuite } from './suite.js';

blobsSuite('files', async () => FileBlobs.open(await temporaryFolder()));
blobsSuite('files with direct writes', async () =>
  FileBlobs.open(await temporaryFolder(), { isDirect: true }),
);

/** Flags of the handles of this process for a file. */
async function handlesOf(file: string): Promise<number[]> {
  const flags: number[] = [];
  for (const fd of await readdir('/proc/self/fd')) {
    if ((await readlink(`/proc/self/fd/${fd}`).catch(() => '')) !== file) continue;
    const [, octal = ''] = /^flags:\s*(\d+)$/m.exec(await readFile(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    flags.push(Number.parseInt(octal, 8));
  }
  return flags;
}

/** Whether the file system of a folder has direct I/O. */
async function canBeDirect(folder: string): Promise<boolean> {
  const file = path.join(folder, 'probe');
  await writeFile(file, 'probe');
  const handle = await open(file, constants.O_RDONLY | constants.O_DIRECT).catch(() => undefined);
  await handle?.close();
  return handle !== undefined;
}

/** Aligned blocks, and others before and after them. */
async function writeMixed(folder: string): Promise<{ flags: number[]; isEqual: boolean }> {
  const bytes = alignedMemory(1024 * 1024);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at * 31 + (at >> 8)) & 0xff;
  const blobs = await FileBlobs.open(folder, { isDirect: true });
  const key = { folder: 'a', name: 'x' };
  const draft = await blobs.begin(key);
  const bounds = [0, 4096, 4097, 12_288, 524_288, 1_048_000, bytes.length - 3];
  const writes = bounds.map((start, index) => draft.write(bytes.subarray(start, bounds[index + 1]), start));
  await Promise.all(writes);
  const flags = await handlesOf(draft.path);
  await draft.sync();
  const stored = await draft.commit(key);
  return { flags, isEqual: (await readFile(stored.path)).equals(bytes) };
}

test('aligned blocks bypass the page cache; the others complete the file', async () => {
  const folder = await temporaryFolder();
  const { flags, isEqual } = await writeMixed(folder);
  expect(isEqual).toBe(true);
  if (process.platform !== 'linux') return;
  const direct = flags.filter((one) => one & constants.O_DIRECT);
  expect([direct.length, flags.length]).toEqual((await canBeDirect(folder)) ? [1, 2] : [0, 1]);
});

test('a file system in memory stores the same bytes', async () => {
  const folder = await mkdtemp(path.join(process.platform === 'linux' ? '/dev/shm' : os.tmpdir(), 'isccd-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect((await writeMixed(folder)).isEqual).toBe(true);
});

test('removes old drafts of other processes', async () => {
  const folder = await temporaryFolder();
  await FileBlobs.open(folder);
  await writeFile(path.join(folder, 'drafts', 'leftover'), 'half an upload');
  const blobs = await FileBlobs.open(folder);
  expect(await blobs.removeDrafts(Date.now() - 60_000)).toBe(0);
  expect(await blobs.removeDrafts(Date.now() + 60_000)).toBe(1);
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});

test.skipIf(process.platform === 'win32')('only the owner can read a draft', async () => {
  const blobs = await FileBlobs.open(await temporaryFolder());
  for (const draft of [await blobs.begin(), await blobs.begin({ folder: 'a', name: 'b' })]) {
    await draft.write(Buffer.from('x'), 0);
    expect((await stat(draft.path)).mode & 0o777).toBe(0o600);
    await draft.discard();
  }
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
