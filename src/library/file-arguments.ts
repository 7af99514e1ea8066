/** Checks of the arguments of `codeFile`, before any file is read and any worker starts. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOptions, invalid, isObject, type OptionKind } from '../client/arguments.js';
import { InvalidArgument } from '../client/errors.js';
import { sanitizeFilename } from '../iscc/filename.js';
import { isNativeError, native } from '../native.js';
import { failureReason } from '../platform/failure-reason.js';
import type { GivenMetadata } from '../services/codes/pipeline/jobs.js';
import { checkBits } from './arguments.js';

/** The arguments in the form of the pipeline. */
export interface FileArguments {
  /** Absolute path. */
  readonly location: string;
  /** A single path segment. */
  readonly filename: string;
  readonly bits: number;
  readonly given: GivenMetadata;
}

const BITS_DEFAULT = 64;
/** The body of an ISCC-CODE has 64 bits per unit, so shorter units have no code. */
const BITS_MIN = 64;

const OPTIONS = {
  name: 'string',
  description: 'string',
  filename: 'name',
  units: 'boolean',
  wide: 'boolean',
  granular: 'boolean',
  semantic: 'boolean',
  fallback: 'boolean',
  extractMetadata: 'boolean',
  createMeta: 'boolean',
  thumbnail: 'boolean',
  text: 'boolean',
  signal: 'signal',
} as const satisfies { readonly [Name in keyof CodeFileOptions]: OptionKind };

/** @throws {InvalidArgument} */
export async function fileArguments(file: string | URL, options: CodeFileOptions): Promise<FileArguments> {
  checkOptions(options, OPTIONS);
  const { bits = BITS_DEFAULT, name, description } = options;
  checkBits(bits, BITS_MIN);
  checkUnicode('name', name);
  checkUnicode('description', description);
  const location = path.resolve(pathOf(file));
  const filename = filenameOf(location, options.filename);
  return { location, filename, bits, given: { name, description, meta: await metaOf(options.meta) } };
}

function pathOf(file: string | URL): string {
  if (typeof file === 'string' && file !== '' && !file.includes('\0')) return file;
  if (!(file instanceof URL)) throw invalid('file', 'a path or a file URL', file);
  try {
    return fileURLToPath(file);
  } catch {
    throw invalid('file', 'a path or a file URL', file.href);
  }
}

function filenameOf(location: string, option: string | undefined): string {
  const filename = sanitizeFilename(option ?? path.basename(location));
  if (filename !== '') return filename;
  if (option !== undefined)
    throw invalid('filename', 'a name with characters that every system allows', option);
  throw new InvalidArgument(
    `file: the name of ${location} has no character that every system allows; pass the option filename`,
  );
}

/** The addon would reject such text in the worker, as a fault of the file. */
function checkUnicode(option: string, text: string | undefined): void {
  if (text !== undefined && /\p{Surrogate}/u.test(text))
    throw new InvalidArgument(
      `${option}: must not contain lone surrogates; text.toWellFormed() replaces them`,
    );
}

/** The metadata as text, as the addon accepts it. */
async function metaOf(meta: CodeFileOptions['meta']): Promise<string | undefined> {
  if (meta === undefined || meta === '') return meta;
  const text = typeof meta === 'string' ? meta : jsonOf(meta);
  try {
    await native.metaCode(
      { name: 'name', ...(/^data:/i.test(text) ? { meta: text } : { metaJson: text }) },
      64,
    );
  } catch (error) {
    if (!isNativeError(error, 'INVALID_ARGUMENT')) throw error;
    const reason = error.message.replace(/^metaJson: /, 'meta: ');
    throw new InvalidArgument(`${reason}; pass an object, its JSON or a base64 Data-URL`);
  }
  return text;
}

function jsonOf(meta: unknown): string {
  const isPlain = isObject(meta) && Object.prototype.toString.call(meta) === '[object Object]';
  if (!isPlain) throw invalid('meta', 'a JSON object, its text or a base64 Data-URL', meta);
  try {
    return JSON.stringify(meta);
  } catch (error) {
    throw new InvalidArgument(`meta: has no JSON: ${failureReason(error)}`);
  }
}

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
  /** Whether the result has simprints of the text, with byte offsets, and others with `CODESDK_GRANULAR_MEDIA`. Default: false. */
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
