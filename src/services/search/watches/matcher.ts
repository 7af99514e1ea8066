/**
 * Finds the watches that a changed asset matches. Watches are assets of an index in memory, which the changed assets of a
 * commit query in one call, off the event loop. Whether a watch found in this way matches is decided by a search: of the
 * watch's query in an index of the changed assets, with its threshold and filter. Design: docs/design/watches.md.
 */
import { isccIdOf } from '../../../iscc/iscc-id.js';
import type { FollowedState, SearchEngine, SearchOptions } from '../../../native.js';
import { native } from '../../../native.js';
import { lazily } from '../../../platform/lazily.js';
import { member } from '../../../platform/member.js';
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
  /** Path in the metadata to the value of which the watch reports the first asset only. */
  readonly once?: readonly string[] | undefined;
}

/** A row of a changed asset, as the engine writes and reads it. */
interface AssetRow {
  /** `\x` and the body of the ISCC-ID in hexadecimal. */
  readonly key: string;
  /** JSON. */
  readonly metadata: string | null;
}

/** Rows as JSON. They are parsed once, and only if a watch is near one. */
interface Rows {
  readonly json: string;
  readonly parsed: () => readonly AssetRow[];
}

/** A commit of an index. */
export interface ComparedChange {
  readonly sequence: number;
  readonly index: number;
  readonly state: FollowedState;
  /** JSON arrays of rows. */
  readonly put: string;
  readonly old: string;
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
  /** Of a watch with `once`: its value in the asset. */
  readonly value?: unknown;
}

interface Result {
  readonly global_matches: readonly Match[];
  readonly chunk_matches: readonly Match[];
}

/** Matches by watch and ISCC-ID. */
type Matches = Map<number, Map<string, FoundMatch['found']>>;

/** Watches that are added to the index together. */
const ADDED_MAX = 1000;
/** Changed assets that watches search together. */
const COMPARED_MAX = 1000;
const NO_ROWS = '[]';
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
    const [putRows, oldRows] = [rowsOf(change.put), rowsOf(change.old)];
    const after = await this.#matchesOf(change, putRows);
    const before = await this.#matchesOf(change, oldRows);
    if (after.size + before.size === 0) return [];
    const idOf = ({ key }: AssetRow) => isccIdOf(change.state.realm ?? 0, BigInt(`0x${key.slice(2)}`));
    const byId = ({ parsed }: Rows) => new Map(parsed().map((row) => [idOf(row), row]));
    const [put, old] = [byId(putRows), byId(oldRows)];
    return [...new Set([...after.keys(), ...before.keys()])].sort().flatMap((number) => {
      const watch = this.#byNumber.get(number);
      if (watch === undefined) return [];
      const [now, then] = [after.get(number), before.get(number)];
      return [...new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])])].sort().flatMap((isccId) => {
        const found = now?.get(isccId) ?? then?.get(isccId);
        const kind = put.has(isccId) ? (old.has(isccId) ? 'updated' : 'added') : 'withdrawn';
        const matches = now?.has(isccId) ?? false;
        if (found === undefined) return [];
        const match = { watch, isccId, change: kind, matches, found } as const;
        if (watch.once === undefined) return [match];
        const value = matches ? valueAt(put.get(isccId)?.metadata, watch.once) : undefined;
        return value === undefined ? [] : [{ ...match, value }];
      });
    });
  }

  close(): Promise<unknown> {
    return Promise.all([this.#watches.close(), this.#scratch.close()]);
  }

  async #matchesOf(change: ComparedChange, { json, parsed }: Rows): Promise<Matches> {
    const all: Matches = new Map();
    if (json === NO_ROWS) return all;
    const candidates = await this.#candidates(change, Buffer.from(json));
    if (candidates.length === 0) return all;
    const rows = parsed();
    for (let at = 0; at < rows.length; at += COMPARED_MAX)
      await this.#decide(candidates, change.state, rows.slice(at, at + COMPARED_MAX), all);
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
  async #candidates(change: ComparedChange, rows: Buffer): Promise<ComparedWatch[]> {
    const { threshold, thresholdSimprints } = this.#lowest;
    const name = nameOf(change.index);
    const numbers = await this.#watches.similarToAny(name, rows, threshold, thresholdSimprints);
    return numbers.flatMap((number) => {
      const watch = this.#byNumber.get(number);
      return watch !== undefined && watch.since < change.sequence ? [watch] : [];
    });
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

function rowsOf(json: string): Rows {
  return { json, parsed: lazily(() => JSON.parse(json) as AssetRow[]) };
}

/** The value at a path of metadata; `undefined` without one. */
function valueAt(metadata: string | null | undefined, path: readonly string[]): unknown {
  if (metadata == null) return undefined;
  return path.reduce(member, JSON.parse(metadata) as unknown) ?? undefined;
}

function resultOf(text: Buffer): Result {
  return JSON.parse(text.toString()) as Result;
}

/** Without the metadata, which the event leaves out. */
function shown({ metadata: _, unit_scores: __, ...match }: Match): Match {
  return match;
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
