/** Loads of a cache: all rows of an index, streamed from PostgreSQL. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CopiedRows } from '../../src/services/search/postgres/copied-rows.js';
import { openSearchDatabase, type SearchDatabase } from '../../src/services/search/postgres/open.js';
import { allAssets, copiedAssets } from '../../src/services/search/postgres/rows.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';

/** More than two pages of a copy. */
const MANY = 70_000;
/** Larger than a page. */
const LARGE_BYTES = 9_000_000;

let postgres: PostgresServer;
let database: SearchDatabase;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await openSearchDatabase(await postgres.createDatabase());
  return async () => {
    database.newest.close();
    await database.db.destroy();
  };
});

interface Row {
  readonly key: string;
}

async function inserted(count: number): Promise<void> {
  await sql`
    insert into assets (index_id, key, code, units, metadata)
    select 1, int8send(n), null, array['ISCC:A' || n, 'ISCC:B'], '{"n": "a\\u00e9\n' || n || '"}'
    from generate_series(1, ${count}::int) n
  `.execute(database.db);
  await sql`
    insert into simprints (index_id, key, body) select 1, int8send(n), '{}' from generate_series(1, ${count}::int, 7) n
  `.execute(database.db);
  await sql`insert into assets (index_id, key) values (2, int8send(1))`.execute(database.db);
}

async function copied(index: number): Promise<{ readonly rows: Row[]; readonly pages: number }> {
  const rows: Row[] = [];
  let pages = 0;
  for await (const page of copiedAssets(database.db, index)) {
    const all = JSON.parse(page.rows.toString()) as Row[];
    expect(all).toHaveLength(page.count);
    rows.push(...all);
    pages += 1;
  }
  return { rows: rows.sort((a, b) => (a.key < b.key ? -1 : 1)), pages };
}

async function paged(index: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of allAssets(database.db, index)) rows.push(...(JSON.parse(page.rows) as Row[]));
  return rows;
}

test.each([0, 1, MANY])('a copy of %i assets has all of them, each as in a page by key', async (count) => {
  await inserted(count);
  const { rows, pages } = await copied(1);
  expect(rows).toHaveLength(count);
  expect(rows).toEqual(await paged(1));
  if (count === MANY) expect(pages).toBeGreaterThan(2);
});

test('an asset may be larger than a page, next to small ones', async () => {
  await inserted(3);
  await sql`
    update assets set metadata = repeat('\\"x', ${LARGE_BYTES / 3}::int) where index_id = 1 and key = int8send(2)
  `.execute(database.db);
  const { rows } = await copied(1);
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(await paged(1));
});

test('a copy that is not read to its end leaves its transaction usable', async () => {
  await inserted(MANY);
  const rest = await database.db.transaction().execute(async (transaction) => {
    for await (const { count } of copiedAssets(transaction, 1)) {
      expect(count).toBeLessThan(MANY);
      break;
    }
    return transaction.selectFrom('assets').select('key').where('index_id', '=', 2).execute();
  });
  expect(rest).toHaveLength(1);
});

test('a copy fails with the error of the server', async () => {
  await sql`drop table simprints`.execute(database.db);
  await expect(copied(1)).rejects.toThrow('relation "simprints" does not exist');
  expect(await database.db.selectFrom('assets').select('key').execute()).toEqual([]);
});

test('a copy fails if its connection ends before all rows have arrived', async () => {
  await inserted(MANY);
  const ended = async () => {
    for await (const _ of copiedAssets(database.db, 1))
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy (%'
      `.execute(database.db);
  };
  await expect(ended()).rejects.toThrow(/terminat/);
});

describe('a server that is slow', () => {
  const SILENCE_MS_MAX = 1000;
  const COUNT = 15;
  /** Larger than the server's buffer, so that it sends each at once. */
  const ROW_BYTES = 20_000;

  /** Copies rows of a server that waits before each one. */
  async function slowly(secondsBefore: string): Promise<number> {
    const client = new pg.Client({ connectionString: await postgres.createDatabase() });
    // The copy reports the failure.
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.end().catch(() => {}));
    const statement = `copy (
      select to_json(repeat('x', ${ROW_BYTES}))::text from generate_series(1, ${COUNT}) n
      where pg_sleep(${secondsBefore}) is not null
    ) to stdout (format binary)`;
    const copy = client.query(new CopiedRows(statement, [], SILENCE_MS_MAX));
    let count = 0;
    for (let [page] = await copy.read(); page !== undefined; [page] = await copy.read()) count += page.count;
    return count;
  }

  test('may take longer for a page than it may be silent', async () => {
    const start = performance.now();
    expect(await slowly('0.1')).toBe(COUNT);
    expect(performance.now() - start).toBeGreaterThan(SILENCE_MS_MAX);
  });

  test('loses its connection when it sends nothing for too long', async () => {
    await expect(slowly('case n when 3 then 600 else 0 end')).rejects.toThrow('Query read timeout');
  });
});
