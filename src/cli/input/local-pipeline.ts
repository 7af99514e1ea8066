/** The pipeline of the codes service for files of this machine. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CodesRefusal } from '../../codes/errors.js';
import { sanitizeFilename } from '../../codes/filename.js';
import { Pipeline } from '../../codes/pipeline/pipeline.js';
import { configuredModels } from '../../codes/pipeline/semantic/models.js';
import { type IsccResult, orderedResult } from '../../codes/result.js';
import { codesVariables } from '../../config/codes.js';
import { environment } from '../../config/env.js';
import { readVariables } from '../../config/variable.js';
import { Interruption } from '../terminal/interrupt.js';

export interface ResultOptions {
  readonly granular: boolean;
  readonly semantic?: boolean;
  readonly thumbnail: boolean;
}

/**
 * Calls `work` with a pipeline as the codes service has it, for `files` files and `wanted` of them at a time. When
 * this is over, or the process is told to end, no worker runs on and no temporary file is left.
 */
export async function withPipeline<T>(
  files: number,
  wanted: number | undefined,
  work: (pipeline: Pipeline, jobs: number) => Promise<T>,
): Promise<T> {
  const config = readVariables(codesVariables, environment());
  const jobs = wanted ?? config.maxWorkers;
  // Not beside the files: their folder may be read-only, and whoever keeps it wants nothing else there.
  const workFolder = path.join(os.tmpdir(), `isccd-code-${randomBytes(9).toString('hex')}`);
  const pipeline = new Pipeline({
    workers: Math.min(jobs, files),
    fallback: config.fallback,
    compat: config.compat,
    readBytes: config.ioReadBytes,
    models: configuredModels(config),
    jobSecondsMax: config.jobSecondsMax,
    workFolder,
  });
  const clean = () => rmSync(workFolder, { recursive: true, force: true });
  // First the workers: they would write there again.
  const interruption = new Interruption(() => pipeline.close());
  process.once('exit', clean);
  try {
    return await work(pipeline, jobs);
  } finally {
    await interruption.over();
    await pipeline.close();
    process.off('exit', clean);
    clean();
  }
}

/** The result that the codes service gives for a file of this name. */
export async function resultOf(
  pipeline: Pipeline,
  file: string,
  { granular, semantic = false, thumbnail }: ResultOptions,
): Promise<IsccResult> {
  const filename = sanitizeFilename(path.basename(file));
  if (filename === '') throw new CodesRefusal('FILENAME_EMPTY');
  const source = await pipeline.open(path.resolve(file), filename);
  const { signal } = new AbortController();
  const processed = await pipeline.process(source, { granular, semantic }, signal);
  const result = orderedResult(processed.result);
  if (thumbnail) return result;
  const { thumbnail: _, ...rest } = result;
  return rest;
}
