/** What the operator sees: counts, lists and details. Reads only; quick at hundreds of thousands of manifests. */
import { sql } from 'kysely';
import type { Db } from '../database/open.js';
import type { BindingRow, DeclarationRow, DeclarationStatus, ManifestRow } from '../database/tables.js';

export const PAGE_ROWS = 100;

const countAll = sql<number>`count(*)`.as('total');

export interface Counts {
  readonly live: number;
  readonly deleted: number;
  /** Live bindings per algorithm, sorted by algorithm. */
  readonly bindings: readonly { readonly alg: string; readonly bindings: number }[];
  /** Declarations of live manifests. */
  readonly declarations: readonly { readonly status: DeclarationStatus; readonly manifests: number }[];
}

export interface Filter {
  /** Part of the manifest id, in any case. */
  readonly search?: string;
  readonly status?: DeclarationStatus;
  readonly live?: boolean;
  readonly trusted?: boolean;
}

export type ListedManifest = Omit<ManifestRow, 'uploader'> &
  Pick<DeclarationRow, 'status' | 'hub' | 'iscc_id'>;

export interface Page {
  readonly rows: readonly ListedManifest[];
  /** All that pass the filter. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

export interface Detail {
  readonly manifest: ManifestRow;
  readonly bindings: readonly BindingRow[];
  readonly declaration: DeclarationRow | undefined;
}

export class Overview {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async counts(): Promise<Counts> {
    const byLive = await this.#db
      .selectFrom('manifests')
      .select(({ fn }) => ['live', fn.countAll<number>().as('manifests')])
      .groupBy('live')
      .execute();
    const bindings = await this.#db
      .selectFrom('binding_counts')
      .selectAll()
      .where('bindings', '>', 0)
      .orderBy('alg')
      .execute();
    const declarations = await this.#db
      .selectFrom('declarations')
      .select(({ fn }) => ['status', fn.countAll<number>().as('manifests')])
      .where('live', '=', 1)
      .groupBy('status')
      .orderBy('status')
      .execute();
    const count = (live: 0 | 1) => byLive.find((row) => row.live === live)?.manifests ?? 0;
    return { live: count(1), deleted: count(0), bindings, declarations };
  }

  /** Newest first; a page beyond the last is the last. */
  async list(filter: Filter, page = 1): Promise<Page> {
    const total = await this.#total(filter);
    const pages = Math.max(1, Math.ceil(total / PAGE_ROWS));
    const shown = Math.min(Math.max(1, page), pages);
    // First the keys, where indexes do: only what is shown is read whole.
    const keys = await this.#keys(filter, (shown - 1) * PAGE_ROWS);
    return { rows: await this.#rows(keys), total, page: shown, pages };
  }

  async detail(key: number): Promise<Detail | undefined> {
    const manifest = await this.#db
      .selectFrom('manifests')
      .selectAll()
      .where('key', '=', key)
      .executeTakeFirst();
    if (manifest === undefined) return undefined;
    const bindings = await this.#db
      .selectFrom('bindings')
      .selectAll()
      .where('manifest_key', '=', key)
      .orderBy('ordinal')
      .execute();
    const declaration = await this.#db
      .selectFrom('declarations')
      .selectAll()
      .where('manifest_key', '=', key)
      .executeTakeFirst();
    return { manifest, bindings, declaration };
  }

  async #total(filter: Filter): Promise<number> {
    const { total } =
      filter.status === undefined
        ? await this.#manifests(filter).select(countAll).executeTakeFirstOrThrow()
        : await this.#declarations(filter, filter.status).select(countAll).executeTakeFirstOrThrow();
    return total;
  }

  async #keys(filter: Filter, offset: number): Promise<number[]> {
    const { status } = filter;
    const rows =
      status === undefined
        ? await this.#manifests(filter)
            .select('m.key')
            .orderBy('m.key', 'desc')
            .limit(PAGE_ROWS)
            .offset(offset)
            .execute()
        : await this.#declarations(filter, status)
            .select('d.manifest_key as key')
            .orderBy('d.manifest_key', 'desc')
            .limit(PAGE_ROWS)
            .offset(offset)
            .execute();
    return rows.map(({ key }) => key).filter((key) => key !== null);
  }

  #manifests({ search, live, trusted }: Filter) {
    let query = this.#db.selectFrom('manifests as m');
    if (live !== undefined) query = query.where('m.live', '=', live ? 1 : 0);
    if (trusted !== undefined) query = query.where('m.trusted', '=', trusted ? 1 : 0);
    return search ? query.where(idContains(search)) : query;
  }

  /** By status the index of declarations leads; manifests are looked at only for what declarations don't have. */
  #declarations({ search, live, trusted }: Filter, status: DeclarationStatus) {
    let query = this.#db
      .selectFrom('declarations as d')
      .where('d.status', '=', status)
      .where('d.manifest_key', 'is not', null);
    if (live !== undefined) query = query.where('d.live', '=', live ? 1 : 0);
    if (!search && trusted === undefined) return query;
    const conditions = [
      ...(trusted === undefined ? [] : [sql<boolean>`m.trusted = ${trusted ? 1 : 0}`]),
      ...(search ? [idContains(search)] : []),
    ];
    return query.where(({ exists, selectFrom }) =>
      exists(
        conditions.reduce(
          (manifests, condition) => manifests.where(condition),
          selectFrom('manifests as m').select('m.key').whereRef('m.key', '=', 'd.manifest_key'),
        ),
      ),
    );
  }

  async #rows(keys: readonly number[]): Promise<ListedManifest[]> {
    if (keys.length === 0) return [];
    return this.#db
      .selectFrom('manifests as m')
      .innerJoin('declarations as d', 'd.manifest_key', 'm.key')
      .select([
        'm.key',
        'm.manifest_id',
        'm.sha256',
        'm.size',
        'm.uploaded_at',
        'm.trusted',
        'm.live',
        'm.deleted_at',
        'm.binding_count',
        'm.unit_count',
        'd.status',
        'd.hub',
        'd.iscc_id',
      ])
      .where('m.key', 'in', keys)
      .orderBy('m.key', 'desc')
      .execute();
  }
}

/** Whether the manifest `m` has the text in its id, in any case. */
function idContains(text: string) {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(m.manifest_id) like ${pattern} escape '\\'`;
}
