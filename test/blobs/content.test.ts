/** Blobs named by their digest: atomic, durable, and cleaned up. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FolderContentBlobs } from '../../src/storage/blobs/content.js';
import { FileBlobs } from '../../src/storage/blobs/files.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { build } from '../faults/support/preload.js';
import { contentBlobsSuite } from './content-suite.js';

const ROOT = path.join(import.meta.dirname, '../..');
const bytes = Buffer.from('manifest');
const digest = createHash('sha256').update(bytes).digest('hex');

const folders = new Map<number, Promise<string>>();
contentBlobsSuite('folder', async (storage) => {
  const folder = folders.get(storage) ?? temporaryFolder();
  folders.set(storage, folder);
  return FolderContentBlobs.open(await folder, '.c2pa');
});

test('a write survives the removal of its draft by a process that starts', async () => {
  const folder = await temporaryFolder();
  const [blobs, other] = [
    await FolderContentBlobs.open(folder, '.c2pa'),
    await FolderContentBlobs.open(folder, '.c2pa'),
  ];
  // The other process removes each draft once, after its write and before its rename.
  const handle = await open(path.join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  let removals = 0;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    if (removals === 0) removals += await other.removeDrafts(Number.POSITIVE_INFINITY);
  });
  onTestFinished(() => spy.mockRestore());
  await blobs.put(digest, bytes);
  expect(removals).toBe(1);
  expect((await readFile(blobs.placeOf(digest))).equals(bytes)).toBe(true);
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});

test('a full or missing folder is an error, and leaves no draft', async () => {
  const folder = await temporaryFolder();
  const blobs = await FolderContentBlobs.open(folder, '.c2pa');
  await expect(blobs.put(`${'a'.repeat(2)}/missing/${digest}`, bytes)).rejects.toThrow();
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});

test('only old drafts are removed', async () => {
  const folder = await temporaryFolder();
  const blobs = await FolderContentBlobs.open(folder, '.c2pa');
  await writeFile(path.join(folder, 'drafts', 'young'), 'x');
  expect(await blobs.removeDrafts(Date.now() - 60_000)).toBe(0);
  expect(await blobs.removeDrafts(Date.now() + 60_000)).toBe(1);
});

/** Paths of the files and folders, relative to `root`, that a process syncs while it runs `source`, a module. */
async function syncedBy(root: string, source: string): Promise<string[]> {
  const log = path.join(root, 'syncs');
  const environment = { LD_PRELOAD: build('record-syncs.c', root), SYNC_LOG: log };
  const module = `const root = ${JSON.stringify(root)}; const bytes = Buffer.from('manifest'); ${source}`;
  execFileSync(process.execPath, ['--input-type=module', '-e', module], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
  });
  return (await readFile(log, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((synced) => path.relative(root, synced));
}

const hasProc = existsSync('/proc/self/fd');

test.runIf(hasProc)('a stored manifest is synced, and so is the folder of its name', async () => {
  const folder = await temporaryFolder();
  await FolderContentBlobs.open(folder, '.c2pa');
  const synced = await syncedBy(
    folder,
    `import { FolderContentBlobs } from './dist/storage/blobs/content.js';
    const blobs = await FolderContentBlobs.open(root, '.c2pa');
    await blobs.put('${digest}', bytes);`,
  );
  // The first two are those of the open.
  expect(synced.slice(2)).toEqual([
    expect.stringMatching(/^drafts\//),
    path.join('files', digest.slice(0, 2)),
  ]);
});

const COMMITS = [
  ['in blocks', "await draft.write(bytes, 0); await draft.commit({ folder: 'id', name: 'a.bin' });"],
  ['whole', "await draft.commit({ folder: 'id', name: 'a.bin' }, bytes);"],
] as const;

test.runIf(hasProc).each(COMMITS)(
  'an upload committed %s is synced, with both folders',
  async (_, commit) => {
    const folder = await temporaryFolder();
    const [opened, ...synced] = await syncedBy(
      folder,
      `import { FileBlobs } from './dist/storage/blobs/files.js';
    const blobs = await FileBlobs.open(root);
    const draft = await blobs.begin({ folder: 'id', name: 'a.bin' });
    ${commit}`,
    );
    // The names of the new folders.
    expect(opened).toBe('');
    const file = path.join('files', 'id', 'a.bin');
    expect(synced.sort()).toEqual(['files', path.dirname(file), file]);
  },
);

test.runIf(hasProc)('an upload that was synced before its commit is not synced again', async () => {
  const folder = await temporaryFolder();
  const [, ...synced] = await syncedBy(
    folder,
    `import { FileBlobs } from './dist/storage/blobs/files.js';
    const blobs = await FileBlobs.open(root);
    const draft = await blobs.begin();
    await draft.write(bytes, 0);
    await draft.sync();
    await draft.commit({ folder: 'id', name: 'a.bin' });`,
  );
  expect(synced[0]).toMatch(/^drafts\//);
  expect(synced.slice(1).sort()).toEqual(['files', path.join('files', 'id')]);
});

test.runIf(process.platform !== 'win32')('only the owner can read an upload', async () => {
  const folder = await temporaryFolder();
  const blobs = await FileBlobs.open(folder);
  const draft = await blobs.begin();
  const { path: file } = await draft.commit({ folder: 'id', name: 'a.bin' });
  const handle = await open(file);
  expect((await handle.stat()).mode & 0o777).toBe(0o600);
  await handle.close();
});
