/** Counts and lists of the dashboard, read from the store's tables. */
import { sql } from 'kysely';
import { type IndexStatus, indexStatuses } from '../../storage/database/index-status.js';
import type { Database } from '../../storage/database/open.js';
import type { Db, DeclarationStatus } from '../../storage/database/tables.js';
import { type Filter, type Matching, matching, type Order } from './filter.js';
import type { Pictured } from './port.js';
import { DAY_MS } from './schema.js';

export const PAGE_MANIFESTS = 100;
export const REJUDGED_DAYS = 30;
const ALGORITHMS_MAX = 200;

export interface Counts {
  readonly live: number;
  readonly deleted: number;
  /** Bindings of live manifests, by algorithm. */
  readonly bindings: readonly { readonly alg: string; readonly bindings: number }[];
  readonly declarations: readonly { readonly status: DeclarationStatus; readonly manifests: number }[];
  /** Similarity indexes that the store feeds. */
  readonly indexes: readonly IndexStatus[];
  /** Changes of verdicts in the last {@link REJUDGED_DAYS} days. */
  readonly rejudged: number;
}

export interface Row {
  readonly key: number;
  readonly manifestId: string;
  readonly title: string;
  readonly signer: string;
  /** Milliseconds since the epoch. */
  readonly uploadedAt: number;
  readonly bytes: number;
  readonly isTrusted: boolean;
  readonly isLive: boolean;
  readonly deletedAt: number | undefined;
  /** A deleted manifest can be restored until then. */
  readonly keptUntil: number | undefined;
  readonly bindings: number;
  readonly units: number;
  readonly status: DeclarationStatus | undefined;
  /** A deleted manifest whose declaration is not withdrawn yet. */
  readonly isWithdrawing: boolean;
  readonly isccId: string | undefined;
  readonly hub: string | undefined;
  /** Public key of the last signer; multibase. */
  readonly pubkey: string | undefined;
  /** Milliseconds since the epoch; 0 before the first attempt. */
  readonly attemptedAt: number;
}

export type MatchedRow = Pictured<Row>;

export interface Page {
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
  readonly title: string;
  readonly isLive: boolean;
  readonly status: DeclarationStatus | undefined;
  /** Deleted, but the hub may still have the declaration. */
  readonly isWithdrawing: boolean;
}

/** The algorithms with most bindings, by name. Uploads may name any number of others. */
async function algorithmCounts(db: Db) {
  const counts = db.selectFrom('binding_counts').selectAll().where('bindings', '>', 0);
  const most = await counts.orderBy('bindings', 'desc').orderBy('alg').limit(ALGORITHMS_MAX).execute();
  return most.sort((one, other) => (one.alg < other.alg ? -1 : 1));
}

export class Overview {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async counts(): Promise<Counts> {
    const { db } = this.#database;
    const [manifests, bindings, declarations, indexes, rejudged] = await Promise.all([
      db.selectFrom('manifests').select(['live', count]).groupBy('live').execute(),
      algorithmCounts(db),
      db
        .selectFrom('declarations')
        .select(['status', count])
        .where('live', '=', 1)
        .groupBy('status')
        .execute(),
      indexStatuses(db, Date.now()),
      db
        .selectFrom('audit')
        .select(count)
        .where('action', '=', 'manifest-rejudged')
        .where('at', '>=', Date.now() - REJUDGED_DAYS * DAY_MS)
        .executeTakeFirstOrThrow(),
    ]);
    const having = (live: 0 | 1) => Number(manifests.find((row) => row.live === live)?.rows ?? 0);
    return {
      live: having(1),
      deleted: having(0),
      bindings,
      declarations: declarations.map(({ status, rows }) => ({ status, manifests: Number(rows) })),
      indexes,
      rejudged: Number(rejudged.rows),
    };
  }

  async list(filter: Filter, wanted: number, order: Order = NEWEST_FIRST): Promise<Page> {
    const found = await matching(this.#database, filter);
    const { keys, total } = await this.#page(found, order, wanted);
    const pages = Math.max(1, Math.ceil(total / PAGE_MANIFESTS));
    const page = Math.min(wanted, pages);
    if (page !== wanted) return this.list(filter, page, order);
    return { rows: await this.#rows(keys), total, page, pages };
  }

  /** The existing manifests with these keys, in their order. */
  chosen(keys: readonly number[]): Promise<Chosen[]> {
    return this.#rows([...new Set(keys)].sort((a, b) => b - a));
  }

  /** Number of matches, and the largest key. */
  async size(filter: Filter): Promise<{ total: number; upTo: number }> {
    const { keys } = await matching(this.#database, filter);
    const found = this.#database.db.selectFrom(keys.as('found'));
    const { rows, last } = await found
      .select([count, sql<number | null>`max(found.key)`.as('last')])
      .executeTakeFirstOrThrow();
    return { total: Number(rows), upTo: last ?? 0 };
  }

  /** The newest matches. */
  async next(filter: Filter, limit: number): Promise<Chosen[]> {
    const found = await matching(this.#database, filter);
    const keys = await found.ordered(NEWEST_FIRST).limit(limit).execute();
    return this.#rows(keys.map(({ key }) => key));
  }

  /** Keys of manifest ids, for at most a page of them. */
  async keysOf(manifestIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (manifestIds.length === 0) return new Map();
    const found = await this.#database.db
      .selectFrom('manifests')
      .select(['key', 'manifest_id'])
      .where('manifest_id', 'in', [...manifestIds])
      .execute();
    return new Map(found.map(({ key, manifest_id }) => [manifest_id, key]));
  }

  /** The live manifests with these keys, in their order, for at most a page of them. */
  async live(keys: readonly number[]): Promise<Row[]> {
    return (await this.#rows(keys)).filter(({ isLive }) => isLive);
  }

  async algorithms(): Promise<string[]> {
    return (await algorithmCounts(this.#database.db)).map(({ alg }) => alg);
  }

  /** Keys of a page, and the total number of matches. */
  async #page(found: Matching, order: Order, page: number): Promise<{ keys: number[]; total: number }> {
    const offset = (page - 1) * PAGE_MANIFESTS;
    const rows = await found.ordered(order).limit(PAGE_MANIFESTS).offset(offset).execute();
    const keys = rows.map(({ key }) => key);
    // The end of the list was read, so a second scan is not needed.
    const isEnd = keys.length > 0 && keys.length < PAGE_MANIFESTS;
    if (isEnd || (keys.length === 0 && page === 1)) return { keys, total: offset + keys.length };
    return { keys, total: await this.#total(found) };
  }

  async #total({ keys }: Matching): Promise<number> {
    const counted = await this.#database.db.selectFrom(keys.as('found')).select(count).executeTakeFirst();
    return Number(counted?.rows ?? 0);
  }

  /** Joins only the rows of one page. */
  async #rows(keys: readonly number[]): Promise<Row[]> {
    if (keys.length === 0) return [];
    const rows = await withDeclarations(this.#database.db)
      .where('manifests.key', 'in', [...keys])
      .execute();
    const byKey = new Map(rows.map((one) => [one.key, row(one)]));
    return keys.flatMap((key) => byKey.get(key) ?? []);
  }
}

const NEWEST_FIRST: Order = { sort: 'uploaded', isAscending: false };
const count = sql<number | string>`count(*)`.as('rows');

function withDeclarations(db: Db) {
  return db
    .selectFrom('manifests')
    .innerJoin('catalogue', 'catalogue.manifest_key', 'manifests.key')
    .leftJoin('declarations', 'declarations.manifest_key', 'manifests.key')
    .select(['manifests.key', 'manifests.manifest_id', 'manifests.uploaded_at', 'manifests.size'])
    .select(['manifests.trusted', 'manifests.live', 'manifests.deleted_at', 'manifests.kept_until'])
    .select(['manifests.binding_count', 'manifests.unit_count', 'catalogue.title', 'catalogue.signer'])
    .select('declarations.open')
    .select(['declarations.status', 'declarations.iscc_id', 'declarations.hub'])
    .select(['declarations.pubkey', 'declarations.attempted_at']);
}

type JoinedRow = Awaited<ReturnType<ReturnType<typeof withDeclarations>['execute']>>[number];

function row(joined: JoinedRow): Row {
  return {
    key: joined.key,
    manifestId: joined.manifest_id,
    title: joined.title,
    signer: joined.signer,
    uploadedAt: joined.uploaded_at,
    bytes: joined.size,
    isTrusted: joined.trusted === 1,
    isLive: joined.live === 1,
    deletedAt: joined.deleted_at ?? undefined,
    keptUntil: joined.kept_until ?? undefined,
    bindings: joined.binding_count,
    units: joined.unit_count,
    status: joined.status ?? undefined,
    isWithdrawing: joined.live === 0 && joined.open === 1,
    isccId: joined.iscc_id ?? undefined,
    hub: joined.hub ?? undefined,
    pubkey: joined.pubkey ?? undefined,
    attemptedAt: joined.attempted_at ?? 0,
  };
}
