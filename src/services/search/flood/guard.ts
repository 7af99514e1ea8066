/**
 * The flood guard: a stored unit that suddenly matches far more searches than before no longer makes an asset a match.
 *
 * It stands before the searches of an engine. Each answer names the units by which its matches match; these are counted. Units
 * that are set aside are parameters of the next searches, which the engine answers as if no asset had them. Design:
 * docs/design/watches.md.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { AssetMatch, QueryOptions, SearchFound } from '../../../native.js';
import { counter, gauge, type Metric } from '../../../platform/observe/instruments.js';
import type { Logger } from '../../../platform/observe/log.js';
import { SharedRuns } from '../../../platform/shared-runs.js';
import type { Engine } from '../engine/port.js';
import type { WatchHost } from '../watches/host.js';
import { indexNumber, isHeld } from '../watches/recorder.js';
import type { QuarantineTable } from '../watches/tables.js';
import { type CountSettings, type Flood, LEARNING_WINDOWS, MatchCounts } from './counts.js';
import { Quarantine, QuarantineFull, states } from './quarantine.js';

/** Other processes set units aside, too. */
const POLL_MS = 1000;
const SEPARATOR = ' ';

export interface GuardParts extends CountSettings {
  readonly engine: Engine;
  readonly host: WatchHost;
  readonly log: Logger | undefined;
  /** Called after events were stored. */
  readonly onEvents: () => void;
}

/** An index in a search. */
interface Place {
  /** Reference of the engine. */
  readonly held: string;
  /** Stays that of the index in this process. */
  readonly number: string;
  readonly id: number | undefined;
}

type Search = (index: string, options: QueryOptions) => Promise<SearchFound>;

export class FloodGuard {
  readonly quarantine: Quarantine;
  readonly #parts: GuardParts;
  readonly #counts: MatchCounts;
  readonly #setAside = counter(
    'isccd_search_flood_units_total',
    'Units that the flood guard of this process has set aside',
    [],
  );
  readonly #refreshes = new SharedRuns(() => this.#refresh());
  readonly #running = new Set<Promise<void>>();
  /** Units that are being set aside. */
  readonly #pending = new Set<string>();
  readonly #closing = new AbortController();
  #listed: readonly QuarantineTable[] = [];
  /** Units that match nothing, by the number of the index in the database. */
  #hidden: ReadonlyMap<number, readonly string[]> = new Map();
  /** Units whose new past is being learned. */
  #learning: ReadonlySet<string> = new Set();
  #polling: Promise<void> | undefined;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    const { engine, host, windowMs } = parts;
    this.#counts = new MatchCounts(parts, performance.now());
    const learningMs = LEARNING_WINDOWS * windowMs;
    this.quarantine = new Quarantine({ engine, host, learningMs, onChange: () => this.#refreshes.run() });
  }

  /** From now on, searches of the engine are counted, and do not match units that are set aside. */
  async start(): Promise<void> {
    await this.#refreshes.run();
    this.#guard();
    this.#polling = this.#poll();
  }

  get metrics(): Metric[] {
    return [
      this.#setAside,
      gauge(
        'isccd_search_quarantined_units',
        'Units on the lists of the flood guard; those in the state set_aside wait for the decision of an operator',
        ['state'],
        () =>
          states.options.map((state) => ({
            labels: { state },
            value: this.#listed.filter((row) => row.state === state).length,
          })),
      ),
      gauge('isccd_search_flood_counted_units', 'Units whose matches the flood guard counts', [], () => [
        { labels: {}, value: this.#counts.size },
      ]),
    ];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#polling;
    await Promise.all(this.#running);
  }

  #guard(): void {
    const { engine } = this.#parts;
    const [search, searchCode] = [engine.search.bind(engine), engine.searchCode.bind(engine)];
    const guarded: Pick<Engine, 'search' | 'searchCode' | 'searchUnits'> = {
      search: (index, query, options, mayBlock) =>
        this.#search(index, options, (held, own) => search(held, query, own, mayBlock)),
      searchCode: (index, code, options) =>
        this.#search(index, options, (held, own) => searchCode(held, code, own)),
      searchUnits: async (index, units, limit, skipFeatureless) => {
        const options = {
          limit,
          ...(skipFeatureless != null && { skipFeatureless }),
          selection: { fields: ['gateway'] },
        };
        const query = Buffer.from(JSON.stringify({ units }));
        return matchesOf(await this.#search(index, options, (held, own) => search(held, query, own)));
      },
    };
    for (const [name, value] of Object.entries(guarded))
      Object.defineProperty(engine, name, { value, configurable: true });
  }

  async #search(index: string, options: QueryOptions, search: Search): Promise<SearchFound> {
    const place = await this.#placeOf(index);
    if (place === undefined) return search(index, options);
    const hidden = place.id === undefined ? undefined : this.#hidden.get(place.id);
    const selection = {
      ...options.selection,
      namesUnits: true,
      ...(hidden !== undefined && { setAside: [...hidden] }),
    };
    const found = await search(place.held, { ...options, selection });
    for (const unit of found.units ?? []) this.#count(place, unit);
    return found;
  }

  /** The index of a search; `undefined` if the engine refuses the search with a reason. */
  async #placeOf(index: string): Promise<Place | undefined> {
    const { engine, host } = this.#parts;
    try {
      const held = isHeld(index) ? index : await engine.holdIndex(index);
      // Without units that are set aside, the number in the database is not needed.
      const id = this.#listed.length === 0 ? undefined : await host.idOf(held);
      return { held, number: indexNumber(held), id };
    } catch {
      return undefined;
    }
  }

  #count(place: Place, unit: string): void {
    const key = `${place.number}${SEPARATOR}${unit}`;
    const flood = this.#counts.add(key, performance.now());
    if (flood === undefined || this.#pending.has(key) || this.#closing.signal.aborted) return;
    if (this.#learning.has(`${place.id}${SEPARATOR}${unit}`)) return;
    this.#pending.add(key);
    const running = this.#keepAside(place, unit, flood).finally(() => {
      this.#pending.delete(key);
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async #keepAside({ held }: Place, unit: string, flood: Flood): Promise<void> {
    const { log, onEvents, windowMs } = this.#parts;
    try {
      const index = await this.quarantine.setAside(held, unit, flood);
      await this.#refreshes.run();
      if (index === undefined) return;
      this.#setAside.inc();
      const text =
        'a unit matches far more searches than before; it matches nothing until an operator releases it';
      log?.warn({ event: 'unit_set_aside', index, unit, ...flood }, text);
      onEvents();
    } catch (error) {
      const text = error instanceof QuarantineFull ? error.message : 'a unit could not be set aside';
      log?.error({ err: error, unit, ...flood }, text);
      // Each further match would try again.
      await pause(windowMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    }
  }

  async #poll(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await pause(POLL_MS, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await this.#refreshes.run();
    }
  }

  /** Reads the lists. If that fails, those before count. */
  async #refresh(): Promise<void> {
    try {
      this.#listed = await this.quarantine.all();
    } catch (error) {
      this.#parts.log?.warn({ err: error }, 'the units that are set aside could not be read; trying again');
      return;
    }
    const hidden = new Map<number, string[]>();
    for (const { index_id, unit, state } of this.#listed) {
      if (state === 'released') continue;
      const units = hidden.get(index_id) ?? [];
      units.push(unit);
      hidden.set(index_id, units);
    }
    this.#hidden = hidden;
    const released = this.#listed.filter(({ state }) => state === 'released');
    this.#learning = new Set(released.map(({ index_id, unit }) => `${index_id}${SEPARATOR}${unit}`));
  }
}

/** The typed matches of a response. */
function matchesOf({ json }: SearchFound): AssetMatch[] {
  const { global_matches } = JSON.parse(json.toString()) as {
    readonly global_matches: readonly {
      readonly iscc_id: string;
      readonly score: number;
      readonly types: Record<string, number>;
      readonly metadata: { readonly gateway?: unknown } | null;
    }[];
  };
  return global_matches.map(({ iscc_id: isccId, score, types, metadata }) => ({
    isccId,
    score,
    types,
    ...(typeof metadata?.gateway === 'string' && { gateway: metadata.gateway }),
  }));
}
