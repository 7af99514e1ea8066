/** Undo of deletes: restores by dashboard and command, and the end of the time for it, on both databases. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { backupStore } from '../../src/services/store/backup.js';
import { verifyStore } from '../../src/services/store/verify.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { OPERATOR, PASSWORD, READER, SET_UP } from '../admin/support/dashboard.js';
import { Visitor } from '../admin/support/visitor.js';
import { isccd } from '../support/command.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type Place, type StoreClient, startStore, storeEnvironment } from './support/server.js';

const LIST = '/admin/manifests/';
const item = sidecar('ok-es256-iscc4');
const bytes = bytesOf(item);
const id = item.expect.manifestId ?? '';
const digest = createHash('sha256').update(bytes).digest('hex');

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let database: Database;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases?.stop());
  beforeEach(async () => {
    place = await databases.create();
    database = await openDatabase(place.url, place.dataDir);
    await new Accounts(database.db).add(OPERATOR, PASSWORD, 'deleter', SET_UP);
    await new Accounts(database.db).add(READER, PASSWORD, 'viewer', SET_UP);
    return () => database.close();
  });

  async function started(environment: Record<string, string> = {}): Promise<StoreClient> {
    const store = await startStore(place, environment);
    onTestFinished(() => store.stop());
    return store;
  }

  async function withDeleted(environment: Record<string, string> = {}): Promise<StoreClient> {
    const store = await started(environment);
    expect((await store.upload(bytes)).status).toBe(200);
    expect((await store.remove(id)).status).toBe(204);
    return store;
  }

  const file = () => path.join(place.dataDir, 'files', digest.slice(0, 2), `${digest}.c2pa`);
  const row = () => database.db.selectFrom('manifests').selectAll().executeTakeFirstOrThrow();
  const kept = () => database.db.selectFrom('kept_bindings').selectAll().execute();

  async function scores(store: StoreClient): Promise<number[]> {
    const found: number[] = [];
    for (const { alg, value } of item.expect.indexed ?? []) {
      const { body } = await store.query(alg, value);
      found.push(...(body.matches ?? []).map(({ similarityScore }) => similarityScore));
    }
    return found;
  }

  async function problems(dataDir = place.dataDir, url = place.url): Promise<string[]> {
    const found: string[] = [];
    await verifyStore(
      { dataDir, url },
      (where, rule) => found.push(`${where}: ${rule}`),
      () => {},
    );
    return found;
  }

  async function expectRestored(store: StoreClient): Promise<void> {
    const response = await store.get(id);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    const wanted = item.expect.indexed ?? [];
    expect(await scores(store)).toEqual(wanted.map(() => 100));
    expect(await kept()).toEqual([]);
    const counts = await database.db.selectFrom('binding_counts').selectAll().execute();
    expect(counts.reduce((sum, { bindings }) => sum + bindings, 0)).toBe(wanted.length);
    expect(await row()).toMatchObject({
      live: 1,
      deleted_at: null,
      kept_until: null,
      binding_count: wanted.length,
    });
    expect((await row()).unit_count).toBeGreaterThan(0);
    expect(await problems()).toEqual([]);
  }

  it('a deleted manifest is gone at once, and a deleter restores it in the dashboard', async () => {
    const store = await withDeleted();
    expect((await store.get(id)).status).toBe(410);
    expect(await scores(store)).toEqual([]);
    expect(existsSync(file())).toBe(true);
    expect(await problems()).toEqual([]);
    const { key, kept_until } = await row();
    expect((kept_until ?? 0) - Date.now()).toBeGreaterThan(6 * 86_400_000);

    const visitor = new Visitor(store.url);
    await visitor.login();
    expect(await visitor.text(`${LIST}?deleted=yes`)).toContain('can be restored until');
    const detail = await visitor.text(`${LIST}${key}/`);
    expect(detail).toContain('name="action" value="restore"');
    expect(detail).toContain('Can be restored until');
    const reader = new Visitor(store.url);
    await reader.login(READER);
    expect(await reader.text(`${LIST}${key}/`)).not.toContain('name="action"');

    const fields = [
      ['csrf', await visitor.csrf(LIST)],
      ['action', 'restore'],
      ['key', String(key)],
    ] as const;
    expect(await (await visitor.post(LIST, fields)).text()).toContain('Restore these manifests?');
    expect((await visitor.post(LIST, [...fields, ['confirmed', 'yes']])).status).toBe(302);
    expect(await visitor.text(LIST)).toContain('1 manifest restored.');
    await expectRestored(store);
    const entries = database.db.selectFrom('audit').selectAll().where('action', '=', 'manifest-restored');
    expect(await entries.execute()).toMatchObject([{ actor_kind: 'account', actor: OPERATOR, subject: id }]);
    expect((await visitor.post(LIST, [...fields, ['confirmed', 'yes']])).status).toBe(302);
    expect(await visitor.text(LIST)).toContain('0 manifests restored, 1 skipped.');
    // A second delete and restore.
    expect((await store.remove(id)).status).toBe(204);
    expect((await visitor.post(LIST, [...fields, ['confirmed', 'yes']])).status).toBe(302);
    await expectRestored(store);
  });

  it('the command restores it, also for a running store', async () => {
    const store = await withDeleted();
    const env = storeEnvironment(place);
    const restored = await isccd(['store', 'restore', id, '--json'], { env });
    expect([restored.code, restored.stderr]).toEqual([0, `isccd: ${id} restored, declaration: disabled\n`]);
    expect(JSON.parse(restored.stdout)).toEqual({ manifestId: id, sha256: digest, declaration: 'disabled' });
    await expectRestored(store);
    for (const [name, message] of [
      [id, `${id} is not deleted`],
      ['urn:c2pa:nothing', 'the store has no manifest urn:c2pa:nothing'],
    ] as const) {
      const { code, stderr } = await isccd(['store', 'restore', name], { env });
      expect([name, code, stderr]).toEqual([name, 1, expect.stringContaining(message)]);
    }
  });

  it('with MSTORE_UNDO_DAYS=0 bytes, bindings and thumbnail are deleted at once', async () => {
    const store = await started({ MSTORE_UNDO_DAYS: '0' });
    expect((await store.upload(bytes)).status).toBe(200);
    const summary = JSON.stringify({ title: 'a', thumbnail: 'data:image/png;base64,AAAA' });
    await database.db.updateTable('manifests').set({ summary }).execute();
    expect((await store.remove(id)).status).toBe(204);
    expect(existsSync(file())).toBe(false);
    expect(await kept()).toEqual([]);
    expect((await row()).summary).toBe('{"title":"a"}');
    const { code, stderr } = await isccd(['store', 'restore', id], { env: storeEnvironment(place) });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("can't be restored: its bytes are no longer kept"),
    ]);
  });

  it('the bytes leave when the time is over, or the setting is lowered', async () => {
    const first = await withDeleted();
    await database.db
      .updateTable('manifests')
      .set({ kept_until: Date.now() - 1 })
      .execute();
    const visitor = new Visitor(first.url);
    await visitor.login();
    const { key } = await row();
    const csrf = await visitor.csrf(LIST);
    const fields = [
      ['csrf', csrf],
      ['action', 'restore'],
      ['key', `${key}`],
      ['confirmed', 'yes'],
    ] as const;
    await visitor.post(LIST, fields);
    expect(await visitor.text(LIST)).toContain('0 manifests restored, 1 skipped.');
    await first.stop();
    const second = await started();
    await expect.poll(() => existsSync(file())).toBe(false);
    expect([await kept(), (await row()).kept_until]).toEqual([[], null]);
    await visitorRelease(second, key);
    expect((await second.upload(bytes)).status).toBe(200);
    expect((await second.remove(id)).status).toBe(204);
    expect(existsSync(file())).toBe(true);
    await second.stop();
    await started({ MSTORE_UNDO_DAYS: '0' });
    await expect.poll(() => existsSync(file())).toBe(false);
    expect(await problems()).toEqual([]);
  });

  async function visitorRelease(store: StoreClient, key: number): Promise<void> {
    const visitor = new Visitor(store.url);
    await visitor.login();
    const csrf = await visitor.csrf(LIST);
    await visitor.post(LIST, [
      ['csrf', csrf],
      ['action', 'release'],
      ['key', `${key}`],
      ['confirmed', 'yes'],
    ]);
    expect(await visitor.text(LIST)).toContain('1 manifest released.');
  }

  it('a release ends the undo and removes the bytes', async () => {
    const store = await withDeleted();
    await visitorRelease(store, (await row()).key);
    expect(existsSync(file())).toBe(false);
    expect(await kept()).toEqual([]);
  });

  it('bytes that a live manifest has too stay when the time is over', async () => {
    const store = await withDeleted();
    const { key: _, ...values } = await row();
    await database.db
      .updateTable('manifests')
      .set({ kept_until: Date.now() - 1 })
      .execute();
    const other = {
      ...values,
      manifest_id: 'urn:c2pa:other',
      live: 1 as const,
      deleted_at: null,
      kept_until: null,
    };
    await database.db
      .insertInto('manifests')
      .values({ ...other, index_version: 3 })
      .execute();
    await store.stop();
    await started();
    await expect.poll(async () => (await kept()).length).toBe(0);
    await expect.poll(async () => (await row()).kept_until).toBe(null);
    expect(existsSync(file())).toBe(true);
  });

  it('a manifest whose id another one took is not restored', async () => {
    await withDeleted();
    await database.db.updateTable('manifests').set({ displaced_by: 1 }).execute();
    const { code } = await isccd(['store', 'restore', id], { env: storeEnvironment(place) });
    expect([code, (await row()).live]).toEqual([1, 0]);
  });

  it('a deleted manifest whose file was lost is not kept', async () => {
    const store = await started();
    await store.upload(bytes);
    await rm(file());
    expect((await store.remove(id)).status).toBe(204);
    expect([(await row()).kept_until, await kept(), await problems()]).toEqual([null, [], []]);
  });

  it('a check reports a kept file that is missing', async () => {
    await withDeleted();
    await rm(file());
    expect(await problems()).toEqual([expect.stringContaining('a manifest must have its file')]);
    const { code } = await isccd(['store', 'restore', id], { env: storeEnvironment(place) });
    expect([code, (await row()).live]).toEqual([1, 0]);
  });

  it.runIf(engine === 'sqlite')('a backup has the kept bytes, and the restored backup can undo', async () => {
    await withDeleted();
    const copy = await databases.create();
    const source = { url: place.url, dataDir: place.dataDir, environment: process.env };
    await backupStore(source, copy.dataDir, () => {});
    expect(existsSync(path.join(copy.dataDir, path.relative(place.dataDir, file())))).toBe(true);
    expect(await problems(copy.dataDir, undefined)).toEqual([]);
    const env = { ...storeEnvironment(copy) };
    expect((await isccd(['store', 'restore', id], { env })).code).toBe(0);
    expect(await problems(copy.dataDir, undefined)).toEqual([]);
  });
});
