/** Sync of a similarity index with the store's manifests, on both databases. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ManifestIndex, SearchManifestIndex } from '../../src/c2pa/search-index-port.js';
import { ConnectionFailed } from '../../src/client/errors.js';
import { native } from '../../src/native.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { lockFeed, recordChanges } from '../../src/services/store/feed.js';
import { SearchIndexSync } from '../../src/services/store/index-sync/search-index-sync.js';
import { indexStatuses, refillAll } from '../../src/storage/database/index-status.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';

/** ISCC-IDs in the form of the standard, and with a length in the header as some hubs write; the index returns the first. */
const HUB_IDS = [
  ['ISCC:MAIGHWZA2D7A2MAB', 'ISCC:MAIGHWZA2D7A2MAB'],
  ['ISCC:MAIWMDAMBQSYSEAB', 'ISCC:MAIGMDAMBQSYSEAB'],
] as const;

const STORE = 'http://127.0.0.1:8020';

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  let folder: string;
  let search: InProcessSearch;
  let index: SearchManifestIndex;
  let sync: SearchIndexSync;

  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-index-sync-'));
    const { dataDir, url } = await databases.create();
    database = await openDatabase(url, dataDir);
    search = await InProcessSearch.open(`usearch://${folder}`);
    index = new SearchManifestIndex(search, 'mine');
    sync = newSync();
    return async () => {
      await sync.close();
      await search.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    };
  });

  function newSync(): SearchIndexSync {
    return syncOf(index, 'local:mine');
  }

  function syncOf(target: ManifestIndex, indexId: string, isLocal = true, now = Date.now): SearchIndexSync {
    const log = pino({ level: 'silent' });
    const where = { db: database.db, index: target, indexId, isLocal, serverId: 7, url: STORE };
    return new SearchIndexSync({ ...where, log, now });
  }

  /** Adds a change to the feed, as any process does. */
  const change = (key: number, live: 0 | 1) =>
    database.db.transaction().execute(async (transaction) => {
      await recordChanges(transaction, await lockFeed(transaction), [key], live);
    });

  const unit = (main: number, fill: number) => native.encodeUnit(main, 0, 0, 256, Buffer.alloc(32, fill));
  const gateway = (id: string) => `${STORE}/v1/manifests/${id}`;

  /** Stores a manifest as the store does, without a notification. */
  async function stored(id: string, units: readonly (readonly string[])[]): Promise<number> {
    const { key } = await database.db
      .insertInto('manifests')
      .values({
        manifest_id: id,
        sha256: '0'.repeat(64),
        size: 1,
        uploaded_at: 1_700_000_000_000,
        trusted: 0,
        uploader: 'x',
        live: 1,
        deleted_at: null,
        binding_count: units.length,
        unit_count: units.flat().length,
      })
      .returning('key')
      .executeTakeFirstOrThrow();
    const declaration = { gateway: gateway(id), open: 0, updated_at: Date.now(), live: 1 } as const;
    await database.db
      .insertInto('declarations')
      .values({ ...declaration, manifest_key: key, status: 'pending' })
      .execute();
    for (const [ordinal, block] of units.entries()) {
      const binding = { alg: 'io.iscc.v0', value: Buffer.from([ordinal]), units: JSON.stringify(block) };
      await database.db
        .insertInto('bindings')
        .values({ manifest_key: key, ordinal, ...binding })
        .execute();
    }
    await change(key, 1);
    return key;
  }

  async function tombstone(key: number): Promise<void> {
    await database.db
      .updateTable('manifests')
      .set({ live: 0, unit_count: 0 })
      .where('key', '=', key)
      .execute();
    await database.db.deleteFrom('bindings').where('manifest_key', '=', key).execute();
    await change(key, 0);
  }

  async function found(text: string, name = 'mine') {
    const { global_matches } = await search.search(name, { units: [text] }, 10);
    return global_matches.map(({ iscc_id, metadata }) => [iscc_id, metadata?.gateway]);
  }

  const localId = (key: number) => native.isccId(0, 1_700_000_000_000_000 + (key % 1000), 7);

  it('contains all units of all blocks of stored manifests, and removes deleted ones', async () => {
    const one = await stored('one', [[unit(4, 1)], [unit(3, 9), unit(4, 2)]]);
    const two = await stored('two', [[unit(4, 3)]]);
    await stored('none', [[]]);
    await Promise.all([sync.changed(), sync.changed()]);
    expect(await found(unit(4, 1))).toEqual([[localId(one), gateway('one')]]);
    expect(await found(unit(4, 2))).toEqual([[localId(one), gateway('one')]]);
    expect(await found(unit(4, 3))).toEqual([[localId(two), gateway('two')]]);
    expect(await index.size()).toBe(2);
    await tombstone(two);
    await sync.changed();
    expect(await found(unit(4, 3))).toEqual([]);
    expect(await index.size()).toBe(1);
  });

  it.each(HUB_IDS)('replaces the local ISCC-ID by that of the declaration: %s', async (hubId, given) => {
    const now = Date.now();
    sync = syncOf(index, 'local:mine', true, () => now);
    const key = await stored('one', [[unit(4, 1)]]);
    await sync.changed();
    const declare = { status: 'declared', iscc_id: hubId, updated_at: now } as const;
    await database.db.updateTable('declarations').set(declare).where('manifest_key', '=', key).execute();
    await change(key, 1);
    await sync.changed();
    expect(await found(unit(4, 1))).toEqual([[given, gateway('one')]]);
    expect(await index.size()).toBe(1);
    await tombstone(key);
    await sync.changed();
    expect(await index.size()).toBe(0);
  });

  it('applies declarations at once, also after the clock was set back', async () => {
    let now = Date.now();
    sync = syncOf(index, 'local:mine', true, () => now);
    const key = await stored('one', [[unit(4, 1)]]);
    await sync.changed();
    const [[hubId, given]] = HUB_IDS;
    for (const [iscc_id, expected] of [[hubId, given] as const, [null, localId(key)] as const]) {
      now -= 3_600_000;
      const status = iscc_id === null ? 'failed' : 'declared';
      await database.db
        .updateTable('declarations')
        .set({ status, iscc_id, updated_at: now })
        .where('manifest_key', '=', key)
        .execute();
      await change(key, 1);
      await sync.changed();
      expect(await found(unit(4, 1))).toEqual([[expected, gateway('one')]]);
    }
  });

  it('applies missed changes at start', async () => {
    const gone = await stored('gone', [[unit(4, 1)]]);
    await sync.changed();
    await tombstone(gone);
    await database.db.deleteFrom('declarations').where('manifest_key', '=', gone).execute();
    await database.db.deleteFrom('manifests').where('key', '=', gone).execute();
    const keys = [await stored('two', [[unit(4, 2)]]), await stored('three', [[unit(4, 3)]])];
    sync = newSync();
    sync.start();
    await sync.changed();
    expect(await found(unit(4, 1))).toEqual([]);
    expect(await found(unit(4, 3))).toEqual([[localId(keys[1] ?? 0), gateway('three')]]);
    await sync.close();
    // Another client deletes the index.
    await search.deleteIndex('mine');
    sync = newSync();
    sync.start();
    await sync.changed();
    expect(await index.size()).toBe(2);
  });

  it('removes deleted manifests from an index that was restored', async () => {
    const [kept, gone, declared] = [
      await stored('kept', [[unit(4, 1)]]),
      await stored('gone', [[unit(4, 2)]]),
      await stored('declared', [[unit(4, 3)]]),
    ];
    const [[hubId]] = HUB_IDS;
    const declare = { status: 'declared', iscc_id: hubId, updated_at: Date.now() } as const;
    await database.db.updateTable('declarations').set(declare).where('manifest_key', '=', declared).execute();
    await change(declared, 1);
    await sync.changed();
    const before = await search.assetLines('mine', undefined, 100);
    await tombstone(gone);
    await tombstone(declared);
    await sync.changed();
    expect(await index.size()).toBe(1);
    // At the next start, and when an operator asks for it.
    const start = async () => {
      await sync.close();
      sync = newSync();
    };
    for (const restart of [start, () => refillAll(database.db)]) {
      await search.addLines('mine', before.lines);
      expect(await index.size()).toBe(3);
      await restart();
      await sync.changed();
      expect(await index.size()).toBe(1);
      expect(await found(unit(4, 1))).toEqual([[localId(kept), gateway('kept')]]);
    }
  });

  it('fills an index again that is emptied while it runs', async () => {
    let now = Date.now();
    sync = syncOf(index, 'local:mine', true, () => now);
    await stored('one', [[unit(4, 1)]]);
    await sync.changed();
    await search.deleteIndex('mine');
    await search.createIndex('mine');
    now += 10_000;
    await sync.changed();
    expect(await index.size()).toBe(1);
  });

  it('keeps a ledger for each index', async () => {
    const other = new SearchManifestIndex(search, 'other');
    const second = syncOf(other, 'local:other');
    const one = await stored('one', [[unit(4, 1)]]);
    await Promise.all([sync.changed(), second.changed()]);
    await stored('two', [[unit(4, 2)]]);
    await tombstone(one);
    await sync.changed();
    expect([await index.size(), await other.size()]).toEqual([1, 1]);
    expect(await found(unit(4, 1), 'other')).toHaveLength(1);
    await second.changed();
    expect(await found(unit(4, 1), 'other')).toEqual([]);
    expect(await found(unit(4, 2), 'other')).toHaveLength(1);
    await second.close();
  });

  it('lets one process feed a shared index, and another one continue', async () => {
    await sync.close();
    const [first, second] = [syncOf(index, 'http://a', false), syncOf(index, 'http://a', false)];
    await first.changed();
    await stored('one', [[unit(4, 1)]]);
    await second.changed();
    expect(await index.size()).toBe(0);
    await first.changed();
    expect(await index.size()).toBe(1);
    await first.close();
    await stored('two', [[unit(4, 2)]]);
    await second.changed();
    expect(await index.size()).toBe(2);
    await second.close();
  });

  it('continues after a lease expires, and the earlier process stops', async () => {
    let now = Date.now();
    const stalled = syncOf(index, 'http://a', false, () => now);
    const other = syncOf(index, 'http://a', false, () => now);
    await stalled.changed();
    now += 60_000;
    await other.changed();
    await stored('one', [[unit(4, 1)]]);
    await stalled.changed();
    expect(await index.size()).toBe(0);
    await other.changed();
    expect(await index.size()).toBe(1);
    await Promise.all([stalled.close(), other.close()]);
  });

  it('retries with increasing pauses while the search service fails', async () => {
    let now = Date.now();
    const failing = { on: true, calls: 0 };
    const target: ManifestIndex = {
      prepare: () => index.prepare(),
      declarePaths: () => index.declarePaths(),
      has: (isccId) => index.has(isccId),
      remove: (isccId) => index.remove(isccId),
      list: (after, limit) => index.list(after, limit),
      add: (manifests) => index.add(manifests),
      size: async () => {
        failing.calls += 1;
        if (failing.on) throw new ConnectionFailed('http://search', false, new Error('refused'));
        return index.size();
      },
    };
    const remote = syncOf(target, 'http://a', false, () => now);
    await stored('one', [[unit(4, 1)]]);
    await remote.changed();
    await remote.changed();
    expect(failing.calls).toBe(1);
    now += 1_100;
    await remote.changed();
    now += 1_100;
    await remote.changed();
    expect(failing.calls).toBe(2);
    expect((await indexStatuses(database.db, now))[0]).toMatchObject({
      indexId: 'http://a',
      total: 1,
      synced: 0,
    });
    expect((await indexStatuses(database.db, now))[0]?.error).toMatch(/refused/);
    expect(remote.isDegraded()).toBe(false);
    now += 61_000;
    await remote.changed();
    expect(remote.isDegraded()).toBe(true);
    // Another process feeds the index.
    now += 60_000;
    const other = syncOf(index, 'http://a', false, () => now);
    await other.changed();
    await remote.changed();
    expect(remote.isDegraded()).toBe(false);
    await other.close();
    now += 1_000;
    await remote.changed();
    now += 61_000;
    await remote.changed();
    expect(remote.isDegraded()).toBe(true);
    failing.on = false;
    now += 61_000;
    await remote.changed();
    expect(remote.isDegraded()).toBe(false);
    expect((await indexStatuses(database.db, now))[0]).toMatchObject({
      synced: 1,
      behind: 0,
      error: undefined,
    });
    await remote.close();
  });

  it('adds the other manifests if the search service refuses one', async () => {
    await stored('bad', [['ISCC:AAAQ']]);
    const good = await stored('good', [[unit(4, 2)]]);
    await sync.changed();
    expect(await found(unit(4, 2))).toEqual([[localId(good), gateway('good')]]);
    expect((await indexStatuses(database.db, Date.now()))[0]).toMatchObject({ synced: 1, refused: 1 });
  });

  it('fills the index again on request', async () => {
    const key = await stored('one', [[unit(4, 1)]]);
    await sync.changed();
    await index.remove(localId(key));
    expect(await refillAll(database.db)).toBe(1);
    expect((await indexStatuses(database.db, Date.now()))[0]).toMatchObject({ isFilling: true, synced: 0 });
    await sync.changed();
    expect(await index.size()).toBe(1);
    expect((await indexStatuses(database.db, Date.now()))[0]).toMatchObject({ isFilling: false, synced: 1 });
  });

  it('removes manifests that the database does not have, and leaves those of others', async () => {
    const kept = await stored('kept', [[unit(4, 1)]]);
    const [, [hubId]] = HUB_IDS;
    const declare = { status: 'declared', iscc_id: hubId, updated_at: Date.now() } as const;
    await database.db.updateTable('declarations').set(declare).where('manifest_key', '=', kept).execute();
    await change(kept, 1);
    await sync.changed();
    const ids = [1, 2, 3].map((at) => native.isccId(0, 1_600_000_000_000_000 + at, 7));
    const entry = (at: number, address: string) => ({
      isccId: ids[at] as string,
      units: [unit(4, 8), unit(3, 8)],
      gateway: address,
    });
    const foreign = gateway('foreign').replace(STORE, 'https://other.example');
    const others = [
      entry(0, gateway('lost')),
      entry(1, foreign),
      entry(2, 'https://other.example/kept.c2pa'),
    ];
    const left = [
      [ids[1], foreign],
      [ids[2], 'https://other.example/kept.c2pa'],
    ];
    // At the next start, and when an operator asks for it.
    for (const restart of [
      async () => {
        await sync.close();
        sync = newSync();
      },
      () => refillAll(database.db),
    ]) {
      await index.add(others);
      await restart();
      await sync.changed();
      expect(await found(unit(4, 8))).toEqual(left);
      expect(await found(unit(4, 1))).toHaveLength(1);
    }
  });
});
