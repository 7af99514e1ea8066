/**
 * Migrates the tables to the current version.
 *
 * Kysely's own migrator is not used: several processes may start at the same time on either engine, and its lock does
 * not cover SQLite. Here a process waits for the migration of another one.
 *
 * Instances of two versions share a PostgreSQL database during an upgrade. So the tables name the oldest version that can
 * use them: a program of that version or later serves on, also if the tables are newer than it.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { FormatRefused } from '../data/format.js';
import type { Schema } from './migration.js';
import { STORE_SCHEMA } from './migrations/index.js';
import { isLocked } from './sqlite.js';
import type { Engine, Tables } from './tables.js';

/** How long a start waits for the migration of another process. */
const WAIT_MS_MAX = 10 * 60_000;

interface VersionTables {
  schema_version: { id: number; version: number };
  /** `oldest`: version of the oldest program that can use the tables. */
  schema_compatible: { id: number; oldest: number };
}

/** Id of the PostgreSQL advisory lock for migrations; an arbitrary constant (`iscc` in ASCII). */
const LOCK = 0x69736363;

/**
 * Migrates the store's tables.
 *
 * @param place name of the database in messages
 * @throws {FormatRefused} if the database was written by a newer version of this program
 */
export function migrate(db: Kysely<Tables>, engine: Engine, place: string): Promise<void> {
  return migrateTables(db, engine, place, STORE_SCHEMA);
}

/**
 * Runs the steps that the database lacks, in one transaction. Leaves newer tables as they are if this program can use them.
 *
 * @throws {FormatRefused} if the database was written by a newer version of this program
 */
export async function migrateTables<T>(
  db: Kysely<T>,
  engine: Engine,
  place: string,
  schema: Schema<T>,
): Promise<void> {
  const { steps, compatibleSince } = schema;
  await exclusively(db, engine, async (transaction) => {
    if (engine === 'postgres') await checkTables(transaction as unknown as Transaction<T>, schema, place);
    await createVersion(transaction, engine);
    const { version } = await transaction
      .updateTable('schema_version')
      .set({ id: 1 })
      .returning('version')
      .executeTakeFirstOrThrow();
    if (version > steps.length)
      return requireUsable({ version, oldest: await oldestOf(transaction) }, schema, place);
    for (const step of steps.slice(version)) await step(transaction as unknown as Transaction<T>, engine);
    if (version < steps.length)
      await transaction.updateTable('schema_version').set({ version: steps.length }).execute();
    if ((await oldestOf(transaction)) !== compatibleSince)
      await transaction
        .insertInto('schema_compatible')
        .values({ id: 1, oldest: compatibleSince })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ oldest: compatibleSince }))
        .execute();
  });
}

/** The version of existing tables. */
export interface Version {
  readonly version: number;
  /** The oldest version whose programs can use them; `undefined` if only programs of their own version can. */
  readonly oldest: number | undefined;
}

/** @throws {FormatRefused} if the tables are newer than this program, and it can't use them */
export function requireUsable<T>({ version, oldest }: Version, { steps }: Schema<T>, place: string): void {
  if (version > steps.length && (oldest === undefined || oldest > steps.length))
    throw FormatRefused.newer(place, version, steps.length);
}

/** The version of the tables with these names. Changes nothing. */
export async function versionOf<T>(db: Kysely<T>, tables: readonly string[]): Promise<Version> {
  const names: readonly (keyof VersionTables)[] = ['schema_version', 'schema_compatible'];
  const [isVersioned, isCompatible] = names.map((name) => tables.includes(name));
  if (!isVersioned) return { version: 0, oldest: undefined };
  const versions = db as unknown as Kysely<VersionTables>;
  const row = await versions.selectFrom('schema_version').select('version').executeTakeFirst();
  return { version: row?.version ?? 0, oldest: isCompatible ? await oldestOf(versions) : undefined };
}

/**
 * Checks the tables in the first schema of a PostgreSQL session's search path. Changes nothing.
 *
 * @throws {FormatRefused} if the tables are those of another program, or newer than this program and of no use to it
 */
export async function checkTables<T>(db: Kysely<T>, schema: Schema<T>, place: string): Promise<void> {
  const { rows } = await sql<{ name: string; is_own: boolean }>`
    select tablename as name, tablename <> 'schema_version' or exists (
      select 1 from information_schema.columns
      where table_schema = current_schema() and table_name = 'schema_version' and column_name = 'id'
    ) as is_own
    from pg_tables where schemaname = current_schema()
  `.execute(db);
  const names = rows.map(({ name }) => name);
  const foreign = rows.find(({ is_own }) => !is_own);
  const { version, oldest } =
    foreign === undefined ? await versionOf(db, names) : { version: 0, oldest: undefined };
  if (foreign !== undefined || version > 0 !== names.includes(schema.table)) {
    const table = foreign?.name ?? (version > 0 ? 'schema_version' : schema.table);
    throw new FormatRefused(
      `${place} has a table ${table} of another program; use another database, or another schema`,
    );
  }
  requireUsable({ version, oldest }, schema, place);
}

/** Runs a transaction while no other process migrates. */
async function exclusively<T>(
  db: Kysely<T>,
  engine: Engine,
  work: (transaction: Transaction<VersionTables>) => Promise<void>,
): Promise<void> {
  const versions = db as unknown as Kysely<VersionTables>;
  if (engine === 'sqlite') return whenUnlocked(() => versions.transaction().execute(work));
  await versions.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
    await work(transaction);
  });
}

/**
 * Repeats a transaction that could not begin because another process migrates: each try waits for SQLite's busy time-out,
 * and the migration of a large table takes longer.
 */
async function whenUnlocked(transaction: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error;
    }
  }
}

async function oldestOf(transaction: Kysely<VersionTables>): Promise<number | undefined> {
  const row = await transaction.selectFrom('schema_compatible').select('oldest').executeTakeFirst();
  return row?.oldest;
}

async function createVersion(transaction: Transaction<VersionTables>, engine: Engine): Promise<void> {
  // PostgreSQL asks for the right to create tables also if they exist.
  if (engine === 'sqlite' || !(await hasVersion(transaction))) await createTables(transaction);
  await transaction
    .insertInto('schema_version')
    .values({ id: 1, version: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether PostgreSQL has both tables. */
async function hasVersion(transaction: Transaction<VersionTables>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_tables
    where schemaname = current_schema() and tablename in ('schema_version', 'schema_compatible')
  `.execute(transaction);
  return rows.length === 2;
}

async function createTables(transaction: Transaction<VersionTables>): Promise<void> {
  await transaction.schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await transaction.schema
    .createTable('schema_compatible')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('oldest', 'integer', (column) => column.notNull())
    .execute();
}
