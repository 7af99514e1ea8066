/**
 * Two versions of the program on one PostgreSQL database, as during a rolling upgrade: migrations only add, and a program
 * serves on with tables that are newer than it, if they say so.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseProblem } from '../../src/services/search/postgres/check.js';
import { SEARCH_SCHEMA } from '../../src/services/search/postgres/migrations/index.js';
import { databaseProblem as storeProblem } from '../../src/storage/database/check.js';
import { migrateTables } from '../../src/storage/database/migrate.js';
import type { MigrationStep, Schema } from '../../src/storage/database/migration.js';
import { STORE_SCHEMA } from '../../src/storage/database/migrations/index.js';
import { openPostgres } from '../../src/storage/database/postgres.js';
import { isccId, randomAsset } from '../search/support/random-assets.js';
import { post } from '../search/support/search-server.js';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
import { freshBinding, freshManifest } from '../store/support/fresh-manifest.js';
import { type StoreProcess, startStoreProcess } from '../store/support/process.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { serve } from '../support/serve.js';

let postgres: PostgresServer;
let folder: string;
beforeAll(async () => {
  postgres = await startPostgres();
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-versions-'));
});
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `work` with a database whose tables are in `schema`. */
async function using<T, Result>(
  url: string,
  work: (db: Kysely<T>) => Promise<Result>,
  schema = 'public',
): Promise<Result> {
  const db = openPostgres(`${url}&options=${encodeURIComponent(`-c search_path=${schema}`)}`);
  try {
    return await work(db as unknown as Kysely<T>);
  } finally {
    await db.destroy();
  }
}

/** What a future version does: it adds a table, a column to each table, and an index. */
function later<T>(schema: Schema<T>, compatibleSince = schema.compatibleSince): Schema<T> {
  const step: MigrationStep<T> = async (transaction) => {
    const { rows } = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = current_schema()
    `.execute(transaction);
    for (const { name } of rows) {
      await sql`alter table ${sql.table(name)} add column later_note text`.execute(transaction);
      await sql`create index on ${sql.table(name)} (later_note)`.execute(transaction);
    }
    await sql`create table later_table (id integer primary key)`.execute(transaction);
  };
  return { ...schema, steps: [...schema.steps, step], compatibleSince };
}

/** Migrates a database as a later version would. */
function upgrade<T>(url: string, schema: Schema<T>, tables?: string): Promise<void> {
  return using<T, void>(url, (db) => migrateTables(db, 'postgres', 'the database', schema), tables);
}

/** The versions of a schema that change more than they add. */
async function breakingVersions(schema: Schema<unknown>): Promise<number[]> {
  const url = await postgres.createDatabase();
  const breaking: number[] = [];
  let before: readonly string[] = [];
  let required: readonly string[] = [];
  let tables = new Set<string>();
  for (let version = 1; version <= schema.steps.length; version += 1) {
    await upgrade(url, { ...schema, steps: schema.steps.slice(0, version), compatibleSince: version });
    const found = await using(url, shapeOf);
    const isAdditive =
      before.every((line) => found.lines.includes(line)) &&
      found.required.every((line) => required.includes(line) || !tables.has(tableOf(line)));
    if (!isAdditive) breaking.push(version);
    [before, required, tables] = [found.lines, found.required, found.tables];
  }
  return breaking;
}

describe.each([
  ['store', STORE_SCHEMA as Schema<unknown>],
  ['search', SEARCH_SCHEMA as Schema<unknown>],
] as const)('the migrations of the %s', (_, schema) => {
  it('only add to tables, after the version that the tables are compatible with', async () => {
    expect(Math.max(1, ...(await breakingVersions(schema)))).toBeLessThanOrEqual(schema.compatibleSince);
    expect(schema.compatibleSince).toBeLessThanOrEqual(schema.steps.length);
  }, 60_000);

  it.each([
    ['drops a column', 'alter table feed drop column forgotten'],
    ['drops a table', 'drop table feed'],
    ['asks for a value', 'alter table feed add column later integer not null'],
  ])(
    'are found if one %s',
    async (_what, ddl) => {
      const breaks: MigrationStep<unknown> = async (transaction) => {
        await sql`delete from feed`.execute(transaction);
        await sql.raw(ddl).execute(transaction);
      };
      const version = schema.steps.length + 1;
      expect(await breakingVersions({ ...schema, steps: [...schema.steps, breaks] })).toEqual([version]);
    },
    60_000,
  );
});

interface Shape {
  /** Columns and constraints. */
  readonly lines: readonly string[];
  /** Columns that every new row needs, and rules for rows: programs before them do not know them. */
  readonly required: readonly string[];
  readonly tables: Set<string>;
}

const tableOf = (line: string) => line.split(' ')[0] as string;

async function shapeOf(db: Kysely<unknown>): Promise<Shape> {
  const columns = await sql<{ readonly line: string; readonly required: boolean }>`
    select table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable as line,
      is_nullable = 'NO' and column_default is null and is_identity = 'NO' as required
    from information_schema.columns where table_schema = current_schema()
  `.execute(db);
  const rules = await sql<{ readonly line: string }>`
    select relname || ' ' || pg_get_constraintdef(c.oid) as line
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    where t.relnamespace = current_schema()::regnamespace and contype in ('c', 'f', 'u', 'p', 'x')
    union all
    select tablename || ' ' || indexdef from pg_indexes
    where schemaname = current_schema() and indexdef like 'CREATE UNIQUE%'
  `.execute(db);
  const isOurs = ({ line }: { readonly line: string }) => !line.startsWith('schema_');
  const [all, ruled] = [columns.rows.filter(isOurs), rules.rows.filter(isOurs)];
  return {
    // A rule that is dropped or replaced does not hinder an older program.
    lines: [...all, ...ruled]
      .map(({ line }) => line)
      .filter((line) => !ruled.some((rule) => rule.line === line)),
    required: [...all.filter(({ required }) => required), ...ruled].map(({ line }) => line),
    tables: new Set(all.map(({ line }) => tableOf(line))),
  };
}

describe('the store', () => {
  it('goes on during the upgrade, and starts again after it', async () => {
    const place = {
      url: await postgres.createDatabase(),
      dataDir: await mkdtemp(path.join(folder, 'store-')),
    };
    const stores: StoreProcess[] = [await startStoreProcess(place)];
    try {
      const [first] = stores as [StoreProcess];
      expect((await first.upload(bytesOf(sidecar('ok-ed25519')))).status).toBe(200);
      await upgrade(place.url, later(STORE_SCHEMA));
      // This process has not restarted, the next one is of the older version, too.
      expect((await first.upload(bytesOf(sidecar('ok-conflict-a')))).status).toBe(200);
      const second = await startStoreProcess(place);
      stores.push(second);
      for (const name of ['ok-ed25519', 'ok-conflict-a']) {
        const id = sidecar(name).expect.manifestId ?? '';
        for (const store of stores) expect((await store.get(id)).status).toBe(200);
        expect((await second.remove(id)).status).toBe(204);
        await expect.poll(async () => (await first.get(id)).status).toBe(410);
      }
    } finally {
      await Promise.all(stores.map((store) => store.stop()));
    }
  }, 120_000);

  it('does not start with tables that need a later version', async () => {
    const place = {
      url: await postgres.createDatabase(),
      dataDir: await mkdtemp(path.join(folder, 'store-')),
    };
    await upgrade(place.url, later(STORE_SCHEMA, STORE_SCHEMA.steps.length + 1));
    const known = STORE_SCHEMA.steps.length;
    await expect(startStoreProcess(place)).rejects.toThrow(
      new RegExp(`has format ${known + 1}, but this program supports formats up to ${known}`),
    );
    expect(await storeProblem(place.url)).toContain(`has format ${known + 1}, but this program supports`);
  }, 60_000);

  it.each([
    ['manifests', 'create table manifests (title text)'],
    ['schema_version', 'create table schema_version (installed text)'],
    [
      'schema_version',
      'create table schema_version (id integer, version integer); insert into schema_version values (1, 2)',
    ],
  ])(
    'says that a table %s is that of another program',
    async (table, ddl) => {
      const url = await postgres.createDatabase();
      await using(url, (db) => sql.raw(ddl).execute(db));
      const dataDir = await mkdtemp(path.join(folder, 'store-'));
      const text = `has a table ${table} of another program; use another database, or another schema`;
      await expect(startStoreProcess({ url, dataDir })).rejects.toThrow(text);
      expect(await storeProblem(url)).toContain(text);
    },
    60_000,
  );

  it('starts again for a role that may no longer create tables', async () => {
    const url = await postgres.createDatabase();
    const dataDir = await mkdtemp(path.join(folder, 'store-'));
    await (await startStoreProcess({ url, dataDir })).stop();
    await using(url, async (db) => {
      await sql`create role reader login`.execute(db);
      await sql`grant all on all tables in schema public to reader`.execute(db);
      await sql`grant all on all sequences in schema public to reader`.execute(db);
    });
    const store = await startStoreProcess({ url: url.replace(/\/\/[^@]*@/, '//reader@'), dataDir });
    try {
      expect((await store.upload(bytesOf(sidecar('ok-ed25519')))).status).toBe(200);
    } finally {
      await store.stop();
    }
  }, 60_000);

  it('lets concurrent uploads wait for each other, whatever the default isolation of the database is', async () => {
    const url = await postgres.createDatabase();
    await using(url, (db) =>
      sql
        .raw(
          `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_isolation = 'serializable'`,
        )
        .execute(db),
    );
    const store = await startStoreProcess({ url, dataDir: await mkdtemp(path.join(folder, 'store-')) });
    try {
      const uploads = Array.from({ length: 12 }, async () =>
        store.upload(await freshManifest(freshBinding())),
      );
      const statuses = (await Promise.all(uploads)).map(({ status }) => status);
      expect(statuses).toEqual(statuses.map(() => 200));
    } finally {
      await store.stop();
    }
  }, 60_000);
});

describe('search', () => {
  it('goes on during the upgrade, and starts again after it', async () => {
    const url = await postgres.createDatabase();
    const start = async (name: string) =>
      serve(['search'], {
        env: { INDEXSVC_INDEX_URI: url, INDEXSVC_PORT: '0', ISCCD_DATA_DIR: path.join(folder, name) },
      });
    const first = await start('first');
    const running = [first];
    try {
      const [one, two] = [randomAsset(1), randomAsset(2)];
      expect((await post(`${first.urls.search}/indexes`, { name: 'main' })).status).toBe(201);
      await upgrade(url, later(SEARCH_SCHEMA), 'isccd_search');
      expect(await databaseProblem(url)).toBeUndefined();
      expect((await post(`${first.urls.search}/indexes/main/assets`, [one])).status).toBe(201);
      const second = await start('second');
      running.push(second);
      await expect.poll(async () => (await fetch(`${second.urls.search}/readyz`)).status).toBe(200);
      expect((await post(`${second.urls.search}/indexes/main/assets`, [two])).status).toBe(201);
      for (const { urls } of running)
        for (const id of [1, 2])
          expect((await fetch(`${urls.search}/indexes/main/assets/${isccId(id)}`)).status).toBe(200);
    } finally {
      await Promise.all(running.map((server) => server.stop()));
    }
  }, 120_000);

  it('is refused by check config with tables that need a later version', async () => {
    const url = await postgres.createDatabase();
    await using(url, (db) => sql`create schema isccd_search`.execute(db));
    await upgrade(url, later(SEARCH_SCHEMA, SEARCH_SCHEMA.steps.length + 1), 'isccd_search');
    const version = SEARCH_SCHEMA.steps.length;
    expect(await databaseProblem(url)).toContain(
      `has format ${version + 1}, but this program supports formats up to ${version}`,
    );
  });
});
