/** The clean-up, on real files and records. */
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLogger, type Logger } from '../../src/platform/observe/log.js';
import { Cleanup } from '../../src/services/codes/uploads/cleanup.js';
import { firstMediaIdAt, type MediaId } from '../../src/services/codes/uploads/media-id.js';
import { Records } from '../../src/services/codes/uploads/records.js';
import { FileBlobs } from '../../src/storage/blobs/files.js';
import { temporaryFolder } from './support/folder.js';

const HOUR_MS = 3600 * 1000;
const YEAR_MS = 365 * 24 * HOUR_MS;

async function world() {
  const folder = await temporaryFolder();
  const blobs = await FileBlobs.open(folder);
  const records = await Records.open(path.join(folder, 'records'));
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => lines.push(line);
  const log = { ...createLogger('silent'), info: write, error: write, warn: write } as unknown as Logger;
  const cleanup = new Cleanup({ blobs, records, log }, HOUR_MS / 1000);
  onTestFinished(async () => {
    await cleanup.stop();
    await records.close();
  });
  const add = async (idTime: number, createdAt: number): Promise<MediaId> => {
    const id = firstMediaIdAt(idTime);
    const draft = await blobs.begin();
    await draft.write(Buffer.from('x'), 0);
    await draft.commit({ folder: id, name: 'a.txt' });
    await records.add(id, { filename: 'a.txt', uploader: 'u', createdAt, bytes: 1 });
    return id;
  };
  const files = () => readdir(path.join(folder, 'files'));
  return { folder, blobs, records, cleanup, add, files, lines };
}

test('an upload with an id from the future expires by its creation time', async () => {
  const { cleanup, add, files, records } = await world();
  const now = Date.now();
  const expired = await add(now + YEAR_MS, now - 2 * HOUR_MS);
  const young = await add(now + YEAR_MS + 1, now - 30_000);
  await cleanup.start(1);
  expect(await files()).toEqual([young]);
  expect(records.has(expired)).toBe(false);
  expect(records.find(young)?.createdAt).toBe(now - 30_000);
});

test('an upload with an id from the future is kept up to the millisecond of its expiry', async () => {
  const { cleanup, add, records } = await world();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  const now = Date.now();
  const old = await add(now + YEAR_MS, now - HOUR_MS);
  const tooOld = await add(now + YEAR_MS + 1, now - HOUR_MS - 1);
  const ahead = await add(now + YEAR_MS + 2, now + 60_000);
  const farAhead = await add(now + YEAR_MS + 3, now + 60_001);
  await cleanup.start(3600);
  const times = [old, tooOld, ahead, farAhead].map((id) => records.find(id)?.createdAt);
  expect(times).toEqual([now - HOUR_MS, undefined, now + 60_000, now]);
});

test('a clean-up destroys the key of expired uploads, and goes on without a key that it cannot destroy', async () => {
  const { cleanup, add, files, folder, lines } = await world();
  const now = Date.now();
  const keys = path.join(folder, 'records', 'keys');
  const expired = await add(now - 24 * HOUR_MS, now - 24 * HOUR_MS);
  const [period = ''] = await readdir(keys);
  const young = await add(now, now);
  // Taken away by others.
  await add(now - 48 * HOUR_MS, now - 48 * HOUR_MS);
  const gone = (await readdir(keys)).find((name) => name !== period && !young.startsWith(name)) ?? '';
  await rm(path.join(keys, gone));
  await cleanup.start(1);
  expect(await files()).toEqual([young]);
  expect(JSON.stringify(lines)).toContain('records/keys');
  await cleanup.stop();
  await cleanup.start(3600);
  expect(await readdir(keys)).toEqual([young.slice(0, 5)]);
  expect(expired.startsWith(period)).toBe(true);
});

test('a clean-up skips an upload that is removed while it runs', async () => {
  const { cleanup, add, records } = await world();
  const now = Date.now();
  const first = await add(now + YEAR_MS, now + YEAR_MS);
  const second = await add(now + YEAR_MS + 1, now + YEAR_MS);
  const createdFrom = records.createdFrom.bind(records);
  records.createdFrom = (time) => {
    const ids = createdFrom(time);
    void records.remove(second);
    return ids;
  };
  await cleanup.start(3600);
  expect([records.has(first), records.has(second)]).toEqual([true, false]);
});

test('an upload created while the clock was ahead counts from the next clean-up', async () => {
  const { cleanup, add, files, records } = await world();
  const before = Date.now();
  const id = await add(before + YEAR_MS, before + YEAR_MS);
  await cleanup.start(1);
  expect(await files()).toEqual([id]);
  const { createdAt = 0 } = records.find(id) ?? {};
  expect(createdAt).toBeGreaterThanOrEqual(before);
  expect(createdAt).toBeLessThanOrEqual(Date.now());
});

test('a file without a record is kept for the grace period, then removed', async () => {
  const { folder, cleanup, files } = await world();
  await cleanup.start(1);
  const stray = path.join(folder, 'files', '061knt35ejv6o');
  await mkdir(stray);
  await writeFile(path.join(stray, 'a.txt'), 'x');
  await pause(2500);
  expect(await files()).toEqual(['061knt35ejv6o']);
  const old = Date.now() / 1000 - 11 * 60;
  await utimes(stray, old, old);
  await vi.waitFor(async () => expect(await files()).toEqual([]), 5000);
});

test('the start removes expired uploads, drafts and files without a record, and says so once', async () => {
  const { folder, blobs, cleanup, add, files, records, lines } = await world();
  const now = Date.now();
  const expired = [
    await add(now - 2 * HOUR_MS, now),
    await add(now - HOUR_MS - 1, now),
    await add(now + YEAR_MS, now - 2 * HOUR_MS),
  ];
  const young = await add(now - HOUR_MS / 2, now - HOUR_MS / 2);
  await mkdir(path.join(folder, 'files', '061knt35ejv6o'));
  // A draft in use, and one that a crash left.
  const draft = await blobs.begin();
  onTestFinished(() => draft.discard());
  await writeFile(path.join(folder, 'drafts', 'left'), 'x');
  await cleanup.start(3600);
  expect(await files()).toEqual([young]);
  expect(expired.map((id) => records.has(id))).toEqual([false, false, false]);
  expect(lines).toEqual([[{ expired: 3, drafts: 1, strays: 1 }, 'cleaned up']]);
});

test('a clean-up that removes as many drafts as uploads says so', async () => {
  const { folder, cleanup, add, lines } = await world();
  await add(Date.now() - 2 * HOUR_MS, 0);
  await writeFile(path.join(folder, 'drafts', 'left'), 'x');
  await cleanup.start(3600);
  expect(lines).toEqual([[{ expired: 1, drafts: 1, strays: 0 }, 'cleaned up']]);
});

test('a clean-up with nothing to remove says nothing', async () => {
  const { cleanup, add, lines } = await world();
  await add(Date.now(), Date.now());
  await cleanup.start(3600);
  expect(lines).toEqual([]);
});

test('an interval of 0 keeps expired uploads, but no files without a record', async () => {
  const { folder, cleanup, add, files, records, lines } = await world();
  const expired = await add(Date.now() - 2 * HOUR_MS, 0);
  const stray = path.join(folder, 'files', '061knt35ejv6o');
  await mkdir(stray);
  await cleanup.start(0);
  expect(await files()).toEqual([expired]);
  expect(records.has(expired)).toBe(true);
  expect(lines).toEqual([[{ expired: 0, drafts: 0, strays: 1 }, 'cleaned up']]);
  await mkdir(stray);
  const old = Date.now() / 1000 - 11 * 60;
  await utimes(stray, old, old);
  await pause(1500);
  expect(await files()).toHaveLength(2);
});

test('a file that can not be removed is named, and keeps neither the others nor the start', async () => {
  const { folder, blobs, cleanup, add, files, records, lines } = await world();
  const now = Date.now();
  const remove = blobs.remove.bind(blobs);
  const error = Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' });
  const stuck = await add(now - 3 * HOUR_MS, now);
  blobs.remove = (id) => (id === stuck ? Promise.reject(error) : remove(id));
  // More than one batch.
  const others: MediaId[] = [];
  for (let at = 0; at < 1001; at += 1) others.push(await add(now - 2 * HOUR_MS + at, now));
  await cleanup.start(1);
  expect(await files()).toEqual([stuck]);
  expect(others.filter((id) => records.has(id))).toEqual([]);
  // Its record stays, so that a later round tries again.
  expect(records.has(stuck)).toBe(true);
  expect(lines).toContainEqual([{ err: error, file: stuck }, 'could not remove a file']);
  expect([cleanup.unremoved.count, cleanup.unremoved.lines]).toEqual([1, [`${stuck}: ${error.message}`]]);
  await writeFile(path.join(folder, 'drafts', 'left'), 'x');
  await vi.waitFor(async () => expect(await readdir(path.join(folder, 'drafts'))).toEqual([]), 10_000);
  blobs.remove = remove;
  await vi.waitFor(() => expect(cleanup.unremoved.count).toBe(0), 10_000);
  expect(records.has(stuck)).toBe(false);
});

test('a clean-up waits for its interval', async () => {
  const { folder, cleanup, files } = await world();
  await cleanup.start(3600);
  const stray = path.join(folder, 'files', '061knt35ejv6o');
  await mkdir(stray);
  const old = Date.now() / 1000 - 11 * 60;
  await utimes(stray, old, old);
  await pause(1000);
  expect(await files()).toEqual(['061knt35ejv6o']);
});

test('an upload whose id is barely ahead is not from the future', async () => {
  const { cleanup, add, records } = await world();
  const now = Date.now();
  const id = await add(now + 30_000, now - 2 * HOUR_MS);
  await cleanup.start(3600);
  expect(records.has(id)).toBe(true);
  expect(records.find(id)?.createdAt).toBe(now - 2 * HOUR_MS);
});

test('a clean-up that fails is logged, and the next one happens', async () => {
  const { folder, cleanup, add, files, lines } = await world();
  await cleanup.start(1);
  const drafts = path.join(folder, 'drafts');
  await rename(drafts, `${drafts}-away`);
  await writeFile(drafts, 'not a folder');
  await vi.waitFor(
    () => expect(lines.at(-1)).toEqual([{ err: expect.any(Error) }, 'clean-up failed']),
    10_000,
  );
  await rm(drafts);
  await rename(`${drafts}-away`, drafts);
  await add(Date.now() - 2 * HOUR_MS, 0);
  await vi.waitFor(async () => expect(await files()).toEqual([]), 10_000);
});

test('after the stop nothing is removed', async () => {
  const { cleanup, add, files } = await world();
  await cleanup.start(1);
  await cleanup.stop();
  const expired = await add(Date.now() - 2 * HOUR_MS, 0);
  await pause(1500);
  expect(await files()).toEqual([expired]);
});
