/** Statements on the rows of the indexes. Assets cross as JSON text, which PostgreSQL and the engine write and parse. */
import { CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely';
import type { FollowedState, LogTableRow, Rehearsed } from '../../../native.js';
import type { Point, TaggedPoint } from '../../../storage/feed/history.js';
import type { CopiedPage } from './copied-rows.js';
import type { IndexTable, LogRowTable, SearchDb, SearchTables } from './tables.js';

/** Assets per page in the order of their keys. */
const PAGE_ASSETS = 10_000;
/** Bytes of a page, because neither the server nor this process can hold a value of any size. Escapes make it longer. */
const PAGE_BYTES = 32 << 20;
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
  /** The last change of its assets, or its creation. */
  readonly last: Point;
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
    indexes: indexes.map(({ id, name, realm, simprint_types, paths, changed, tag, follows }) => ({
      id,
      name,
      paths,
      last: { sequence: changed, tag },
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

/** Adds an index without assets; its id. */
export async function insertIndex(
  transaction: Transaction<SearchTables>,
  index: Pick<IndexTable, 'name' | 'follows'>,
  { sequence, tag }: TaggedPoint,
): Promise<number> {
  const { id } = await transaction
    .insertInto('indexes')
    .values({ ...index, realm: null, changed: sequence, tag })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** What a rehearsed change leaves behind. */
export type Left = Pick<Rehearsed, 'rows' | 'deleted' | 'count' | 'state'> & {
  readonly log?: readonly LogTableRow[];
};

/** Stores what a rehearsed batch leaves behind, and the change. One statement: a batch costs few round trips. */
export async function writeBatch(
  transaction: Transaction<SearchTables>,
  index: number,
  { sequence, tag }: TaggedPoint,
  { rows, deleted, count, state, log = [] }: Left,
): Promise<void> {
  const types = JSON.stringify(state.simprintTypes.map((name, at) => [name, state.simprintBits[at]]));
  const [parts, keys] = [log.map(({ table }) => table), log.map(({ key }) => key)];
  const values = log.map(({ value }) => value ?? null);
  const gone = sql`${deleted}::bytea[]`;
  const put = rows.toString();
  await sql`
    with r as materialized (
      select * from json_to_recordset(${put}::json)
        as r(key bytea, code text, units text[], metadata text, simprints text)
    ), watched as (
      -- All parts of the statement see the rows before it.
      insert into watch_changes (sequence, tag, index_id, at, state, put_rows, old_rows)
      select ${sequence}, ${tag}, ${index}, ${Date.now()}, ${JSON.stringify(state)}, ${put}, coalesce((
        select json_agg(json_build_object('key', a.key, 'code', a.code, 'units', a.units, 'metadata', a.metadata,
          'simprints', s.body))
        from assets a left join simprints s on s.index_id = a.index_id and s.key = a.key
        where a.index_id = ${index} and a.key = any(array(select key from r) || ${gone})
      ), '[]')::text
      where exists (select 1 from watches where index_id = ${index})
    ), put_assets as (
      insert into assets (index_id, key, code, units, metadata)
      select ${index}, key, code, units, metadata from r
      on conflict (index_id, key) do update set code = excluded.code, units = excluded.units,
        metadata = excluded.metadata, updated = now()
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
      update indexes set realm = ${state.realm ?? null}, simprint_types = ${types}, changed = ${sequence},
        tag = ${tag}::uuid
      where id = ${index}
    )
    insert into changes (sequence, index_id, keys, count, tag)
    select ${sequence}, ${index}, array(select key from r) || ${gone}, ${count}, ${tag}::uuid
  `.execute(transaction);
}

/**
 * What changed in an index after one number, up to another one: its assets as they are now, and its follower's state. In
 * one page, unless that has too many bytes. `db` must be a snapshot.
 */
export async function* changedPages(
  db: SearchDb,
  { id, follows }: Pick<StoredIndex, 'id' | 'follows'>,
  after: number,
  upTo: number,
): AsyncGenerator<AssetRows> {
  const log = follows === null ? [] : await changedLog(db, id, after, upTo);
  const { bytes, ...all } = await changedAssets(db, id, changedKeys(id, after, upTo));
  if (bytes <= PAGE_BYTES) {
    yield { ...all, log };
    return;
  }
  const sizes = await sizesOf(db, id, changedKeys(id, after, upTo));
  for (const page of pagesOf(sizes)) {
    const keys = sql`select unnest(${page}::bytea[]) as key`;
    yield { ...(await changedAssets(db, id, keys, Number.POSITIVE_INFINITY)), deleted: [] };
  }
  yield { rows: '[]', deleted: all.deleted, log };
}

async function changedLog(db: SearchDb, id: number, after: number, upTo: number): Promise<LogTableRow[]> {
  const rows = await logRows(db, id).where('sequence', '>', after).where('sequence', '<=', upTo).execute();
  return rows.map(tableRow);
}

/** A query for the keys of changed assets. */
function changedKeys(index: number, after: number, upTo: number) {
  return sql`
    select distinct unnest(keys) as key from changes
    where index_id = ${index} and sequence > ${after} and sequence <= ${upTo}
  `;
}

const BYTES = sql`coalesce(octet_length(a.metadata), 0) + coalesce(octet_length(s.body), 0)`;

/** The assets with some keys, and their bytes; without assets if these are more than `bytesMax`. */
async function changedAssets(
  db: SearchDb,
  index: number,
  keys: RawBuilder<unknown>,
  bytesMax = PAGE_BYTES,
): Promise<AssetRows & { readonly bytes: number }> {
  const limit = Number.isFinite(bytesMax) ? sql`(select bytes from total) <= ${bytesMax}` : sql`true`;
  const { rows } = await sql<AssetRows & { readonly bytes: string }>`
    with k as (${keys}), j as materialized (
      select k.key, a.key is not null as is_stored, a.code, a.units, a.metadata, s.body, ${BYTES} as bytes
      from k
        left join assets a on a.index_id = ${index} and a.key = k.key
        left join simprints s on s.index_id = ${index} and s.key = k.key
    ), total as (select coalesce(sum(bytes), 0) as bytes from j)
    select
      coalesce(json_agg(json_build_object('key', key, 'code', code, 'units', units, 'metadata', metadata,
        'simprints', body)) filter (where is_stored and ${limit}), '[]')::text as rows,
      coalesce(array_agg(key::text) filter (where not is_stored), '{}') as deleted,
      (select bytes from total) as bytes
    from j
  `.execute(db);
  const [found] = rows as [AssetRows & { readonly bytes: string }];
  return { ...found, bytes: Number(found.bytes) };
}

async function sizesOf(db: SearchDb, index: number, keys: RawBuilder<unknown>): Promise<Sized[]> {
  const { rows } = await sql<Sized>`
    with k as (${keys})
    select k.key::text as key, ${BYTES} as bytes
    from k
      join assets a on a.index_id = ${index} and a.key = k.key
      left join simprints s on s.index_id = ${index} and s.key = k.key
  `.execute(db);
  return rows;
}

interface Sized {
  readonly key: string;
  readonly bytes: number;
}

/** Keys in pages of at most {@link PAGE_BYTES}, or of one asset. */
function* pagesOf(sizes: readonly Sized[]): Generator<string[]> {
  let [page, total]: [string[], number] = [[], 0];
  for (const { key, bytes } of sizes) {
    if (page.length > 0 && total + bytes > PAGE_BYTES) {
      yield page;
      [page, total] = [[], 0];
    }
    page.push(key);
    total += bytes;
  }
  if (page.length > 0) yield page;
}

/** Pages of all assets of an index, by key. {@link copiedAssets} takes a fraction of the time. */
export async function* allAssets(
  db: SearchDb,
  index: number,
): AsyncGenerator<{ rows: string; count: number }> {
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const { rows } = await sql<{ rows: string; count: number; last: Buffer }>`
      with p as (
        select a.key, a.code, a.units, a.metadata, s.body as simprints,
          sum(${BYTES}) over (order by a.key) - (${BYTES}) as before
        from assets a left join simprints s on s.index_id = a.index_id and s.key = a.key
        where a.index_id = ${index} and a.key > ${after} order by a.key limit ${PAGE_ASSETS}
      ), q as (select key, code, units, metadata, simprints from p where before < ${PAGE_BYTES})
      select coalesce(json_agg(q), '[]')::text as rows, count(*) as count,
        (select key from q order by key desc limit 1) as last
      from q
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
      select a.key, a.code, a.units, a.metadata, s.body as simprints
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
