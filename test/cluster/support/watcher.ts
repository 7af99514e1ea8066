/** A client that watches the index of the cluster through the proxy while instances and databases are killed. */
import type { Agent } from 'undici';
import { Unavailable } from '../../../src/client/errors.js';
import type { AssetEvent, SearchClient } from '../../../src/client/index.js';
import type { Cluster } from './cluster.js';
import type { Ledger } from './ledger.js';
import { assetsOf, clientsOver, INDEX, WATCHED_UNIT } from './load.js';

const WATCH = 'all';
const SETTLE_MS_MAX = 180_000;
type Report = Pick<AssetEvent, 'id' | 'type'> & { readonly isccId: string };

/** Reads the events of a watch that every asset of the load matches. */
export class Watcher {
  readonly #cluster: Cluster;
  readonly #agent: Agent;
  readonly #search: SearchClient;
  readonly #end = new AbortController();
  readonly #reports: Report[] = [];
  #reading: Promise<void> = Promise.resolve();
  #gaps = 0;

  private constructor(cluster: Cluster, apiKey: string) {
    this.#cluster = cluster;
    this.#agent = cluster.client('127.0.0.1');
    this.#search = clientsOver(cluster, this.#agent, apiKey).search;
  }

  /** Makes the watch, before the load begins. */
  static async start(cluster: Cluster, apiKey: string): Promise<Watcher> {
    const watcher = new Watcher(cluster, apiKey);
    await watcher.#search.putWatch(INDEX, WATCH, { query: { units: [WATCHED_UNIT] }, threshold: 0.9 });
    watcher.#reading = watcher.#read();
    return watcher;
  }

  async #read(): Promise<void> {
    for await (const event of this.#search.watchEvents(INDEX, WATCH, undefined, {
      signal: this.#end.signal,
    })) {
      if (event.type === 'gap') this.#gaps += 1;
      else if (event.type !== 'unit.set_aside')
        this.#reports.push({ id: event.id, type: event.type, isccId: event.data.iscc_id });
    }
  }

  /**
   * Waits for the reports of everything in the ledger, which the load no longer changes, and returns what is wrong with them:
   * a change that was acknowledged is reported once, and another one at most once.
   */
  async problems(ledger: Ledger): Promise<string[]> {
    const removed = ledger.deletedBatches.flatMap(assetsOf).map(({ iscc_id: id }) => id);
    const added = [...ledger.batches.flatMap(assetsOf).map(({ iscc_id: id }) => id), ...removed];
    const isReported = (type: string, ids: readonly string[]) => {
      const known = new Set(this.#reports.filter((one) => one.type === type).map(({ isccId }) => isccId));
      return ids.every((id) => known.has(id));
    };
    let settled = true;
    try {
      await this.#cluster.until(
        'all changes are reported',
        async () => isReported('asset.added', added) && isReported('asset.withdrawn', removed),
        SETTLE_MS_MAX,
      );
    } catch {
      settled = false;
    }
    const streamed = [...this.#reports];
    await this.#stop();
    return [
      ...(settled ? [] : ['changes that were acknowledged are not reported']),
      ...(this.#gaps > 0 ? [`${this.#gaps} gaps in the stream`] : []),
      ...repeated(
        'event',
        streamed.map(({ id }) => id),
      ),
      ...repeated(
        'change',
        streamed.map(({ type, isccId }) => `${type} ${isccId}`),
      ),
      ...disordered(streamed),
    ];
  }

  get count(): number {
    return this.#reports.length;
  }

  async #stop(): Promise<void> {
    this.#end.abort();
    await this.#reading.catch((error: unknown) => {
      if (!(error instanceof Unavailable)) throw error;
    });
    await this.#agent.destroy();
  }
}

function repeated(what: string, all: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = all.filter((one) => seen.size === seen.add(one).size);
  return twice.map((one) => `${what} reported twice: ${one}`);
}

/** Assets are added once, and deleted after that. */
function disordered(reports: readonly Report[]): string[] {
  const added = new Set<string>();
  const early: string[] = [];
  for (const { type, isccId } of reports) {
    if (type === 'asset.added') added.add(isccId);
    else if (!added.has(isccId)) early.push(`deletion reported before the addition: ${isccId}`);
  }
  return early;
}
