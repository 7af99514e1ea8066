/** `isccd code SOURCE…`: the result of `POST /iscc` for files, folders, standard input, web addresses and S3 objects. */
import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { native } from '../../native.js';
import { printable } from '../../platform/printable.js';
import type { GivenMetadata } from '../../services/codes/pipeline/jobs.js';
import { softBinding, softBindingAssertion, softBindingText } from '../../services/codes/soft-binding.js';
import type { Line } from '../batch/line-file.js';
import { BatchProgress } from '../batch/progress.js';
import { failureOf, type LocalSource, type Outcome, outcomes } from '../batch/run.js';
import type { Source, Unreadable } from '../batch/source.js';
import { isRemote, sourcesOf } from '../batch/sources.js';
import {
  CSV_HEAD,
  csvLine,
  jsonLine,
  ResumeFile,
  SideCars,
  StandardOutput,
  sideCarOf,
  type Writer,
} from '../batch/writers.js';
import {
  type PipelineWork,
  type ResultOptions,
  resultOf,
  safeName,
  withPipeline,
} from '../input/local-pipeline.js';
import { CommandFailed, lines, reason, reasons } from '../terminal/failure.js';

export interface CodeOptions {
  readonly granular: boolean;
  readonly semantic?: boolean;
  readonly thumbnail: boolean;
  readonly metadata: boolean;
  readonly name?: string;
  readonly description?: string;
  readonly meta?: string;
  readonly filename?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly csv?: boolean;
  readonly sidecar?: boolean;
  readonly resume?: string;
  readonly softBinding?: boolean;
  readonly jobs?: string;
  /** An old list, whose files are coded again. */
  readonly verify?: string;
  /** A list whose files are compared with their codes. */
  readonly check?: string;
  /** A folder that gets one code. */
  readonly tree?: string;
}

/** Failures shown at the end; all of them are in the output. */
const SHOWN_FAILURES_MAX = 20;

/**
 * Writes a line per file, in the order of the sources. A failed file is a line with its error and does not stop the
 * others; the exit status is then 1.
 */
export async function code(args: readonly string[], options: CodeOptions): Promise<void> {
  refuseCombinations(args, options);
  const jobs = options.jobs === undefined ? undefined : positive(options.jobs);
  if (options.tree !== undefined) return (await import('./code-check.js')).tree(options.tree);
  if (options.check !== undefined)
    return (await import('./code-check.js')).check(options.check, jobs ?? os.availableParallelism());
  if (options.verify !== undefined)
    return (await import('./code-verify.js')).verify(options.verify, args, { ...options, jobs });
  const given = await givenMetadata(options);
  const found: (Source | Unreadable)[] = [];
  for await (const source of sourcesOf(args, options)) found.push(source);
  const writers = new Writers(options);
  const sources = await writers.remaining(found);
  const failures: string[] = [];
  const fallback = options.softBinding ? { fallback: true } : {};
  const printsResults = !options.sidecar && options.resume === undefined;
  const hint = options.resume === undefined ? undefined : 'interrupted; run the same command again to go on';
  const summary = await withPipeline({ files: sources.length, jobs, hint, ...fallback }, async (work) => {
    const progress = new BatchProgress(sources.length, { printsResults });
    try {
      const one = await workOf(work, { ...options, given }, found.length === 1);
      for await (const outcome of outcomes(sources, one, work)) {
        const failure = await writers.write(outcome);
        if (failure !== undefined) failures.push(failure);
        progress.add(bytesOf(outcome), failure !== undefined);
      }
    } finally {
      progress.stop();
    }
    return progress.summary(found.length - sources.length);
  });
  await writers.close();
  if (summary !== undefined) process.stderr.write(`isccd: ${summary}\n`);
  if (found.length === 0) process.stderr.write('isccd: no file found\n');
  if (failures.length > 0) throw new CommandFailed(lines(shortened(failures)));
}

type Work = (file: LocalSource, source: Source) => Promise<Line | string>;

async function workOf(
  { pipeline }: PipelineWork,
  options: CodeOptions & ResultOptions,
  isSingle: boolean,
): Promise<Work> {
  if (!options.softBinding) {
    return async (file, { path }) => ({ path, ...(await resultOf(pipeline, file, options)) });
  }
  return async ({ path, filename }, source) => {
    const file = { path, filename: safeName(filename) };
    const binding = await softBinding(pipeline, file, { semantic: options.semantic ?? false });
    for (const note of binding.notes)
      process.stderr.write(`isccd: ${printable(`${source.path}: ${note}`)}\n`);
    if (!isSingle) return { path: source.path, units: binding.units, ...softBindingAssertion(binding) };
    process.stderr.write(`${binding.units.join('\n')}\n`);
    return softBindingText(binding);
  };
}

/** The outputs of a run. */
class Writers {
  readonly #writers: readonly Writer[];
  readonly #resume: ResumeFile | undefined;
  readonly #sidecars: boolean;

  constructor({ csv, sidecar, resume }: CodeOptions) {
    this.#resume = resume === undefined ? undefined : new ResumeFile(resume);
    this.#sidecars = sidecar === true;
    const files = [...(this.#resume ? [this.#resume] : []), ...(sidecar ? [new SideCars()] : [])];
    const standard = csv ? new StandardOutput(csvLine, CSV_HEAD) : new StandardOutput(jsonLine);
    this.#writers = files.length > 0 ? files : [standard];
  }

  /** The sources without a result of an earlier run. */
  async remaining(sources: readonly (Source | Unreadable)[]): Promise<(Source | Unreadable)[]> {
    const rest: (Source | Unreadable)[] = [];
    for (const source of sources) {
      if ('error' in source || !(await this.#isDone(source))) rest.push(source);
    }
    return rest;
  }

  /** Whether every output has the result. A run may have ended between two of them. */
  async #isDone(source: Source): Promise<boolean> {
    if (this.#resume === undefined && !this.#sidecars) return false;
    if (this.#resume !== undefined && !this.#resume.has(source)) return false;
    return !this.#sidecars || this.#hasSideCar(source);
  }

  /** Writes an outcome; returns the failure for the user, if it is one. */
  async write(outcome: Outcome<Line | string>): Promise<string | undefined> {
    const { path } = outcome.source;
    try {
      if ('error' in outcome) throw outcome.error;
      if (typeof outcome.result === 'string') process.stdout.write(`${outcome.result}\n`);
      else for (const writer of this.#writers) await writer.write(outcome.result, outcome.source);
      return undefined;
    } catch (error) {
      const line = { path, error: failureOf(error) };
      for (const writer of this.#writers) await writer.write(line, outcome.source);
      return `${path}: ${reasons(error)}`;
    }
  }

  async close(): Promise<void> {
    for (const writer of this.#writers) await writer.close();
  }

  /** Whether a side-car exists that is not older than the file. */
  async #hasSideCar({ modifiedMs = 0, ...place }: Source): Promise<boolean> {
    const found = await stat(sideCarOf(place)).catch(() => undefined);
    return found !== undefined && found.mtimeMs >= modifiedMs;
  }
}

function bytesOf(outcome: Outcome<Line | string>): number {
  const { size = 0 } = 'size' in outcome.source ? outcome.source : {};
  if (!('result' in outcome) || typeof outcome.result === 'string') return size;
  return typeof outcome.result.filesize === 'number' ? outcome.result.filesize : size;
}

function refuseCombinations(args: readonly string[], options: CodeOptions): void {
  const { csv, sidecar, resume, softBinding, name, description, meta } = options;
  const refuse = (rule: string) => {
    throw new CommandFailed(rule, 2);
  };
  if (csv && (resume !== undefined || sidecar)) refuse('--csv cannot be combined with --resume or --sidecar');
  if (sidecar && args.some(isRemote)) refuse('--sidecar needs local files; use --resume for other sources');
  const alone = [options.tree, options.check, options.verify].filter((value) => value !== undefined);
  if (alone.length > 1 || (alone.length === 1 && (csv || sidecar || resume !== undefined || softBinding)))
    refuse('--tree, --check and --verify cannot be combined with each other or with another output');
  if (args.length > 0 && (options.tree !== undefined || options.check !== undefined))
    refuse('--tree and --check take no further files');
  if (args.length === 0 && alone.length === 0) refuse('name files, folders or addresses (isccd code --help)');
  const fields = [name, description, meta].some((value) => value !== undefined);
  if (softBinding && (csv || sidecar || resume !== undefined || fields))
    refuse('--soft-binding cannot be combined with metadata or another output');
}

/** The submitted metadata, checked before any file is read. */
async function givenMetadata({ name, description, meta }: CodeOptions): Promise<GivenMetadata> {
  const text = meta?.startsWith('@') ? await fileText(meta.slice(1)) : meta;
  const given = { name, description, meta: text };
  const input =
    text === undefined || text === '' ? {} : /^data:/i.test(text) ? { meta: text } : { metaJson: text };
  try {
    await native.metaCode({ name: 'name', ...(description ? { description } : {}), ...input }, 64);
  } catch (error) {
    throw new CommandFailed(`--meta must be a JSON object, a base64 Data-URL or @FILE: ${reason(error)}`, 2);
  }
  return given;
}

async function fileText(file: string): Promise<string> {
  try {
    return (await readFile(path.resolve(file), 'utf8')).replace(/^\ufeff/, '').trim();
  } catch (error) {
    throw new CommandFailed(`--meta: ${reason(error)}`, 2);
  }
}

/** Number of concurrent jobs. @throws {CommandFailed} */
export function positive(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1) throw new CommandFailed('--jobs must be an integer from 1', 2);
  return Math.min(jobs, os.availableParallelism() * 4);
}

export function shortened(failures: readonly string[]): readonly string[] {
  const more = failures.length - SHOWN_FAILURES_MAX;
  if (more <= 0) return failures;
  return [
    ...failures.slice(0, SHOWN_FAILURES_MAX),
    `${more} more files failed; their lines have the reasons`,
  ];
}
