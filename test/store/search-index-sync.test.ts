/** Sync of a similarity index with the store's manifests, on both databases. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SearchManifestIndex } from '../../src/c2pa/search-index-port.js';
import { type Database, openDatabase } from '../../src/database/open.js';
import { native } from '../../src/native.js';
import { InProcessSearch } from '../../src/search/engine/in-process.js';
import { SearchIndexSync } from '../../src/store/search-index-sync.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';

/** ISCC-IDs in the form of the standard, and with a length in the header as some hubs write; the index returns the first. */
const HUB_IDS = [
  ['ISCC:MAIGHWZA2D7A2MAB', 'ISCC:MAIGHWZA2D7A2MAB'],
  ['ISCC:MAIWMDAMBQSYSEAB', 'ISCC:MAIGMDAMBQSYSEAB'],
] as const;

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
    return new SearchIndexSync({ db: database.db, index, serverId: 7, log: pino({ level: 'silent' }) });
  }

  const unit = (main: number, fill: number) => native.encodeUnit(main, 0, 0, 256, Buffer.alloc(32, fill));
  const gateway = (id: string) => `http://127.0.0.1:8020/v1/manifests/${id}`;

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
    return key;
  }

  async function tombstone(key: number): Promise<void> {
    await database.db
      .updateTable('manifests')
      .set({ live: 0, unit_count: 0 })
      .where('key', '=', key)
      .execute();
    await database.db.deleteFrom('bindings').where('manifest_key', '=', key).execute();
  }

  async function found(text: string) {
    const { global_matches } = await search.search('mine', { units: [text] }, 10);
    return global_matches.map(({ iscc_id, metadata }) => [iscc_id, metadata?.gateway]);
  }

  const localId = (key: number) => native.isccId(0, 1_700_000_000_000_000 + (key % 1000), 7);

  it('contains all units of all blocks of stored manifests, and removes deleted ones', async () => {
    const one = await stored('one', [[unit(4, 1)], [unit(3, 9), unit(4, 2)]]);
    const two = await stored('two', [[unit(4, 3)]]);
    const none = await stored('none', [[]]);
    await Promise.all([one, two, none].map((key) => sync.changed(key)));
    expect(await found(unit(4, 1))).toEqual([[localId(one), gateway('one')]]);
    expect(await found(unit(4, 2))).toEqual([[localId(one), gateway('one')]]);
    expect(await found(unit(4, 3))).toEqual([[localId(two), gateway('two')]]);
    expect(await index.size()).toBe(2);
    await tombstone(two);
    await sync.changed(two);
    expect(await found(unit(4, 3))).toEqual([]);
    expect(await index.size()).toBe(1);
  });

  it.each(HUB_IDS)('replaces the local ISCC-ID by that of the declaration: %s', async (hubId, given) => {
    const key = await stored('one', [[unit(4, 1)]]);
    await sync.changed(key);
    const declare = { status: 'declared', iscc_id: hubId, updated_at: Date.now() } as const;
    await database.db.updateTable('declarations').set(declare).where('manifest_key', '=', key).execute();
    await sync.changed(key);
    expect(await found(unit(4, 1))).toEqual([[given, gateway('one')]]);
    expect(await index.size()).toBe(1);
    await tombstone(key);
    await sync.changed(key);
    expect(await index.size()).toBe(0);
  });

  it('applies missed changes at start', async () => {
    const gone = await stored('gone', [[unit(4, 1)]]);
    await sync.changed(gone);
    await tombstone(gone);
    await database.db.deleteFrom('declarations').where('manifest_key', '=', gone).execute();
    await database.db.deleteFrom('manifests').where('key', '=', gone).execute();
    const keys = [await stored('two', [[unit(4, 2)]]), await stored('three', [[unit(4, 3)]])];
    sync = newSync();
    sync.start();
    await sync.changed(-1);
    expect(await found(unit(4, 1))).toEqual([]);
    expect(await found(unit(4, 3))).toEqual([[localId(keys[1] ?? 0), gateway('three')]]);
    await sync.close();
    // Another client deletes the index.
    await search.deleteIndex('mine');
    sync = newSync();
    sync.start();
    await sync.changed(-1);
    expect(await index.size()).toBe(2);
  });
});
