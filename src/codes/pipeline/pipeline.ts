/**
 * Makes the result of a file: detects the media type, reads the content in a worker process, and composes the
 * ISCC-CODE with the Data- and Instance-Code, which were computed while the bytes arrived.
 */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FileSum } from '../../native.js';
import { generator } from '../../version.js';
import { CodesRefusal, type ErrorCode, TASKS, Unavailable } from '../errors.js';
import { type EmbeddedMetadata, type IsccResult, isccResult, type Mode } from '../result.js';
import { composite, mediaTypeOf, textSimprints } from './addon-calls.js';
import { formatNameOf } from './formats/table.js';
import type { Compat, ContentJob, FileContent, FormatName, Job, Output } from './jobs.js';
import { PoolBusy, type PoolLimits, type RunOptions, WorkerPool } from './pool.js';
import { requireModels, type SemanticModels } from './semantic/models.js';
import { type StepChange, Stopwatch } from './stopwatch.js';
import { headAndSumOf, readHead } from './sum.js';
import { JobFailed, type LossReason, WorkerLost } from './worker-process.js';

export interface PipelineOptions {
  /** Maximum number of worker processes, each with one job at a time. */
  readonly workers: number;
  /** Whether unsupported media types get an ISCC-SUM instead of an error. */
  readonly fallback: boolean;
  readonly compat: Compat;
  /** Bytes per read of a stored file. */
  readonly readBytes: number;
  readonly models: SemanticModels;
  /** Time limit of one job in seconds. Audio and video get more in proportion to their size. */
  readonly jobSecondsMax: number;
  /** Folder for temporary files, created on first use. Default: the folder of each file. */
  readonly workFolder?: string;
  /** Called when a job ends. */
  readonly onJob?: (job: JobOutcome) => void;
}

export interface JobOutcome {
  /** Job kind and format module, such as `content image`. */
  readonly type: string;
  /** `done`, `refused` (bad file), `busy` (queue full), `cancelled`, or the reason why the worker was lost. */
  readonly outcome: string;
}

export interface ProcessOptions {
  readonly granular: boolean;
  readonly semantic: boolean;
}

/** A file on disk and the name of its upload. The path has a different, meaningless name. */
export interface NamedFile {
  readonly path: string;
  readonly filename: string;
}

export interface SourceFile extends NamedFile {
  readonly head: Uint8Array;
  readonly sum: FileSum;
}

export interface Processing {
  readonly result: IsccResult;
  /** Whether the result's `name` was read from the file instead of derived from the file name. */
  readonly nameWasRead: boolean;
}

/** Decoding time grows with the file, so audio and video get this much more time per MiB. */
const EXTRA_MS_PER_MIB = 2000;
const WORKER_RSS_MAX_BYTES = 2 * 1024 ** 3;
/** Twice what 100-megapixel images, HEIC and PDF leave behind together, so that workers are rarely replaced. */
const RESTING_RSS_MAX_BYTES = WORKER_RSS_MAX_BYTES / 8;
/** A loaded model takes the size of its file, and the same again for computation. */
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

  /** Starts a worker before the first job arrives. */
  async warm(): Promise<void> {
    try {
      await this.#pool.warm();
    } catch (error) {
      if (!(error instanceof WorkerLost && error.reason === 'closed')) throw error;
    }
  }

  /** Number of jobs that wait for a worker. */
  get queued(): number {
    return this.#pool.queued;
  }

  /** Number of jobs in progress. */
  get running(): number {
    return this.#pool.running;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Reads a whole file for {@link process}. */
  async open(path: string, filename: string): Promise<SourceFile> {
    return { path, filename, ...(await headAndSumOf(path, this.#options.readBytes)) };
  }

  /** Makes the result of a file. */
  async process(
    file: SourceFile,
    options: ProcessOptions,
    signal: AbortSignal,
    watch = new Stopwatch(),
  ): Promise<Processing> {
    const type = await watch.measure('mediatype', () => typeOf(file.filename, file.head));
    if (type.format === undefined) return { result: this.#sumOnly(file, type), nameWasRead: false };
    const { filename, path, sum } = file;
    const { mediatype, mode, format } = type;
    const { compat, models, workFolder } = this.#options;
    if (options.semantic) requireModels(models, mode);
    const job: ContentJob = {
      kind: 'content',
      path,
      filename,
      mediatype,
      format,
      compat,
      workFolder,
      granular: options.granular,
      watched: watch.onChange !== undefined,
      ...(options.semantic && { semantic: models }),
    };
    const content = await this.#content(job, signal, watch, extraMs(mode, sum.filesize));
    return { result: contentResult(file, type, content), nameWasRead: content.nameWasRead };
  }

  /** Simprints of every chunk of a UTF-8 text, by type. Semantic simprints need a configured model. */
  async simprints(text: Buffer, signal: AbortSignal): Promise<Readonly<Record<string, readonly string[]>>> {
    const { models } = this.#options;
    const content = await textSimprints(text);
    if (models.text === undefined) return { CONTENT_TEXT_V0: content };
    const output = await this.#run({ kind: 'simprint', text: text.toString(), semantic: models }, { signal });
    const { simprints } = output as Extract<Output, { kind: 'simprint' }>;
    return { CONTENT_TEXT_V0: content, SEMANTIC_TEXT_V0: simprints };
  }

  /** Metadata embedded in a file; `{}` if the type is unsupported or the file is unreadable. */
  async extract(file: NamedFile): Promise<EmbeddedMetadata> {
    const { mediatype, format } = typeOf(file.filename, await readHead(file.path));
    if (format === undefined) return {};
    try {
      const output = await this.#run({ kind: 'extract', ...file, mediatype, format });
      return (output as Extract<Output, { kind: 'extract' }>).metadata;
    } catch (error) {
      if (error instanceof CodesRefusal) return {};
      throw error;
    }
  }

  /** Writes fields into the file at `file.path`, in place. */
  async embed(file: NamedFile, fields: EmbeddedMetadata, signal: AbortSignal): Promise<void> {
    const { mediatype, mode, format } = typeOf(file.filename, await readHead(file.path));
    if (format === undefined) {
      throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { task: TASKS.embed, mediatype });
    }
    const { size } = await stat(file.path);
    const job: Job = { kind: 'embed', ...file, mediatype, format, fields };
    await this.#run(job, { signal, extraMs: extraMs(mode, size) });
  }

  /** Runs a content job. Adds its waiting time and the worker's steps to `watch`. */
  async #content(
    job: ContentJob,
    signal: AbortSignal,
    watch: Stopwatch,
    extraMs: number,
  ): Promise<FileContent> {
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
    if (!this.#options.fallback) throw new CodesRefusal('MEDIATYPE_UNSUPPORTED', { mediatype, filename });
    const { units, datahash } = sum;
    return isccResult({ iscc: composite(units), ...fileFields(file, type), units, generator, datahash });
  }

  async #run(job: Job, options?: RunOptions): Promise<Output> {
    const type = 'format' in job ? `${job.kind} ${job.format}` : job.kind;
    try {
      // An embed job changes its file in place, so it can't be repeated.
      const output = await this.#pool.run(job, { ...options, repeatable: job.kind !== 'embed' });
      this.#options.onJob?.({ type, outcome: 'done' });
      return output;
    } catch (error) {
      this.#options.onJob?.({ type, outcome: outcomeOf(error) });
      throw clientError(error, job.kind);
    }
  }
}

/** What the client learns of a failed job. */
function clientError(error: unknown, kind: Job['kind']): unknown {
  if (error instanceof PoolBusy) return new Unavailable();
  const task = TASKS[kind];
  if (error instanceof JobFailed) {
    const { code = 'PROCESSING_FAILED', details } = error.refusal ?? {};
    return new CodesRefusal(code, { task, ...details }, { cause: error });
  }
  if (!(error instanceof WorkerLost)) return error;
  const code = LOSSES[error.reason];
  if (code !== undefined) return new CodesRefusal(code, { task }, { cause: error });
  if (error.reason !== 'crashed') return error;
  // Killed from outside, for example by the system when memory is short: not the fault of the file.
  if (!error.crashedInJob) return new Unavailable('WORKER_LOST', { cause: error });
  return new CodesRefusal('FILE_CRASHES_DECODER', { task }, { cause: error });
}

/** Workers lost to the limits of their job. */
const LOSSES: Partial<Record<LossReason, ErrorCode>> = {
  'took too long': 'FILE_TOO_SLOW',
  'needed too much memory': 'FILE_TOO_COMPLEX',
};

/** Supported types have both `mode` and `format`, others neither. */
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

function contentResult(file: SourceFile, type: FileType, content: FileContent): IsccResult {
  const { units, metahash, metadata, mode, facts, features, thumbnail } = content;
  const all = [...units, ...file.sum.units];
  return isccResult({
    iscc: composite(all),
    ...metadata,
    ...modeFields(file, type, mode),
    ...facts,
    ...(features && features.length > 0 ? { features } : {}),
    units: all,
    generator,
    ...(thumbnail === undefined ? {} : { thumbnail }),
    metahash,
    datahash: file.sum.datahash,
  });
}

/** Audio in a video container has the media type of the container's audio variant. */
function modeFields(file: SourceFile, type: FileType, mode = type.mode) {
  const mediatype = mode === type.mode ? type.mediatype : (AUDIO_TYPES[type.mediatype] ?? type.mediatype);
  return { ...(mode && { mode }), ...fileFields(file, { mediatype }) };
}

const AUDIO_TYPES: Readonly<Record<string, string>> = {
  'video/mp4': 'audio/mp4',
  'video/x-m4v': 'audio/mp4',
  'video/quicktime': 'audio/mp4',
  'video/3gpp': 'audio/3gpp',
  'video/3gpp2': 'audio/3gpp2',
  'video/webm': 'audio/webm',
  'video/x-matroska': 'audio/x-matroska',
  'video/ogg': 'audio/ogg',
  'video/x-ms-asf': 'audio/x-ms-wma',
  'video/x-ms-wmv': 'audio/x-ms-wma',
};

function fileFields({ filename, sum }: SourceFile, { mediatype }: FileType) {
  return { filename, filesize: sum.filesize, mediatype };
}

/** Workers keep loaded models in memory, so their limit grows by the size of the models. */
function restingRssMax({ text, image }: SemanticModels): number {
  const bytes = [text, image].map((one) =>
    one === undefined ? 0 : (statSync(one.model, { throwIfNoEntry: false })?.size ?? 0),
  );
  return bytes.reduce((sum, size) => sum + MODEL_RSS_FACTOR * size, RESTING_RSS_MAX_BYTES);
}

function workerEntry(): string {
  return fileURLToPath(new URL('./worker.js', import.meta.url));
}
