/** The dashboard's counts and lists on both databases, with 100,000 manifests. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Overview } from '../../src/admin/overview.js';
import { type Database, openDatabase } from '../../src/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';
import { seed } from './support/seed.js';
import { Visitor } from './support/visitor.js';

const MANIFESTS = 100_000;
const ANY = { search: '', status: undefined, isDeleted: undefined, isTrusted: undefined };

describe.each(ENGINES)('the overview on %s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  let overview: Overview;
  let keys: number[];
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url, dataDir } = await databases.create();
    database = await openDatabase(url, dataDir);
    keys = await seed(
      database.db,
      Array.from({ length: MANIFESTS }, (_, at) => ({
        isTrusted: at % 10 === 0,
        isDeleted: at % 50 === 0,
        status: at % 3 === 0 ? ('declared' as const) : ('pending' as const),
      })),
    );
    // The database does this by itself some seconds after so many changes.
    await sql`analyze`.execute(database.db);
    overview = new Overview(database);
  }, 240_000);
  afterAll(async () => {
    await database?.close();
    await databases?.stop();
  });

  test('counts', async () => {
    expect(await overview.counts()).toEqual({
      live: 98_000,
      deleted: 2000,
      bindings: [{ alg: 'io.iscc.v0', bindings: 98_000 }],
      declarations: expect.arrayContaining([
        { status: 'declared', manifests: 32_667 },
        { status: 'pending', manifests: 65_333 },
      ]),
    });
  });

  test.each([
    ['the first page', {}, 1, MANIFESTS],
    ['the last page', {}, 1000, MANIFESTS],
    ['a part of an id', { search: '99-0000' }, 1, 1000],
    ['a part of an id in capitals', { search: 'C2PA:0009999' }, 1, 10],
    ['wildcards as literal text', { search: '%' }, 1, 0],
    ['a status', { status: 'declared' as const }, 300, 33_334],
    ['deleted ones', { isDeleted: true }, 20, 2000],
    ['live ones with a status', { isDeleted: false, status: 'pending' as const }, 650, 65_333],
    ['trusted ones', { isTrusted: true }, 50, 10_000],
    [
      'all filters combined',
      { search: 'c2pa', status: 'pending' as const, isDeleted: false, isTrusted: false },
      200,
      60_000,
    ],
  ])('lists %s', async (name, filter, page, total) => {
    const start = performance.now();
    const found = await overview.list({ ...ANY, ...filter }, page);
    const ms = performance.now() - start;
    console.log(`${engine}, ${MANIFESTS} manifests, ${name}: ${ms.toFixed(1)} ms`);
    expect(found.total).toBe(total);
    expect(found.rows.length).toBe(Math.min(total, 100, total - (found.page - 1) * 100));
    const order = found.rows.map(({ key }) => key);
    expect(order).toEqual([...order].sort((a, b) => b - a));
    if (Object.keys(filter).length === 0) expect(order[0]).toBe(keys[MANIFESTS - 1 - (page - 1) * 100]);
  });
});

describe('pages over HTTP', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    await seed(
      dashboard.database.db,
      Array.from({ length: MANIFESTS }, () => ({ status: 'pending' as const })),
    );
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('are complete with many manifests', async () => {
    const visitor = new Visitor(dashboard.url);
    await visitor.login();
    for (const path of ['', 'manifests/', 'manifests/?page=1000', 'manifests/?q=9999', 'manifests/50000/']) {
      const start = performance.now();
      const answer = await visitor.get(`/admin/${path}`);
      expect([answer.status, (await answer.text()).includes('</html>')]).toEqual([200, true]);
      const ms = performance.now() - start;
      console.log(`${MANIFESTS} manifests, /admin/${path}: ${ms.toFixed(1)} ms`);
    }
  });
});
