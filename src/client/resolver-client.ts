/** The resolver over HTTP. Methods are named after the operations of `openapi/resolver.json`. */
import { type CallOptions, type ClientOptions, type Download, HttpClient } from './http.js';
import type { operations } from './openapi/resolver.js';
import type { RequestBody, ResponseBody } from './operation.js';
import type { MatchOptions } from './store-client.js';

type Matches = ResponseBody<operations['queryManifestsByBinding']>;
type Binding = RequestBody<operations['queryManifestsByBinding']>;

export type ResolvedMatch = Matches['matches'][number];

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

  getManifestsByBinding(binding: Binding, options: MatchOptions = {}): Promise<Matches> {
    const query = { ...binding, maxResults: options.maxResults };
    return this.#http.json({ method: 'GET', path: MATCHES, query }, options);
  }

  /** Like {@link getManifestsByBinding}, for long values. */
  queryManifestsByBinding(binding: Binding, options: MatchOptions = {}): Promise<Matches> {
    const query = { maxResults: options.maxResults };
    // Repeatable: a query.
    const call = { method: 'POST', path: MATCHES, query, json: binding, isRepeatable: true } as const;
    return this.#http.json(call, options);
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
  manifestOf({ endpoint, manifestId }: ResolvedMatch, options?: CallOptions): Promise<Download> {
    if (endpoint === undefined) return this.getManifestById(manifestId, options);
    const endpointHttp = new HttpClient(endpoint, this.#options);
    return endpointHttp.download({ method: 'GET', path: ['manifests', manifestId] }, options);
  }

  getSupportedSoftBindings(
    options?: CallOptions,
  ): Promise<ResponseBody<operations['getSupportedSoftBindings']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'supportedAlgorithms'] }, options);
  }

  getServiceCapabilities(options?: CallOptions): Promise<ResponseBody<operations['getServiceCapabilities']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'capabilities'] }, options);
  }

  getServiceStatus(options?: CallOptions): Promise<ResponseBody<operations['getServiceStatus']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'status'] }, options);
  }

  getDiscovery(options?: CallOptions): Promise<ResponseBody<operations['getDiscovery']>> {
    const path = ['.well-known', 'c2pa-soft-binding-resolution'];
    return this.#http.json({ method: 'GET', path }, options);
  }

  /** Resolves if the service responds. */
  liveness(options?: CallOptions): Promise<ResponseBody<operations['liveness']>> {
    return this.#http.json({ method: 'GET', path: ['healthz'] }, options);
  }
}
