/** Lists and counts for the dashboard, in both engines. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/open.js';
import type { DeclarationStatus } from '../../src/database/tables.js';
import { NO_DECLARER } from '../../src/store/declarer.js';
import { Manifests } from '../../src/store/manifests.js';
import { type Filter, Overview, PAGE_ROWS } from '../../src/store/overview.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';

const COUNT = 250;
const STATUSES: readonly DeclarationStatus[] = ['declared', 'pending', 'failed', 'skipped', 'disabled'];
const id = (n: number) => `urn:c2pa:${String(n).padStart(4, '0')}-${n % 2 ? 'Odd' : 'even'}_100%`;

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  let overview: Overview;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url, dataDir } = await databases.create();
    database = await openDatabase(url, dataDir);
    overview = new Overview(database.db);
    const manifests = new Manifests(database.db);
    for (let n = 0; n < COUNT; n += 1) await store(manifests, n);
    // Every tenth is deleted.
    for (let n = 0; n < COUNT; n += 10) await manifests.bury(id(n), 9000 + n, NO_DECLARER);
  });
  afterAll(async () => {
    await database.close();
    await databases.stop();
  });

  async function store(manifests: Manifests, n: number): Promise<void> {
    const binding = { alg: n % 3 ? 'a.mark' : 'io.iscc.v0', value: Buffer.of(n), units: [] };
    const row = {
      manifest_id: id(n),
      sha256: n.toString(16).padStart(64, '0'),
      size: 1000 + n,
      uploaded_at: 5000 + n,
      trusted: n % 4 === 0 ? (1 as const) : (0 as const),
      uploader: 'u',
    };
    const initial = NO_DECLARER.initial(
      { manifestId: id(n), manifestUrl: `https://store.example/${n}`, uploadedAt: 5000 + n, bindings: [] },
      true,
    );
    const declaration = { ...initial, status: STATUSES[n % 5] ?? 'pending' };
    await manifests.insert({ row, bindings: [binding], declaration }, async () => true);
  }

  it('counts manifests, live bindings and live declarations', async () => {
    const numbers = [...Array(COUNT).keys()];
    const live = numbers.filter((n) => n % 10 !== 0);
    const withStatus = (at: number) => live.filter((n) => n % 5 === at).length;
    expect(await overview.counts()).toEqual({
      live: live.length,
      deleted: COUNT - live.length,
      bindings: [
        { alg: 'a.mark', bindings: live.filter((n) => n % 3).length },
        { alg: 'io.iscc.v0', bindings: live.filter((n) => n % 3 === 0).length },
      ],
      declarations: STATUSES.map((status, at) => ({ status, manifests: withStatus(at) })).sort((a, b) =>
        a.status < b.status ? -1 : 1,
      ),
    });
  });

  it('lists the newest first, page by page', async () => {
    const first = await overview.list({});
    expect(first).toMatchObject({ total: COUNT, page: 1, pages: 3 });
    expect(first.rows.map(({ manifest_id }) => manifest_id)).toEqual(
      Array.from({ length: PAGE_ROWS }, (_, at) => id(COUNT - 1 - at)),
    );
    const last = await overview.list({}, 3);
    expect(last.rows.map(({ manifest_id }) => manifest_id)).toEqual(
      Array.from({ length: COUNT - 2 * PAGE_ROWS }, (_, at) => id(COUNT - 2 * PAGE_ROWS - 1 - at)),
    );
    expect(await overview.list({}, 99)).toEqual(last);
    expect(first.rows[0]).toMatchObject({
      size: 1249,
      live: 1,
      trusted: 0,
      status: 'disabled',
      binding_count: 1,
    });
  });

  it.each<[Filter, (n: number) => boolean]>([
    [{ live: false }, (n) => n % 10 === 0],
    [{ trusted: true }, (n) => n % 4 === 0],
    [{ live: true, trusted: false }, (n) => n % 10 !== 0 && n % 4 !== 0],
    [{ status: 'pending' }, (n) => n % 5 === 1],
    [{ status: 'declared', live: true }, (n) => n % 5 === 0 && n % 10 !== 0],
    [{ status: 'declared', trusted: true }, (n) => n % 20 === 0],
    [{ status: 'failed', search: 'ODD' }, (n) => n % 5 === 2 && n % 2 === 1],
    [{ search: 'odd' }, (n) => n % 2 === 1],
    [{ search: 'c2pa:0123' }, (n) => n === 123],
    [{ search: '%' }, () => true],
    [{ search: 'n_1' }, (n) => n % 2 === 0],
    [{ search: 'd__' }, () => false],
    [{ search: "' or 1=1 --" }, () => false],
  ])('filters %j', async (filter, holds) => {
    const expected = [...Array(COUNT).keys()].filter(holds).reverse();
    const { rows, total } = await overview.list(filter);
    expect(total).toBe(expected.length);
    expect(rows.map(({ manifest_id }) => manifest_id)).toEqual(expected.slice(0, PAGE_ROWS).map(id));
  });

  it('shows one manifest whole', async () => {
    const [row] = (await overview.list({ search: '0123' })).rows;
    const detail = await overview.detail(row?.key ?? 0);
    expect(detail?.manifest).toMatchObject({ manifest_id: id(123), uploader: 'u', deleted_at: null });
    expect(detail?.bindings).toEqual([
      { manifest_key: row?.key, ordinal: 0, alg: 'io.iscc.v0', value: Buffer.of(123), units: null },
    ]);
    expect(detail?.declaration).toMatchObject({ status: 'skipped', live: 1 });
    expect(await overview.detail(999_999)).toBeUndefined();
  });

  it('says of a deleted one when', async () => {
    const [row] = (await overview.list({ search: '0120' })).rows;
    const detail = await overview.detail(row?.key ?? 0);
    expect(detail?.manifest).toMatchObject({ live: 0, deleted_at: 9120, binding_count: 0 });
    expect(detail?.bindings).toEqual([]);
    expect(detail?.declaration?.live).toBe(0);
  });
});
