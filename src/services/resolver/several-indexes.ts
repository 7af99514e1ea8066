/** Several indexes as one search backend: all are queried at once, and one that fails is left out. */
import type { Trace } from '../../platform/observe/trace.js';
import type { Hit, SearchBackend } from './search-backend.js';

export class SeveralIndexes implements SearchBackend {
  /** In the order in which declarations are looked up. */
  readonly #backends: readonly SearchBackend[];
  readonly #onFailure: (error: unknown) => void;

  /** @param onFailure receives the error of an index that is left out */
  constructor(backends: readonly SearchBackend[], onFailure: (error: unknown) => void = () => {}) {
    this.#backends = backends;
    this.#onFailure = onFailure;
  }

  /** The hits of all indexes, best first; each index contributes up to `limit`. */
  async search(units: readonly string[], limit: number, trace?: Trace): Promise<readonly Hit[]> {
    const found = await this.#all((backend) => backend.search(units, limit, trace));
    return found.flat().sort((a, b) => b.score - a.score);
  }

  async gateway(isccId: string, trace?: Trace): Promise<string | undefined> {
    const found = await this.#all((backend) => backend.gateway(isccId, trace));
    return found.find((gateway) => gateway !== undefined);
  }

  async units(isccId: string, trace?: Trace): Promise<readonly string[] | undefined> {
    const found = await this.#all((backend) => backend.units(isccId, trace));
    return found.find((units) => units !== undefined);
  }

  async isccIdsOf(manifestId: string): Promise<readonly string[]> {
    return (await this.#all((backend) => backend.isccIdsOf(manifestId))).flat();
  }

  async isReady(): Promise<boolean> {
    return (await Promise.all(this.#backends.map((backend) => backend.isReady()))).every(Boolean);
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }

  /** The results of the indexes that respond. @throws {BackendFailed} if none does */
  async #all<T>(query: (backend: SearchBackend) => Promise<T>): Promise<T[]> {
    const settled = await Promise.allSettled(this.#backends.map(query));
    const values = settled.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
    const failed = settled.filter((result) => result.status === 'rejected');
    const [first] = failed;
    if (values.length === 0 && first !== undefined) throw first.reason;
    for (const { reason } of failed) this.#onFailure(reason);
    return values;
  }
}
