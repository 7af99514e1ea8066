/** Codes of files for programs that embed this package, with the options and defaults of iscc-sdk's `code_iscc`. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeCode, decodeCode, encodeUnit } from './codec.js';
import { CodesRefusal } from './codes/errors.js';
import { sanitizeFilename } from './codes/filename.js';
import { Pipeline } from './codes/pipeline/pipeline.js';
import { configuredModels } from './codes/pipeline/semantic/models.js';
import { type IsccResult, orderedResult } from './codes/result.js';
import { readCodesConfig } from './config/codes.js';
import { environment } from './config/env.js';

export interface CodeFileOptions {
  /** Title, instead of the embedded one. Without either, the file name without extension. */
  readonly name?: string;
  /** Description, instead of the embedded one. */
  readonly description?: string;
  /** Extended metadata: a JSON object, its text, or a base64 Data-URL. */
  readonly meta?: string | Readonly<Record<string, unknown>>;
  /** Name whose extension tells the media type. Default: the last part of the path. */
  readonly filename?: string;
  /** Bits of each unit in `units`: a multiple of 32 from 64 to 256. Default: 64. */
  readonly bits?: number;
  /** Whether the result has `units`. Default: false. */
  readonly units?: boolean;
  /** Whether an ISCC-CODE of only Data- and Instance-Code has 128 bits of each. Default: false. */
  readonly wide?: boolean;
  /** Whether the result has simprints of the text, with byte offsets. Default: false. */
  readonly granular?: boolean;
  /** Whether to add the Semantic-Code; needs a model. Default: false. */
  readonly semantic?: boolean;
  /** Whether unsupported media types get an ISCC-CODE of Data- and Instance-Code. Default: false. */
  readonly fallback?: boolean;
  /** Whether to read embedded metadata. Default: true. */
  readonly extractMetadata?: boolean;
  /** Whether to make the Meta-Code. Default: true. */
  readonly createMeta?: boolean;
  /** Whether the result has a thumbnail. Default: true. */
  readonly thumbnail?: boolean;
  /** Whether the result has the `text` of text documents. Default: false. */
  readonly text?: boolean;
  /** Cancels the work. */
  readonly signal?: AbortSignal;
}

/** The metadata of a file, named as in the ISCC schema. */
export type CodedFile = Omit<IsccResult, 'units'> & {
  readonly units?: readonly string[];
  readonly text?: string;
};

const BITS = { default: 64, min: 64, max: 256, step: 32 } as const;

/**
 * The ISCC-CODE of a file with its metadata. Files are decoded in worker processes, so a damaged file cannot crash this
 * process; `CODEWEB_MAX_WORKERS` limits their number, and they end with this process.
 *
 * @throws {CodesRefusal} if the file has no code; its `code` says why: `MEDIATYPE_UNSUPPORTED`, `FILE_DAMAGED` and others
 * @throws {RangeError} for other `bits` than units have
 */
export async function codeFile(file: string | URL, options: CodeFileOptions = {}): Promise<CodedFile> {
  const { bits = BITS.default, granular = false, semantic = false } = options;
  if (!(bits >= BITS.min && bits <= BITS.max && bits % BITS.step === 0))
    throw new RangeError('bits must be a multiple of 32 from 64 to 256');
  const location = path.resolve(typeof file === 'string' ? file : fileURLToPath(file));
  const filename = sanitizeFilename(options.filename ?? path.basename(location));
  if (filename === '') throw new CodesRefusal('FILENAME_EMPTY');
  const pipeline = sharedPipeline();
  const source = await pipeline.open(location, filename);
  const { signal = new AbortController().signal } = options;
  const choice = { granular, semantic, given: givenOf(options), keepText: options.text };
  const ignoresMetadata = options.extractMetadata === false;
  const { result, text } = await pipeline.process(source, { ...choice, ignoresMetadata }, signal);
  if (result.mode === undefined && !options.fallback) {
    throw new CodesRefusal('MEDIATYPE_UNSUPPORTED', { mediatype: result.mediatype, filename });
  }
  return { ...shaped(result, options, bits), ...(text !== undefined && { text }) };
}

function givenOf({ name, description, meta }: CodeFileOptions) {
  return { name, description, meta: typeof meta === 'object' ? JSON.stringify(meta) : meta };
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

let shared: Pipeline | undefined;

/** One pool of workers for all calls. It does not keep the process alive. */
function sharedPipeline(): Pipeline {
  if (shared !== undefined) return shared;
  const config = readCodesConfig(environment());
  const workFolder = path.join(os.tmpdir(), `isccd-files-${randomBytes(9).toString('hex')}`);
  shared = new Pipeline({
    workers: config.maxWorkers,
    fallback: true,
    compat: config.compat,
    readBytes: config.ioReadBytes,
    models: configuredModels(config),
    jobSecondsMax: config.jobSecondsMax,
    workFolder,
  });
  process.once('exit', () => rmSync(workFolder, { recursive: true, force: true }));
  return shared;
}
