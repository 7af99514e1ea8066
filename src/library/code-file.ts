/** Codes of files for programs that embed this package, with the options and defaults of iscc-sdk's `code_iscc`. */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { composeCode, decodeCode, encodeUnit } from '../iscc/codec.js';
import { readCodesConfig } from '../platform/config/codes.js';
import { environment } from '../platform/config/env.js';
import { lazily } from '../platform/lazily.js';
import { Slots } from '../platform/slots.js';
import { CodesRefusal } from '../services/codes/errors.js';
import { profileOf } from '../services/codes/pipeline/jobs.js';
import { Pipeline } from '../services/codes/pipeline/pipeline.js';
import { configuredModels } from '../services/codes/pipeline/semantic/models.js';
import { type IsccResult, orderedResult } from '../services/codes/result.js';
import { type CodeFileOptions, type FileArguments, fileArguments } from './file-arguments.js';

/** The metadata of a file, named as in the ISCC schema. */
export type CodedFile = Omit<IsccResult, 'units'> & {
  readonly units?: readonly string[];
  readonly text?: string;
};

/**
 * The ISCC-CODE of a file with its metadata. Files are decoded in worker processes, so a damaged file cannot crash this
 * process; `CODEWEB_MAX_WORKERS` limits their number, and they end with this process. Any number of calls may be pending:
 * each reads its file when its turn comes.
 *
 * @throws {InvalidArgument} if an argument breaks a rule; its `code` is `INVALID_ARGUMENT`
 * @throws {CodesRefusal} if the file has no code; its `code` says why: `MEDIATYPE_UNSUPPORTED`, `FILE_DAMAGED` and others
 * @throws {Unavailable} `WORKER_LOST` if the system ended the worker; the call may be repeated
 */
export async function codeFile(file: string | URL, options: CodeFileOptions = {}): Promise<CodedFile> {
  const given = await fileArguments(file, options);
  const { pipeline, slots } = shared();
  return inTurn(slots, () => coded(pipeline, given, options), options.signal);
}

/** The result of a task when its turn comes. An abort ends the wait, and is left to the task later. */
function inTurn<T>(slots: Slots, task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // The caller may pass one signal to thousands of calls. Node.js warns of more than ten listeners.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    const leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    const turn = async () => {
      signal?.removeEventListener('abort', leave);
      signal?.throwIfAborted();
      return task();
    };
    slots.run(turn).then(resolve, reject);
  });
}

async function coded(
  pipeline: Pipeline,
  { location, filename, bits, given }: FileArguments,
  options: CodeFileOptions,
): Promise<CodedFile> {
  const { granular = false, semantic = false, signal = new AbortController().signal } = options;
  const source = await pipeline.open(location, filename);
  const choice = { granular, semantic, given, keepText: options.text };
  const ignoresMetadata = options.extractMetadata === false;
  const { result, text } = await pipeline.process(source, { ...choice, ignoresMetadata }, signal);
  if (result.mode === undefined && !options.fallback) {
    throw new CodesRefusal('MEDIATYPE_UNSUPPORTED', { mediatype: result.mediatype, filename });
  }
  return { ...shaped(result, options, bits), ...(text !== undefined && { text }) };
}

/** Leaves out what the options do not ask for. */
function shaped(result: IsccResult, options: CodeFileOptions, bits: number): CodedFile {
  const { units, thumbnail, metahash, name, description, meta, ...rest } = orderedResult(result);
  const kept = options.createMeta === false ? units.filter((unit) => decodeCode(unit).main !== META) : units;
  const metadata = options.createMeta === false ? {} : { metahash, name, description, meta };
  const parts = {
    ...rest,
    ...metadata,
    iscc: composeCode(kept, options.wide),
    units: kept.map((unit) => shortened(unit, bits)),
    ...(options.thumbnail !== false && { thumbnail }),
  };
  const { units: all, ...withoutUnits } = orderedResult(parts as IsccResult);
  return options.units ? { ...withoutUnits, units: all } : withoutUnits;
}

/** First field of the header of a Meta-Code. */
const META = 0;

function shortened(unit: string, bits: number): string {
  const { main, sub, version, body } = decodeCode(unit);
  return encodeUnit(main, sub, version, bits, body);
}

/**
 * Calls that read their files, per worker: while a worker decodes one file, the sums of the next are computed. Far fewer
 * than the jobs that the pipeline lets wait.
 */
const CALLS_PER_WORKER = 2;

/** One pool of workers for all calls. It does not keep the process alive. */
const shared = lazily(() => {
  const config = readCodesConfig(environment());
  const workFolder = path.join(os.tmpdir(), `isccd-files-${randomBytes(9).toString('hex')}`);
  const pipeline = new Pipeline({
    workers: config.maxWorkers,
    fallback: true,
    ...profileOf(config.compat),
    granularMedia: config.granularMedia,
    readBytes: config.ioReadBytes,
    models: configuredModels(config),
    jobSecondsMax: config.jobSecondsMax,
    places: { work: workFolder },
  });
  process.once('exit', () => rmSync(workFolder, { recursive: true, force: true }));
  return { pipeline, slots: new Slots(config.maxWorkers * CALLS_PER_WORKER) };
});
