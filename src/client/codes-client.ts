/** The codes service over HTTP. Methods are named after the operations of `openapi/codes.json`. */
import { checkOptions } from './arguments.js';
import { type Call, type CallOptions, type ClientOptions, type Download, HttpClient } from './http.js';
import type { operations } from './openapi/codes.js';
import type { Query, RequestBody, ResponseBody } from './operation.js';
import { type OnProgress, type Source, uploadOf } from './upload.js';

export type IsccResult = ResponseBody<operations['create-iscc']>;
export type ProcessingProgress = ResponseBody<operations['get-progress']>;
export type StoredIsccResult = ResponseBody<operations['get-iscc']>;
export type UploadedMedia = ResponseBody<operations['upload-file']>;
export type Explanation = ResponseBody<operations['explain-iscc']>;
export type EmbeddedMetadata = ResponseBody<operations['extract-metadata']>;
export type MetadataToEmbed = RequestBody<operations['embed-metadata']>;
export type Simprints = ResponseBody<operations['create-simprints']>;

export interface UploadOptions extends CallOptions {
  /** The service uses its extension to detect the media type. Default: the name of the file, else `upload`. */
  readonly filename?: string;
  readonly contentType?: string;
  /** Called after each piece that was sent. */
  readonly onProgress?: OnProgress;
}

type IsccQuery = Omit<Query<operations['create-iscc']>, 'filename'>;

/** The operation's parameters. `progress` is the key for {@link CodesClient.getProgress}. */
export type IsccOptions = UploadOptions & IsccQuery;

export interface ProgressOptions extends CallOptions {
  /** `changes` of the last response; the service waits for a newer state (long poll). */
  readonly after?: number;
}

export interface DownloadOptions extends CallOptions {
  /** First and last byte, as in HTTP. Without `last`, up to the end. */
  readonly range?: { readonly first: number; readonly last?: number };
}

const BASE = ['api', 'v1'] as const;
const FILENAME_DEFAULT = 'upload';

const ISCC_OPTIONS = {
  semantic: 'boolean',
  granular: 'boolean',
  fallback: 'name',
  compat: 'name',
  progress: 'name',
} as const;

const UPLOAD_OPTIONS = {
  filename: 'name',
  contentType: 'name',
  onProgress: 'function',
  signal: 'signal',
} as const;

export class CodesClient {
  readonly #http: HttpClient;

  /** @param baseUrl e.g. `http://127.0.0.1:8000` */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    this.#http = new HttpClient(baseUrl, options);
  }

  /** Uploads a file and creates its ISCC-CODE. Not retried once the service may have received it. */
  async createIscc(source: Source, options: IsccOptions = {}): Promise<IsccResult> {
    checkOptions(options, ISCC_OPTIONS);
    const { semantic, granular, fallback, compat, progress } = options;
    return this.#upload('iscc', source, options, { semantic, granular, fallback, compat, progress });
  }

  /** The progress of this client's upload with the key `progress`. */
  getProgress(key: string, { after, ...options }: ProgressOptions = {}): Promise<ProcessingProgress> {
    const path = [...BASE, 'progress', key];
    return this.#http.json({ method: 'GET', path, query: { after } }, options);
  }

  getIscc(mediaId: string, options?: CallOptions): Promise<StoredIsccResult> {
    return this.#http.json({ method: 'GET', path: [...BASE, 'iscc', mediaId] }, options);
  }

  /** Uploads a file without processing it. */
  async uploadMedia(source: Source, options: UploadOptions = {}): Promise<UploadedMedia> {
    return this.#upload('media', source, options);
  }

  downloadMedia(mediaId: string, { range, ...options }: DownloadOptions = {}): Promise<Download> {
    const headers = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last ?? ''}` };
    return this.#http.download({ method: 'GET', path: [...BASE, 'media', mediaId], headers }, options);
  }

  deleteMedia(mediaId: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: [...BASE, 'media', mediaId] }, options);
  }

  extractMetadata(mediaId: string, options?: CallOptions): Promise<EmbeddedMetadata> {
    return this.#http.json({ method: 'GET', path: [...BASE, 'metadata', mediaId] }, options);
  }

  /** Embeds metadata into a copy of the file and creates the copy's ISCC-CODE. */
  embedMetadata(mediaId: string, metadata: MetadataToEmbed, options?: CallOptions): Promise<IsccResult> {
    const path = [...BASE, 'metadata', mediaId];
    return this.#http.json({ method: 'POST', path, json: metadata }, options);
  }

  /** State of a job, and of its result when it has ended. */
  getJob(jobId: string, options?: CallOptions): Promise<ResponseBody<operations['getJob']>> {
    return this.#http.json({ method: 'GET', path: [...BASE, 'jobs', jobId] }, options);
  }

  cancelJob(jobId: string, options?: CallOptions): Promise<void> {
    return this.#http.noContent({ method: 'DELETE', path: [...BASE, 'jobs', jobId] }, options);
  }

  explainIscc(iscc: string, options?: CallOptions): Promise<Explanation> {
    return this.#http.json({ method: 'GET', path: [...BASE, 'explain', iscc] }, options);
  }

  createSimprints(text: string, options?: CallOptions): Promise<Simprints> {
    const call: Call = { method: 'POST', path: [...BASE, 'simprint'], json: { text } };
    // Repeatable, because the service stores nothing.
    return this.#http.json({ ...call, isRepeatable: true }, options);
  }

  /** Resolves if the service responds. */
  liveness(options?: CallOptions): Promise<ResponseBody<operations['liveness']>> {
    return this.#http.json({ method: 'GET', path: ['healthz'] }, options);
  }

  /** Resolves if the service is ready. */
  readiness(options?: CallOptions): Promise<ResponseBody<operations['readiness']>> {
    return this.#http.json({ method: 'GET', path: ['readyz'] }, options);
  }

  async #upload<T>(
    folder: string,
    source: Source,
    options: UploadOptions,
    query: Call['query'] = {},
  ): Promise<T> {
    checkOptions(options, UPLOAD_OPTIONS);
    const upload = await uploadOf(source, options.onProgress);
    const filename = options.filename ?? upload.filename ?? FILENAME_DEFAULT;
    const headers = { 'Content-Type': options.contentType ?? 'application/octet-stream' };
    const named = { filename, ...query };
    return this.#http.json(
      { method: 'POST', path: [...BASE, folder], query: named, headers, upload },
      options,
    );
  }
}
