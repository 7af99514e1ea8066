/** The manifest store over HTTP. Methods are named after the operations of `openapi/store.json`. */
import {
  type AssetName,
  type AssetReference,
  type ContentMatches,
  type ContentQueryOptions,
  contentCall,
  referenceCall,
} from './content-queries.js';
import { type CallOptions, type ClientOptions, type Download, HttpClient } from './http.js';
import type { operations } from './openapi/store.js';
import type { Query, RequestBody, ResponseBody } from './operation.js';
import { type OnProgress, type Source, uploadOf } from './upload.js';

export interface StoreClientOptions extends ClientOptions {
  /** For `deleteManifest` and `listManifests`. */
  readonly operatorToken?: string;
  /** Token of a publisher: stores manifests as theirs, lists and deletes them. */
  readonly uploadToken?: string;
}

export interface ManifestOptions
  extends CallOptions,
    Pick<Query<operations['storeManifest']>, 'declare' | 'returnReceipt'> {
  readonly onProgress?: OnProgress;
}

export type StoredManifest = ResponseBody<operations['storeManifest']>;
export type Binding = RequestBody<operations['queryByLargeBinding']>;
export type BindingRequest = RequestBody<operations['associateManifest']>;
export type BindingMatches = Required<ResponseBody<operations['queryByLargeBinding']>>;

/** Texts of the manifest are claims of its signer. */
export interface ManifestSummary {
  readonly manifestId: string;
  readonly manifestUrl: string;
  /** Of the Manifest Store, in hex. */
  readonly sha256: string;
  /** Bytes of the Manifest Store. */
  readonly size: number;
  readonly storedAt: string;
  /** Whether a trust list vouches for the signer. */
  readonly trusted: boolean;
  /** Name of that list. */
  readonly trustList?: string;
  /** Names of the lists that vouch for the time-stamper, so that the time-stamp counts, and for the CAWG identity. */
  readonly timeStampList?: string;
  readonly identityList?: string;
  readonly declaration: StoredManifest['declaration'];
  readonly title?: string;
  /** Media type of the asset. */
  readonly format?: string;
  readonly signer?: string;
  readonly issuer?: string;
  /** Time of the signature by a time-stamp authority. */
  readonly time?: string;
  readonly claimGenerator?: string;
  readonly actions: readonly {
    readonly action: string;
    readonly when?: string;
    readonly digitalSourceType?: string;
  }[];
  readonly ingredients: readonly {
    readonly title?: string;
    readonly format?: string;
    readonly relationship?: string;
    readonly manifestId?: string;
  }[];
  /** Uses for AI training and data mining: `allowed`, `notAllowed` or `constrained`. */
  readonly training: Readonly<Record<string, string>>;
  readonly thumbnailUrl?: string;
}

/** The detailed JSON of the c2pa library. Texts are claims of the signers. */
export interface ManifestDetails {
  readonly active_manifest: string;
  /** By label. */
  readonly manifests: Readonly<
    Record<
      string,
      {
        readonly claim: Readonly<Record<string, unknown>>;
        /** By label. */
        readonly assertion_store: Readonly<Record<string, unknown>>;
        readonly signature: Readonly<Record<string, unknown>>;
      }
    >
  >;
  readonly validation_results: Readonly<Record<string, unknown>>;
  /** That the asset is not available does not count. */
  readonly validation_state: 'Trusted' | 'Valid' | 'Invalid';
}

export interface BindOptions extends CallOptions, Query<operations['associateManifest']> {}

export interface MatchOptions
  extends CallOptions,
    Pick<Query<operations['queryByLargeBinding']>, 'maxResults'> {}

export interface ListOptions extends CallOptions, Query<operations['listManifests']> {}

export type ListedManifest = ResponseBody<operations['listManifests']>[number];

/** Largest page that the service sends. */
const LIST_PAGE = 1000;
const MANIFESTS = ['v1', 'manifests'] as const;
const BINDINGS = ['v1', 'bindings'] as const;
const MATCHES = ['v1', 'matches', 'byBinding'] as const;
const SERVICES = ['v1', 'services'] as const;

export class StoreClient {
  readonly #http: HttpClient;
  readonly #upload: Readonly<Record<string, string>>;
  readonly #authorized: Readonly<Record<string, string>>;

  /** @param baseUrl e.g. `http://127.0.0.1:8020` */
  constructor(baseUrl: string, { operatorToken, uploadToken, ...options }: StoreClientOptions = {}) {
    this.#http = new HttpClient(baseUrl, options);
    this.#upload = bearer(uploadToken);
    this.#authorized = bearer(operatorToken ?? uploadToken);
  }

  /** Stores a bare C2PA Manifest Store. Not retried once the service may have received it. */
  async storeManifest(source: Source, options: ManifestOptions = {}): Promise<StoredManifest> {
    const { declare, returnReceipt, onProgress } = options;
    const upload = await uploadOf(source, onProgress);
    const headers = { 'Content-Type': 'application/c2pa', ...this.#upload };
    return this.#http.json(
      { method: 'POST', path: MANIFESTS, query: { declare, returnReceipt }, headers, upload },
      options,
    );
  }

  /** The bytes as uploaded. */
  getManifestById(manifestId: string, options?: CallOptions): Promise<Download> {
    return this.#http.download({ method: 'GET', path: [...MANIFESTS, manifestId] }, options);
  }

  /** What a manifest says, and what the store knows about it. The operation `getManifestById` with JSON. */
  getManifestSummary(manifestId: string, options?: CallOptions): Promise<ManifestSummary> {
    const headers = { Accept: 'application/json' };
    return this.#http.json({ method: 'GET', path: [...MANIFESTS, manifestId], headers }, options);
  }

  /** All that a Manifest Store contains. The operation `getManifestById` with JSON and `detailed`. */
  getManifestDetails(manifestId: string, options?: CallOptions): Promise<ManifestDetails> {
    const headers = { Accept: 'application/json' };
    const query = { detailed: true };
    return this.#http.json({ method: 'GET', path: [...MANIFESTS, manifestId], query, headers }, options);
  }

  /** The thumbnail of the asset that a manifest contains. */
  getManifestThumbnail(manifestId: string, options?: CallOptions): Promise<Download> {
    return this.#http.download({ method: 'GET', path: [...MANIFESTS, manifestId, 'thumbnail'] }, options);
  }

  /** The signed receipt of a manifest. */
  getManifestReceipt(
    manifestId: string,
    options?: CallOptions,
  ): Promise<ResponseBody<operations['getManifestReceipt']>> {
    return this.#http.json({ method: 'GET', path: [...MANIFESTS, manifestId, 'receipt'] }, options);
  }

  /** The receipt of a manifest in the form of the C2PA, and that the store verifies it. */
  getVerifiedReceipt(
    manifestId: string,
    options?: CallOptions,
  ): Promise<ResponseBody<operations['getVerifiedReceipt']>> {
    return this.#http.json({ method: 'GET', path: [...MANIFESTS, manifestId, 'receipts'] }, options);
  }

  /** Whether a receipt is one of the store for this manifest. */
  verifyReceipt(
    manifestId: string,
    receipt: RequestBody<operations['verifyReceipt']>,
    options?: CallOptions,
  ): Promise<ResponseBody<operations['verifyReceipt']>> {
    const path = [...MANIFESTS, manifestId, 'receipts'];
    // Repeatable: a query.
    return this.#http.json({ method: 'POST', path, json: receipt, isRepeatable: true }, options);
  }

  /** A file of the transparency log of the store: `checkpoint`, or a path below `tile/`. */
  getStoreLogFile(file: string, options?: CallOptions): Promise<Download> {
    return this.#http.download({ method: 'GET', path: ['log', ...file.split('/')] }, options);
  }

  /** A page of the publisher's manifests, oldest first; with the operator token, of all. */
  listManifests(options: ListOptions = {}): Promise<ResponseBody<operations['listManifests']>> {
    const { after, limit } = options;
    const call = {
      method: 'GET',
      path: MANIFESTS,
      query: { after, limit },
      headers: this.#authorized,
    } as const;
    return this.#http.json(call, options);
  }

  /** All of the publisher's manifests that were stored after the one with a key, one at a time. */
  async *allManifests({ after, ...options }: ListOptions = {}): AsyncGenerator<ListedManifest> {
    const limit = options.limit ?? LIST_PAGE;
    for (let last = after; ; ) {
      const page = await this.listManifests({
        ...options,
        limit,
        ...(last !== undefined && { after: last }),
      });
      yield* page;
      if (page.length < limit) return;
      last = page.at(-1)?.key;
    }
  }

  /** Deletes a manifest and withdraws its declaration. Needs the operator's token, or that of its publisher. */
  deleteManifest(manifestId: string, options?: CallOptions): Promise<void> {
    const path = [...MANIFESTS, manifestId];
    return this.#http.noContent({ method: 'DELETE', path, headers: this.#authorized }, options);
  }

  /** Binds a value to a stored manifest that does not name it. Needs the operator's token, or that of its publisher. */
  associateManifest(binding: BindingRequest, options: BindOptions = {}): Promise<void> {
    // Repeatable: a binding that the manifest has already changes nothing.
    return this.#http.noContent(
      { ...this.#bound(binding, options), method: 'POST', isRepeatable: true },
      options,
    );
  }

  /** Binds a value to another manifest than the one that {@link associateManifest} bound it to. */
  updateAssociatedManifest(binding: BindingRequest, options: BindOptions = {}): Promise<void> {
    return this.#http.noContent({ ...this.#bound(binding, options), method: 'PUT' }, options);
  }

  #bound(json: BindingRequest, { declare }: BindOptions) {
    return { path: BINDINGS, query: { declare }, headers: this.#authorized, json } as const;
  }

  queryByBinding(binding: Binding, options: MatchOptions = {}): Promise<BindingMatches> {
    const query = { ...binding, maxResults: options.maxResults };
    return this.#http.json({ method: 'GET', path: MATCHES, query }, options);
  }

  /** Like {@link queryByBinding}, for long values. */
  queryByLargeBinding(binding: Binding, options: MatchOptions = {}): Promise<BindingMatches> {
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

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}
