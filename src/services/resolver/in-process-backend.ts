/** The search backend in this process, without HTTP. */
import { type LocalSearch, LocalSearchFailed } from '../../c2pa/local-search.js';
import { canonicalIsccId } from '../../iscc/iscc-id.js';
import { DeclaredManifests } from './declared-manifests.js';
import { hitsOf, parseUnits } from './hits.js';
import { BackendFailed, BackendUnavailable, type Hit, type SearchBackend } from './search-backend.js';

export class InProcessBackend implements SearchBackend {
  readonly #search: LocalSearch;
  readonly #index: string;
  readonly #isLogged: boolean;
  readonly #declared = new DeclaredManifests((...page) =>
    orBackendFailure(this.#search.assetLines(this.#index, ...page)),
  );

  /** @param isLogged whether the index holds what hubs have logged */
  constructor(search: LocalSearch, index: string, isLogged = false) {
    this.#search = search;
    this.#index = index;
    this.#isLogged = isLogged;
  }

  async search(units: readonly string[], limit: number): Promise<readonly Hit[]> {
    const hits = hitsOf((await orBackendFailure(this.#search.searchUnits(this.#index, units, limit))) ?? []);
    return this.#isLogged ? hits.map((hit) => ({ ...hit, isLogged: true })) : hits;
  }

  gateway(isccId: string): Promise<string | undefined> {
    return orBackendFailure(this.#search.gateway(this.#index, canonicalIsccId(isccId)));
  }

  async units(isccId: string): Promise<readonly string[] | undefined> {
    return parseUnits(await orBackendFailure(this.#search.asset(this.#index, canonicalIsccId(isccId))));
  }

  isccIdsOf(manifestId: string): Promise<readonly string[]> {
    return this.#declared.isccIdsOf(manifestId);
  }

  async isReady(): Promise<boolean> {
    const found = await this.#search.has(this.#index).catch(() => undefined);
    return found === true;
  }

  /** The search service closes its indexes itself. */
  async close(): Promise<void> {}
}

async function orBackendFailure<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    if (!(cause instanceof LocalSearchFailed)) throw cause;
    const Failure = cause.isTransient ? BackendUnavailable : BackendFailed;
    throw new Failure(cause.message, { cause });
  }
}
