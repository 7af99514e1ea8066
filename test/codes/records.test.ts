import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { IsccResult } from '../../src/services/codes/result.js';
import { firstMediaIdAt, type MediaId } from '../../src/services/codes/uploads/media-id.js';
import { RecordKeys } from '../../src/services/codes/uploads/record-keys.js';
import { Records } from '../../src/services/codes/uploads/records.js';
import type { UploadRecord } from '../../src/services/codes/uploads/records-port.js';
import { StorageFull } from '../../src/storage/data/full.js';
import { fill, smallDisk } from '../faults/support/small-disk.js';
import { temporaryFolder } from './support/folder.js';

const record: UploadRecord = {
  filename: 'ü.txt',
  contentType: 'text/plain',
  uploader: 'ab',
  createdAt: 5,
  bytes: 3,
};
const result = { iscc: 'ISCC:KACT', units: ['a', 'b'], name: 'ü🎉' } as unknown as IsccResult;
const large = { iscc: 'x'.repeat(100_000) } as unknown as IsccResult;
const [a, b, c] = [1000, 2000, 3000].map(firstMediaIdAt) as [MediaId, MediaId, MediaId];

async function openRecords(folder?: string): Promise<Records> {
  const records = await Records.open(folder ?? (await temporaryFolder()));
  onTestFinished(() => records.close());
  return records;
}

test('finds added records and results, also after reopening', async () => {
  const folder = await temporaryFolder();
  const records = await Records.open(folder);
  await records.add(a, record, result);
  await records.add(b, { ...record, filename: 'b' });
  await records.close();
  const reopened = await openRecords(folder);
  expect(reopened.find(a)).toEqual(record);
  expect(reopened.findResult(a)).toEqual(result);
  expect(reopened.find(b)?.filename).toBe('b');
  expect(reopened.findResult(b)).toBeUndefined();
  expect(reopened.find(c)).toBeUndefined();
  expect([a, b, c].map((id) => reopened.has(id))).toEqual([true, true, false]);
});

test.each([0, 100, 4096, 65_536])(
  'creates records in a file of %d zeros, left by a power loss',
  async (bytes) => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'data.mdb'), Buffer.alloc(bytes));
    expect(await Records.areBlank(folder)).toBe(true);
    const records = await openRecords(folder);
    await records.add(a, record);
    expect(records.find(a)).toEqual(record);
    expect(await Records.areBlank(folder)).toBe(false);
  },
);

test('only the owner can read the records, which have file names', async () => {
  const folder = await temporaryFolder();
  const records = await openRecords(folder);
  const copy = await temporaryFolder();
  await Records.copy(folder, copy);
  const modes = [folder, copy].map(async (one) => (await stat(path.join(one, 'data.mdb'))).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o600, 0o600]);
  await records.add(a, record);
  const second = await temporaryFolder();
  await Records.copy(folder, second);
  const keys = [folder, second].map(
    async (one) => (await stat(path.join(one, 'keys', a.slice(0, 5)))).mode & 0o777,
  );
  expect(await Promise.all(keys)).toEqual([0o600, 0o600]);
});

test('what was removed cannot be read any more once no upload of its time is left', async () => {
  const folder = await temporaryFolder();
  const keys = path.join(folder, 'keys');
  const records = await openRecords(folder);
  const secret = { ...record, filename: 'a secret name.txt' };
  // Two periods of the past, and one of the present.
  const [later, now] = [firstMediaIdAt(2 ** 30), firstMediaIdAt(Date.now())];
  for (const id of [a, b, later, now])
    await records.add(id, secret, { name: 'a secret title' } as unknown as IsccResult);
  expect(await readdir(keys)).toHaveLength(3);
  const text = async () => (await readFile(path.join(folder, 'data.mdb'))).toString('latin1');
  expect(await text()).not.toMatch(/a secret/);
  for (const id of [a, later, now]) await records.remove(id);
  await records.forgetRemoved();
  // Upload b is of the time of upload a; the present may get more uploads.
  expect(await readdir(keys)).toEqual([b.slice(0, 5), now.slice(0, 5)].sort());
  expect(records.find(b)).toEqual(secret);
  await records.remove(b);
  await records.forgetRemoved();
  expect(await readdir(keys)).toEqual([now.slice(0, 5)]);
  // An upload of a clock that was wrong gets a new key.
  await records.add(b, secret);
  expect(records.find(b)).toEqual(secret);
});

test('a key outlives uploads that are being written', async () => {
  const folder = await temporaryFolder();
  const records = await openRecords(folder);
  for (let round = 0; round < 20; round += 1) {
    const [added] = await Promise.all([
      records.add(a, record),
      records.forgetRemoved(),
      records.add(b, record),
    ]);
    expect(added).toBeUndefined();
    expect([records.find(a), records.find(b)]).toEqual([record, record]);
    await Promise.all([records.remove(a), records.forgetRemoved(), records.remove(b)]);
    await Promise.all([records.forgetRemoved(), records.add(c, record)]);
    expect(records.find(c)).toEqual(record);
    await records.remove(c);
    await records.forgetRemoved();
  }
});

test('a record is readable under its own id only', async () => {
  const keys = RecordKeys.open(await temporaryFolder());
  const sealed = await keys.during(a, async () => keys.seal(a, 'text'));
  expect(keys.unseal(a, sealed)).toBe('text');
  expect(() => keys.unseal(b, sealed)).toThrow();
  expect(() => keys.unseal(a, `${sealed.slice(0, -4)}AAAA`)).toThrow();
});

test('a key that a crash left incomplete is made again', async () => {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'keys'));
  await writeFile(path.join(folder, 'keys', a.slice(0, 5)), 'x');
  const records = await openRecords(folder);
  await records.add(a, record);
  expect(records.find(a)).toEqual(record);
});

test('of concurrent removals only one resolves to true', async () => {
  const records = await openRecords();
  await records.add(a, record, result);
  const removed = await Promise.all([records.remove(a), records.remove(a), records.remove(a)]);
  expect(removed.filter(Boolean)).toHaveLength(1);
  expect(await records.remove(a)).toBe(false);
  expect(records.find(a)).toBeUndefined();
  expect(records.findResult(a)).toBeUndefined();
});

test('createdBefore returns the oldest uploads first, up to the limit', async () => {
  const records = await openRecords();
  for (const id of [c, a, b]) await records.add(id, record);
  expect(records.createdBefore(3000, 10)).toEqual([a, b]);
  expect(records.createdBefore(2999, 1)).toEqual([a]);
  expect(records.createdBefore(1000, 10)).toEqual([]);
  expect(records.createdBefore(9000, 10)).toEqual([a, b, c]);
});

test('createdFrom returns the uploads of a time and later, oldest first', async () => {
  const records = await openRecords();
  for (const id of [c, a, b]) await records.add(id, record);
  expect(records.createdFrom(2000)).toEqual([b, c]);
  expect(records.createdFrom(3001)).toEqual([]);
});

test('lists the ids of records and of results', async () => {
  const records = await openRecords();
  await records.add(b, record, result);
  await records.add(a, record);
  expect([...records.ids()]).toEqual([a, b]);
  expect([...records.resultIds()]).toEqual([b]);
});

test('setCreatedAt changes the time only, and only of an upload that exists', async () => {
  const records = await openRecords();
  await records.add(a, record, result);
  await records.setCreatedAt(a, 9);
  expect(records.find(a)).toEqual({ ...record, createdAt: 9 });
  expect(records.findResult(a)).toEqual(result);
  await records.setCreatedAt(b, 9);
  expect(records.has(b)).toBe(false);
  const removal = records.remove(a);
  await records.setCreatedAt(a, 10);
  expect(await removal).toBe(true);
  expect(records.has(a)).toBe(false);
});

test('an id that was removed can be added and removed again', async () => {
  const records = await openRecords();
  for (let round = 0; round < 2; round += 1) {
    await records.add(a, record);
    expect(await records.remove(a)).toBe(true);
  }
});

test('a copy has what was committed, and can be read while the original is written', async () => {
  const [folder, target] = [await temporaryFolder(), path.join(await temporaryFolder(), 'inner', 'copy')];
  const records = await openRecords(folder);
  await records.add(a, record, result);
  await Records.copy(folder, target);
  await records.add(b, record);
  const copy = Records.openToRead(target);
  onTestFinished(() => copy.close());
  expect([...copy.ids()]).toEqual([a]);
  expect(copy.findResult(a)).toEqual(result);
  const refused = await copy.add(c, record).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Error);
  expect(refused).not.toBeInstanceOf(StorageFull);
  expect(await Records.areBlank(target)).toBe(false);
});

test('a copy is without the space of removed records', async () => {
  const [folder, target] = [await temporaryFolder(), await temporaryFolder()];
  const records = await openRecords(folder);
  const large = { iscc: 'x'.repeat(200_000) } as unknown as IsccResult;
  for (const id of [a, b, c]) await records.add(id, record, large);
  for (const id of [a, b]) await records.remove(id);
  await Records.copy(folder, target);
  const size = async (where: string) => (await stat(path.join(where, 'data.mdb'))).size;
  expect(await size(target)).toBeLessThan((await size(folder)) / 2);
});

test('a copy of records that do not exist is an error', async () => {
  await expect(Records.copy(await temporaryFolder(), await temporaryFolder())).rejects.toThrow();
});

test.skipIf(process.platform !== 'linux')(
  'closed records and finished copies hold no file open',
  async () => {
    const folder = await temporaryFolder();
    const held = async () => {
      const links = (await readdir('/proc/self/fd')).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      );
      return (await Promise.all(links)).filter((file) => file.startsWith(folder)).length;
    };
    const records = await Records.open(folder);
    await records.add(a, record);
    expect(await held()).toBeGreaterThan(0);
    await records.close();
    expect(await held()).toBe(0);
    await Records.copy(folder, await temporaryFolder());
    expect(await held()).toBe(0);
  },
);

test('a finished write leaves no timer', async () => {
  const records = await openRecords();
  // The first change measures the file of LMDB, which starts a timer of lmdb.
  await records.add(b, record);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await records.add(a, record);
  expect(vi.getTimerCount()).toBe(0);
});

test('creates the folder and the folders above it', async () => {
  const records = await openRecords(path.join(await temporaryFolder(), 'inner', 'records'));
  await records.add(a, record);
  expect(records.has(a)).toBe(true);
});

test('a write that takes too long is an error, and a problem until a write succeeds', async () => {
  const folder = await temporaryFolder();
  const records = await Records.open(folder, { writeMsMax: 0 });
  onTestFinished(() => records.close());
  const outcome = () => records.add(a, record).catch((error: unknown) => error);
  const patience = { timeout: 30_000, interval: 1 };
  await expect.poll(outcome, patience).toMatchObject({ code: 'RECORDS_UNAVAILABLE' });
  const problem = async () => {
    await outcome();
    return records.problem();
  };
  await expect.poll(problem, patience).toBe('the last upload could not be recorded');
  const patient = await openRecords();
  await patient.add(a, record);
  expect(await patient.problem()).toBeUndefined();
});

test('a full disk is an error and a problem until there is space, and the records stay in use', async (context) => {
  const folder = await smallDisk(8, context);
  const records = await openRecords(path.join(folder, 'records'));
  await records.add(a, record);
  const ballast = path.join(folder, 'ballast');
  await fill(ballast, 0);
  // Earlier commits allocated space, which is used up first.
  const stored: MediaId[] = [];
  const add = async () => {
    const id = firstMediaIdAt(2000 + stored.length);
    await records.add(id, record, large);
    stored.push(id);
  };
  await expect
    .poll(() => add().catch((error: unknown) => error), { interval: 1 })
    .toBeInstanceOf(StorageFull);
  // LMDB did not come to a write that fails.
  await expect(add()).rejects.toMatchObject({ cause: { code: 'ENOSPC', syscall: 'write' } });
  expect(await records.problem()).toBe('the disk is full');
  expect([...records.ids()]).toEqual([a, ...stored]);
  // A clean-up makes space in the file for what comes next.
  await Promise.all([...records.ids()].map((id) => records.remove(id as MediaId)));
  expect([...records.ids()]).toEqual([]);
  await rm(ballast);
  await expect.poll(() => records.problem()).toBeUndefined();
  await records.add(b, record, large);
  expect(records.findResult(b)).toEqual(large);
});

test('of concurrent changes on a full disk, those that need no space succeed', async (context) => {
  const folder = await smallDisk(8, context);
  const records = await openRecords(path.join(folder, 'records'));
  await records.add(a, record);
  await fill(path.join(folder, 'ballast'), 0);
  const huge = { iscc: 'x'.repeat(6_000_000) } as unknown as IsccResult;
  const first = records.add(firstMediaIdAt(3000), record);
  const [refused, removed] = await Promise.allSettled([
    records.add(b, record, huge),
    records.remove(a),
    first,
  ]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'ENOSPC' } });
  expect(removed).toEqual({ status: 'fulfilled', value: true });
  expect([...records.ids()]).toEqual([firstMediaIdAt(3000)]);
});
