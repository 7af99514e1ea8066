/** The search backend in this process, without HTTP. */
import { ServiceError } from '../../client/errors.js';
import type { LocalSearchApi } from '../../client/search-api.js';
import { canonicalIsccId } from '../../iscc/iscc-id.js';
import { DeclaredManifests } from './declared-manifests.js';
import { hitsOf, parseUnits } from './hits.js';
import { BackendFailed, BackendUnavailable, type Hit, type SearchBackend } from './search-backend.js';

const NO_INDEX = [404];
/** Also an index without the path of a condition. */
const NO_LIST = [400, 404];
const NO_ASSET = [400, 404];
const BUSY = 503;

export class InProcessBackend implements SearchBackend {
  readonly #search: LocalSearchApi;
  readonly #index: string;
  readonly #isLogged: boolean;
  readonly #declared = new DeclaredManifests(async (after, limit, condition) => {
    const page = await unless(NO_LIST, this.#search.assetLines(this.#index, after, limit, condition));
    return page?.lines;
  });

  /** @param isLogged whether the index holds what hubs have logged */
  constructor(search: LocalSearchApi, index: string, isLogged = false) {
    this.#search = search;
    this.#index = index;
    this.#isLogged = isLogged;
  }

  async search(units: readonly string[], limit: number): Promise<readonly Hit[]> {
    const found = await unless(NO_INDEX, this.#search.searchUnits(this.#index, units, limit));
    const hits = hitsOf(found ?? []);
    return this.#isLogged ? hits.map((hit) => ({ ...hit, isLogged: true })) : hits;
  }

  async gateway(isccId: string): Promise<string | undefined> {
    return unless(NO_ASSET, this.#search.getGateway(this.#index, canonicalIsccId(isccId)));
  }

  async units(isccId: string): Promise<readonly string[] | undefined> {
    return parseUnits(await unless(NO_ASSET, this.#search.getAsset(this.#index, canonicalIsccId(isccId))));
  }

  isccIdsOf(manifestId: string): Promise<readonly string[]> {
    return this.#declared.isccIdsOf(manifestId);
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
async function unless<T>(statuses: readonly number[], result: Promise<T>): Promise<T | undefined> {
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
