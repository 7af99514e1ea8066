import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { native } from '../../src/native.js';
import { settleInterrupted } from '../../src/services/codes/interrupted.js';
import type { MediaId } from '../../src/services/codes/media-id.js';
import { Records } from '../../src/services/codes/records.js';
import type { UploadRecord } from '../../src/services/codes/records-port.js';
import type { IsccResult } from '../../src/services/codes/result.js';
import { UploadStore } from '../../src/services/codes/upload-store.js';
import { FileBlobs } from '../../src/storage/blobs/files.js';
import { temporaryFolder } from './support/folder.js';
import { problemsOf } from './support/problems.js';

const bytes = Buffer.from('some bytes');
const record: UploadRecord = { filename: 'a.bin', uploader: 'ab', createdAt: 1, bytes: bytes.length };
const { datahash } = await new native.SumHasher().finish(bytes);
const result = { iscc: 'ISCC:KACT', datahash } as unknown as IsccResult;

async function openStore(folder?: string) {
  const used = folder ?? (await temporaryFolder());
  const blobs = await FileBlobs.open(used);
  const records = await Records.open(path.join(used, 'records'));
  onTestFinished(() => records.close());
  const store = new UploadStore(blobs, records);
  return { store, blobs, records, folder: used, files: path.join(used, 'files') };
}

type Store = Awaited<ReturnType<typeof openStore>>;

/** Stores a file while its code is made. */
function storeWhile({ store }: Store, name: string): Promise<MediaId> {
  return store.inDraft(store.nextKey(name), async (draft) => {
    const storing = store.begin(draft, name, bytes);
    return store.store(draft, { ...record, filename: name }, { result, whole: bytes, storing });
  });
}

test('a file that is stored while its code is made has a record when both are durable', async () => {
  const opened = await openStore();
  const id = await storeWhile(opened, 'a.bin');
  const { records, files, folder } = opened;
  expect(records.find(id)).toEqual(record);
  expect(records.findResult(id)).toEqual(result);
  expect(await readFile(path.join(files, id, 'a.bin'))).toEqual(bytes);
  expect(await readdir(files)).toEqual([id]);
  expect(await problemsOf(folder)).toEqual([]);
});

test('a record is hidden until its file is durable', async () => {
  const { records } = await openStore();
  const id = '0000000000001' as MediaId;
  let end = () => {};
  const stored = new Promise<void>((resolve) => {
    end = resolve;
  });
  const adding = records.addWhile(id, record, result, stored);
  await expect.poll(() => records.isUnconfirmed(id)).toBe(true);
  expect(records.has(id)).toBe(true);
  expect([records.find(id), records.findResult(id)]).toEqual([undefined, undefined]);
  end();
  await adding;
  expect(records.find(id)).toEqual(record);
});

test('the record of a file that can not be stored is removed', async () => {
  const opened = await openStore();
  await expect(storeWhile(opened, 'a/b.bin')).rejects.toThrow();
  const { records, files } = opened;
  expect([...records.ids(), ...records.resultIds(), ...records.unconfirmed()]).toEqual([]);
  expect(await readdir(files)).toEqual([]);
});

test('a record that can not be removed stays hidden, and the error is that of its file', async () => {
  const { records } = await openStore();
  records.remove = () => Promise.reject(new Error('full'));
  const id = '0000000000001' as MediaId;
  await expect(records.addWhile(id, record, result, Promise.reject(new Error('torn')))).rejects.toThrow(
    'torn',
  );
  expect([records.has(id), records.isUnconfirmed(id), records.find(id)]).toEqual([true, true, undefined]);
});

test('a file whose code can not be made is removed again', async () => {
  const { store, files } = await openStore();
  await store.inDraft(store.nextKey('a.bin'), async (draft) => {
    await store.drop(store.begin(draft, 'a.bin', bytes));
  });
  expect(await readdir(files)).toEqual([]);
});

test('an upload whose id is taken gets another one, and the first upload stays as it is', async () => {
  const opened = await openStore();
  const { store, records, files } = opened;
  const other = { ...record, filename: 'other.bin' };
  const id = await store.inDraft(store.nextKey('a.bin'), async (draft) => {
    const storing = store.begin(draft, 'a.bin', bytes);
    await storing.done;
    await records.add(storing.id, other, result);
    const taken = { id: storing.id, done: draft.commit({ folder: storing.id, name: 'a.bin' }, bytes) };
    taken.done.catch(() => undefined);
    const stored = await store.store(draft, record, { result, whole: bytes, storing: taken });
    expect(stored).not.toBe(storing.id);
    expect(records.find(storing.id)).toEqual(other);
    expect(await readFile(path.join(files, storing.id, 'a.bin'))).toEqual(bytes);
    return stored;
  });
  expect(records.find(id)).toEqual(record);
  expect(await readFile(path.join(files, id, 'a.bin'))).toEqual(bytes);
});

test('a folder without a record also takes an id', async () => {
  const opened = await openStore();
  const { store, records, files } = opened;
  await store.inDraft(store.nextKey('a.bin'), async (draft) => {
    const id = '0000000000001' as MediaId;
    await mkdir(path.join(files, id));
    const storing = { id, done: draft.commit({ folder: id, name: 'a.bin' }, bytes) };
    const stored = await store.store(draft, record, { result, whole: bytes, storing });
    expect([...records.ids()]).toEqual([stored]);
    expect(records.find(stored)).toEqual(record);
    expect(await readdir(files)).toEqual([id, stored]);
  });
});

/** Leaves records of a process that ended while it stored their files. */
async function interrupted(ids: readonly string[], folder: string): Promise<void> {
  const records = await Records.open(path.join(folder, 'records'));
  for (const id of ids)
    void records.addWhile(id as MediaId, record, result, new Promise<never>(() => undefined));
  await expect.poll(() => records.unconfirmed()).toHaveLength(ids.length);
  await records.close();
}

test('the next start keeps interrupted uploads with a whole file and removes the others', async () => {
  const folder = await temporaryFolder();
  const [whole, missing, short, other] = [1, 2, 3, 4].map((last) => `000000000000${last}`) as [
    string,
    string,
    string,
    string,
  ];
  const ids = [whole, missing, short, other];
  await interrupted(ids, folder);
  const file = (id: string) => path.join(folder, 'files', id, 'a.bin');
  for (const id of [whole, short, other]) {
    await mkdir(path.dirname(file(id)), { recursive: true });
    await writeFile(file(id), bytes);
  }
  await truncate(file(short), bytes.length - 1);
  await writeFile(file(other), Buffer.alloc(bytes.length));
  expect(await problemsOf(folder)).toEqual([]);
  const first = await openStore(folder);
  expect(await settleInterrupted(first.records, folder)).toBe(3);
  expect([...first.records.ids()]).toEqual([whole]);
  await first.records.close();
  const { records } = await openStore(folder);
  expect(records.unconfirmed()).toEqual([]);
  expect(records.find(whole as MediaId)).toEqual(record);
  expect(await problemsOf(folder)).toEqual([]);
});

test('a confirmed record loses its mark with the next one, or when the records are closed', async () => {
  const opened = await openStore();
  const first = await storeWhile(opened, 'a.bin');
  expect(opened.records.unconfirmed()).toEqual([first]);
  const second = await storeWhile(opened, 'a.bin');
  expect(opened.records.unconfirmed()).toEqual([second]);
  await opened.records.close();
  const { records } = await openStore(opened.folder);
  expect(records.unconfirmed()).toEqual([]);
  expect([...records.ids()]).toEqual([first, second]);
});
