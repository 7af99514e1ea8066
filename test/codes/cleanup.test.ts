/** The clean-up, on real files and records. */
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FileBlobs } from '../../src/blobs/files.js';
import { Cleanup } from '../../src/codes/cleanup.js';
import { firstMediaIdAt, type MediaId } from '../../src/codes/media-id.js';
import { Records } from '../../src/codes/records.js';
import { createLogger } from '../../src/observe/log.js';
import { temporaryFolder } from './support/folder.js';

const HOUR_MS = 3600 * 1000;
const YEAR_MS = 365 * 24 * HOUR_MS;

async function world() {
  const folder = await temporaryFolder();
  const blobs = await FileBlobs.open(folder);
  const records = await Records.open(path.join(folder, 'records'));
  const cleanup = new Cleanup({ blobs, records, log: createLogger('silent') }, HOUR_MS / 1000);
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
  return { folder, records, cleanup, add, files };
}

test('an upload with an id from the future expires by its creation time', async () => {
  const { cleanup, add, files, records } = await world();
  const now = Date.now();
  const expired = await add(now + YEAR_MS, now - 2 * HOUR_MS);
  const young = await add(now + YEAR_MS + 1, now);
  await cleanup.start(1);
  expect(await files()).toEqual([young]);
  expect([records.has(expired), records.has(young)]).toEqual([false, true]);
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
