/** The pipeline of the codes service for local files. */
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
 * Calls `work` with a pipeline like that of the codes service. Afterwards, or when a signal ends the process, no worker
 * keeps running and no temporary file remains.
 *
 * @param files number of files
 * @param wanted number of files to process concurrently; default: `CODEWEB_MAX_WORKERS`
 */
export async function withPipeline<T>(
  files: number,
  wanted: number | undefined,
  work: (pipeline: Pipeline, jobs: number) => Promise<T>,
): Promise<T> {
  const config = readVariables(codesVariables, environment());
  const jobs = wanted ?? config.maxWorkers;
  // Not next to the files, whose folder may be read-only.
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
  // Close the workers first, because they write there.
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

/** The result of the codes service for a file with this name. */
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
