/** The resolver over HTTP. Methods are named after the operations of `openapi/resolver.json`. */
import { checkedBaseUrl } from './arguments.js';
import {
  type AssetName,
  type AssetReference,
  assetCall,
  type ContentMatches,
  type ContentQueryOptions,
  contentCall,
  referenceCall,
} from './content-queries.js';
import { type CallOptions, type ClientOptions, type Download, HttpClient } from './http.js';
import type { operations } from './openapi/resolver.js';
import type { Query, RequestBody, ResponseBody } from './operation.js';
import type { WatchEvent } from './search-api.js';
import type { MatchOptions } from './store-client.js';
import type { Source } from './upload.js';
import { type WatchGap, watchEvents } from './watch-events.js';

type Matches = Required<ResponseBody<operations['queryByLargeBinding']>>;
type Binding = RequestBody<operations['queryByLargeBinding']>;

export type ResolvedMatch = Matches['matches'][number];

export type NewManifestWatch = RequestBody<operations['putManifestWatch']>;
export type ManifestWatch = ResponseBody<operations['putManifestWatch']>;

export type RightsReport = ResponseBody<operations['getRightsByCode']>;

export interface RightsOptions extends CallOptions, Query<operations['getRightsByCode']> {}

const MATCHES = ['v1', 'matches', 'byBinding'] as const;
const SERVICES = ['v1', 'services'] as const;

export class ResolverClient {
  readonly #http: HttpClient;
  readonly #options: ClientOptions;

  /** @param baseUrl e.g. `http://127.0.0.1:8030` */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    this.#http = new HttpClient(baseUrl, options);
    this.#options = options;
  }

  queryByBinding(binding: Binding, options: MatchOptions = {}): Promise<Matches> {
    const query = { ...binding, maxResults: options.maxResults };
    return this.#http.json({ method: 'GET', path: MATCHES, query }, options);
  }

  /** Like {@link queryByBinding}, for long values. */
  queryByLargeBinding(binding: Binding, options: MatchOptions = {}): Promise<Matches> {
    const query = { maxResults: options.maxResults };
    // Repeatable: a query.
    const call = { method: 'POST', path: MATCHES, query, json: binding, isRepeatable: true } as const;
    return this.#http.json(call, options);
  }

  /** Finds the manifests of an asset: a path, bytes or a stream. The operation `uploadFile`. */
  async queryByContent(
    source: Source,
    options: ContentQueryOptions & AssetName = {},
  ): Promise<ContentMatches> {
    return this.#http.json(await contentCall(source, options), options);
  }

  /** Finds the manifests of an asset that the service fetches from an address. */
  queryByReference(reference: AssetReference, options: ContentQueryOptions = {}): Promise<ContentMatches> {
    return this.#http.json(referenceCall(reference, options), options);
  }

  /** The code of a file, its credentials, and the manifests that match it with theirs. */
  async checkFile(
    source: Source,
    options: CallOptions & AssetName = {},
  ): Promise<ResponseBody<operations['checkFile']>> {
    const { signal: _, ...query } = options;
    return this.#http.json(await assetCall(['check'], source, query), options);
  }

  /** Reports manifests of a content that are declared from now on. Replaces the watch with this id, which is a secret. */
  putManifestWatch(id: string, watch: NewManifestWatch, options?: CallOptions): Promise<ManifestWatch> {
    return this.#http.json({ method: 'PUT', path: ['v1', 'watches', id], json: watch }, options);
  }

  getManifestWatch(id: string, options?: CallOptions): Promise<ManifestWatch> {
    return this.#http.json({ method: 'GET', path: ['v1', 'watches', id] }, options);
  }

  deleteManifestWatch(id: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: ['v1', 'watches', id] }, options);
  }

  /**
   * The manifests that a watch reports, without an end, as events whose `data.value` is the address. Continues after a lost
   * connection.
   *
   * @param after id of the last known event; absent: all
   */
  manifestWatchEvents(
    id: string,
    after?: string,
    options: CallOptions = {},
  ): AsyncGenerator<WatchEvent | WatchGap> {
    const path = ['v1', 'watches', id, 'events'];
    const open = (last: string | undefined) => {
      const headers = last === undefined ? {} : { 'Last-Event-ID': last };
      return this.#http.download({ method: 'GET', path, headers }, options);
    };
    return watchEvents(open, after, options.signal);
  }

  /** Who says what about mining and training of an asset: a path, bytes or a stream. */
  async getRightsByContent(source: Source, options: RightsOptions & AssetName = {}): Promise<RightsReport> {
    const { signal: _, ...query } = options;
    return this.#http.json(await assetCall(['v1', 'rights', 'byContent'], source, query), options);
  }

  /** Who says what about mining and training of the content with an ISCC-CODE or ISCC-UNIT. */
  getRightsByCode(iscc: string, options: RightsOptions = {}): Promise<RightsReport> {
    const { signal: _, ...query } = options;
    const path = ['v1', 'rights', 'byCode'];
    return this.#http.json({ method: 'POST', path, query, json: { iscc }, isRepeatable: true }, options);
  }

  /** The manifest of a match. */
  getManifestByIsccId(isccId: string, manifestId: string, options?: CallOptions): Promise<Download> {
    const path = ['v1', 'iscc', isccId.replace(/^ISCC:/i, ''), 'manifests', manifestId];
    return this.#http.download({ method: 'GET', path }, options);
  }

  /** The manifest of a match within the last hour. */
  getManifestById(manifestId: string, options?: CallOptions): Promise<Download> {
    return this.#http.download({ method: 'GET', path: ['v1', 'manifests', manifestId] }, options);
  }

  /** The manifest of a match, from the endpoint of the match. */
  async manifestOf({ endpoint, manifestId }: ResolvedMatch, options?: CallOptions): Promise<Download> {
    if (endpoint === undefined) return this.getManifestById(manifestId, options);
    const endpointHttp = new HttpClient(checkedBaseUrl(endpoint, 'match.endpoint'), this.#options);
    return endpointHttp.download({ method: 'GET', path: ['manifests', manifestId] }, options);
  }

  getSupportedBindings(options?: CallOptions): Promise<ResponseBody<operations['getSupportedBindings']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'supportedAlgorithms'] }, options);
  }

  getServiceCapabilities(options?: CallOptions): Promise<ResponseBody<operations['getServiceCapabilities']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'capabilities'] }, options);
  }

  getServiceStatus(options?: CallOptions): Promise<ResponseBody<operations['getServiceStatus']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'status'] }, options);
  }

  getWellKnown(options?: CallOptions): Promise<ResponseBody<operations['getWellKnown']>> {
    const path = ['.well-known', 'c2pa-soft-binding-resolution'];
    return this.#http.json({ method: 'GET', path }, options);
  }

  /** Resolves if the service responds. */
  liveness(options?: CallOptions): Promise<ResponseBody<operations['liveness']>> {
    return this.#http.json({ method: 'GET', path: ['healthz'] }, options);
  }

  /** Resolves if the service is ready. */
  readiness(options?: CallOptions): Promise<ResponseBody<operations['readiness']>> {
    return this.#http.json({ method: 'GET', path: ['readyz'] }, options);
  }
}
