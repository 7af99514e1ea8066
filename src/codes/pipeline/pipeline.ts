/**
 * From a file to its result: media type, content in a worker process, Data- and Instance-Code from
 * the bytes that went by, and all of it put together.
 */
import { createReadStream, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { generator } from '../../version.js';
import { Refused, Unavailable } from '../errors.js';
import { type EmbeddedMetadata, type IsccResult, isccResult, type Mode } from '../result.js';
import { HEAD_BYTES, sumOf } from '../uploads.js';
import { composite } from './codec.js';
import { type FormatName, formatNameOf } from './formats/table.js';
import type { Compat, Content, ContentJob, Job, Output } from './jobs.js';
import { mediaTypeOf } from './media-type.js';
import { PoolBusy, type PoolLimits, type RunOptions, WorkerPool } from './pool.js';
import { requireModels, type SemanticModels } from './semantic/models.js';
import { textSimprints } from './simprint.js';
import { type StepChange, Stopwatch } from './stopwatch.js';
import { type FileSum, headAndSumOf, type SumHasher, sumHasher } from './sum.js';
import { JobFailed, WorkerLost } from './worker-process.js';

export interface PipelineOptions {
  /** Files that are processed at a time. */
  readonly workers: number;
  /** Unsupported media types get an ISCC-SUM. */
  readonly fallback: boolean;
  readonly compat: Compat;
  /** Bytes per read from a stored file. */
  readonly readBytes: number;
  readonly models: SemanticModels;
  /** Seconds that work on one file may take; sound and film get more by their size. */
  readonly jobSecondsMax: number;
  /** For what programs write on the way, made when it is needed; by default that is beside each file. */
  readonly workFolder?: string;
  /** Told about every job when it is over. */
  readonly onJob?: (job: JobOutcome) => void;
}

export interface JobOutcome {
  /** What was done, and with which family of formats: `content image`. */
  readonly type: string;
  /** `done`, `refused` for a bad file, `busy` when the queue was full, or why the worker was lost. */
  readonly outcome: string;
}

export interface ProcessOptions {
  readonly granular: boolean;
  readonly semantic: boolean;
}

/** A file on disk under a path that says nothing, and the name it goes by. */
export interface NamedFile {
  readonly path: string;
  readonly filename: string;
}

export interface SourceFile extends NamedFile {
  readonly head: Uint8Array;
  readonly sum: FileSum;
}

/** A film takes time in proportion to its bytes: so much more for each MiB of sound or pictures. */
const EXTRA_MS_PER_MIB = 2000;
const WORKER_RSS_MAX_BYTES = 2 * 1024 ** 3;
/** Twice what images of 100 million pixels, HEIC and PDF leave behind together: only what is rare costs a new worker. */
const RESTING_RSS_MAX_BYTES = WORKER_RSS_MAX_BYTES / 8;
/** A model that is loaded takes its file's size, and as much again for what it computes. */
const MODEL_RSS_FACTOR = 2;
const JOBS_PER_WORKER_MAX = 1000;
const QUEUED_JOBS_PER_WORKER_MAX = 32;

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #pool: WorkerPool<Job, Output>;

  constructor(options: PipelineOptions, limits: Partial<PoolLimits> = {}, entry = workerEntry()) {
    this.#options = options;
    this.#pool = new WorkerPool(entry, {
      workersMax: options.workers,
      queuedJobsMax: options.workers * QUEUED_JOBS_PER_WORKER_MAX,
      jobDurationMaxMs: options.jobSecondsMax * 1000,
      workerRssMaxBytes: WORKER_RSS_MAX_BYTES,
      restingRssMaxBytes: restingRssMax(options.models),
      jobsPerWorkerMax: JOBS_PER_WORKER_MAX,
      ...limits,
    });
  }

  /** Starts a worker ahead of the first file. */
  async warm(): Promise<void> {
    try {
      await this.#pool.warm();
    } catch (error) {
      if (!(error instanceof WorkerLost && error.reason === 'closed')) throw error;
    }
  }

  /** Jobs that wait for a worker. */
  get queued(): number {
    return this.#pool.queued;
  }

  /** Jobs that are being done. */
  get running(): number {
    return this.#pool.running;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  sumHasher(): SumHasher {
    return sumHasher();
  }

  /** Reads a whole file for what {@link process} needs to know of it. */
  async open(path: string, filename: string): Promise<SourceFile> {
    const { readBytes } = this.#options;
    const { head, sum } =
      (await headAndSumOf(path, readBytes)) ??
      (await sumOf(createReadStream(path, { highWaterMark: readBytes }), this.sumHasher()));
    return { path, filename, head, sum };
  }

  async process(
    file: SourceFile,
    options: ProcessOptions,
    signal: AbortSignal,
    watch = new Stopwatch(),
  ): Promise<IsccResult> {
    const type = await watch.measure('mediatype', () => typeOf(file.filename, file.head));
    if (type.format === undefined) return this.#sumOnly(file, type);
    const { filename, path, sum } = file;
    const { mediatype, mode, format } = type;
    const { compat, models, workFolder } = this.#options;
    if (options.semantic) requireModels(models, mode);
    const job: ContentJob = {
      ...{ kind: 'content', path, filename, mediatype, format, compat, workFolder },
      granular: options.granular,
      watched: watch.onChange !== undefined,
      ...(options.semantic && { semantic: models }),
    };
    const { units, metahash, metadata, facts, features, thumbnail } = await this.#content(
      job,
      signal,
      watch,
      extraMs(mode, sum.bytes),
    );
    const all = [...units, ...sum.units];
    return isccResult({
      iscc: composite(all),
      ...metadata,
      mode,
      ...described(file, type),
      ...facts,
      ...(features && features.length > 0 ? { features } : {}),
      units: all,
      generator,
      ...(thumbnail === undefined ? {} : { thumbnail }),
      metahash,
      datahash: sum.datahash,
    });
  }

  /** Simprints of every chunk of a text (UTF-8) by type; semantic ones where there is a model. */
  async simprints(text: Buffer, signal: AbortSignal): Promise<Readonly<Record<string, readonly string[]>>> {
    const { models } = this.#options;
    const content = await textSimprints(text);
    if (models.text === undefined) return { CONTENT_TEXT_V0: content };
    const output = await this.#run({ kind: 'simprint', text: text.toString(), semantic: models }, { signal });
    const { simprints } = output as Extract<Output, { kind: 'simprint' }>;
    return { CONTENT_TEXT_V0: content, SEMANTIC_TEXT_V0: simprints };
  }

  /** Nothing for a file whose type has no metadata, or that can't be read. */
  async extract(file: NamedFile): Promise<EmbeddedMetadata> {
    const { mediatype, format } = typeOf(file.filename, await readHead(file.path));
    if (format === undefined) return {};
    try {
      const output = await this.#run({ kind: 'extract', ...file, mediatype, format });
      return (output as Extract<Output, { kind: 'extract' }>).metadata;
    } catch (error) {
      if (error instanceof Refused) return {};
      throw error;
    }
  }

  /** Writes fields into the file at `file.path`. */
  async embed(file: NamedFile, fields: EmbeddedMetadata, signal: AbortSignal): Promise<void> {
    const { mediatype, mode, format } = typeOf(file.filename, await readHead(file.path));
    if (format === undefined) throw new Refused('EMBEDDING_FAILED');
    const { size } = await stat(file.path);
    try {
      await this.#run(
        { kind: 'embed', ...file, mediatype, format, fields },
        { signal, extraMs: extraMs(mode, size) },
      );
    } catch (error) {
      // Which program is missing is for the client to know, as when it uploads.
      const isOfTheFile = error instanceof Refused && error.code !== 'FFMPEG_MISSING';
      throw isOfTheFile ? new Refused('EMBEDDING_FAILED', {}, { cause: error.cause }) : error;
    }
  }

  /** The steps in the worker, and what the job waited for one. */
  async #content(job: ContentJob, signal: AbortSignal, watch: Stopwatch, extraMs: number): Promise<Content> {
    const start = performance.now();
    const { onChange } = watch;
    onChange?.({ name: 'wait' });
    let began = false;
    const onStep = (step: StepChange) => {
      if (!began) onChange?.({ name: 'wait', ms: performance.now() - start });
      began = true;
      onChange?.(step);
    };
    const { content, steps, ms } = (await this.#run(job, { signal, extraMs, onStep })) as ContentOutput;
    watch.add([{ name: 'wait', ms: performance.now() - start - ms }, ...steps]);
    return content;
  }

  #sumOnly(file: SourceFile, type: FileType): IsccResult {
    const { filename, sum } = file;
    const { mediatype } = type;
    if (!this.#options.fallback) throw new Refused('MEDIATYPE_UNSUPPORTED', { mediatype, filename });
    const { units, datahash } = sum;
    return isccResult({ iscc: composite(units), ...described(file, type), units, generator, datahash });
  }

  async #run(job: Job, options?: RunOptions): Promise<Output> {
    const type = 'format' in job ? `${job.kind} ${job.format}` : job.kind;
    try {
      const output = await this.#pool.run(job, options);
      this.#options.onJob?.({ type, outcome: 'done' });
      return output;
    } catch (error) {
      this.#options.onJob?.({ type, outcome: outcomeOf(error) });
      if (error instanceof PoolBusy) throw new Unavailable();
      const refusal = error instanceof JobFailed ? error.refusal : undefined;
      if (refusal) throw new Refused(refusal.code, refusal.details, { cause: error });
      const ofTheFile = error instanceof JobFailed || (error instanceof WorkerLost && error.started);
      throw ofTheFile ? new Refused('PROCESSING_FAILED', {}, { cause: error }) : error;
    }
  }
}

/** A supported file: `mode` and `format` are there together or not at all. */
type FileType =
  | { readonly mediatype: string; readonly mode: Mode; readonly format: FormatName }
  | { readonly mediatype: string; readonly mode?: undefined; readonly format?: undefined };

function typeOf(filename: string, head: Uint8Array): FileType {
  const { mediatype, mode } = mediaTypeOf(filename, head);
  const format = mode && formatNameOf(mode, mediatype);
  return mode && format ? { mediatype, mode, format } : { mediatype };
}

function extraMs(mode: Mode, bytes: number): number {
  return mode === 'audio' || mode === 'video' ? (bytes / 1024 ** 2) * EXTRA_MS_PER_MIB : 0;
}

function outcomeOf(error: unknown): string {
  if (error instanceof JobFailed) return 'refused';
  if (error instanceof PoolBusy) return 'busy';
  return error instanceof WorkerLost ? error.reason : 'cancelled';
}

type ContentOutput = Extract<Output, { kind: 'content' }>;

function described({ filename, sum }: SourceFile, { mediatype }: FileType) {
  return { filename, filesize: sum.bytes, mediatype };
}

async function readHead(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A worker keeps the models it has loaded. */
function restingRssMax({ text, image }: SemanticModels): number {
  const bytes = [text, image].map((one) =>
    one === undefined ? 0 : (statSync(one.model, { throwIfNoEntry: false })?.size ?? 0),
  );
  return bytes.reduce((sum, size) => sum + MODEL_RSS_FACTOR * size, RESTING_RSS_MAX_BYTES);
}

function workerEntry(): string {
  return fileURLToPath(new URL('./worker.js', import.meta.url));
}
