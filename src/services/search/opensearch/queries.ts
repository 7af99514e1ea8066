/**
 * Searches. OpenSearch finds candidates: assets with units near those of the query, by their parts if these find all, else by
 * vectors. Rust scores the candidates exactly.
 */
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
import { signedBytes, UNIT_BITS, vectorField } from './mapping.js';
import type { Names } from './names.js';
import { isComplete, nearParts } from './parts.js';
import type { StoredIndex } from './registry.js';
import { parts, ROW_MEMBERS, type Row, readAssets, WHOLE_QUERY } from './rows.js';

/** Most hits of a search in OpenSearch. */
const WINDOW_MAX = 10_000;
/** Searches in a request. */
const SEARCHES_MAX = 200;
/** Terms whose assets are counted in a request. */
const COUNTED_MAX = 10_000;
/** Simprints of a query beyond which near ones are not ranked by their distance, because of OpenSearch's limit of clauses. */
const RANKED_SIMPRINTS_MAX = 60;
/** A search that some shards do not answer fails: its result would lack assets. */
const WHOLE = '{"allow_partial_search_results":false}';
/** Steps of similarity by which candidates are ranked. */
const STEPS = 16;
const TOO_MANY =
  'exact: more than 10,000 assets have units near those of the query; name fewer unit_types or raise the threshold';
/** Ranks of equal units above near ones, each of which ranks at most 1, and of equal Instance-Codes above all others. */
const EQUAL = 100;
const EQUAL_INSTANCE = 10_000;

export interface QueriesOptions {
  readonly client: Client;
  readonly names: Names;
  /** Candidates per search. */
  readonly candidates: number;
}

/** Near terms by similarity, in steps from 0 to {@link STEPS}. */
type Near = Map<number, string[]>;

/** The rows of the candidates, and whether no match can be missing. */
interface Candidates {
  readonly rows: Buffer;
  readonly isExact: boolean;
}

interface Hits<T> {
  readonly hits: {
    readonly total?: { readonly value: number };
    readonly hits: readonly { readonly _id: string; readonly _score: number; readonly _source: T }[];
  };
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
    const alias = names.alias(index as StoredIndex, 'assets');
    const found = await readAssets(client, alias, [plan.asset]);
    const asset = Buffer.from(JSON.stringify([...found.values()].map(({ row }) => row)));
    return { plan: await native.foreignPlan(query, asset), asset };
  }

  /**
   * All assets that can match, or the most promising ones. Units are found by their parts if these find all, else by their
   * vectors.
   */
  async #candidates(index: StoredIndex, plan: ForeignPlan): Promise<Candidates> {
    const size = Math.min(Math.max(this.#options.candidates, plan.limit ?? 0), WINDOW_MAX);
    const hasAllParts = plan.units.every(isComplete);
    const [units, simprints] = await Promise.all([
      hasAllParts
        ? plan.units.map((unit) => unitQuery(unit, () => nearParts(unit)))
        : this.#nearUnits(index, plan.units, size),
      this.#nearSimprints(index, plan, size),
    ]);
    const queries = [anyOf(units), simprintsQuery(simprints)].filter((query) => query !== undefined);
    let found = await this.#ranked(index, queries, size);
    const isWhole = hasAllParts && plan.simprints.length === 0;
    // One more tells that there are more than these.
    if (isWhole && size < WINDOW_MAX && found.some((hits) => hits.length > size))
      found = await this.#ranked(index, queries, WINDOW_MAX - 1);
    const isExact = isWhole && found.every((hits) => hits.length < WINDOW_MAX);
    const rows = new Map(found.flat().map((row) => [row.key, row]));
    return { rows: Buffer.from(JSON.stringify([...rows.values()])), isExact };
  }

  /** The best assets of each query, one more than `size` if there are so many. */
  async #ranked(index: StoredIndex, queries: readonly object[], size: number): Promise<Row[][]> {
    const wanted = queries.map((query) => ({
      size: Math.min(size + 1, WINDOW_MAX),
      query,
      _source: ROW_MEMBERS,
      track_total_hits: false,
      // Of equally good candidates, the first: as in the ranking of matches.
      sort: [{ _score: 'desc' }, { key: 'asc' }],
    }));
    const found = await this.#searchAll<Row>(this.#options.names.alias(index, 'assets'), wanted);
    return found.map(({ hits }) => hits.hits.map(({ _source }) => _source));
  }

  /** Finds the assets that have units near each unit of a query, by the vectors of stored units. */
  async #nearUnits(index: StoredIndex, units: readonly ForeignUnit[], size: number): Promise<object[]> {
    const near: Near[] = units.map(() => new Map());
    const probes = units.flatMap((unit, position) => (unit.isExact ? [] : probesOf(unit, position, size)));
    const alias = this.#options.names.alias(index, 'units');
    const found = await this.#searchAll(
      alias,
      probes.map(({ body }) => body),
    );
    for (const [at, { hits }] of found.entries()) {
      const { position, bits, distance } = probes[at] as Probe;
      collect(near[position] as Near, hits.hits, bits, distance);
    }
    return units.map((unit, position) =>
      unitQuery(unit, () => nearQueries('unit_terms', near[position] as Near)),
    );
  }

  /** Stored simprints near each simprint of a query. */
  async #nearSimprints(index: StoredIndex, { simprints }: ForeignPlan, size: number): Promise<Near[]> {
    const probes = simprints.flatMap(({ kind, bits, distance, bodies }) =>
      bodies.map((body) => ({
        bits,
        distance,
        body: nearest(
          vectorField(bits),
          Buffer.from(body, 'hex'),
          bits,
          [{ term: { type: `${kind}` } }],
          size,
        ),
      })),
    );
    const alias = this.#options.names.alias(index, 'simprints');
    const found = await this.#searchAll(
      alias,
      probes.map(({ body }) => body),
    );
    return found.map(({ hits }, at) => {
      const { bits, distance } = probes[at] as (typeof probes)[number];
      const near: Near = new Map();
      collect(near, hits.hits, bits, distance);
      return near;
    });
  }

  /** The number of assets of the index, and of those with each of some simprints. */
  async #counts(index: StoredIndex, terms: readonly string[]): Promise<[number, number[]]> {
    const alias = this.#options.names.alias(index, 'assets');
    const counts = new Map<string, number>();
    let total = 0;
    for (const include of terms.length === 0 ? [[]] : parts(terms, COUNTED_MAX)) {
      const field = { field: 'simprint_terms', include, size: Math.max(include.length, 1) };
      const body = {
        size: 0,
        track_total_hits: true,
        ...(include.length > 0 && { aggs: { counts: { terms: field } } }),
      };
      const found = await this.#options.client.ask<Counted>(`/${alias}/_search?${WHOLE_QUERY}`, body);
      total = found.hits.total?.value ?? 0;
      for (const { key, doc_count } of found.aggregations?.counts.buckets ?? []) counts.set(key, doc_count);
    }
    return [total, terms.map((term) => counts.get(term) ?? 0)];
  }

  async #searchAll<T>(alias: string, bodies: readonly object[]): Promise<Hits<T>[]> {
    const all: Hits<T>[] = [];
    for (const part of parts(bodies, SEARCHES_MAX)) {
      const lines = part.map((body) => `${WHOLE}\n${JSON.stringify(body)}\n`).join('');
      const path = `/${alias}/_msearch`;
      const { responses } = await this.#options.client.ask<{ readonly responses: readonly Hits<T>[] }>(
        path,
        lines,
      );
      for (const response of responses) {
        if (response.error !== undefined) throw partError(response.error, response.status);
        all.push(response);
      }
    }
    return all;
  }
}

interface Counted extends Hits<unknown> {
  readonly aggregations?: {
    readonly counts: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] };
  };
}

interface Probe {
  readonly position: number;
  readonly bits: number;
  readonly distance: number;
  readonly body: object;
}

/**
 * Searches for units near a unit. Longer and equally long ones are compared with all of it, shorter ones over their own
 * length.
 */
function probesOf(
  { unit, body, bits: all, distances }: ForeignUnit,
  position: number,
  size: number,
): Probe[] {
  const bytes = Buffer.from(body, 'hex');
  const lengths = UNIT_BITS.filter((bits) => all.includes(bits));
  return lengths.map((bits, at) => {
    const isLongest = at === lengths.length - 1;
    const range = { gte: bits, ...(!isLongest && { lt: UNIT_BITS[at + 1] }) };
    const filter = [{ term: { type: unit } }, { range: { bits: range } }];
    const search = nearest(vectorField(bits), bytes, bits, filter, size);
    return { position, bits, distance: distances[all.indexOf(bits)] as number, body: search };
  });
}

function nearest(
  field: string,
  bytes: Buffer,
  bits: number,
  filter: readonly object[],
  size: number,
): object {
  const vector = signedBytes(bytes, bits);
  const knn = { [field]: { vector, k: size, filter: { bool: { filter } } } };
  return { size, _source: false, track_total_hits: false, query: { knn } };
}

/** Adds the terms within a distance. */
function collect(
  near: Near,
  hits: readonly { readonly _id: string; readonly _score: number }[],
  bits: number,
  distanceMax: number,
): void {
  for (const { _id, _score } of hits) {
    const distance = Math.round(1 / _score - 1);
    if (distance > distanceMax) continue;
    const step = Math.floor((1 - distance / bits) * STEPS);
    const terms = near.get(step);
    if (terms === undefined) near.set(step, [_id]);
    else terms.push(_id);
  }
}

/** Finds the assets that have a unit near one. `near` finds those with near, but not equal ones. */
function unitQuery(unit: ForeignUnit, near: () => readonly object[]): object {
  return unit.isExact
    ? scored(equalUnits(unit.unit, unit.body), EQUAL_INSTANCE)
    : { dis_max: { queries: [equal(unit), ...near()] } };
}

/** Ranks assets by the number and the similarity of their units: a crowd that shares one unit does not hide a copy. */
function anyOf(units: readonly object[]): object | undefined {
  return units.length === 0 ? undefined : { bool: { should: units } };
}

function equal({ unit, body }: ForeignUnit): object {
  return scored({ term: { unit_terms: `${unit}:${body}` } }, EQUAL);
}

/** Ranks assets by the number and the similarity of their simprints. */
function simprintsQuery(near: readonly Near[]): object | undefined {
  const isRanked = near.length <= RANKED_SIMPRINTS_MAX;
  const should = near
    .filter(({ size }) => size > 0)
    .map((terms) =>
      isRanked
        ? { dis_max: { queries: nearQueries('simprint_terms', terms) } }
        : scored({ terms: { simprint_terms: [...terms.values()].flat() } }, 1),
    );
  if (should.length === 0) return undefined;
  if (should.length <= WINDOW_MAX / STEPS) return { bool: { should } };
  const all = near.flatMap((terms) => [...terms.values()].flat());
  return scored({ terms: { simprint_terms: [...new Set(all)] } }, 1);
}

function nearQueries(field: string, near: Near): object[] {
  return [...near].map(([step, terms]) =>
    scored({ terms: { [field]: terms } }, Math.max(step / STEPS, 0.01)),
  );
}

function scored(filter: object, boost: number): object {
  return { constant_score: { filter, boost } };
}

/** Units that start with this one, and those that it starts with. */
function equalUnits(unit: string, body: string): object {
  const starts = Array.from(
    { length: body.length / 2 - 1 },
    (_, at) => `${unit}:${body.slice(0, 2 * at + 2)}`,
  );
  return {
    bool: {
      should: [{ prefix: { unit_terms: `${unit}:${body}` } }, { terms: { unit_terms: starts } }],
    },
  };
}
