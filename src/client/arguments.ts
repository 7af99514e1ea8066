/** Checks of arguments that TypeScript cannot make for programs in JavaScript. Also used by the library functions. */
import { InvalidArgument } from './errors.js';

/** Longest string that a message quotes. */
const QUOTED_CHARACTERS_MAX = 60;

/** A value for an error message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    const isShort = value.length <= QUOTED_CHARACTERS_MAX;
    return isShort ? JSON.stringify(value) : `a string of ${value.length} characters`;
  }
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length} items`;
  const kind = tagOf(value);
  if (ArrayBuffer.isView(value) && 'length' in value)
    return `an object of type ${kind} with ${value.length} items`;
  return kind === 'Object' ? 'an object' : `an object of type ${kind}`;
}

/** The built-in class of an object, also of one from another realm. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** The error for an argument with a wrong value. */
export function invalid(argument: string, rule: string, value: unknown): InvalidArgument {
  return new InvalidArgument(`${argument}: must be ${rule}, not ${shown(value)}`);
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Kind {
  readonly rule: string;
  readonly accepts: (value: unknown) => boolean;
}

const KINDS = {
  boolean: { rule: 'true or false', accepts: (value) => typeof value === 'boolean' },
  string: { rule: 'a string', accepts: (value) => typeof value === 'string' },
  name: { rule: 'a string that is not empty', accepts: (value) => typeof value === 'string' && value !== '' },
  function: { rule: 'a function', accepts: (value) => typeof value === 'function' },
  signal: { rule: 'an AbortSignal', accepts: isSignal },
} as const satisfies Record<string, Kind>;

/** What an option may be. */
export type OptionKind = keyof typeof KINDS;

/** Not by class: a test runner gives programs another `AbortSignal` than ours. */
function isSignal(value: unknown): boolean {
  return (
    isObject(value) &&
    'aborted' in value &&
    'addEventListener' in value &&
    typeof value.addEventListener === 'function'
  );
}

/**
 * Checks the options that have a rule. Absent and undefined options are valid.
 *
 * @throws {InvalidArgument}
 */
export function checkOptions<Options extends object>(
  options: Options,
  kinds: { readonly [Name in keyof Options]?: OptionKind },
): void {
  if (!isObject(options)) throw invalid('options', 'an object', options);
  for (const [name, kind] of Object.entries<OptionKind>(kinds as Record<string, OptionKind>)) {
    const value: unknown = Reflect.get(options, name);
    const { rule, accepts } = KINDS[kind];
    if (value !== undefined && !accepts(value)) throw invalid(name, `${rule}, or left out`, value);
  }
}

/** The address without slashes at its end. @throws {InvalidArgument} if paths cannot be added to it */
export function checkedBaseUrl(address: string, argument = 'baseUrl'): string {
  const isBase = typeof address === 'string' && /^https?:\/\/[^?#]+$/i.test(address) && URL.canParse(address);
  if (isBase) return address.replace(/\/+$/, '');
  throw invalid(argument, 'an http or https URL without query and fragment', address);
}

/** Bytes in memory. A `Blob` may also be on disk. */
export type Bytes = Uint8Array | ArrayBuffer | Blob;

/** Views and blobs by their type, not by class: a test runner gives programs other classes than ours. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && tagOf(value) === 'Uint8Array';
}

export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return ['ArrayBuffer', 'SharedArrayBuffer'].includes(tagOf(value));
}
