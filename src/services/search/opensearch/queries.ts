/** Searches. OpenSearch finds candidates: assets with units and simprints near those of the query. Rust scores them exactly. */
import {
  type AssetMatch,
  type ForeignPlan,
  type ForeignQuery,
  type ForeignUnit,
  native,
  type SearchFound,
} from '../../../native.js';
import type { Client } from './client.js';
import { partError, refused } from './errors.js';
import type { Names } from './names.js';
import { isComplete, nearSimprint, nearUnit } from './near.js';
import type { StoredIndex } from './registry.js';
import { parts, type Row, readAssets, WHOLE_QUERY } from './rows.js';

/** Most hits of a search in OpenSearch. */
const WINDOW_MAX = 10_000;
/** Simprints in a search, because of OpenSearch's limit of clauses. */
const SIMPRINTS_MAX = 100;
/** Terms whose assets are counted in a request. */
const COUNTED_MAX = 10_000;
/** A search that some shards do not answer fails: its result would lack assets. */
const WHOLE = '{"allow_partial_search_results":false}';
const TOO_MANY =
  'exact: more than 10,000 assets have units near those of the query; name fewer unit_types or raise the threshold';
/** Ranks of equal simprints and units above near ones, each of which ranks at most 2, and of equal Instance-Codes above all. */
const EQUAL_SIMPRINT = 2;
const EQUAL = 100;
const EQUAL_INSTANCE = 10_000;

export interface QueriesOptions {
  readonly client: Client;
  readonly names: Names;
  /** Candidates per search. */
  readonly candidates: number;
}

/** The rows of the candidates, and whether no match can be missing. */
interface Candidates {
  readonly rows: Buffer;
  readonly isExact: boolean;
}

interface Hits {
  readonly hits: { readonly hits: readonly { readonly _source: Row }[] };
  readonly error?: { readonly type: string; readonly reason: string };
  readonly status?: number;
}

export class Queries {
  readonly #options: QueriesOptions;

  constructor(options: QueriesOptions) {
    this.#options = options;
  }

  async search(index: StoredIndex | undefined, query: ForeignQuery): Promise<SearchFound> {
    const { plan, asset } = await this.#plan(index, query);
    const stored = index as StoredIndex;
    const { rows, isExact } = await this.#candidates(stored, plan);
    if (query.parameters.selection?.exact === true && !isExact) throw refused(TOO_MANY);
    let [assets, terms, frequencies]: [number, string[], number[]] = [0, [], []];
    if (plan.simprints.length > 0) {
      terms = await native.foreignSimprints(query, asset, rows);
      [assets, frequencies] = await this.#counts(stored, terms);
    }
    const found = await native.foreignScore(query, asset, rows, { assets, terms, frequencies });
    return { ...found, isExact, serverTiming: '' };
  }

  async matches(index: StoredIndex | undefined, query: ForeignQuery): Promise<AssetMatch[]> {
    const { plan } = await this.#plan(index, query);
    const { rows } = await this.#candidates(index as StoredIndex, plan);
    return native.foreignMatches(query, rows);
  }

  /** What to look for, and the asset that the query refers to. */
  async #plan(
    index: StoredIndex | undefined,
    query: ForeignQuery,
  ): Promise<{ readonly plan: ForeignPlan; readonly asset?: Buffer }> {
    const plan = await native.foreignPlan(query);
    if (plan.asset === undefined) return { plan };
    const { client, names } = this.#options;
    const found = await readAssets(client, names.alias(index as StoredIndex), [plan.asset]);
    const asset = Buffer.from(JSON.stringify([...found.values()].map(({ row }) => row)));
    return { plan: await native.foreignPlan(query, asset), asset };
  }

  /** All assets that can match, or the most promising ones. */
  async #candidates(index: StoredIndex, plan: ForeignPlan): Promise<Candidates> {
    const size = Math.min(Math.max(this.#options.candidates, plan.limit ?? 0), WINDOW_MAX);
    const queries = [unitsQuery(plan, size), ...simprintQueries(plan, size)].flat();
    let found = await this.#ranked(index, queries, size);
    const isWhole = plan.units.every(isComplete) && plan.simprints.length === 0;
    // One more tells that there are more than these.
    if (isWhole && size < WINDOW_MAX && found.some((rows) => rows.length > size))
      found = await this.#ranked(index, queries, WINDOW_MAX - 1);
    const isExact = isWhole && found.every((rows) => rows.length < WINDOW_MAX);
    const rows = new Map(found.flat().map((row) => [row.key, row]));
    return { rows: Buffer.from(JSON.stringify([...rows.values()])), isExact };
  }

  /** The best assets of each query, one more than `size` if there are so many. */
  async #ranked(index: StoredIndex, queries: readonly object[], size: number): Promise<Row[][]> {
    if (queries.length === 0) return [];
    const lines = queries.map((query) => {
      // Of equally good candidates, the first: as in the ranking of matches.
      const sort = [{ _score: 'desc' }, { key: 'asc' }];
      const body = { size: Math.min(size + 1, WINDOW_MAX), query, track_total_hits: false, sort };
      return `${WHOLE}\n${JSON.stringify(body)}\n`;
    });
    const { client, names } = this.#options;
    const { responses } = await client.ask<{ readonly responses: readonly Hits[] }>(
      `/${names.alias(index)}/_msearch`,
      lines.join(''),
    );
    return responses.map(({ error, status, hits }) => {
      if (error !== undefined) throw partError(error, status);
      return hits.hits.map(({ _source }) => _source);
    });
  }

  /** The number of assets of the index, and of those with each of some simprints. */
  async #counts(index: StoredIndex, terms: readonly string[]): Promise<[number, number[]]> {
    const { client, names } = this.#options;
    const counts = new Map<string, number>();
    let total = 0;
    for (const include of terms.length === 0 ? [[]] : parts(terms, COUNTED_MAX)) {
      const field = { field: 'simprint_terms', include, size: Math.max(include.length, 1) };
      const aggs = { ...(include.length > 0 && { aggs: { counts: { terms: field } } }) };
      const found = await client.ask<Counted>(`/${names.alias(index)}/_search?${WHOLE_QUERY}`, {
        size: 0,
        track_total_hits: true,
        ...aggs,
      });
      total = found.hits.total.value;
      for (const { key, doc_count } of found.aggregations?.counts.buckets ?? []) counts.set(key, doc_count);
    }
    return [total, terms.map((term) => counts.get(term) ?? 0)];
  }
}

interface Counted {
  readonly hits: { readonly total: { readonly value: number } };
  readonly aggregations?: {
    readonly counts: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] };
  };
}

/** Ranks assets by the number and the nearness of their units: a crowd that shares one unit does not hide a copy. */
function unitsQuery({ units }: ForeignPlan, size: number): object[] {
  return units.length === 0 ? [] : [{ bool: { should: units.map((unit) => unitQuery(unit, size)) } }];
}

function unitQuery(unit: ForeignUnit, size: number): object {
  if (unit.isExact) return ranked(equalUnits(unit), EQUAL_INSTANCE);
  const equal = ranked({ term: { unit_terms: `${unit.unit}:${unit.body}` } }, EQUAL);
  return { dis_max: { queries: [equal, ...nearUnit(unit, size)] } };
}

/** Units that start with this one, and those that it starts with. */
function equalUnits({ unit, body, bits: lengths }: ForeignUnit): object {
  const starts = lengths.slice(0, -1).map((bits) => `${unit}:${body.slice(0, bits / 4)}`);
  const should = [{ prefix: { unit_terms: `${unit}:${body}` } }, { terms: { unit_terms: starts } }];
  return { bool: { should } };
}

/** Ranks assets by the number and the nearness of their simprints. */
function simprintQueries({ simprints }: ForeignPlan, size: number): object[] {
  const all = simprints.flatMap(({ kind, distance, bodies }) =>
    bodies.map((body) => {
      const equal = ranked({ term: { simprint_terms: `${kind}:${body}` } }, EQUAL_SIMPRINT);
      return { dis_max: { queries: [equal, nearSimprint(kind, body, distance, size)] } };
    }),
  );
  return [...parts(all, SIMPRINTS_MAX)].map((should) => ({ bool: { should } }));
}

function ranked(filter: object, boost: number): object {
  return { constant_score: { filter, boost } };
}
