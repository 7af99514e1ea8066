/** The use cases of the codes service, independent of HTTP. Throws the codes of `errors.ts`. */
import type { FileSum } from '../../native.js';
import { clientKey } from '../../platform/limits/throttle.js';
import { type BlobDraft, type Blobs, copyBlob, type StoredBlob } from '../../storage/blobs/port.js';
import { CodesRefusal } from './errors.js';
import { filenameOf } from './filename.js';
import { JobBoard, type JobView, type Place } from './jobs/job-board.js';
import { type Progress, ProgressBoard, type ProgressPort } from './jobs/progress.js';
import type { Field } from './metadata/places.js';
import { explainJson } from './pipeline/addon-calls.js';
import type { Compat } from './pipeline/jobs.js';
import { type FileType, fileTypeOf, type Pipeline } from './pipeline/pipeline.js';
import { type PipelineStep, Stopwatch } from './pipeline/stopwatch.js';
import { type EmbeddedMetadata, type IsccResult, withSubmitted } from './result.js';
import { Sources } from './sources.js';
import { TextBodies } from './text-bodies.js';
import type { ClientHasher } from './uploads/client-hash.js';
import type { MediaId } from './uploads/media-id.js';
import { openUpload, type Upload } from './uploads/open-upload.js';
import type { UploadQuota } from './uploads/quota.js';
import { type ReceivedBody, receive, receiveWithSum } from './uploads/receive.js';
import type { UploadRecord, UploadRecords } from './uploads/records-port.js';
import { UploadStore } from './uploads/upload-store.js';

export interface CodesOptions {
  readonly uploadBytesMax: number;
  /** Whether only the uploader may download, delete and embed. */
  readonly privateFiles: boolean;
  /** Age at which an upload expires. */
  readonly expirySeconds: number;
  /** Defaults of the query parameters `granular` and `semantic`. */
  readonly granular: boolean;
  readonly semantic: boolean;
  /** Default of the query parameter `fallback`. */
  readonly fallbackSum: boolean;
  readonly compat: Compat;
  /** Called with the size of every completely received upload. */
  readonly onUpload?: (bytes: number) => void;
  /** Called with each processing step when it ends. */
  readonly onStep?: (step: PipelineStep) => void;
  /** Whether copies with embedded metadata get the experimental units. */
  readonly experimental: boolean;
}

export interface Download {
  readonly blob: StoredBlob;
  readonly filename: string;
  readonly contentType: string;
  readonly createdAt: number;
}

/** Options of a request. The service's defaults apply where undefined. */
export interface ProcessChoice {
  readonly granular?: boolean | undefined;
  readonly semantic?: boolean | undefined;
  readonly fallback?: 'sum' | 'off' | undefined;
  readonly compat?: 'exact' | 'better' | undefined;
}

export interface Processed {
  readonly id: MediaId;
  readonly result: IsccResult;
  /** Processing steps and their times. */
  readonly steps: readonly PipelineStep[];
  /** Submitted fields that a copy does not show. */
  readonly notEmbedded?: readonly Field[];
}

/** A completely received file. */
interface ReceivedFile {
  readonly draft: BlobDraft;
  readonly filename: string;
  readonly body: ReceivedBody;
  readonly sum: FileSum;
  readonly type: FileType;
}

/** Base64url simprints by type. */
type Simprints = Readonly<Record<string, readonly string[]>>;

const UNKNOWN_TYPE = 'application/octet-stream';

export class CodesService {
  readonly #options: CodesOptions;
  readonly #blobs: Blobs;
  readonly #records: UploadRecords;
  readonly #store: UploadStore;
  readonly #clients: ClientHasher;
  readonly #pipeline: Pipeline;
  readonly #progress: ProgressPort;
  readonly #jobs: JobBoard;
  readonly #sources: Sources;
  readonly #quota: UploadQuota | undefined;
  readonly #texts = new TextBodies();

  constructor(
    options: CodesOptions,
    parts: {
      blobs: Blobs;
      records: UploadRecords;
      clients: ClientHasher;
      pipeline: Pipeline;
      /** Default: fetching from other servers is off. */
      sources?: Sources;
      /** Default: no limits. */
      quota?: UploadQuota;
      /** Default: that of this process. */
      progress?: ProgressPort;
      jobs?: JobBoard;
    },
  ) {
    this.#options = options;
    [this.#blobs, this.#records] = [parts.blobs, parts.records];
    this.#store = new UploadStore(parts.blobs, parts.records);
    [this.#clients, this.#pipeline] = [parts.clients, parts.pipeline];
    this.#progress = parts.progress ?? new ProgressBoard();
    this.#jobs = parts.jobs ?? new JobBoard();
    this.#sources = parts.sources ?? new Sources({ origins: [] });
    this.#quota = parts.quota;
  }

  /** Stores a file and makes its code. Stores nothing if processing fails. */
  async uploadAndProcess(upload: Upload, choice: ProcessChoice): Promise<Processed> {
    const { progressKey: key, clientAddress } = upload;
    const { filename, discard, ...opened } = await openUpload(upload, this.#sources);
    const job = key === undefined ? undefined : this.#progress.begin(this.#clients.hash(clientAddress), key);
    try {
      const watch = new Stopwatch({ onStep: this.#options.onStep, onChange: job?.change });
      return await this.#process({ ...upload, ...opened }, filename, choice, watch);
    } finally {
      job?.end();
      discard?.();
    }
  }

  /** Progress of an upload of the same client. Waits until there are more than `seen` changes. */
  progress(clientAddress: string, key: string, seen: number, signal: AbortSignal): Promise<Progress> {
    return this.#progress.next(this.#clients.hash(clientAddress), key, seen, signal);
  }

  /**
   * Stores a file, and makes its code in a job that goes on after this resolves. @returns the id of the job
   * @throws {Unavailable} if too many jobs run
   */
  async startProcessing(upload: Upload, choice: ProcessChoice): Promise<string> {
    const place = this.#jobs.reserve(clientKey(upload.clientAddress));
    try {
      return await this.#receiveForJob(place, upload, choice);
    } catch (error) {
      place.release();
      throw error;
    }
  }

  async #receiveForJob(place: Place, upload: Upload, choice: ProcessChoice): Promise<string> {
    const { filename, discard, ...opened } = await openUpload(upload, this.#sources);
    const file = { ...upload, ...opened };
    try {
      const draft = await this.#blobs.begin(this.#store.nextKey(filename));
      try {
        const received = await this.#receive(file, draft, filename, new Stopwatch());
        // Jobs wait. Their files do so on the disk.
        await received.body.write();
        return await this.#startJob(place, upload.clientAddress, draft, (watch, signal) =>
          this.#processReceived({ ...file, signal }, received, choice, watch),
        );
      } catch (error) {
        await draft.discard();
        throw error;
      }
    } finally {
      discard?.();
    }
  }

  /** Embeds metadata in a job. Refuses unknown uploads at once. @returns the id of the job */
  async startEmbedding(id: MediaId, submitted: EmbeddedMetadata, clientAddress: string): Promise<string> {
    await this.#restricted(id, clientAddress);
    const place = this.#jobs.reserve(clientKey(clientAddress));
    return this.#jobs.start(place, this.#clients.hash(clientAddress), async (onChange, signal) => {
      const watch = new Stopwatch({ onStep: this.#options.onStep, onChange });
      return (await this.#embed(id, submitted, clientAddress, signal, watch)).id;
    });
  }

  /** A job of this client. With `seen`, waits until there are more changes, or for some seconds. */
  job(clientAddress: string, id: string, seen?: number, signal?: AbortSignal): Promise<JobView> {
    const uploader = this.#clients.hash(clientAddress);
    if (seen === undefined || signal === undefined) return this.#jobs.now(uploader, id);
    return this.#jobs.next(uploader, id, seen, signal);
  }

  /** Resolves when the job has ended and its worker is free. */
  cancelJob(clientAddress: string, id: string): Promise<void> {
    return this.#jobs.cancel(this.#clients.hash(clientAddress), id);
  }

  /** Ends all jobs. */
  async close(): Promise<void> {
    await this.#jobs.close();
    await this.#sources.close();
  }

  #startJob(
    place: Place,
    clientAddress: string,
    draft: BlobDraft,
    work: (watch: Stopwatch, signal: AbortSignal) => Promise<Processed>,
  ): Promise<string> {
    return this.#jobs.start(place, this.#clients.hash(clientAddress), async (onChange, signal) => {
      try {
        const watch = new Stopwatch({ onStep: this.#options.onStep, onChange });
        return (await work(watch, signal)).id;
      } finally {
        await draft.discard();
      }
    });
  }

  #process(upload: Upload, filename: string, choice: ProcessChoice, watch: Stopwatch): Promise<Processed> {
    return this.#store.inDraft(this.#store.nextKey(filename), async (draft) => {
      const received = await this.#receive(upload, draft, filename, watch);
      try {
        return await this.#processReceived(upload, received, choice, watch);
      } finally {
        received.body.release();
      }
    });
  }

  #receive(upload: Upload, draft: BlobDraft, filename: string, watch: Stopwatch): Promise<ReceivedFile> {
    return watch.measure('receive', async () => {
      const received = await receiveWithSum(upload.body, draft, this.#options.uploadBytesMax);
      await this.#count(upload, received.body.bytes);
      return { draft, filename, ...received, type: fileTypeOf(filename, received.body.head) };
    });
  }

  async #processReceived(
    upload: Upload,
    { draft, filename, body, sum, type }: ReceivedFile,
    choice: ProcessChoice,
    watch: Stopwatch,
  ): Promise<Processed> {
    const options = {
      granular: choice.granular ?? this.#options.granular,
      semantic: choice.semantic ?? this.#options.semantic,
      client: clientKey(upload.clientAddress),
      better: choice.compat === undefined ? undefined : choice.compat === 'better',
      fallbackSum: choice.fallback === undefined ? this.#options.fallbackSum : choice.fallback === 'sum',
      ...(upload.given && { given: upload.given }),
    };
    const file = { path: draft.path, filename, head: body.head, sum, type };
    const isRead = type.format !== undefined;
    if (isRead) await body.write();
    const processing = this.#pipeline.process(file, options, upload.signal, watch);
    // While a worker reads the file, its bytes get to the disk. Without a worker, the commit does all at once.
    const [{ result }] = await Promise.all([processing, isRead ? draft.sync() : undefined]);
    const record = this.#record(upload, filename, body.bytes);
    const id = await watch.measure('save', () =>
      this.#store.store(draft, record, { result, unwritten: body.unwritten }),
    );
    return { id, result, steps: watch.steps };
  }

  /** Stores a file without processing it. */
  upload(upload: Upload): Promise<MediaId> {
    const filename = filenameOf(upload.sentFilename);
    return this.#store.inDraft(this.#store.nextKey(filename), async (draft) => {
      const body = await receive(upload.body, draft, this.#options.uploadBytesMax);
      try {
        await this.#count(upload, body.bytes);
        const record = this.#record(upload, filename, body.bytes);
        return await this.#store.store(draft, record, { unwritten: body.unwritten });
      } finally {
        body.release();
      }
    });
  }

  /** Counts what the client did not declare: a body without a length, or a file of another server. */
  async #count({ clientAddress, declaredBytes = 0 }: Upload, bytes: number): Promise<void> {
    if (bytes > declaredBytes) await this.#quota?.received(clientAddress, bytes - declaredBytes);
  }

  async result(id: MediaId): Promise<IsccResult> {
    const result = (await this.#live(id)) && (await this.#records.findResult(id));
    if (!result) throw new CodesRefusal('RESULT_NOT_FOUND');
    return result;
  }

  async download(id: MediaId, clientAddress: string): Promise<Download> {
    const record = await this.#restricted(id, clientAddress);
    return {
      blob: await this.#store.blob(id, record),
      filename: record.filename,
      contentType: record.contentType ?? UNKNOWN_TYPE,
      createdAt: record.createdAt,
    };
  }

  async remove(id: MediaId, clientAddress: string): Promise<void> {
    await this.#restricted(id, clientAddress);
    // Record first: after a crash in between, the clean-up removes a file without a record.
    if (!(await this.#records.remove(id))) throw new CodesRefusal('METADATA_NOT_FOUND');
    await this.#blobs.remove(id);
  }

  /** Metadata embedded in a file; `{}` if the file is unreadable. */
  async metadata(id: MediaId, clientAddress: string, signal: AbortSignal): Promise<EmbeddedMetadata> {
    const record = await this.#found(id);
    const { filename } = record;
    const blob = await this.#store.blob(id, record);
    const client = clientKey(clientAddress);
    // Keywords are accepted on embed but never returned.
    const { keywords: _, ...fields } = await this.#store.withFile(blob, (path) =>
      this.#pipeline.extract({ path, filename }, { client, signal }),
    );
    return fields;
  }

  /**
   * Embeds metadata into a copy and makes the copy's code. The original is unchanged. Empty fields are ignored. The
   * result has the metadata that the copy shows.
   */
  async embed(
    id: MediaId,
    submitted: EmbeddedMetadata,
    clientAddress: string,
    signal: AbortSignal,
  ): Promise<Processed> {
    const watch = new Stopwatch({ onStep: this.#options.onStep });
    return this.#embed(id, submitted, clientAddress, signal, watch);
  }

  async #embed(
    id: MediaId,
    submitted: EmbeddedMetadata,
    clientAddress: string,
    signal: AbortSignal,
    watch: Stopwatch,
  ): Promise<Processed> {
    const fields: EmbeddedMetadata = Object.fromEntries(
      Object.entries(submitted).filter(([, value]) => value !== '' && value !== undefined),
    );
    const record = await this.#restricted(id, clientAddress);
    const original = await this.#store.blob(id, record);
    const client = clientKey(clientAddress);
    const options = { client, granular: this.#options.granular, semantic: this.#options.experimental };
    const { filename } = record;
    return this.#store.inDraft(undefined, async (draft) => {
      const { path } = draft;
      await watch.measure('copy', () => copyBlob(original, path));
      const notEmbedded = await watch.measure('embed', () =>
        this.#pipeline.embed({ path, filename }, fields, { client, signal }),
      );
      const file = await watch.measure('read', () => this.#pipeline.open(path, filename));
      const processed = await this.#pipeline.process(file, options, signal, watch);
      const verified = Object.fromEntries(
        Object.entries(fields).filter(([field]) => !notEmbedded.includes(field as Field)),
      );
      const result = withSubmitted(processed.result, verified, processed.nameWasRead);
      const copy = { ...record, createdAt: Date.now(), bytes: file.sum.filesize };
      const id = await watch.measure('save', () => this.#store.store(draft, copy, { result }));
      return { id, result, steps: watch.steps, notEmbedded };
    });
  }

  /** Decomposes a code and returns JSON. */
  explain(code: string): string {
    return explainJson(code, this.#options.compat);
  }

  /** Simprints of every chunk of the `text` in a JSON body, by type. */
  async simprint(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Simprints> {
    const max = this.#options.uploadBytesMax;
    return this.#texts.read(body, (text) => {
      if (text.length === 0 || text.length > max) throw new CodesRefusal('TEXT_SIZE', { max });
      return this.#pipeline.simprints(text, signal);
    });
  }

  #record(upload: Upload, filename: string, bytes: number): UploadRecord {
    this.#options.onUpload?.(bytes);
    return {
      filename,
      ...(upload.contentType === undefined ? {} : { contentType: upload.contentType }),
      uploader: this.#clients.hash(upload.clientAddress),
      createdAt: Date.now(),
      bytes,
    };
  }

  /** The record of an upload, unless it has expired. The clean-up frees its space later. */
  async #live(id: MediaId): Promise<UploadRecord | undefined> {
    const record = await this.#records.find(id);
    if (record === undefined) return undefined;
    const age = Date.now() - record.createdAt;
    return age < this.#options.expirySeconds * 1000 ? record : undefined;
  }

  async #found(id: MediaId): Promise<UploadRecord> {
    const record = await this.#live(id);
    if (record === undefined) throw new CodesRefusal('METADATA_NOT_FOUND');
    return record;
  }

  async #restricted(id: MediaId, clientAddress: string): Promise<UploadRecord> {
    const record = await this.#found(id);
    if (this.#options.privateFiles && record.uploader !== this.#clients.hash(clientAddress)) {
      throw new CodesRefusal('NOT_UPLOADER');
    }
    return record;
  }
}
