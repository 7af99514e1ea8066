/** Statements on the rows of the indexes. Assets cross as JSON text, which PostgreSQL and the engine write and parse. */
import { sql, type Transaction } from 'kysely';
import type { FollowedState, Rehearsed } from '../../native.js';
import type { SearchDb } from './open.js';
import type { SearchTables } from './tables.js';

/** Assets per page of a load. */
const PAGE_ASSETS = 10_000;
/** Assets that are removed per statement, so that one takes less than a second. */
const SWEEP_ASSETS = 10_000;

/** What the database knows of an index besides its assets. */
export interface StoredIndex {
  readonly id: number;
  readonly name: string;
  readonly state: FollowedState;
  /** JSON: the declared metadata paths. */
  readonly paths: string;
  /** Number of the last change of its assets, or of its creation. */
  readonly changed: number;
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
}

export async function readRegistry(db: SearchDb): Promise<Registry> {
  const indexes = await db.selectFrom('indexes').selectAll().orderBy('id').execute();
  const aliases = await db.selectFrom('aliases').selectAll().execute();
  return {
    indexes: indexes.map(({ id, name, realm, simprint_types, paths, changed }) => ({
      id,
      name,
      paths,
      changed,
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

/** Stores what a rehearsed batch leaves behind, and the change. One statement: a batch costs few round trips. */
export async function writeBatch(
  transaction: Transaction<SearchTables>,
  index: number,
  sequence: number,
  { rows, deleted, count, state }: Rehearsed,
): Promise<void> {
  const types = JSON.stringify(state.simprintTypes.map((name, at) => [name, state.simprintBits[at]]));
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
    ), changed as (
      update indexes set realm = ${state.realm ?? null}, simprint_types = ${types}, changed = ${sequence}
      where id = ${index}
    )
    insert into changes (sequence, index_id, keys, count)
    select ${sequence}, ${index}, array(select key from r) || ${gone}, ${count}
  `.execute(transaction);
}

/** The assets of an index that changed after one number, up to another one, as they are now. */
export async function changedAssets(
  db: SearchDb,
  index: number,
  after: number,
  upTo: number,
): Promise<AssetRows> {
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

/** Pages of all assets of an index. */
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

export async function assetCount(db: SearchDb, index: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from assets where index_id = ${index}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** Removes the assets of deleted indexes, in short transactions. Several processes may do so at the same time. */
export async function sweepDropped(db: SearchDb): Promise<void> {
  for (const { index_id: index } of await db.selectFrom('dropped').selectAll().execute()) {
    for (const table of ['assets', 'simprints'] as const) {
      while (await sweep(db, table, index));
    }
    await db.deleteFrom('dropped').where('index_id', '=', index).execute();
  }
}

async function sweep(db: SearchDb, table: 'assets' | 'simprints', index: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where index_id = ${index} and key in (
      select key from ${sql.table(table)} where index_id = ${index} limit ${SWEEP_ASSETS}
    )
  `.execute(db);
  return numAffectedRows >= BigInt(SWEEP_ASSETS);
}
