/** The search service over HTTP. Methods are named after the operations of `openapi/search.json`. */
import { type CallOptions, type ClientOptions, HttpClient } from './http.js';
import type { operations } from './openapi/search.js';
import type { ResponseBody } from './operation.js';
import type { AddResult, Entry, IndexInfo, Query, SearchApi, SearchResult } from './search-api.js';

export interface SearchClientOptions extends ClientOptions {
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string;
}

export class SearchClient implements SearchApi {
  readonly #http: HttpClient;

  /** @param baseUrl e.g. `http://127.0.0.1:8010` */
  constructor(baseUrl: string, { apiKey, ...options }: SearchClientOptions = {}) {
    this.#http = new HttpClient(baseUrl, options, apiKey === undefined ? {} : { 'X-API-Key': apiKey });
  }

  createIndex(name: string, options?: CallOptions): Promise<IndexInfo> {
    return this.#http.json({ method: 'POST', path: ['indexes'], json: { name } }, options);
  }

  listIndexes(options?: CallOptions): Promise<readonly IndexInfo[]> {
    return this.#http.json({ method: 'GET', path: ['indexes'] }, options);
  }

  getIndex(name: string, options?: CallOptions): Promise<IndexInfo> {
    return this.#http.json({ method: 'GET', path: ['indexes', name] }, options);
  }

  deleteIndex(name: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: ['indexes', name] }, options);
  }

  addAssets(index: string, entries: readonly Entry[], options?: CallOptions): Promise<readonly AddResult[]> {
    const path = ['indexes', index, 'assets'];
    // Repeatable: adding the same entries twice has no further effect.
    return this.#http.json({ method: 'POST', path, json: entries, isRepeatable: true }, options);
  }

  getAsset(index: string, isccId: string, options?: CallOptions): Promise<Entry> {
    return this.#http.json({ method: 'GET', path: ['indexes', index, 'assets', isccId] }, options);
  }

  deleteAsset(index: string, isccId: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: ['indexes', index, 'assets', isccId] }, options);
  }

  search(index: string, query: Query, limit?: number, options?: CallOptions): Promise<SearchResult> {
    const path = ['indexes', index, 'search'];
    // Repeatable: a query.
    const call = { method: 'POST', path, query: { limit }, json: query, isRepeatable: true } as const;
    return this.#http.json(call, options);
  }

  searchByCode(
    index: string,
    isccCode: string,
    limit?: number,
    options?: CallOptions,
  ): Promise<SearchResult> {
    const query = { iscc_code: isccCode, limit };
    return this.#http.json({ method: 'GET', path: ['indexes', index, 'search'], query }, options);
  }

  status(options?: CallOptions): Promise<ResponseBody<operations['status']>> {
    return this.#http.json({ method: 'GET', path: ['status'] }, options);
  }

  /** Resolves if the service responds. */
  liveness(options?: CallOptions): Promise<ResponseBody<operations['liveness']>> {
    return this.#http.json({ method: 'GET', path: ['healthz'] }, options);
  }

  /** Resolves if the service is ready. */
  readiness(options?: CallOptions): Promise<ResponseBody<operations['readiness']>> {
    return this.#http.json({ method: 'GET', path: ['readyz'] }, options);
  }

  async close(): Promise<void> {}
}
