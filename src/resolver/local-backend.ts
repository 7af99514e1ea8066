/** The search backend in this process: no HTTP in between. */
import { ServiceError } from '../client/errors.js';
import type { SearchApi } from '../client/search-api.js';
import { BackendFailed, type SearchBackend } from './search-backend.js';

const NO_SUCH_ASSET = [400, 404];

export class LocalBackend implements SearchBackend {
  readonly #search: SearchApi;
  readonly #index: string;

  constructor(search: SearchApi, index: string) {
    this.#search = search;
    this.#index = index;
  }

  async search(units: readonly string[], limit: number): Promise<unknown> {
    try {
      return await this.#search.search(this.#index, { units }, limit);
    } catch (error) {
      throw new BackendFailed('the search failed', { cause: error });
    }
  }

  async asset(isccId: string): Promise<unknown> {
    try {
      return await this.#search.getAsset(this.#index, isccId);
    } catch (error) {
      if (error instanceof ServiceError && NO_SUCH_ASSET.includes(error.status)) return undefined;
      throw new BackendFailed('the asset can not be read', { cause: error });
    }
  }

  async isReady(): Promise<boolean> {
    try {
      await this.#search.listIndexes();
      return true;
    } catch {
      return false;
    }
  }

  /** The service that it uses is another's. */
  async close(): Promise<void> {}
}
