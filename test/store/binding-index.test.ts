/** The binding index against concurrent changes: every query sees what was committed before it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { SyncedBindingIndex } from '../../src/services/store/bindings/binding-index.js';
import { NO_DECLARER } from '../../src/services/store/declarer.js';
import { FileVanished, Manifests } from '../../src/services/store/manifests/manifests.js';
import type { BindingEntry, BindingIndex } from '../../src/services/store/validation/validator.js';
import { STORE_ITSELF } from '../../src/storage/database/audit.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { acceptedReport } from './support/fixtures.js';

const ALG = 'com.adobe.trustmark.P';
const VALUE = Buffer.from('value');

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  let manifests: Manifests;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());
  beforeEach(async () => {
    const { url, dataDir } = await databases.create();
    database = await openDatabase(url, dataDir);
    manifests = new Manifests(database.db);
    return () => database.close();
  });

  /** Stores a manifest with the binding. Earlier ones rank first. */
  async function store(at: number, hasFile = true): Promise<number> {
    const manifestId = `urn:c2pa:${at}`;
    const bindings = [{ alg: ALG, value: VALUE, units: [] }];
    const about = { manifestId, manifestUrl: `https://store.example/${at}`, uploadedAt: at, bindings };
    const declaration = NO_DECLARER.initial(about, false);
    const row = { manifestId, sha256: `${at}`, size: 1, uploadedAt: at, uploader: '' };
    const report = acceptedReport(manifestId, false, bindings);
    return (await manifests.insert({ ...row, report, declaration }, async () => hasFile)) ?? -1;
  }

  const load = (newIndex: () => BindingIndex = () => new native.BindingIndex()) =>
    SyncedBindingIndex.load({ db: database.db, newIndex, log: createLogger('silent') });
  const best = async (index: SyncedBindingIndex, maxResults = 1) => [
    ...(await index.query(ALG, VALUE, 75, maxResults)).keys,
  ];

  /** An index that calls `during` in the middle of its first insert. */
  function pausing(during: () => Promise<void>): BindingIndex {
    const index = new native.BindingIndex();
    let isFirst = true;
    return {
      insertBatch: async (entries: BindingEntry[]) => {
        const paused = isFirst ? during() : undefined;
        isFirst = false;
        await paused;
        await index.insertBatch(entries);
      },
      remove: (key) => index.remove(key),
      query: (alg, value, threshold, max) => index.query(alg, value, threshold, max),
    };
  }

  it('shows a query what was committed while another query reads', async () => {
    let resume = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let reached = () => {};
    const reading = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const index = await load(() =>
      pausing(() => {
        reached();
        return paused;
      }),
    );
    const first = await store(1);
    const earlier = best(index, 10);
    await reading;
    // The first query has read the changes and is still applying them.
    const second = await store(2);
    const later = best(index, 10);
    resume();
    expect(await earlier).toContain(first);
    expect(await later).toEqual([first, second]);
  });

  it('does not let deleted manifests take the places of live ones', async () => {
    const keys = [await store(1), await store(2), await store(3)];
    const index = await load();
    expect(await best(index)).toEqual([keys[0]]);
    await manifests.tombstone(keys.slice(0, 2), 10, STORE_ITSELF);
    expect(await best(index)).toEqual([keys[2]]);
  });

  // The index looks again after fewer, as many, and more changes than it had seen.
  it.each([0, 1, 2])(
    'loads all bindings again after a database lost its last change and got %d others',
    async (others) => {
      const kept = await store(1);
      const before = await database.db.selectFrom('feed').selectAll().executeTakeFirstOrThrow();
      await store(2);
      const index = await load();
      expect(await best(index, 10)).toHaveLength(2);
      // As after a failover to a standby without the second manifest.
      await database.db.deleteFrom('bindings').where('manifest_key', '<>', kept).execute();
      await database.db.deleteFrom('changes').where('manifest_key', '<>', kept).execute();
      await database.db.updateTable('manifests').set({ live: 0 }).where('key', '<>', kept).execute();
      await database.db.updateTable('feed').set({ sequence: before.sequence }).execute();
      const added: number[] = [];
      for (let at = 0; at < others; at += 1) added.push(await store(3 + at));
      expect(await best(index, 10)).toEqual([kept, ...added]);
      const next = await store(9);
      expect(await best(index, 10)).toEqual([kept, ...added, next]);
    },
  );

  it('applies a delete that was committed during the load', async () => {
    const keys = [await store(1), await store(2)];
    const index = await load(() =>
      pausing(async () => {
        await manifests.tombstone(keys.slice(0, 1), 10, STORE_ITSELF);
      }),
    );
    expect(await best(index)).toEqual([keys[1]]);
  });

  it('stores nothing of a manifest without its file', async () => {
    await expect(store(1, false)).rejects.toThrow(FileVanished);
    expect(await database.db.selectFrom('manifests').selectAll().execute()).toEqual([]);
    expect(await database.db.selectFrom('changes').selectAll().execute()).toEqual([]);
    expect(await manifests.algorithms(new Set(['io.iscc.v0']))).toEqual([]);
  });

  it('counts each binding of a manifest, and subtracts all of them', async () => {
    const bindings = [1, 2, 3].map((n) => ({ alg: ALG, value: Buffer.of(n), units: [] }));
    const about = {
      manifestId: 'urn:c2pa:x',
      manifestUrl: 'https://store.example/x',
      uploadedAt: 1,
      bindings,
    };
    const declaration = NO_DECLARER.initial(about, false);
    const row = {
      manifestId: 'urn:c2pa:x',
      sha256: 'x',
      size: 1,
      uploadedAt: 1,
      uploader: '',
    };
    const report = acceptedReport(row.manifestId, true, bindings);
    const key = (await manifests.insert({ ...row, report, declaration }, async () => true)) ?? -1;
    const counts = () => database.db.selectFrom('binding_counts').selectAll().execute();
    expect(await counts()).toEqual([{ alg: ALG, bindings: 3 }]);
    expect(await manifests.algorithms(new Set(['io.iscc.v0']))).toEqual([ALG]);
    await manifests.tombstone([key], 2, STORE_ITSELF);
    expect(await counts()).toEqual([{ alg: ALG, bindings: 0 }]);
    expect(await manifests.algorithms(new Set(['io.iscc.v0']))).toEqual([]);
  });
});
