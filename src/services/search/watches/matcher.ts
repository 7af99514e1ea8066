/**
 * Finds the watches that a changed asset matches. Watches are assets of an index in memory, which changed assets query, so
 * that most changes cost one search. Whether a watch found in this way matches is decided by a search itself: of the
 * watch's query in an index of the changed assets, with its threshold and filter. Design: docs/design/watches.md.
 */
import { isccIdBody, isccIdOf } from '../../../iscc/iscc-id.js';
import type { FollowedState, QueryOptions, SearchEngine, SearchOptions } from '../../../native.js';
import { native } from '../../../native.js';
import type { SearchParameters } from '../selection.js';
import { whenNotBusy } from '../transfer/add-lines.js';

/** A watch as it is compared. */
export interface ComparedWatch {
  readonly number: number;
  /** Unique in its index. */
  readonly id: string;
  readonly index: number;
  /** JSON. */
  readonly query: string;
  readonly parameters: Omit<SearchParameters, 'limit'>;
  readonly since: number;
}

/** A row of a changed asset, as the engine writes and reads it. */
export interface AssetRow {
  /** `\x` and the body of the ISCC-ID in hexadecimal. */
  readonly key: string;
  readonly code: string | null;
  readonly units: readonly string[] | null;
  readonly simprints: string | null;
}

/** A commit of an index. */
export interface ComparedChange {
  readonly sequence: number;
  readonly index: number;
  readonly state: FollowedState;
  readonly put: readonly AssetRow[];
  readonly old: readonly AssetRow[];
}

/** How an asset matches: an item of a search result without metadata. */
export type Match = Readonly<Record<string, unknown>> & { readonly iscc_id: string };

/** An asset that matches a watch before or after a commit. */
export interface FoundMatch {
  readonly watch: ComparedWatch;
  readonly isccId: string;
  readonly change: 'added' | 'updated' | 'withdrawn';
  /** Whether it matches after the commit. */
  readonly matches: boolean;
  /** After the commit if it matches then, else before. */
  readonly found: { readonly global_match: Match | null; readonly chunk_match: Match | null };
}

interface Result {
  readonly global_matches: readonly Match[];
  readonly chunk_matches: readonly Match[];
  readonly next_cursor?: string | null;
}

/** Matches by watch and ISCC-ID. */
type Matches = Map<number, Map<string, FoundMatch['found']>>;

/** Watches that are added to the index together. */
const ADDED_MAX = 1000;
/** Changed assets that are compared together. */
const COMPARED_MAX = 1000;
/** Searches that wait at the same time; they share passes over the index. */
const SEARCHES = 64;
const LIMIT = 10_000;
/** End of a result without matches. */
const NOTHING = Buffer.from('"global_matches":[],"chunk_matches":[]}');
const SCRATCH = 'changed';

export class Matcher {
  readonly #watches: SearchEngine;
  readonly #scratch: SearchEngine;
  readonly #byNumber = new Map<number, ComparedWatch>();
  readonly #indexes = new Set<number>();
  readonly #configured: { readonly threshold: number; readonly thresholdSimprints: number };
  /** Lowest thresholds of the watches, if they are below those of the configuration. */
  readonly #lowest: { threshold?: number; thresholdSimprints?: number } = {};

  readonly #onRefused: (watch: ComparedWatch, error: unknown) => void;

  private constructor(
    watches: SearchEngine,
    scratch: SearchEngine,
    options: SearchOptions,
    onRefused: (watch: ComparedWatch, error: unknown) => void,
  ) {
    this.#onRefused = onRefused;
    [this.#watches, this.#scratch] = [watches, scratch];
    this.#configured = {
      threshold: options.matchThresholdUnits ?? 0,
      thresholdSimprints: options.matchThresholdSimprints ?? 0,
    };
  }

  /**
   * @param options of the engine whose indexes are watched
   * @param onRefused is called for a watch that the engine does not take
   */
  static async open(
    options: SearchOptions,
    onRefused: (watch: ComparedWatch, error: unknown) => void,
  ): Promise<Matcher> {
    const inMemory = { ...options, loadsInBackground: false, sync: false, searchSecondsMax: 0 };
    const open = () => native.openSearchEngine('memory://', { ...inMemory, searchBytesMax: 1 << 30 });
    return new Matcher(await open(), await open(), options, onRefused);
  }

  /** Number of watches. */
  get size(): number {
    return this.#byNumber.size;
  }

  get numbers(): IterableIterator<number> {
    return this.#byNumber.keys();
  }

  /** Adds watches of any indexes. */
  async add(watches: readonly ComparedWatch[]): Promise<void> {
    for (const index of new Set(watches.map((watch) => watch.index))) {
      if (!this.#indexes.has(index)) await this.#watches.createIndex(json({ name: nameOf(index) }));
      this.#indexes.add(index);
      const own = watches.filter((watch) => watch.index === index);
      for (let at = 0; at < own.length; at += ADDED_MAX) {
        await this.#store(index, own.slice(at, at + ADDED_MAX));
      }
    }
    for (const watch of watches) {
      this.#byNumber.set(watch.number, watch);
      for (const name of ['threshold', 'thresholdSimprints'] as const) {
        const own = watch.parameters.selection?.[name];
        if (own !== undefined && own < (this.#lowest[name] ?? this.#configured[name]))
          this.#lowest[name] = own;
      }
    }
  }

  async remove(number: number): Promise<void> {
    const watch = this.#byNumber.get(number);
    if (watch === undefined) return;
    this.#byNumber.delete(number);
    await this.#watches.deleteAsset(nameOf(watch.index), isccIdOf(0, BigInt(number)));
  }

  /** The matches of a commit. */
  async compare(change: ComparedChange): Promise<FoundMatch[]> {
    if (!this.#indexes.has(change.index)) return [];
    const after = await this.#matchesOf(change, change.put);
    const before = await this.#matchesOf(change, change.old);
    if (after.size + before.size === 0) return [];
    const idOf = ({ key }: AssetRow) => isccIdOf(change.state.realm ?? 0, BigInt(`0x${key.slice(2)}`));
    const [put, old] = [new Set(change.put.map(idOf)), new Set(change.old.map(idOf))];
    return [...new Set([...after.keys(), ...before.keys()])].sort().flatMap((number) => {
      const watch = this.#byNumber.get(number);
      if (watch === undefined) return [];
      const [now, then] = [after.get(number), before.get(number)];
      return [...new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])])].sort().flatMap((isccId) => {
        const found = now?.get(isccId) ?? then?.get(isccId);
        const kind = put.has(isccId) ? (old.has(isccId) ? 'updated' : 'added') : 'withdrawn';
        const matches = now?.has(isccId) ?? false;
        return found === undefined ? [] : [{ watch, isccId, change: kind, matches, found } as const];
      });
    });
  }

  close(): Promise<unknown> {
    return Promise.all([this.#watches.close(), this.#scratch.close()]);
  }

  async #matchesOf(change: ComparedChange, rows: readonly AssetRow[]): Promise<Matches> {
    const all: Matches = new Map();
    for (let at = 0; at < rows.length; at += COMPARED_MAX) {
      const some = rows.slice(at, at + COMPARED_MAX);
      const candidates = await this.#candidates(change, some);
      if (candidates.length > 0) await this.#decide(candidates, change.state, some, all);
    }
    return all;
  }

  /** One that the engine refuses must not hold up the others. */
  async #store(index: number, watches: readonly ComparedWatch[]): Promise<void> {
    const body = Buffer.from(`[${watches.map(entryOf).join()}]`);
    try {
      await whenNotBusy(() => this.#watches.addAssets(nameOf(index), body));
    } catch (error) {
      const [first] = watches;
      if (watches.length > 1) for (const one of watches) await this.#store(index, [one]);
      else if (first !== undefined) this.#onRefused(first, error);
    }
  }

  /** Watches that some of the assets may match. */
  async #candidates(change: ComparedChange, rows: readonly AssetRow[]): Promise<ComparedWatch[]> {
    const numbers = new Set<number>();
    const queries = rows.values();
    const work = async () => {
      for (const row of queries)
        for (const id of await this.#near(nameOf(change.index), queryOf(row)))
          numbers.add(Number(isccIdBody(id)));
    };
    await Promise.all(Array.from({ length: SEARCHES }, work));
    return [...numbers].flatMap((number) => {
      const watch = this.#byNumber.get(number);
      return watch !== undefined && watch.since < change.sequence ? [watch] : [];
    });
  }

  async #near(index: string, query: Buffer): Promise<string[]> {
    const search = (cursor?: string) => {
      const selection = { fields: [], ...this.#lowest, ...(cursor !== undefined && { cursor }) };
      const options: QueryOptions = { limit: LIMIT, skipFeatureless: false, selection };
      return whenNotBusy(() => this.#watches.search(index, query, options));
    };
    const { json: first } = await search();
    if (first.subarray(-NOTHING.length).equals(NOTHING)) return [];
    const found = resultOf(first);
    const ids = idsOf(found);
    if (Math.max(found.global_matches.length, found.chunk_matches.length) < LIMIT) return ids;
    for (let cursor: string | null | undefined = '*'; typeof cursor === 'string'; ) {
      const page = resultOf((await search(cursor)).json);
      ids.push(...idsOf(page));
      cursor = page.next_cursor;
    }
    return ids;
  }

  /** Adds what searches with the watches' own queries find among the assets. */
  async #decide(
    watches: readonly ComparedWatch[],
    state: FollowedState,
    rows: readonly AssetRow[],
    all: Matches,
  ): Promise<void> {
    await this.#scratch.createIndex(json({ name: SCRATCH }));
    try {
      await this.#scratch.applyRows(SCRATCH, { rows: json(rows), deleted: [], state });
      for (const { number, query, parameters } of watches) {
        const options = { ...parameters, limit: COMPARED_MAX };
        const { json: text } = await whenNotBusy(() =>
          this.#scratch.search(SCRATCH, Buffer.from(query), options),
        );
        const result = resultOf(text);
        const own = all.get(number) ?? new Map<string, FoundMatch['found']>();
        for (const match of result.global_matches)
          own.set(match.iscc_id, { global_match: shown(match), chunk_match: null });
        for (const match of result.chunk_matches) {
          const global_match = own.get(match.iscc_id)?.global_match ?? null;
          own.set(match.iscc_id, { global_match, chunk_match: shown(match) });
        }
        if (own.size > 0) all.set(number, own);
      }
    } finally {
      await this.#scratch.deleteIndex(SCRATCH);
    }
  }
}

function nameOf(index: number): string {
  return `i${index}`;
}

/** The watch as an asset. Its query has everything that it can match by. */
function entryOf({ number, query }: ComparedWatch): string {
  const { units, simprints } = JSON.parse(query) as {
    readonly units?: readonly string[] | null;
    readonly simprints?: Readonly<Record<string, readonly string[]>> | null;
  };
  const stored = Object.entries(simprints ?? {}).map(([type, list]) => [
    type,
    list.map((simprint) => ({ simprint, offset: 0, size: 0 })),
  ]);
  return JSON.stringify({
    iscc_id: isccIdOf(0, BigInt(number)),
    // An asset has two units or more.
    ...(units != null && units.length > 0 && { units: units.length === 1 ? [...units, ...units] : units }),
    ...(stored.length > 0 && { simprints: Object.fromEntries(stored) }),
  });
}

function queryOf({ code, units, simprints }: AssetRow): Buffer {
  const members = [
    ...(code === null ? [] : [`"iscc_code":${JSON.stringify(code)}`]),
    ...(units === null ? [] : [`"units":${JSON.stringify(units)}`]),
    ...(simprints === null ? [] : [`"simprints":${simprints}`]),
  ];
  return Buffer.from(`{${members.join()}}`);
}

function resultOf(text: Buffer): Result {
  return JSON.parse(text.toString()) as Result;
}

function idsOf({ global_matches, chunk_matches }: Result): string[] {
  return [...global_matches, ...chunk_matches].map(({ iscc_id }) => iscc_id);
}

/** Without the metadata, which the event leaves out. */
function shown({ metadata: _, unit_scores: __, ...match }: Match): Match {
  return match;
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
