/** Counts and lists of the dashboard, read from the store's tables. */
import { sql } from 'kysely';
import type { Database, Db, Engine } from '../database/open.js';
import type { DeclarationStatus, Flag } from '../database/tables.js';

export const PAGE_MANIFESTS = 100;

export interface Counts {
  readonly live: number;
  readonly deleted: number;
  /** Bindings of live manifests, by algorithm. */
  readonly bindings: readonly { readonly alg: string; readonly bindings: number }[];
  readonly declarations: readonly { readonly status: DeclarationStatus; readonly manifests: number }[];
}

export interface Filter {
  /** Part of a manifest id, case-insensitive. */
  readonly search: string;
  readonly status: DeclarationStatus | undefined;
  readonly isDeleted: boolean | undefined;
  readonly isTrusted: boolean | undefined;
}

export interface Row {
  readonly key: number;
  readonly manifestId: string;
  /** Milliseconds since the epoch. */
  readonly uploadedAt: number;
  readonly bytes: number;
  readonly isTrusted: boolean;
  readonly isLive: boolean;
  readonly deletedAt: number | undefined;
  readonly bindings: number;
  readonly units: number;
  readonly status: DeclarationStatus | undefined;
  readonly isccId: string | undefined;
  readonly hub: string | undefined;
}

export interface Page {
  /** Newest first. */
  readonly rows: readonly Row[];
  readonly total: number;
  /** From 1; at most `pages`. */
  readonly page: number;
  readonly pages: number;
}

/** State of a manifest selected for an action. */
export interface Chosen {
  readonly key: number;
  readonly manifestId: string;
  readonly isLive: boolean;
  readonly status: DeclarationStatus | undefined;
}

export class Overview {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async counts(): Promise<Counts> {
    const { db } = this.#database;
    const [manifests, bindings, declarations] = await Promise.all([
      db.selectFrom('manifests').select(['live', count]).groupBy('live').execute(),
      db.selectFrom('binding_counts').selectAll().where('bindings', '>', 0).orderBy('alg').execute(),
      db
        .selectFrom('declarations')
        .select(['status', count])
        .where('live', '=', 1)
        .groupBy('status')
        .execute(),
    ]);
    const having = (live: 0 | 1) => Number(manifests.find((row) => row.live === live)?.rows ?? 0);
    return {
      live: having(1),
      deleted: having(0),
      bindings,
      declarations: declarations.map(({ status, rows }) => ({ status, manifests: Number(rows) })),
    };
  }

  async list(filter: Filter, wanted: number): Promise<Page> {
    const { keys, total } = await this.#page(filter, wanted);
    const pages = Math.max(1, Math.ceil(total / PAGE_MANIFESTS));
    const page = Math.min(wanted, pages);
    if (page !== wanted) return this.list(filter, page);
    return { rows: await this.#rows(keys), total, page, pages };
  }

  /** The existing manifests with these keys, newest first. */
  chosen(keys: readonly number[]): Promise<Chosen[]> {
    return this.#rows(keys);
  }

  /** Keys of a page, newest first, and the total number of matches. */
  async #page(filter: Filter, page: number): Promise<{ keys: number[]; total: number }> {
    if (hasIndex(filter) || this.#database.engine === 'sqlite') {
      const [total, keys] = await Promise.all([this.#total(filter), this.#cut(filter, page).execute()]);
      return { total, keys: keys.map(({ key }) => key) };
    }
    // Without an index PostgreSQL scans all rows, so one statement returns both. SQLite is slower that way.
    const rows = await this.#cut(filter, page).select(total).execute();
    const known = rows[0]?.total ?? (page === 1 ? 0 : await this.#total(filter));
    return { total: Number(known), keys: rows.map(({ key }) => key) };
  }

  async #total(filter: Filter): Promise<number> {
    const found = this.#keys(filter).as('found');
    const counted = await this.#database.db.selectFrom(found).select(count).executeTakeFirst();
    return Number(counted?.rows ?? 0);
  }

  #cut(filter: Filter, page: number) {
    return this.#database.db
      .selectFrom(this.#keys(filter).as('found'))
      .select('found.key')
      .orderBy('found.key', 'desc')
      .limit(PAGE_MANIFESTS)
      .offset((page - 1) * PAGE_MANIFESTS);
  }

  /** Joins only the rows of one page. */
  async #rows(keys: readonly number[]): Promise<Row[]> {
    if (keys.length === 0) return [];
    const rows = await withDeclarations(this.#database.db)
      .where('manifests.key', 'in', [...keys])
      .orderBy('manifests.key', 'desc')
      .execute();
    return rows.map(row);
  }

  /** Query for the keys that match the filter. */
  #keys({ search, status, isDeleted, isTrusted }: Filter) {
    const { db, engine } = this.#database;
    const live = isDeleted === undefined ? undefined : flag(!isDeleted);
    let manifests = db.selectFrom('manifests').select('manifests.key as key');
    if (isTrusted !== undefined) manifests = manifests.where('manifests.trusted', '=', flag(isTrusted));
    if (status === undefined) {
      if (search !== '') manifests = manifests.where(idContains(engine, search));
      return live === undefined ? manifests : manifests.where('manifests.live', '=', live);
    }
    // PostgreSQL estimates that few rows match a pattern, and would look up declarations one by one. For the opaque
    // expression it estimates half of the rows, and chooses a merge or hash join.
    const matching =
      search === ''
        ? manifests
        : manifests.where(sql<boolean>`coalesce(${idContains(engine, search)}, false)`);
    // A declaration has a copy of the manifest's flag, so a filter by status alone needs no other table.
    const declared = db
      .selectFrom('declarations')
      .select(sql<number>`manifest_key`.as('key'))
      .where('manifest_key', 'is not', null)
      .where('status', '=', status)
      .where('live', 'in', live === undefined ? [0, 1] : [live]);
    if (isTrusted === undefined && search === '') return declared;
    const same = matching.where(sql<boolean>`manifests.key = declarations.manifest_key`);
    return declared.where(({ exists }) => exists(same));
  }
}

/** Case-insensitive for ASCII letters only, which is fast in both engines. */
function idContains(engine: Engine, search: string) {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  if (engine === 'sqlite') return sql<boolean>`manifests.manifest_id like ${pattern} escape '\\'`;
  // Takes half the time of `ilike`.
  const lowered = pattern.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return sql<boolean>`lower(manifests.manifest_id collate "C") like ${lowered} escape '\\'`;
}

function flag(isSet: boolean): Flag {
  return isSet ? 1 : 0;
}

const count = sql<number | string>`count(*)`.as('rows');
const total = sql<number | string>`count(*) over ()`.as('total');

/** Whether database indexes serve both the page and the total. */
function hasIndex({ search, status, isTrusted }: Filter): boolean {
  return search === '' && (status === undefined || isTrusted === undefined);
}

function withDeclarations(db: Db) {
  return db
    .selectFrom('manifests')
    .leftJoin('declarations', 'declarations.manifest_key', 'manifests.key')
    .selectAll('manifests')
    .select(['declarations.status', 'declarations.iscc_id', 'declarations.hub']);
}

type JoinedRow = Awaited<ReturnType<ReturnType<typeof withDeclarations>['execute']>>[number];

function row(joined: JoinedRow): Row {
  return {
    key: joined.key,
    manifestId: joined.manifest_id,
    uploadedAt: joined.uploaded_at,
    bytes: joined.size,
    isTrusted: joined.trusted === 1,
    isLive: joined.live === 1,
    deletedAt: joined.deleted_at ?? undefined,
    bindings: joined.binding_count,
    units: joined.unit_count,
    status: joined.status ?? undefined,
    isccId: joined.iscc_id ?? undefined,
    hub: joined.hub ?? undefined,
  };
}
