/**
 * Checks of the arguments of the library functions, which TypeScript cannot make for programs in JavaScript. Rules about the
 * values of codes and text stay in the addon, whose errors have the same `code`.
 */
import { types } from 'node:util';
import { type Bytes, invalid, isArrayBuffer, isUint8Array } from '../client/arguments.js';
import { InvalidArgument } from '../client/errors.js';

/** Integers in a list or in an array of 8, 16 or 32 bits each. */
export type Integers =
  | readonly number[]
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const UINT32_MAX = 2 ** 32 - 1;
const BITS = { min: 32, max: 256, step: 32 } as const;
/** Values of an MPEG-7 frame signature. */
const FRAME_VALUES = 380;
/** Grey values of an Image-Code. */
const PIXELS = 1024;

/** @throws {InvalidArgument} */
export function checkBits(bits: number, min: number = BITS.min): void {
  const { max, step } = BITS;
  if (Number.isInteger(bits) && bits >= min && bits <= max && bits % step === 0) return;
  throw invalid('bits', `a multiple of ${step} from ${min} to ${max}`, bits);
}

/** @throws {InvalidArgument} */
export function checkInteger(argument: string, value: number, max: number): void {
  if (!(Number.isInteger(value) && value >= 0 && value <= max))
    throw invalid(argument, `an integer from 0 to ${max}`, value);
}

/** @throws {InvalidArgument} */
export function checkString(argument: string, value: string): void {
  if (typeof value !== 'string') throw invalid(argument, 'a string', value);
}

/** @throws {InvalidArgument} */
export function checkText(text: Uint8Array | string): void {
  if (typeof text !== 'string' && !isUint8Array(text))
    throw invalid('text', 'a string or its UTF-8 bytes in a Uint8Array', text);
}

/** Codes cross to the addon as lines of one text. @throws {InvalidArgument} */
export function checkCodes(argument: string, codes: readonly string[]): void {
  if (!Array.isArray(codes)) throw invalid(argument, 'an array of codes', codes);
  for (const [at, code] of codes.entries()) {
    if (typeof code !== 'string' || code.includes('\n')) throw invalid(`${argument}[${at}]`, 'a code', code);
  }
}

/** The bytes in memory. @throws {InvalidArgument} */
export async function bytesOf(bytes: Bytes): Promise<Uint8Array> {
  if (isUint8Array(bytes)) return bytes;
  if (isArrayBuffer(bytes)) return new Uint8Array(bytes);
  if (bytes instanceof Blob) return new Uint8Array(await bytes.arrayBuffer());
  const way = typeof bytes === 'string' ? '; Buffer.from(text) makes bytes of a text' : '';
  const { message } = invalid('bytes', 'a Uint8Array, an ArrayBuffer or a Blob', bytes);
  throw new InvalidArgument(message + way);
}

/** The grey values of an Image-Code. @throws {InvalidArgument} */
export function pixelsOf(pixels: Integers): Uint8Array {
  const rule = `${PIXELS} grey values`;
  if (!isIntegers(pixels) || pixels.length !== PIXELS) throw invalid('pixels', rule, pixels);
  if (isUint8Array(pixels)) return pixels;
  const bytes = new Uint8Array(PIXELS);
  copy('pixels', pixels, { min: 0, max: 255 }, bytes, 0);
  return bytes;
}

/** A Chromaprint fingerprint. Programs print its items signed or unsigned. @throws {InvalidArgument} */
export function fingerprintOf(fingerprint: Integers): Int32Array {
  if (!isIntegers(fingerprint))
    throw invalid('fingerprint', 'a list or typed array of integers', fingerprint);
  if (types.isInt32Array(fingerprint)) return fingerprint.slice();
  const items = new Int32Array(fingerprint.length);
  copy('fingerprint', fingerprint, { min: INT32_MIN, max: UINT32_MAX }, items, 0);
  return items;
}

/** Frame signatures, one after the other. @throws {InvalidArgument} */
export function framesOf(frames: Int32Array | readonly Integers[]): Int32Array {
  if (types.isInt32Array(frames)) return frames;
  if (!Array.isArray(frames))
    throw invalid('frames', 'an Int32Array or an array of frame signatures', frames);
  const list: readonly Integers[] = frames;
  const values = new Int32Array(list.length * FRAME_VALUES);
  list.forEach((frame, at) => {
    const argument = `frames[${at}]`;
    if (!isIntegers(frame)) throw invalid(argument, `a list of ${FRAME_VALUES} integers`, frame);
    if (frame.length !== FRAME_VALUES)
      throw new InvalidArgument(
        `${argument}: a frame signature has ${FRAME_VALUES} values, not ${frame.length}`,
      );
    copy(argument, frame, { min: INT32_MIN, max: INT32_MAX }, values, at * FRAME_VALUES);
  });
  return values;
}

/** Arrays of floating-point numbers are no fingerprints: 32 bits do not fit into those of 32 bits. */
function isIntegers(value: unknown): value is Integers {
  if (Array.isArray(value)) return true;
  const isFloat = types.isFloat32Array(value) || types.isFloat64Array(value);
  const isBig = types.isBigInt64Array(value) || types.isBigUint64Array(value);
  return types.isTypedArray(value) && !isFloat && !isBig;
}

/** Copies integers into `out` from `start` on. An integer above the range of `out` keeps its lowest bits. */
function copy(
  argument: string,
  values: Integers,
  { min, max }: { readonly min: number; readonly max: number },
  out: Int32Array | Uint8Array,
  start: number,
): void {
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number;
    // The quick test first: it holds for nearly all values.
    const isInt32 = (value | 0) === value;
    if (!((isInt32 || Number.isInteger(value)) && value >= min && value <= max))
      throw invalid(`${argument}[${at}]`, `an integer from ${min} to ${max}`, value);
    out[start + at] = value;
  }
}
