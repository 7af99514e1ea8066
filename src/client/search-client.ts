/** The search service over HTTP. Methods are named after the operations of `openapi/search.json`. */
import { serviceError } from './errors.js';
import { type CallOptions, type ClientOptions, type Download, HttpClient } from './http.js';
import type { operations } from './openapi/search.js';
import type { ResponseBody } from './operation.js';
import type {
  AddResult,
  Alias,
  AssetLines,
  DeclaredPaths,
  DeletionResult,
  Entry,
  IndexInfo,
  LinesResult,
  NewWatch,
  QuarantineDecision,
  QuarantinedUnit,
  QuarantinedUnits,
  Query,
  SearchApi,
  SearchFailure,
  SearchParameters,
  SearchResult,
  Watch,
  WatchEvent,
  Watches,
} from './search-api.js';
import { type WatchGap, watchEvents } from './watch-events.js';

const LINES_TYPE = 'application/x-ndjson';

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

  renameIndex(name: string, newName: string, options?: CallOptions): Promise<IndexInfo> {
    const path = ['indexes', name, 'rename'];
    return this.#http.json({ method: 'POST', path, json: { name: newName } }, options);
  }

  listAliases(options?: CallOptions): Promise<readonly Alias[]> {
    return this.#http.json({ method: 'GET', path: ['aliases'] }, options);
  }

  getAlias(name: string, options?: CallOptions): Promise<Alias> {
    return this.#http.json({ method: 'GET', path: ['aliases', name] }, options);
  }

  /** Points an alias to an index. Requests that the service receives later use this index. */
  putAlias(name: string, index: string, options?: CallOptions): Promise<Alias> {
    return this.#http.json({ method: 'PUT', path: ['aliases', name], json: { index } }, options);
  }

  deleteAlias(name: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: ['aliases', name] }, options);
  }

  addAssets(index: string, entries: readonly Entry[], options?: CallOptions): Promise<readonly AddResult[]> {
    const path = ['indexes', index, 'assets'];
    // Repeatable: adding the same entries twice has no further effect.
    return this.#http.json({ method: 'POST', path, json: entries, isRepeatable: true }, options);
  }

  async addLines(index: string, lines: Uint8Array, options?: CallOptions): Promise<LinesResult> {
    const headers = { 'Content-Type': LINES_TYPE };
    const call = { method: 'POST', path: ['indexes', index, 'assets'], headers, bytes: lines } as const;
    // Repeatable, like addAssets.
    return sumOf(await this.#http.jsonLines<LineReport>({ ...call, isRepeatable: true }, options));
  }

  getPaths(index: string, options?: CallOptions): Promise<DeclaredPaths> {
    return this.#http.json({ method: 'GET', path: ['indexes', index, 'paths'] }, options);
  }

  putPaths(index: string, paths: readonly string[], options?: CallOptions): Promise<DeclaredPaths> {
    return this.#http.json({ method: 'PUT', path: ['indexes', index, 'paths'], json: { paths } }, options);
  }

  /** Reports assets that match from now on. Replaces the watch with this id. */
  putWatch(index: string, id: string, watch: NewWatch, options?: CallOptions): Promise<Watch> {
    const path = ['indexes', index, 'watches', id];
    return this.#http.json({ method: 'PUT', path, json: watch }, options);
  }

  getWatch(index: string, id: string, options?: CallOptions): Promise<Watch> {
    return this.#http.json({ method: 'GET', path: ['indexes', index, 'watches', id] }, options);
  }

  /** @param after id to continue after */
  listWatches(index: string, after?: string, options?: CallOptions): Promise<Watches> {
    return this.#http.json({ method: 'GET', path: ['indexes', index, 'watches'], query: { after } }, options);
  }

  deleteWatch(index: string, id: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: ['indexes', index, 'watches', id] }, options);
  }

  /** @param after unit to continue after */
  listQuarantine(index: string, after?: string, options?: CallOptions): Promise<QuarantinedUnits> {
    const path = ['indexes', index, 'quarantine'];
    return this.#http.json({ method: 'GET', path, query: { after } }, options);
  }

  /** Confirms or releases a unit that the flood guard has set aside. */
  decideQuarantine(
    index: string,
    unit: string,
    state: QuarantineDecision,
    options?: CallOptions,
  ): Promise<QuarantinedUnit> {
    const path = ['indexes', index, 'quarantine', unit];
    return this.#http.json({ method: 'PUT', path, json: { state } }, options);
  }

  /**
   * The events of a watch, without an end: leave the loop, or stop with a signal. Continues after a lost connection.
   *
   * @param after id of the last known event; absent: all that are kept
   */
  watchEvents(
    index: string,
    id: string,
    after?: string,
    options: CallOptions = {},
  ): AsyncGenerator<WatchEvent | WatchGap> {
    const open = (last: string | undefined) => this.#events(index, id, last, options.signal);
    return watchEvents(open, after, options.signal);
  }

  /** The stream of server-sent events of a watch, unparsed, until its connection ends. */
  async watchStream(
    index: string,
    id: string,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#events(index, id, after, signal)).stream;
  }

  #events(
    index: string,
    id: string,
    after: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Download> {
    const path = ['indexes', index, 'watches', id, 'events'];
    const headers = after === undefined ? {} : { 'Last-Event-ID': after };
    return this.#http.download({ method: 'GET', path, headers }, signal && { signal });
  }

  async assetLines(
    index: string,
    after: string | undefined,
    limit: number,
    filter?: string,
    options?: CallOptions,
  ): Promise<AssetLines> {
    const call = {
      path: ['indexes', index, 'assets'],
      query: { after, limit, filter },
      headers: { Accept: LINES_TYPE },
    };
    const { bytes, headers } = await this.#http.lines({ method: 'GET', ...call }, options);
    const [, next] = /[?&]after=([^&>]+)[^>]*>;\s*rel="next"/.exec(headers.link ?? '') ?? [];
    return { lines: bytes, next: next === undefined ? undefined : decodeURIComponent(next) };
  }

  deleteAssets(
    index: string,
    isccIds: readonly string[],
    options?: CallOptions,
  ): Promise<readonly DeletionResult[]> {
    const path = ['indexes', index, 'assets'];
    return this.#http.json({ method: 'DELETE', path, json: isccIds }, options);
  }

  getAsset(index: string, isccId: string, options?: CallOptions): Promise<Entry> {
    return this.#http.json({ method: 'GET', path: ['indexes', index, 'assets', isccId] }, options);
  }

  deleteAsset(index: string, isccId: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: ['indexes', index, 'assets', isccId] }, options);
  }

  /** @param parameters the limit, or all parameters of the search */
  search(
    index: string,
    query: Query,
    parameters?: number | SearchParameters,
    options?: CallOptions,
  ): Promise<SearchResult> {
    const path = ['indexes', index, 'search'];
    const named = typeof parameters === 'object' ? parameters : { limit: parameters };
    // Repeatable: a query.
    const call = { method: 'POST', path, query: named, json: query, isRepeatable: true } as const;
    return this.#http.json(call, options);
  }

  /** One result per query, in order; a query that fails has its error in its place. */
  searchSeveral(
    index: string,
    queries: readonly Query[],
    parameters?: SearchParameters,
    options?: CallOptions,
  ): Promise<readonly (SearchResult | SearchFailure)[]> {
    const path = ['indexes', index, 'searches'];
    const call = {
      method: 'POST',
      path,
      query: { ...parameters },
      json: queries,
      isRepeatable: true,
    } as const;
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

/** On a group of lines, or at the end the failure of the request. */
type LineReport = LinesResult | { readonly status: number; readonly detail: unknown };

/** @throws {ServiceError} if the report ends with a failure */
function sumOf(report: readonly LineReport[]): LinesResult {
  let [lines, created, updated] = [0, 0, 0];
  const refused: LinesResult['refused'][number][] = [];
  for (const result of report) {
    if ('status' in result) throw serviceError({ status: result.status, body: { detail: result.detail } });
    lines += result.lines;
    created += result.created;
    updated += result.updated;
    refused.push(...result.refused);
  }
  return { lines, created, updated, refused };
}
