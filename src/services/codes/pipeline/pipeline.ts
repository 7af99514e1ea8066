/**
 * Makes the result of a file: detects the media type, reads the content in a worker process, and composes the
 * ISCC-CODE with the Data- and Instance-Code, which were computed while the bytes arrived.
 */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FileRights } from '../../../content/rights.js';
import { addonFile, type FileSum } from '../../../native.js';
import { processMemory } from '../../../platform/process-memory.js';
import { generator } from '../../../platform/version.js';
import { PoolBusy, WorkerPool } from '../../../platform/workers/pool.js';
import {
  JobFailed,
  type LossReason,
  type PoolLimits,
  type RunOptions,
  WorkerLost,
} from '../../../platform/workers/worker-process.js';
import { ABOUT_FILE, CodesRefusal, type ErrorCode, TASKS, textOf, Unavailable } from '../errors.js';
import type { Field } from '../metadata/places.js';
import { type EmbeddedMetadata, type FormatName, type IsccResult, isccResult, type Mode } from '../result.js';
import { composite, mediaTypeOf, textSimprints } from './addon-calls.js';
import { formatNameOf, metadataFormatOf } from './formats/table.js';
import type {
  Compat,
  ContentJob,
  FileContent,
  GivenMetadata,
  Job,
  JobRefusal,
  ManifestUse,
  Output,
} from './jobs.js';
import { noteText } from './notes.js';
import { fileRules, type Places } from './sandbox-rules.js';
import { requireModels, type SemanticModels } from './semantic/models.js';
import { type StepChange, Stopwatch } from './stopwatch.js';
import { headAndSumOf, readHead } from './sum.js';

export interface PipelineOptions {
  /** Maximum number of worker processes, each with one job at a time. */
  readonly workers: number;
  /** Whether unsupported media types get an ISCC-SUM instead of an error. */
  readonly fallback: boolean;
  readonly compat: Compat;
  /** Whether to code content that the reference loses. Default: false. */
  readonly better?: boolean | undefined;
  /** Whether granular results have experimental simprints of audio and video. Default: false. */
  readonly granularMedia?: boolean | undefined;
  /** Bytes per read of a stored file. */
  readonly readBytes: number;
  readonly models: SemanticModels;
  readonly places: Places;
  /** Time limit of one job in seconds. Large files get more; small ones less, see {@link durationMaxMs}. */
  readonly jobSecondsMax: number;
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
  /** Whether `granular` includes experimental simprints of audio and video. Default: that of the pipeline. */
  readonly granularMedia?: boolean | undefined;
  readonly semantic: boolean;
  /** Whether to code content that the reference loses. Default: that of the pipeline. */
  readonly better?: boolean | undefined;
  /** Default: `ignore`. */
  readonly manifest?: ManifestUse;
  /** Replaces metadata of the file in the result and in its Meta-Code. */
  readonly given?: GivenMetadata | undefined;
  /** Whether to ignore metadata embedded in the file. */
  readonly ignoresMetadata?: boolean | undefined;
  /** Whether to return the text of text documents. */
  readonly keepText?: boolean | undefined;
  /** Whose file it is; clients take turns. */
  readonly client?: string | undefined;
  /** Whether to read the fields about mining and training. */
  readonly readsRights?: boolean | undefined;
  /** Whether a file that can't be processed gets an ISCC-SUM instead of an error. */
  readonly fallbackSum?: boolean | undefined;
}

/** A file on disk and the name of its upload. The path has a different, meaningless name. */
export interface NamedFile {
  readonly path: string;
  readonly filename: string;
}

export interface SourceFile extends NamedFile {
  readonly head: Uint8Array;
  /** If it was detected already. */
  readonly type?: FileType | undefined;
  readonly sum: FileSum;
}

export interface Processing {
  readonly result: IsccResult;
  /** Whether the result's `name` was read from the file instead of derived from the file name. */
  readonly nameWasRead: boolean;
  /** Of images: Image-Codes of the picture mirrored and turned, in the order of the addon. */
  readonly symmetries?: readonly string[] | undefined;
  /** Of pictures and films of Apple's cameras: what the parts of a Live Photo have in common. */
  readonly contentIdentifier?: string | undefined;
  /** The Manifest Store that the file embeds, not validated; if wanted and present. */
  readonly manifest?: Uint8Array | undefined;
  /** Cleaned text of a text document, on request. */
  readonly text?: string;
  /** JSON: what that manifest says; if wanted and readable. */
  readonly credentials?: string | undefined;
  /** What the file says about mining and training, if wanted. */
  readonly rights?: FileRights | undefined;
}

/** Decoding time grows with the file: it gets this much more time per MiB. */
const EXTRA_MS_PER_MIB = 2000;
/** Part of the time limit that an empty file gets, at least. Only audio and video decode for long. */
const TIME_SHARE: Readonly<Record<Mode, number>> = { text: 1 / 4, image: 1 / 4, audio: 1 / 2, video: 1 / 2 };
const BASE_SECONDS_MIN: Readonly<Record<Mode, number>> = { text: 30, image: 30, audio: 60, video: 60 };
const WORKER_RSS_MAX_BYTES = 2 * 1024 ** 3;
/** Part of the memory of the machine, or of its container, that all workers may have together. */
const POOL_MEMORY_SHARE = 0.6;
/** Twice what 100-megapixel images, HEIC and PDF leave behind together, so that workers are rarely replaced. */
const RESTING_RSS_MAX_BYTES = WORKER_RSS_MAX_BYTES / 8;
/** A loaded model takes the size of its file, and the same again for computation. */
const MODEL_RSS_FACTOR = 2;
const JOBS_PER_WORKER_MAX = 1000;
const QUEUED_JOBS_PER_WORKER_MAX = 32;

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #pool: WorkerPool<Job, Output, StepChange>;

  constructor(options: PipelineOptions, limits: Partial<PoolLimits> = {}, entry = workerEntry()) {
    this.#options = options;
    const all: PoolLimits = {
      workersMax: options.workers,
      queuedJobsMax: options.workers * QUEUED_JOBS_PER_WORKER_MAX,
      jobDurationMaxMs: options.jobSecondsMax * 1000,
      workerRssMaxBytes: WORKER_RSS_MAX_BYTES,
      poolRssMaxBytes: Math.max(WORKER_RSS_MAX_BYTES, POOL_MEMORY_SHARE * processMemory()),
      restingRssMaxBytes: restingRssMax(options.models),
      jobsPerWorkerMax: JOBS_PER_WORKER_MAX,
      ...limits,
    };
    this.#pool = new WorkerPool(entry, all, {
      addon: addonFile,
      rules: () => fileRules(options.places, options.models),
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

  /** Of the workers: `on`, or what is missing and why; `not started`. */
  get sandbox(): string {
    return this.#pool.sandbox;
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
    const detect = () => file.type ?? fileTypeOf(file.filename, file.head);
    const type = await watch.measure('mediatype', detect);
    try {
      return await this.#processAs(type, file, options, signal, watch);
    } catch (error) {
      const note = options.fallbackSum ? noteOf(error) : undefined;
      if (note === undefined) throw error;
      return { result: sumResult(file, type, { ...options.given, note }), nameWasRead: false };
    }
  }

  async #processAs(
    type: FileType,
    file: SourceFile,
    options: ProcessOptions,
    signal: AbortSignal,
    watch: Stopwatch,
  ): Promise<Processing> {
    const { filename, path, sum } = file;
    if (sum.filesize === 0) throw new CodesRefusal('FILE_EMPTY');
    if (type.format === undefined)
      return { result: this.#sumOnly(file, type, options.given), nameWasRead: false };
    const { mediatype, mode, format } = type;
    const { compat, models, places } = this.#options;
    if (options.semantic) requireModels(models, mode);
    const job: ContentJob = {
      kind: 'content',
      path,
      filename,
      mediatype,
      format,
      compat,
      better: options.better ?? this.#options.better,
      workFolder: 'work' in places ? places.work : undefined,
      granular: options.granular,
      granularMedia: options.granularMedia ?? this.#options.granularMedia,
      threads: this.#spareThreads(),
      watched: watch.onChange !== undefined,
      manifest: options.manifest ?? 'ignore',
      given: options.given,
      ignoresMetadata: options.ignoresMetadata,
      keepText: options.keepText,
      readsRights: options.readsRights,
      ...(options.semantic && { semantic: models }),
    };
    const limits = {
      client: options.client,
      // Loading a model takes long, and is not the fault of the file.
      durationMaxMs: this.#durationMaxMs(options.semantic ? undefined : mode, sum.filesize),
    };
    const output = await this.#content(job, signal, watch, limits);
    const { content, manifest, credentials, rights } = output;
    const { nameWasRead, symmetries, contentIdentifier, text } = content;
    const result = contentResult(file, type, content);
    const read = { nameWasRead, symmetries, contentIdentifier, manifest, credentials, rights };
    return { result, ...read, ...(text !== undefined && { text }) };
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
  async extract(
    file: NamedFile,
    { client, signal }: { readonly client?: string; readonly signal?: AbortSignal } = {},
  ): Promise<EmbeddedMetadata> {
    const { mediatype, mode } = mediaTypeOf(file.filename, await readHead(file.path));
    const format = metadataFormatOf(mode, mediatype);
    if (format === undefined) return {};
    const durationMaxMs = this.#durationMaxMs(mode, (await stat(file.path)).size);
    try {
      const job: Job = { kind: 'extract', ...file, mediatype, format };
      const output = await this.#run(job, { client, signal, durationMaxMs });
      return (output as Extract<Output, { kind: 'extract' }>).metadata;
    } catch (error) {
      if (error instanceof CodesRefusal) return {};
      throw error;
    }
  }

  /** Writes fields into the file at `file.path`, in place. Resolves to the fields that the file does not show. */
  async embed(
    file: NamedFile,
    fields: EmbeddedMetadata,
    { client, signal }: { readonly client?: string; readonly signal: AbortSignal },
  ): Promise<readonly Field[]> {
    const { mediatype, mode } = mediaTypeOf(file.filename, await readHead(file.path));
    const format = metadataFormatOf(mode, mediatype);
    if (format === undefined) {
      throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { task: TASKS.embed, mediatype });
    }
    const { size } = await stat(file.path);
    const job: Job = { kind: 'embed', ...file, mediatype, format, fields };
    const output = await this.#run(job, { client, signal, durationMaxMs: this.#durationMaxMs(mode, size) });
    return (output as Extract<Output, { kind: 'embed' }>).missing;
  }

  /** Runs a content job. Adds its waiting time and the worker's steps to `watch`. */
  async #content(
    job: ContentJob,
    signal: AbortSignal,
    watch: Stopwatch,
    limits: Pick<RunOptions, 'client' | 'durationMaxMs'>,
  ): Promise<ContentOutput> {
    const start = performance.now();
    const { onChange } = watch;
    onChange?.({ name: 'wait' });
    let began = false;
    const onStep = (step: StepChange) => {
      if (!began) onChange?.({ name: 'wait', ms: performance.now() - start });
      began = true;
      onChange?.(step);
    };
    const output = (await this.#run(job, {
      ...limits,
      signal,
      onStep,
    })) as ContentOutput;
    watch.add([{ name: 'wait', ms: performance.now() - start - output.ms }, ...output.steps]);
    return output;
  }

  /** Time limit of a job by mode and size, so that a small file can't hold a worker for long. */
  #durationMaxMs(mode: Mode | undefined, bytes: number): number {
    const { jobSecondsMax } = this.#options;
    const seconds = mode ? Math.max(BASE_SECONDS_MIN[mode], TIME_SHARE[mode] * jobSecondsMax) : jobSecondsMax;
    return Math.min(jobSecondsMax, seconds) * 1000 + (bytes / 1024 ** 2) * EXTRA_MS_PER_MIB;
  }

  /** Threads for a job that begins now: one per idle worker. */
  #spareThreads(): number {
    return Math.max(1, this.#options.workers - this.#pool.running);
  }

  #sumOnly(file: SourceFile, type: FileType, given: GivenMetadata = {}): IsccResult {
    const { filename } = file;
    const { mediatype } = type;
    if (!this.#options.fallback) throw new CodesRefusal('MEDIATYPE_UNSUPPORTED', { mediatype, filename });
    return sumResult(file, type, given);
  }

  async #run(job: Job, options?: RunOptions<StepChange>): Promise<Output> {
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
    const { code = 'PROCESSING_FAILED', details } = (error.refusal ?? {}) as Partial<JobRefusal>;
    return new CodesRefusal(code, { task, ...details }, { cause: error });
  }
  if (!(error instanceof WorkerLost)) return error;
  const code = LOSSES[error.reason];
  if (code !== undefined) return new CodesRefusal(code, { task }, { cause: error });
  // Other files took the memory.
  if (error.reason === 'memory is short') return new Unavailable('WORKER_LOST', { cause: error });
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

/** Supported types have both `mode` and `format`, others neither. A worker reads only files with a `format`. */
export type FileType =
  | { readonly mediatype: string; readonly mode: Mode; readonly format: FormatName }
  | { readonly mediatype: string; readonly mode?: undefined; readonly format?: undefined };

/** The type of a file by its name and its first bytes. */
export function fileTypeOf(filename: string, head: Uint8Array): FileType {
  const { mediatype, mode } = mediaTypeOf(filename, head);
  const format = mode && formatNameOf(mode, mediatype);
  return mode && format ? { mediatype, mode, format } : { mediatype };
}

function outcomeOf(error: unknown): string {
  if (error instanceof JobFailed) return 'refused';
  if (error instanceof PoolBusy) return 'busy';
  return error instanceof WorkerLost ? error.reason : 'cancelled';
}

type ContentOutput = Extract<Output, { kind: 'content' }>;

function contentResult(file: SourceFile, type: FileType, content: FileContent): IsccResult {
  const { units, metahash, metadata, mode, facts, features, thumbnail } = content;
  const note = noteText(content.notes);
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
    ...(note !== undefined && { note }),
  });
}

function sumResult(file: SourceFile, type: FileType, rest: GivenMetadata & { note?: string }): IsccResult {
  const { units, datahash } = file.sum;
  const { mode } = type;
  const fields = { ...(mode && { mode }), ...fileFields(file, type), ...rest };
  return isccResult({ iscc: composite(units), ...fields, units, generator, datahash });
}

/** The result of a file without its content: the codes of its bytes. */
export function sumOnlyResult(file: SourceFile): IsccResult {
  return sumResult(file, file.type ?? fileTypeOf(file.filename, file.head), {});
}

/** Why a file has no Content-Code; `undefined` if the file is not the reason. */
function noteOf(error: unknown): string | undefined {
  if (!(error instanceof CodesRefusal) || !ABOUT_FILE.has(error.code)) return undefined;
  return `${error.code}: ${textOf(error.code, { ...error.details, task: '' }).trim()}`;
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
