import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileBlobs } from '../../src/blobs/files.js';
import { Records } from '../../src/codes/records.js';
import { UploadStore } from '../../src/codes/upload-store.js';
import { temporaryFolder } from './support/folder.js';

const bytes = Buffer.from('some bytes');

async function openStore() {
  const folder = await temporaryFolder();
  const blobs = await FileBlobs.open(folder);
  const records = await Records.open(path.join(folder, 'records'));
  onTestFinished(() => records.close());
  return { store: new UploadStore(blobs, records), records, files: path.join(folder, 'files') };
}

test('a file that is stored while its code is made gets its record afterwards', async () => {
  const { store, records, files } = await openStore();
  const id = await store.inDraft(store.nextKey('a.bin'), async (draft) => {
    const [storedAs, code] = await store.storeWhile(draft, 'a.bin', bytes, Promise.resolve('code'));
    expect(code).toBe('code');
    expect(records.find(storedAs)).toBeUndefined();
    const record = { filename: 'a.bin', uploader: 'ab', createdAt: 1, bytes: bytes.length };
    return store.store(draft, record, { storedAs });
  });
  expect(records.find(id)?.filename).toBe('a.bin');
  expect(await readFile(path.join(files, id, 'a.bin'))).toEqual(bytes);
  expect(await readdir(files)).toEqual([id]);
});

test('a file whose code can not be made is removed again', async () => {
  const { store, files } = await openStore();
  const failing = store.inDraft(store.nextKey('a.bin'), (draft) =>
    store.storeWhile(draft, 'a.bin', bytes, Promise.reject(new Error('no code'))),
  );
  await expect(failing).rejects.toThrow('no code');
  expect(await readdir(files)).toEqual([]);
});

test('a file that can not be stored fails after its code was made, which may use the bytes', async () => {
  const { store, files } = await openStore();
  let isMade = false;
  const making = new Promise<string>((resolve) => setImmediate(resolve, 'code'));
  const failing = store.inDraft(store.nextKey('a/b.bin'), (draft) =>
    store.storeWhile(
      draft,
      'a/b.bin',
      bytes,
      making.finally(() => {
        isMade = true;
      }),
    ),
  );
  await expect(failing).rejects.toThrow();
  expect(isMade).toBe(true);
  expect(await readdir(files)).toEqual([]);
});
