/** Recorded results of the reference library, and distances to them. */
import { readFileSync } from 'node:fs';

export interface ReferenceFile {
  readonly file: string;
  /** Error of the reference, if it fails. */
  readonly error?: { readonly type: string };
  /** Absent if the reference fails. */
  readonly result?: ReferenceResult;
  readonly thumbnail_info?: { readonly width: number; readonly height: number };
  readonly extract_metadata?: Readonly<Record<string, unknown>>;
  readonly embed?: {
    readonly reextracted?: Readonly<Record<string, unknown>>;
    readonly content_unit?: readonly string[];
  };
}

export interface ReferenceResult {
  readonly iscc: string;
  readonly units: readonly string[];
  readonly mode?: string;
  readonly [field: string]: unknown;
}

interface Recording {
  readonly files: readonly ReferenceFile[];
  readonly embed_request: Readonly<Record<string, string>>;
}

const FOLDER = new URL('../../fixtures/codes/', import.meta.url);

export const recording: Recording = JSON.parse(readFileSync(new URL('files_sdk_0_9_7.json', FOLDER), 'utf8'));

export function fileBytes(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`files/${encodeURIComponent(name)}`, FOLDER)));
}

export function referenceOf(name: string): ReferenceFile {
  const found = recording.files.find(({ file }) => file === name);
  if (found === undefined) throw new Error(`no reference result for ${name}`);
  return found;
}

/** Hamming distance of each pair of units in their first `bits` bits; undefined if the unit types differ. */
export function distances(
  ours: readonly string[],
  theirs: readonly string[],
  bits = 256,
): number[] | undefined {
  const types = (units: readonly string[]) => units.map((unit) => unit.slice(0, TYPE_CHARACTERS)).join();
  if (types(ours) !== types(theirs)) return undefined;
  const start = (unit: string) => body(unit).subarray(0, bits / 8);
  return ours.map((unit, index) => distance(start(unit), start(theirs[index] as string)));
}

/** `ISCC:` and the two characters of the unit type. */
const TYPE_CHARACTERS = 7;

function distance(a: Uint8Array, b: Uint8Array): number {
  if (a.byteLength !== b.byteLength) return Number.NaN;
  let bits = 0;
  for (const [index, byte] of a.entries()) {
    for (let rest = byte ^ (b[index] as number); rest > 0; rest &= rest - 1) bits += 1;
  }
  return bits;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const HEADER_BYTES = 2;

function body(unit: string): Uint8Array {
  const bits = [...unit.replace('ISCC:', '')].map((letter) =>
    ALPHABET.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const octets = bits.join('').match(/.{8}/g) ?? [];
  return Uint8Array.from(octets, (octet) => Number.parseInt(octet, 2)).subarray(HEADER_BYTES);
}
