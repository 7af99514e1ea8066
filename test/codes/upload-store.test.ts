import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { native } from '../../src/native.js';
import type { IsccResult } from '../../src/services/codes/result.js';
import type { MediaId } from '../../src/services/codes/uploads/media-id.js';
import { Records } from '../../src/services/codes/uploads/records.js';
import type { UploadRecord } from '../../src/services/codes/uploads/records-port.js';
import { UploadStore } from '../../src/services/codes/uploads/upload-store.js';
import { FileBlobs } from '../../src/storage/blobs/files.js';
import { temporaryFolder } from './support/folder.js';
import { problemsOf } from './support/problems.js';

const bytes = Buffer.from('some bytes');
const record: UploadRecord = { filename: 'a.bin', uploader: 'ab', createdAt: 1, bytes: bytes.length };
const { datahash } = await new native.SumHasher().finish(bytes);
const result = { iscc: 'ISCC:KACT', datahash } as unknown as IsccResult;

async function openStore() {
  const folder = await temporaryFolder();
  const blobs = await FileBlobs.open(folder);
  const records = await Records.open(path.join(folder, 'records'));
  onTestFinished(() => records.close());
  return { store: new UploadStore(blobs, records), records, folder, files: path.join(folder, 'files') };
}

type Store = Awaited<ReturnType<typeof openStore>>;

/** Stores bytes that the draft does not have. @param key default: the next one */
function storeBytes({ store }: Store, name: string, key = store.nextKey(name)): Promise<MediaId> {
  return store.inDraft(key, (draft) =>
    store.store(draft, { ...record, filename: name }, { result, unwritten: bytes }),
  );
}

test('a stored upload has its file, its record and its result', async () => {
  const opened = await openStore();
  const id = await storeBytes(opened, 'a.bin');
  const { records, files, folder } = opened;
  expect(records.find(id)).toEqual(record);
  expect(records.findResult(id)).toEqual(result);
  expect(await readFile(path.join(files, id, 'a.bin'))).toEqual(bytes);
  expect(await readdir(files)).toEqual([id]);
  expect(await problemsOf(folder)).toEqual([]);
});

test('the file is stored before its record is written', async () => {
  const opened = await openStore();
  const { records, files } = opened;
  const add = records.add.bind(records);
  let before: Buffer | undefined;
  records.add = async (id, ...rest) => {
    before = await readFile(path.join(files, id, 'a.bin'));
    await add(id, ...rest);
  };
  const id = await storeBytes(opened, 'a.bin');
  expect(before).toEqual(bytes);
  expect(records.find(id)).toEqual(record);
});

test('a file that can not be stored gets no record', async () => {
  const opened = await openStore();
  await expect(storeBytes(opened, 'a/b.bin')).rejects.toThrow();
  const { records, files } = opened;
  expect([...records.ids(), ...records.resultIds()]).toEqual([]);
  expect(await readdir(files)).toEqual([]);
});

test('an upload whose id is taken gets another one, and the first upload stays as it is', async () => {
  const opened = await openStore();
  const { store, records, files } = opened;
  const key = store.nextKey('a.bin');
  const first = await storeBytes(opened, 'a.bin', key);
  const second = await storeBytes(opened, 'b.bin', { ...key, name: 'b.bin' });
  expect(second).not.toBe(first);
  expect(records.find(first)).toEqual(record);
  expect(records.find(second)).toEqual({ ...record, filename: 'b.bin' });
  expect(await readdir(path.join(files, first))).toEqual(['a.bin']);
  expect(await readFile(path.join(files, second, 'b.bin'))).toEqual(bytes);
});

test('a folder without a record also takes an id', async () => {
  const opened = await openStore();
  const { records, files } = opened;
  const folder = '0000000000001';
  await mkdir(path.join(files, folder));
  const stored = await storeBytes(opened, 'a.bin', { folder, name: 'a.bin' });
  expect([...records.ids()]).toEqual([stored]);
  expect(await readdir(files)).toEqual([folder, stored]);
});
