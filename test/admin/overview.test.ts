/** The dashboard's counts and lists on both databases, with 20,000 manifests. `npm run bench -- dashboard` has more. */
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTIVITY_DAYS, activity } from '../../src/services/dashboard/activity.js';
import { Overview } from '../../src/services/dashboard/overview.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';
import { seed } from './support/seed.js';
import { Visitor } from './support/visitor.js';

const MANIFESTS = 20_000;
const ANY = { search: '' };
/** The Image-Code of the seeded unit, in an ISCC-UNIT of 64 bits. */
const UNIT_64 = 'ISCC:EAAROAQCZUHCUOEB';
const UPLOAD_MS = 60_000;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 5, 2);

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
        ...(at % 4 === 0 && { alg: 'com.example.mark', value: Buffer.from(`mark ${at}`) }),
        summary: { title: `Bild ${at % 1000}.jpg`, signer: `Signer ${at % 100}`, issuer: 'ÜBER Verlag' },
      })),
    );
    // The database does this by itself some seconds after so many changes.
    await sql.raw(engine === 'sqlite' ? 'analyze' : 'vacuum analyze').execute(database.db);
    overview = new Overview(database);
  }, 240_000);
  afterAll(async () => {
    await database?.close();
    await databases?.stop();
  });

  test('counts', async () => {
    expect(await overview.counts()).toEqual({
      live: 19_600,
      deleted: 400,
      bindings: expect.anything(),
      declarations: expect.arrayContaining([
        { status: 'declared', manifests: 6_533 },
        { status: 'pending', manifests: 13_067 },
      ]),
      indexes: [],
      rejudged: 0,
    });
  });

  test('activity by day, the newest manifests, disks and waiting events', async () => {
    const now = FIRST_DAY + 13 * DAY_MS + 3_600_000;
    const { db } = database;
    const uploaded = await db
      .selectFrom('catalogue')
      .select(['uploaded_at', 'live'])
      .where('uploaded_at', '>=', FIRST_DAY)
      .execute();
    const on = (at: number) => (uploaded_at: number) => Math.floor(uploaded_at / DAY_MS) * DAY_MS === at;
    const found = await activity(db, [tmpdir(), '/no/such/folder'], now);
    expect(found.days.map(({ day }) => day)).toEqual(
      Array.from({ length: ACTIVITY_DAYS }, (_, at) => FIRST_DAY + (13 - at) * DAY_MS),
    );
    for (const { day, uploads } of found.days)
      expect(uploads).toBe(uploaded.filter((row) => on(day)(row.uploaded_at)).length);
    expect(found.days.reduce((sum, { uploads }) => sum + uploads, 0)).toBeGreaterThan(0);
    expect(found.newest).toHaveLength(5);
    expect(found.newest[0]?.uploadedAt).toBe(
      Math.max(...uploaded.filter(({ live }) => live === 1).map((row) => row.uploaded_at)),
    );
    expect(found.disks).toMatchObject([{ folder: tmpdir() }]);
    expect(found.disks[0]?.freeBytes).toBeGreaterThan(0);
    expect(found.webhooks).toEqual({ waiting: 0, failing: 0 });
  });

  test.each([
    ['the first page', {}, 1, MANIFESTS],
    ['the last page', {}, 200, MANIFESTS],
    ['a part of an id', { search: '99-0000' }, 1, 200],
    ['a part of an id in capitals', { search: 'C2PA:0001999' }, 1, 10],
    ['wildcards as literal text', { search: '%' }, 1, 0],
    ['other wildcards as literal text', { search: '*' }, 1, 0],
    ['a set of characters as literal text', { search: '[a-z]' }, 1, 0],
    ['a status', { status: 'declared' as const }, 60, 6_667],
    ['deleted ones', { isDeleted: true }, 4, 400],
    ['live ones with a status', { isDeleted: false, status: 'pending' as const }, 130, 13_067],
    ['trusted ones', { isTrusted: true }, 10, 2000],
    [
      'all filters combined',
      { search: 'c2pa', status: 'pending' as const, isDeleted: false, isTrusted: false },
      40,
      12_000,
    ],
    ['a part of a title', { search: 'bild 77.JPG' }, 1, 20],
    ['a part of an issuer, beyond ASCII', { search: 'über' }, 200, MANIFESTS],
    ['a binding value in Base64', { search: Buffer.from('mark 4004').toString('base64') }, 1, 1],
    ['a binding value in hexadecimal', { search: Buffer.from('mark 4004').toString('hex') }, 1, 1],
    ['a code', { search: UNIT_64 }, 1, 1000],
    ['a code that no manifest has', { search: 'ISCC:EAAXXXXXXXXXXXXX' }, 1, 0],
    ['a signer', { signer: 'Signer 7' }, 1, 200],
    ['an algorithm', { alg: 'com.example.mark' }, 1, 4800],
    ['an algorithm that all have, last page', { alg: 'io.iscc.v0', isDeleted: false }, 148, 14_800],
    ['a day', { from: FIRST_DAY, to: FIRST_DAY + 1440 * UPLOAD_MS }, 1, 1440],
    ['a signer in a month', { signer: 'Signer 7', from: FIRST_DAY, status: 'pending' as const }, 1, 128],
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

  test.each([
    ['title', 1],
    ['title', 200],
    ['signer', 140],
    ['size', 200],
    ['id', 100],
  ] as const)('sorts by %s, page %d', async (sort, page) => {
    for (const isAscending of [true, false]) {
      const start = performance.now();
      const { rows } = await overview.list(ANY, page, { sort, isAscending });
      const ms = performance.now() - start;
      console.log(`${engine}, ${MANIFESTS} manifests, sorted by ${sort}, page ${page}: ${ms.toFixed(1)} ms`);
      const values = rows.map((row) =>
        sort === 'id' ? row.manifestId : sort === 'size' ? row.bytes : row[sort],
      );
      const order = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
      const sorted = [...values].sort(order);
      if (engine === 'sqlite' || sort === 'size')
        expect(values).toEqual(isAscending ? sorted : sorted.reverse());
      expect(rows).toHaveLength(100);
    }
  });

  test('finds all matches in steps, and their number', async () => {
    const filter = { search: '', signer: 'Signer 7', isDeleted: false };
    const { total, upTo } = await overview.size(filter);
    expect(upTo).toBe(keys[19_907]);
    const found: number[] = [];
    for (let last = upTo; ; last = (found.at(-1) ?? 0) - 1) {
      const step = await overview.next({ ...filter, upTo: last }, 60);
      if (step.length === 0) break;
      found.push(...step.map(({ key }) => key));
    }
    expect([found.length, new Set(found).size]).toEqual([total, total]);
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
    for (const path of ['', 'manifests/', 'manifests/?page=200', 'manifests/?q=9999', 'manifests/10000/']) {
      const start = performance.now();
      const answer = await visitor.get(`/admin/${path}`);
      expect([answer.status, (await answer.text()).includes('</html>')]).toEqual([200, true]);
      const ms = performance.now() - start;
      console.log(`${MANIFESTS} manifests, /admin/${path}: ${ms.toFixed(1)} ms`);
    }
  });
});
