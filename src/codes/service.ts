/** The use cases of the codes service. Knows nothing of HTTP; throws the codes of `errors.ts`. */
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { type BlobDraft, BlobFolderTaken, type Blobs, type StoredBlob } from '../blobs/port.js';
import { Refused } from './errors.js';
import { filenameFromHeader } from './filename.js';
import { type MediaId, MediaIdSource } from './media-id.js';
import { explainJson } from './pipeline/codec.js';
import type { Compat } from './pipeline/jobs.js';
import type { Pipeline } from './pipeline/pipeline.js';
import { type Step, Stopwatch } from './pipeline/stopwatch.js';
import { type Progress, ProgressBoard } from './progress.js';
import type { Records, UploadRecord } from './records.js';
import { type EmbeddedMetadata, type IsccResult, withSubmitted } from './result.js';
import { TextBodies } from './text-bodies.js';
import type { Uploaders } from './uploader.js';
import { receive } from './uploads.js';

export interface CodesOptions {
  readonly uploadBytesMax: number;
  /** Download, delete and embed are for the uploader alone. */
  readonly privateFiles: boolean;
  /** Age at which an upload is gone. */
  readonly expirySeconds: number;
  /** Defaults of the query parameters `granular` and `semantic`. */
  readonly granular: boolean;
  readonly semantic: boolean;
  readonly compat: Compat;
  /** Told the size of every upload that was received whole. */
  readonly onUpload?: (bytes: number) => void;
  /** Told each step of the work on a file when it is over. */
  readonly onStep?: (step: Step) => void;
  /** Whether copies with new metadata get the experimental units. */
  readonly experimental: boolean;
}

/** A request to store a file. */
export interface Upload {
  /** The value of `X-Upload-Filename`. */
  readonly filenameHeader: string | undefined;
  readonly contentType: string | undefined;
  readonly clientAddress: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** The sender's name for this request, under which the same client can ask how far it is. */
  readonly progressKey?: string | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface Download extends StoredBlob {
  readonly filename: string;
  readonly contentType: string;
  readonly createdAt: number;
}

/** What a request asked for; the service's defaults where it did not. */
export interface ProcessChoice {
  readonly granular?: boolean | undefined;
  readonly semantic?: boolean | undefined;
}

export interface Processed {
  readonly id: MediaId;
  readonly result: IsccResult;
  /** What was done, and how long it took. */
  readonly steps: readonly Step[];
}

/** By type, base64url. */
type Simprints = Readonly<Record<string, readonly string[]>>;

/** Two ids in a row that exist are a clock that was set back; more are a fault. */
const STORE_ATTEMPTS_MAX = 8;
const UNKNOWN_TYPE = 'application/octet-stream';

export class CodesService {
  readonly #options: CodesOptions;
  readonly #blobs: Blobs;
  readonly #records: Records;
  readonly #uploaders: Uploaders;
  readonly #pipeline: Pipeline;
  readonly #progress = new ProgressBoard();
  readonly #ids = new MediaIdSource();
  readonly #texts = new TextBodies();

  constructor(
    options: CodesOptions,
    parts: { blobs: Blobs; records: Records; uploaders: Uploaders; pipeline: Pipeline },
  ) {
    this.#options = options;
    this.#blobs = parts.blobs;
    this.#records = parts.records;
    this.#uploaders = parts.uploaders;
    this.#pipeline = parts.pipeline;
  }

  /** Stores a file and makes its code. Nothing is stored when the code can't be made. */
  async uploadAndProcess(upload: Upload, choice: ProcessChoice): Promise<Processed> {
    const filename = filenameFromHeader(upload.filenameHeader);
    const { progressKey: key, clientAddress } = upload;
    const job =
      key === undefined ? undefined : this.#progress.begin(this.#uploaders.hash(clientAddress), key);
    try {
      const watch = new Stopwatch({ onStep: this.#options.onStep, onChange: job?.change });
      return await this.#process(upload, filename, choice, watch);
    } finally {
      job?.end();
    }
  }

  /** How far an upload of the same client is; waits for more than the `seen` changes. */
  progress(clientAddress: string, key: string, seen: number, signal: AbortSignal): Promise<Progress> {
    return this.#progress.next(this.#uploaders.hash(clientAddress), key, seen, signal);
  }

  #process(upload: Upload, filename: string, choice: ProcessChoice, watch: Stopwatch): Promise<Processed> {
    const options = {
      granular: choice.granular ?? this.#options.granular,
      semantic: choice.semantic ?? this.#options.semantic,
    };
    return this.#inDraft(async (draft) => {
      const hasher = this.#pipeline.sumHasher();
      const { bytes, head, sum } = await watch.measure('receive', async () => {
        const received = await receive(upload.body, draft, this.#options.uploadBytesMax, hasher);
        return { ...received, sum: await hasher.finish() };
      });
      const file = { path: draft.path, filename, head, sum };
      const [result] = await Promise.all([
        this.#pipeline.process(file, options, upload.signal, watch),
        draft.sync(),
      ]);
      const record = this.#record(upload, filename, bytes);
      const id = await watch.measure('save', () => this.#store(draft, record, result));
      return { id, result, steps: watch.steps };
    });
  }

  /** Stores a file. */
  upload(upload: Upload): Promise<MediaId> {
    const filename = filenameFromHeader(upload.filenameHeader);
    return this.#inDraft(async (draft) => {
      const { bytes } = await receive(upload.body, draft, this.#options.uploadBytesMax);
      return this.#store(draft, this.#record(upload, filename, bytes));
    });
  }

  result(id: MediaId): IsccResult {
    const result = this.#live(id) && this.#records.findResult(id);
    if (!result) throw new Refused('RESULT_NOT_FOUND');
    return result;
  }

  async download(id: MediaId, clientAddress: string): Promise<Download> {
    const record = this.#restricted(id, clientAddress);
    const blob = await this.#blob(id, record);
    return {
      ...blob,
      filename: record.filename,
      contentType: record.contentType ?? UNKNOWN_TYPE,
      createdAt: record.createdAt,
    };
  }

  async remove(id: MediaId, clientAddress: string): Promise<void> {
    this.#restricted(id, clientAddress);
    // First the record: a file without one does not exist, and the clean-up finds it.
    if (!(await this.#records.remove(id))) throw new Refused('METADATA_NOT_FOUND');
    await this.#blobs.remove(id);
  }

  /** What is embedded in a file; nothing for a file that can't be read. */
  async metadata(id: MediaId): Promise<EmbeddedMetadata> {
    const record = this.#found(id);
    const blob = await this.#blob(id, record);
    // Keywords are taken, and given to nobody.
    const { keywords: _, ...fields } = await this.#pipeline.extract({
      path: blob.path,
      filename: record.filename,
    });
    return fields;
  }

  /**
   * Embeds metadata into a copy and makes the copy's code; the original stays as it is. An empty field is as if it
   * was not given.
   */
  async embed(
    id: MediaId,
    given: EmbeddedMetadata,
    clientAddress: string,
    signal: AbortSignal,
  ): Promise<Processed> {
    const fields: EmbeddedMetadata = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== ''),
    );
    const record = this.#restricted(id, clientAddress);
    const original = await this.#blob(id, record);
    const options = { granular: this.#options.granular, semantic: this.#options.experimental };
    const watch = new Stopwatch({ onStep: this.#options.onStep });
    const { filename } = record;
    return this.#inDraft(async (draft) => {
      const { path } = draft;
      await watch.measure('copy', () => copyFile(original.path, path, constants.COPYFILE_FICLONE));
      await watch.measure('embed', () => this.#pipeline.embed({ path, filename }, fields, signal));
      const file = await watch.measure('read', () => this.#pipeline.open(path, filename));
      const processed = await this.#pipeline.process(file, options, signal, watch);
      const result = withSubmitted(processed, fields);
      const copy = { ...record, createdAt: Date.now(), bytes: file.sum.bytes };
      const id = await watch.measure('save', () => this.#store(draft, copy, result));
      return { id, result, steps: watch.steps };
    });
  }

  /** What is in a code, as JSON. */
  explain(code: string): string {
    return explainJson(code, this.#options.compat);
  }

  /** Simprints of every chunk of the text in a JSON body, by type. */
  async simprint(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Simprints> {
    const max = this.#options.uploadBytesMax;
    return this.#texts.read(body, async (text) => {
      if (text.length === 0 || text.length > max) throw new Refused('TEXT_SIZE', { max });
      try {
        return await this.#pipeline.simprints(text, signal);
      } catch (error) {
        const failed = error instanceof Refused && error.code === 'PROCESSING_FAILED';
        throw failed ? new Refused('SIMPRINT_FAILED', {}, { cause: error.cause }) : error;
      }
    });
  }

  async #inDraft<T>(work: (draft: BlobDraft) => Promise<T>): Promise<T> {
    const draft = await this.#blobs.begin();
    try {
      return await work(draft);
    } finally {
      await draft.discard();
    }
  }

  /** From the moment this resolves the upload outlives a crash of the machine. */
  async #store(draft: BlobDraft, record: UploadRecord, result?: IsccResult): Promise<MediaId> {
    const id = await this.#commit(draft, record.filename);
    try {
      await this.#records.add(id, record, result);
      return id;
    } catch (error) {
      await this.#blobs.remove(id);
      throw error;
    }
  }

  async #commit(draft: BlobDraft, name: string): Promise<MediaId> {
    for (let attempt = 1; ; attempt += 1) {
      const id = this.#ids.next();
      try {
        await draft.commit({ folder: id, name });
        return id;
      } catch (error) {
        if (!(error instanceof BlobFolderTaken) || attempt === STORE_ATTEMPTS_MAX) throw error;
      }
    }
  }

  #record(upload: Upload, filename: string, bytes: number): UploadRecord {
    this.#options.onUpload?.(bytes);
    return {
      filename,
      ...(upload.contentType === undefined ? {} : { contentType: upload.contentType }),
      uploader: this.#uploaders.hash(upload.clientAddress),
      createdAt: Date.now(),
      bytes,
    };
  }

  /** The record of an upload that has not expired. The clean-up removes it later; it is gone now. */
  #live(id: MediaId): UploadRecord | undefined {
    const record = this.#records.find(id);
    if (record === undefined) return undefined;
    const age = Date.now() - record.createdAt;
    return age < this.#options.expirySeconds * 1000 ? record : undefined;
  }

  #found(id: MediaId): UploadRecord {
    const record = this.#live(id);
    if (record === undefined) throw new Refused('METADATA_NOT_FOUND');
    return record;
  }

  #restricted(id: MediaId, clientAddress: string): UploadRecord {
    const record = this.#found(id);
    if (this.#options.privateFiles && record.uploader !== this.#uploaders.hash(clientAddress)) {
      throw new Refused('NOT_UPLOADER');
    }
    return record;
  }

  async #blob(id: MediaId, record: UploadRecord): Promise<StoredBlob> {
    const blob = await this.#blobs.find({ folder: id, name: record.filename });
    if (blob === undefined) throw new Refused('FILE_NOT_FOUND');
    return blob;
  }
}
