/** Test files with recorded reference results, and the distance between codes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/codes');

export interface Recorded {
  readonly file: string;
  readonly path: string;
  readonly error?: { readonly type: string };
  readonly result?: Readonly<Record<string, unknown>> & {
    readonly units: readonly string[];
    readonly mediatype: string;
  };
  readonly thumbnail_info?: { readonly width: number; readonly height: number };
  readonly extract_metadata?: Readonly<Record<string, unknown>>;
  readonly fpcalc?: { readonly fingerprint: readonly number[] };
  readonly mp7?: { readonly frames: number };
  readonly text_extracted?: string;
  readonly embed?: {
    readonly reextracted?: Readonly<Record<string, unknown>>;
    readonly content_unit?: readonly string[];
  };
}

const all = JSON.parse(readFileSync(path.join(fixtures, 'files_sdk_0_9_7.json'), 'utf8')) as {
  readonly embed_request: Readonly<Record<string, string>>;
  readonly files: readonly Recorded[];
};

/** The fields that the reference embedded into each supported file. */
export const EMBED_REQUEST = all.embed_request;

export const RECORDED: readonly Recorded[] = all.files.map((one) => ({
  ...one,
  path: path.join(fixtures, 'files', one.file),
}));

export function recorded(file: string): Recorded {
  const found = RECORDED.find((one) => one.file === file);
  if (found === undefined) throw new Error(`no recorded file ${file}`);
  return found;
}

/** Content-Code of a recorded result. */
export function contentUnit({ result }: Recorded): string {
  return result?.units.find((unit) => unit.startsWith('ISCC:E')) ?? '';
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const HEADER_BITS = 16;

/** Hamming distance in bits of two units of the same type and length. */
export function distance(a: string, b: string): number {
  if (a.length !== b.length || a.slice(0, 7) !== b.slice(0, 7))
    throw new Error(`${a} and ${b} do not compare`);
  const [x, y] = [bits(a), bits(b)];
  return [...x].filter((bit, index) => bit !== y[index]).length;
}

function bits(unit: string): string {
  const digits = [...unit.replace('ISCC:', '')].map((char) =>
    ALPHABET.indexOf(char).toString(2).padStart(5, '0'),
  );
  return digits.join('').slice(HEADER_BITS);
}

export function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Prints a table to the test output, one line per file. */
export function printTable(
  title: string,
  rows: readonly (readonly [file: string, distance: number])[],
): void {
  const lines = rows.map(([file, bits]) => `  ${file.padEnd(24)} ${String(bits).padStart(3)} of 256 bits`);
  console.log([title, ...lines].join('\n'));
}
