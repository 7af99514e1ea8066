/** Several indexes as one search backend: all are queried at once, and one that fails is left out. */
import { z } from 'zod';
import type { Trace } from '../observe/trace.js';
import { BackendFailed, type SearchBackend } from './search-backend.js';

const matches = z.looseObject({ global_matches: z.array(z.unknown()) });

export class SeveralIndexes implements SearchBackend {
  /** In the order in which assets are looked up. */
  readonly #backends: readonly SearchBackend[];

  constructor(backends: readonly SearchBackend[]) {
    this.#backends = backends;
  }

  /** The matches of all indexes, in the order of the indexes; each index contributes up to `limit`. */
  async search(units: readonly string[], limit: number, trace?: Trace): Promise<unknown> {
    const results = await this.#all((backend) => backend.search(units, limit, trace));
    const known = results.filter((result) => result !== undefined);
    if (known.length === 0) return undefined;
    const parsed = known.map((result) => matches.safeParse(result));
    if (parsed.every(({ success }) => !success)) throw new BackendFailed('unexpected search response');
    return { global_matches: parsed.flatMap(({ data }) => data?.global_matches ?? []) };
  }

  async asset(isccId: string, trace?: Trace): Promise<unknown> {
    const results = await this.#all((backend) => backend.asset(isccId, trace));
    return results.find((result) => result !== undefined);
  }

  async isReady(): Promise<boolean> {
    return (await Promise.all(this.#backends.map((backend) => backend.isReady()))).every(Boolean);
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }

  /** The results of the indexes that respond. @throws {BackendFailed} if none does */
  async #all(query: (backend: SearchBackend) => Promise<unknown>): Promise<unknown[]> {
    const settled = await Promise.allSettled(this.#backends.map(query));
    const failed = settled.find((result) => result.status === 'rejected');
    const values = settled.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
    if (values.length === 0 && failed !== undefined) throw failed.reason;
    return values;
  }
}
