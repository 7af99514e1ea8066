/** The pipeline of the codes service for local files. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sanitizeFilename } from '../../iscc/filename.js';
import { readCodesConfig } from '../../platform/config/codes.js';
import { environment } from '../../platform/config/env.js';
import { CodesRefusal } from '../../services/codes/errors.js';
import { type GivenMetadata, profileOf } from '../../services/codes/pipeline/jobs.js';
import { type NamedFile, Pipeline } from '../../services/codes/pipeline/pipeline.js';
import { configuredModels } from '../../services/codes/pipeline/semantic/models.js';
import { type IsccResult, orderedResult } from '../../services/codes/result.js';
import { Interruption } from '../terminal/interrupt.js';

export interface ResultOptions {
  readonly granular: boolean;
  readonly semantic?: boolean;
  readonly thumbnail: boolean;
  /** Replaces metadata of the file. */
  readonly given?: GivenMetadata;
  /** Whether to read metadata embedded in the file. */
  readonly metadata?: boolean;
}

export interface PipelineWork {
  readonly pipeline: Pipeline;
  /** Number of files to process concurrently. */
  readonly jobs: number;
  /** Folder for temporary files; removed at the end. */
  readonly folder: string;
}

export interface WithPipelineOptions {
  /** Number of files, if known. */
  readonly files?: number;
  /** Number of files to process concurrently. Default: `CODEWEB_MAX_WORKERS`. */
  readonly jobs?: number | undefined;
  /** Whether unsupported media types get an ISCC-SUM. Default: `CODESDK_FALLBACK`. */
  readonly fallback?: boolean;
  /** A line for the user whose signal ends the process. */
  readonly hint?: string | undefined;
}

/**
 * Calls `work` with a pipeline like that of the codes service. Afterwards, or when a signal ends the process, no worker
 * keeps running and no temporary file remains.
 */
export async function withPipeline<T>(
  { files = Number.POSITIVE_INFINITY, jobs: wanted, fallback, hint }: WithPipelineOptions,
  work: (work: PipelineWork) => Promise<T>,
): Promise<T> {
  const config = readCodesConfig(environment());
  const jobs = wanted ?? config.maxWorkers;
  // Not next to the files, whose folder may be read-only.
  const folder = path.join(os.tmpdir(), `isccd-code-${randomBytes(9).toString('hex')}`);
  const pipeline = new Pipeline({
    workers: Math.max(1, Math.min(jobs, files)),
    fallback: fallback ?? config.fallback,
    ...profileOf(config.compat),
    granularMedia: config.granularMedia,
    readBytes: config.ioReadBytes,
    models: configuredModels(config),
    jobSecondsMax: config.jobSecondsMax,
    places: { work: folder },
  });
  const clean = () => rmSync(folder, { recursive: true, force: true });
  // Close the workers first, because they write there.
  const interruption = new Interruption(async () => {
    if (hint !== undefined) process.stderr.write(`isccd: ${hint}\n`);
    await pipeline.close();
  });
  process.once('exit', clean);
  try {
    return await work({ pipeline, jobs, folder });
  } finally {
    await interruption.over();
    await pipeline.close();
    process.off('exit', clean);
    clean();
  }
}

/** The result of the codes service for a file with this name. */
export async function resultOf(
  pipeline: Pipeline,
  file: NamedFile,
  options: ResultOptions,
): Promise<IsccResult> {
  return (await processedFile(pipeline, file, options)).result;
}

/** The result, and of images the Image-Codes of the picture mirrored and turned. */
export async function processedFile(
  pipeline: Pipeline,
  file: NamedFile,
  { granular, semantic = false, thumbnail, given, metadata = true }: ResultOptions,
): Promise<{ readonly result: IsccResult; readonly symmetries: readonly string[] }> {
  const source = await pipeline.open(path.resolve(file.path), safeName(file.filename));
  const { signal } = new AbortController();
  const options = { granular, semantic, given, ignoresMetadata: !metadata };
  const processed = await pipeline.process(source, options, signal);
  const result = orderedResult(processed.result);
  const { symmetries = [] } = processed;
  if (thumbnail) return { result, symmetries };
  const { thumbnail: _, ...rest } = result;
  return { result: rest, symmetries };
}

/** The name that the service would store. @throws {CodesRefusal} if nothing remains of it */
export function safeName(filename: string): string {
  const name = sanitizeFilename(filename);
  if (name === '') throw new CodesRefusal('FILENAME_EMPTY');
  return name;
}
