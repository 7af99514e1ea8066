/** The search backend in this process, without HTTP. */
import { ServiceError } from '../client/errors.js';
import type { SearchApi } from '../client/search-api.js';
import { BackendFailed, BackendUnavailable, type SearchBackend } from './search-backend.js';

const NO_INDEX = [404];
const NO_ASSET = [400, 404];
const BUSY = 503;

export class InProcessBackend implements SearchBackend {
  readonly #search: SearchApi;
  readonly #index: string;

  constructor(search: SearchApi, index: string) {
    this.#search = search;
    this.#index = index;
  }

  async search(units: readonly string[], limit: number): Promise<unknown> {
    return unless(NO_INDEX, this.#search.search(this.#index, { units }, limit));
  }

  async asset(isccId: string): Promise<unknown> {
    return unless(NO_ASSET, this.#search.getAsset(this.#index, isccId));
  }

  async isReady(): Promise<boolean> {
    try {
      await this.#search.getIndex(this.#index);
      return true;
    } catch {
      return false;
    }
  }

  /** The search service closes its indexes itself. */
  async close(): Promise<void> {}
}

/** The result; `undefined` if the service refuses with one of these statuses. */
async function unless(statuses: readonly number[], result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (cause) {
    if (!(cause instanceof ServiceError))
      throw new BackendUnavailable('the search service is closed', { cause });
    if (statuses.includes(cause.status)) return undefined;
    const Failure = cause.status === BUSY ? BackendUnavailable : BackendFailed;
    throw new Failure(`the search service returned status ${cause.status}`, { cause });
  }
}
