/** Files without a row: removed at start and by age, never under an upload that is acknowledged. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { native } from '../../src/native.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { SyncedBindingIndex } from '../../src/services/store/bindings/binding-index.js';
import { NO_DECLARER } from '../../src/services/store/declarer.js';
import { Cleanup } from '../../src/services/store/files/cleanup.js';
import { Manifests } from '../../src/services/store/manifests/manifests.js';
import { StoreService } from '../../src/services/store/service.js';
import { FolderContentBlobs } from '../../src/storage/blobs/content.js';
import { STORE_ITSELF } from '../../src/storage/database/audit.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type Place, startStore } from './support/server.js';

const item = sidecar('ok-ed25519');
const id = item.expect.manifestId ?? '';
const digest = createHash('sha256').update(bytesOf(item)).digest('hex');
const log = createLogger('silent');
/** A statement of SQLite has at most 32,766 parameters. */
const DELETED = 33_000;

let databases: TestDatabases;
let place: Place;
let database: Database;
let blobs: FolderContentBlobs;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
});
afterAll(() => databases.stop());
beforeEach(async () => {
  place = await databases.create();
  database = await openDatabase(place.url, place.dataDir);
  blobs = await FolderContentBlobs.open(place.dataDir, '.c2pa');
  return () => database.close();
});

async function service(): Promise<StoreService> {
  const options = { url: 'http://localhost', secretKey: 'x', matchThreshold: 75, declareDefault: false };
  const newIndex = () => new native.BindingIndex();
  return new StoreService(options, {
    manifests: new Manifests(database.db),
    blobs,
    declarer: NO_DECLARER,
    isManifestId: native.isManifestId,
    digest: native.sha256,
    listedAlgorithms: () => new Set<string>(),
    log,
    validator: new native.ManifestValidator([]),
    index: await SyncedBindingIndex.load({ db: database.db, newIndex, log }),
  });
}

it('keeps orphans and drafts that are younger than the limit', async () => {
  const manifests = new Manifests(database.db);
  const cleanup = new Cleanup({ db: database.db, blobs, manifests, log });
  await blobs.put(digest, bytesOf(item));
  await writeFile(path.join(place.dataDir, 'drafts', 'draft'), 'x');
  await cleanup.run(Date.now() - 60_000);
  expect(await blobs.find(digest)).toBeDefined();
  expect(await readdir(path.join(place.dataDir, 'drafts'))).toEqual(['draft']);
  await cleanup.run(Date.now() + 60_000);
  expect(await blobs.find(digest)).toBeUndefined();
  expect(await readdir(path.join(place.dataDir, 'drafts'))).toEqual([]);
});

it('removes all orphans and drafts of a killed process at start', async () => {
  await (await startStore(place)).stop();
  await blobs.put(digest, bytesOf(item));
  await writeFile(path.join(place.dataDir, 'drafts', 'draft'), 'x');
  const store = await startStore(place);
  onTestFinished(() => store.stop());
  await expect.poll(() => existsSync(blobs.placeOf(digest))).toBe(false);
  expect(await readdir(path.join(place.dataDir, 'drafts'))).toEqual([]);
});

it('does not remove the file of an upload between its write and its row', async () => {
  const put = blobs.put.bind(blobs);
  let removals = 0;
  blobs.put = async (...write) => {
    await put(...write);
    removals += 1;
    // A process that starts takes the file for an orphan.
    if (removals === 1) await blobs.remove(digest);
  };
  const store = await service();
  expect(await store.upload(bytesOf(item), { client: 'x' })).toMatchObject({ manifestId: id });
  expect(removals).toBe(2);
  expect((await blobs.find(digest))?.bytes).toBe(bytesOf(item).length);
  const { db } = database;
  expect(await db.selectFrom('manifests').select('manifest_id').execute()).toEqual([{ manifest_id: id }]);
});

it('removes the file of a deleted manifest immediately', async () => {
  const store = await service();
  await store.upload(bytesOf(item), { client: 'x' });
  expect(existsSync(blobs.placeOf(digest))).toBe(true);
  await store.remove(id, { actor: STORE_ITSELF });
  expect(existsSync(blobs.placeOf(digest))).toBe(false);
});

it('ends the undo of more manifests than a statement has parameters', { timeout: 60_000 }, async () => {
  const store = await service();
  await store.upload(bytesOf(item), { client: 'x' });
  const { db } = database;
  const [row] = await db.selectFrom('manifests').selectAll().execute();
  if (row === undefined) throw new Error('nothing is stored');
  const { key: _, ...rest } = row;
  const deleted = { ...rest, live: 0 as const, deleted_at: 1, kept_until: 2 };
  const numbers = Array.from({ length: DELETED }, (_, at) => at);
  await db.transaction().execute(async (transaction) => {
    while (numbers.length > 0) {
      const some = numbers.splice(0, 500).map((at) => ({ ...deleted, manifest_id: `urn:deleted:${at}` }));
      await transaction.insertInto('manifests').values(some).execute();
    }
  });
  expect(await new Manifests(db).endUndo(Date.now(), 0)).toBe(DELETED);
  const kept = await db.selectFrom('manifests').select('key').where('kept_until', 'is not', null).execute();
  expect(kept).toEqual([]);
});

it('removes nothing by its age while the clock is ahead', async () => {
  const manifests = new Manifests(database.db);
  const ended = vi.spyOn(manifests, 'endUndo');
  const day = 86_400_000;
  const cleanup = new Cleanup({ db: database.db, blobs, manifests, log, undoMs: 7 * day });
  await blobs.put(digest, bytesOf(item));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * day });
  onTestFinished(() => void vi.useRealTimers());
  await cleanup.run(Date.now() - 60_000);
  expect(ended).not.toHaveBeenCalled();
  expect(await blobs.find(digest)).toBeDefined();
  vi.useRealTimers();
  await cleanup.run(Date.now() - 60_000);
  expect(ended).toHaveBeenCalledOnce();
  expect(await blobs.find(digest)).toBeDefined();
});
