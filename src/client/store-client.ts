/** The manifest store over HTTP. Methods are named after the operations of `openapi/store.json`. */
import { type CallOptions, type ClientOptions, type Download, HttpClient } from './http.js';
import type { operations } from './openapi/store.js';
import type { Query, RequestBody, ResponseBody } from './operation.js';
import { type OnProgress, type Source, uploadOf } from './upload.js';

export interface StoreClientOptions extends ClientOptions {
  /** For `deleteManifest`. */
  readonly operatorToken?: string;
}

export interface ManifestOptions extends CallOptions, Pick<Query<operations['storeManifest']>, 'declare'> {
  readonly onProgress?: OnProgress;
}

export type StoredManifest = ResponseBody<operations['storeManifest']>;
export type Binding = RequestBody<operations['postManifestIdByBinding']>;
export type BindingMatches = ResponseBody<operations['postManifestIdByBinding']>;

export interface MatchOptions
  extends CallOptions,
    Pick<Query<operations['postManifestIdByBinding']>, 'maxResults'> {}

const MANIFESTS = ['v1', 'manifests'] as const;
const MATCHES = ['v1', 'matches', 'byBinding'] as const;
const SERVICES = ['v1', 'services'] as const;

export class StoreClient {
  readonly #http: HttpClient;
  readonly #operator: Readonly<Record<string, string>>;

  /** @param baseUrl e.g. `http://127.0.0.1:8020` */
  constructor(baseUrl: string, { operatorToken, ...options }: StoreClientOptions = {}) {
    this.#http = new HttpClient(baseUrl, options);
    this.#operator = operatorToken === undefined ? {} : { Authorization: `Bearer ${operatorToken}` };
  }

  /** Stores a bare C2PA Manifest Store. Not retried once the service may have received it. */
  async storeManifest(source: Source, options: ManifestOptions = {}): Promise<StoredManifest> {
    const { declare, onProgress } = options;
    const upload = await uploadOf(source, onProgress);
    const headers = { 'Content-Type': 'application/c2pa' };
    return this.#http.json({ method: 'POST', path: MANIFESTS, query: { declare }, headers, upload }, options);
  }

  /** The bytes as uploaded. */
  getManifest(manifestId: string, options?: CallOptions): Promise<Download> {
    return this.#http.download({ method: 'GET', path: [...MANIFESTS, manifestId] }, options);
  }

  /** Deletes a manifest and withdraws its declaration. Needs the operator token. */
  deleteManifest(manifestId: string, options?: CallOptions): Promise<void> {
    const path = [...MANIFESTS, manifestId];
    return this.#http.noContent({ method: 'DELETE', path, headers: this.#operator }, options);
  }

  getManifestIdByBinding(binding: Binding, options: MatchOptions = {}): Promise<BindingMatches> {
    const query = { ...binding, maxResults: options.maxResults };
    return this.#http.json({ method: 'GET', path: MATCHES, query }, options);
  }

  /** Like {@link getManifestIdByBinding}, for long values. */
  postManifestIdByBinding(binding: Binding, options: MatchOptions = {}): Promise<BindingMatches> {
    const query = { maxResults: options.maxResults };
    // Repeatable: a query.
    const call = { method: 'POST', path: MATCHES, query, json: binding, isRepeatable: true } as const;
    return this.#http.json(call, options);
  }

  getSupportedAlgorithms(options?: CallOptions): Promise<ResponseBody<operations['getSupportedAlgorithms']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'supportedAlgorithms'] }, options);
  }

  getCapabilities(options?: CallOptions): Promise<ResponseBody<operations['getCapabilities']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'capabilities'] }, options);
  }

  getStatus(options?: CallOptions): Promise<ResponseBody<operations['getStatus']>> {
    return this.#http.json({ method: 'GET', path: [...SERVICES, 'status'] }, options);
  }

  getDiscovery(options?: CallOptions): Promise<ResponseBody<operations['getDiscovery']>> {
    const path = ['.well-known', 'c2pa-soft-binding-resolution'];
    return this.#http.json({ method: 'GET', path }, options);
  }

  /** The public key of the store's declarations. */
  getDidDocument(options?: CallOptions): Promise<ResponseBody<operations['getDidDocument']>> {
    return this.#http.json({ method: 'GET', path: ['.well-known', 'did.json'] }, options);
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
