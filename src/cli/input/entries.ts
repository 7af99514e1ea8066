/** Reads index entries from files: JSON, JSON lines, and results of the codes service. */
import { createHash } from 'node:crypto';
import type { Entry, Simprint } from '../../client/search-api.js';
import { simprintType } from '../../iscc/spans.js';
import { native } from '../../native.js';
import type { ImportSource, ImportStep } from '../../services/search/import.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { readNamed } from './named-file.js';

type Members = Readonly<Record<string, unknown>>;

/** Entries per import step; progress is shown after each step. */
export const STEP_ENTRIES = 1000;

export interface EntryOptions {
  /** Whether entries without an ISCC-ID get one that is derived from code and file name. */
  readonly makeIds?: boolean;
}

/** A source of entries from files. */
export class EntryFiles implements ImportSource {
  readonly #entries: readonly Entry[];

  private constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** Reads all files first, so that an unreadable file does not leave a partial import. */
  static async read(files: readonly string[], options: EntryOptions = {}): Promise<EntryFiles> {
    return new EntryFiles((await Promise.all(files.map((file) => readEntries(file, options)))).flat());
  }

  get size(): number {
    return this.#entries.length;
  }

  async *steps(): AsyncGenerator<ImportStep> {
    for (let start = 0; start < this.size; start += STEP_ENTRIES) {
      yield { entries: this.#entries.slice(start, start + STEP_ENTRIES) };
    }
  }
}

/** All entries of a file; `-` means standard input. */
export async function readEntries(file: string, { makeIds = false }: EntryOptions = {}): Promise<Entry[]> {
  return parse(await readNamed(file), file).flatMap((value, index) =>
    isFailure(value) ? [] : [entry(value, `${file}, entry ${index + 1}`, makeIds)],
  );
}

/** A line of `isccd code` for a file without a code, which that command has reported. */
function isFailure(value: unknown): boolean {
  return isObject(value) && isObject(value.error) && typeof value.path === 'string';
}

/** One JSON value (the items if it is an array), or one value per line, also of files that are too large for one text. */
function parse(bytes: Buffer, file: string): unknown[] {
  const lines = linesOf(bytes);
  const [first] = lines;
  if (first === undefined) return [];
  if (lines.length > 1 && isJson(first)) return parsedLines(lines, file);
  try {
    const value: unknown = JSON.parse(textOf(bytes));
    return Array.isArray(value) ? value : [value];
  } catch (whole) {
    if (lines.length === 1) throw new CommandFailed(`${file}: ${reason(whole)}`);
    return parsedLines(lines, file);
  }
}

function parsedLines(lines: readonly Buffer[], file: string): unknown[] {
  return lines.map((line, index) => {
    try {
      return JSON.parse(textOf(line)) as unknown;
    } catch (error) {
      throw new CommandFailed(`${file}, line ${index + 1}: ${reason(error)}`);
    }
  });
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(textOf(line));
    return true;
  } catch {
    return false;
  }
}

/** Some editors write a byte order mark. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

const LINE_FEED = 0x0a;
const WHITE_SPACE = [0x20, 0x09, 0x0d];

/** The lines that have content, without their ends. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (!line.every((byte) => WHITE_SPACE.includes(byte))) lines.push(line);
    start += line.length + 1;
  }
  return lines;
}

function entry(value: unknown, place: string, makeIds: boolean): Entry {
  if (!isObject(value)) throw new CommandFailed(`${place}: not a JSON object`);
  const isccId = typeof value.iscc_id === 'string' ? value.iscc_id : makeIds ? derivedId(value) : undefined;
  if (isccId === undefined) {
    const hint = makeIds ? 'it has no code to derive one from' : '--make-ids derives one from the code';
    throw new CommandFailed(`${place}: iscc_id is missing; ${hint}`);
  }
  // The codes service calls the code `iscc`; an entry for the index calls it `iscc_code`.
  if (typeof value.iscc === 'string') return fromCodes(value, isccId);
  return { ...value, iscc_id: isccId } as unknown as Entry;
}

/**
 * An ISCC-ID of the test realm, not issued by a hub. It is the same for the same code and file name, so that adding a
 * file again replaces its entry.
 */
function derivedId({ iscc, iscc_code: code = iscc, filename }: Members): string | undefined {
  if (typeof code !== 'string') return undefined;
  const digest = createHash('sha256')
    .update(`${code}\n${filename ?? ''}`)
    .digest();
  return native.isccId(0, digest.readUIntBE(0, 6), digest.readUInt16BE(6) % HUBS);
}

const HUBS = 4096;

function fromCodes(value: Members, isccId: string): Entry {
  const simprints = fromFeatures(value.features);
  return {
    iscc_id: isccId,
    iscc_code: String(value.iscc),
    ...(Array.isArray(value.units) ? { units: value.units.map(String) } : {}),
    ...(Object.keys(simprints).length > 0 ? { simprints } : {}),
    ...metadataOf(value),
  };
}

/** Name, file name and thumbnail, to recognise the file. */
function metadataOf({ name, filename, thumbnail }: Members): Pick<Entry, 'metadata'> {
  const texts = Object.entries({ name, filename, thumbnail }).filter(([, text]) => typeof text === 'string');
  return texts.length === 0 ? {} : { metadata: Object.fromEntries(texts) };
}

/** Converts parallel lists of simprints, offsets and sizes per type to lists of simprint objects. */
function fromFeatures(features: unknown): Record<string, Simprint[]> {
  const simprints: Record<string, Simprint[]> = {};
  for (const feature of Array.isArray(features) ? features.filter(isObject) : []) {
    const type = simprintType({
      maintype: String(feature.maintype),
      subtype: String(feature.subtype),
      version: Number(feature.version),
    });
    const texts = list(feature.simprints);
    if (texts.length === 0) continue;
    const sizes = list(feature.sizes).map(Number);
    const offsets = Array.isArray(feature.offsets) ? feature.offsets.map(Number) : startsOf(sizes);
    simprints[type] = texts.map((text, index) => ({
      simprint: String(text),
      offset: offsets[index] ?? 0,
      size: sizes[index] ?? 0,
    }));
  }
  return simprints;
}

/** Offsets of consecutive parts with these sizes. */
function startsOf(sizes: readonly number[]): number[] {
  let start = 0;
  return sizes.map((size) => {
    start += size;
    return start - size;
  });
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
