/** Statements on the rows of the indexes. Assets cross as JSON text, which PostgreSQL and the engine write and parse. */
import { CompiledQuery, sql, type Transaction } from 'kysely';
import type { FollowedState, LogTableRow, Rehearsed } from '../../native.js';
import type { CopiedPage } from './copied-rows.js';
import type { SearchDb } from './open.js';
import type { LogRowTable, SearchTables } from './tables.js';

/** Assets per page in the order of their keys. */
const PAGE_ASSETS = 10_000;
/** Assets that are removed per statement, so that one takes less than a second. */
const SWEEP_ASSETS = 10_000;

/** Rows per page of a load, by the engine's number of the table. Leaf hashes of a block have 8 KiB, a bundle up to 16 MiB. */
const LOG_PAGES = [1000, 1000, 20_000, 20_000, 100, 4];

/** What the database knows of an index besides its assets. */
export interface StoredIndex {
  readonly id: number;
  readonly name: string;
  readonly state: FollowedState;
  /** JSON: the declared metadata paths. */
  readonly paths: string;
  /** Number of the last change of its assets, or of its creation. */
  readonly changed: number;
  /** Realm of the network whose logs it follows. */
  readonly follows: number | null;
}

/** All indexes, and the id of the index of each alias. */
export interface Registry {
  readonly indexes: readonly StoredIndex[];
  readonly aliases: ReadonlyMap<string, number>;
}

/** Assets of an index as the engine applies them. */
export interface AssetRows {
  /** JSON array. */
  readonly rows: string | Buffer;
  /** Keys of the changed assets that do not exist. */
  readonly deleted: string[];
  /** Changed rows of the follower's state, of an index that follows logs. */
  readonly log?: LogTableRow[];
}

export async function readRegistry(db: SearchDb): Promise<Registry> {
  const indexes = await db.selectFrom('indexes').selectAll().orderBy('id').execute();
  const aliases = await db.selectFrom('aliases').selectAll().execute();
  return {
    indexes: indexes.map(({ id, name, realm, simprint_types, paths, changed, follows }) => ({
      id,
      name,
      paths,
      changed,
      follows,
      state: stateOf(realm, simprint_types),
    })),
    aliases: new Map(aliases.map(({ name, index_id }) => [name, index_id])),
  };
}

function stateOf(realm: number | null, simprintTypes: string): FollowedState {
  const types = JSON.parse(simprintTypes) as readonly (readonly [string, number])[];
  return {
    ...(realm !== null && { realm }),
    simprintTypes: types.map(([name]) => name),
    simprintBits: types.map(([, bits]) => bits),
  };
}

/** What a rehearsed change leaves behind. */
export type Left = Pick<Rehearsed, 'rows' | 'deleted' | 'count' | 'state'> & {
  readonly log?: readonly LogTableRow[];
};

/** Stores what a rehearsed batch leaves behind, and the change. One statement: a batch costs few round trips. */
export async function writeBatch(
  transaction: Transaction<SearchTables>,
  index: number,
  sequence: number,
  { rows, deleted, count, state, log = [] }: Left,
): Promise<void> {
  const types = JSON.stringify(state.simprintTypes.map((name, at) => [name, state.simprintBits[at]]));
  const [parts, keys] = [log.map(({ table }) => table), log.map(({ key }) => key)];
  const values = log.map(({ value }) => value ?? null);
  const gone = sql`${deleted}::bytea[]`;
  await sql`
    with r as materialized (
      select * from json_to_recordset(${rows.toString()}::json)
        as r(key bytea, id_v0 boolean, code text, units text[], metadata text, simprints text)
    ), put_assets as (
      insert into assets (index_id, key, id_v0, code, units, metadata)
      select ${index}, key, id_v0, code, units, metadata from r
      on conflict (index_id, key) do update set id_v0 = excluded.id_v0, code = excluded.code,
        units = excluded.units, metadata = excluded.metadata, updated = now()
    ), put_simprints as (
      insert into simprints (index_id, key, body)
      select ${index}, key, simprints from r where simprints is not null
      on conflict (index_id, key) do update set body = excluded.body
    ), emptied as (
      delete from simprints using r
      where simprints.index_id = ${index} and simprints.key = r.key and r.simprints is null
    ), deleted_assets as (
      delete from assets where index_id = ${index} and key = any(${gone})
    ), deleted_simprints as (
      delete from simprints where index_id = ${index} and key = any(${gone})
    ), put_log as (
      insert into log_rows (index_id, part, key, value, sequence)
      select ${index}, part, key, value, ${sequence}
      from unnest(${parts}::smallint[], ${keys}::bytea[], ${values}::bytea[]) as l(part, key, value)
      on conflict (index_id, part, key) do update set value = excluded.value, sequence = excluded.sequence
    ), changed as (
      update indexes set realm = ${state.realm ?? null}, simprint_types = ${types}, changed = ${sequence}
      where id = ${index}
    )
    insert into changes (sequence, index_id, keys, count)
    select ${sequence}, ${index}, array(select key from r) || ${gone}, ${count}
  `.execute(transaction);
}

/** What changed in an index after one number, up to another one: its assets as they are now, and its follower's state. */
export async function changedRows(
  db: SearchDb,
  { id, follows }: Pick<StoredIndex, 'id' | 'follows'>,
  after: number,
  upTo: number,
): Promise<AssetRows> {
  const assets = await changedAssets(db, id, after, upTo);
  if (follows === null) return assets;
  const changed = await logRows(db, id).where('sequence', '>', after).where('sequence', '<=', upTo).execute();
  return { ...assets, log: changed.map(tableRow) };
}

async function changedAssets(db: SearchDb, index: number, after: number, upTo: number): Promise<AssetRows> {
  const { rows } = await sql<AssetRows>`
    with k as (
      select distinct unnest(keys) as key from changes
      where index_id = ${index} and sequence > ${after} and sequence <= ${upTo}
    )
    select
      coalesce(json_agg(json_build_object('key', k.key, 'id_v0', a.id_v0, 'code', a.code, 'units', a.units,
        'metadata', a.metadata, 'simprints', s.body)) filter (where a.key is not null), '[]')::text as rows,
      coalesce(array_agg(k.key::text) filter (where a.key is null), '{}') as deleted
    from k
      left join assets a on a.index_id = ${index} and a.key = k.key
      left join simprints s on s.index_id = ${index} and s.key = k.key
  `.execute(db);
  return rows[0] as AssetRows;
}

/** Pages of all assets of an index, by key. {@link copiedAssets} takes a fraction of the time. */
export async function* allAssets(
  db: SearchDb,
  index: number,
): AsyncGenerator<{ rows: string; count: number }> {
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const { rows } = await sql<{ rows: string; count: number; last: Buffer }>`
      with p as (
        select a.key, a.id_v0, a.code, a.units, a.metadata, s.body as simprints
        from assets a left join simprints s on s.index_id = a.index_id and s.key = a.key
        where a.index_id = ${index} and a.key > ${after} order by a.key limit ${PAGE_ASSETS}
      )
      select coalesce(json_agg(p), '[]')::text as rows, count(*) as count,
        (select key from p order by key desc limit 1) as last
      from p
    `.execute(db);
    const [page] = rows;
    if (page === undefined || page.count === 0) return;
    yield page;
    after = page.last;
  }
}

/** Pages of all assets of an index, in any order, as the engine applies them. */
export async function* copiedAssets(db: SearchDb, index: number): AsyncGenerator<CopiedPage> {
  // A COPY has no parameters.
  const statement = `copy (
    select row_to_json(r)::text from (
      select a.key, a.id_v0, a.code, a.units, a.metadata, s.body as simprints
      from assets a left join simprints s on s.index_id = a.index_id and s.key = a.key
      where a.index_id = ${index}
    ) r
  ) to stdout (format binary)`;
  const pages = db.getExecutor().stream<CopiedPage>(CompiledQuery.raw(statement), 1);
  for await (const { rows } of pages) yield* rows;
}

/** Pages of the state of the follower of an index. */
export async function* allLogRows(db: SearchDb, index: number): AsyncGenerator<LogTableRow[]> {
  for (const [part, limit] of LOG_PAGES.entries()) {
    for (let after: Buffer = Buffer.alloc(0); ; ) {
      const page = await logRows(db, index)
        .where('part', '=', part)
        .where('key', '>', after)
        .where('value', 'is not', null)
        .orderBy('key')
        .limit(limit)
        .execute();
      const last = page.at(-1);
      if (last === undefined) break;
      yield page.map(tableRow);
      after = last.key;
    }
  }
}

function logRows(db: SearchDb, index: number) {
  return db.selectFrom('log_rows').select(['part', 'key', 'value']).where('index_id', '=', index);
}

function tableRow({ part, key, value }: Pick<LogRowTable, 'part' | 'key' | 'value'>): LogTableRow {
  return { table: part, key, ...(value !== null && { value }) };
}

export async function assetCount(db: SearchDb, index: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from assets where index_id = ${index}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** Removes the assets of deleted indexes, in short transactions. Several processes may do so at the same time. */
export async function sweepDropped(db: SearchDb): Promise<void> {
  for (const { index_id: index } of await db.selectFrom('dropped').selectAll().execute()) {
    for (const table of ['assets', 'simprints', 'log_rows'] as const) {
      while (await sweep(db, table, index));
    }
    await db.deleteFrom('dropped').where('index_id', '=', index).execute();
  }
}

async function sweep(
  db: SearchDb,
  table: 'assets' | 'simprints' | 'log_rows',
  index: number,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where index_id = ${index} and key in (
      select key from ${sql.table(table)} where index_id = ${index} limit ${SWEEP_ASSETS}
    )
  `.execute(db);
  return numAffectedRows >= BigInt(SWEEP_ASSETS);
}
