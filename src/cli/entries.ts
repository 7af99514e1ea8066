/** Entries for the similarity index from files: JSON, JSON lines, and what the codes service writes. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ImportSource, ImportStep } from '../client/import.js';
import type { Entry, Simprint } from '../client/types.js';
import { CommandFailed, reason } from './failure.js';

type Members = Readonly<Record<string, unknown>>;

/** Entries of a piece of a file; progress is shown from piece to piece. */
const STEP_ENTRIES = 1000;

/** Files as a source of entries. */
export class EntryFiles implements ImportSource {
  readonly #entries: readonly Entry[];

  private constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** Reads all files first: a wrong one must not leave half an import behind. */
  static async read(files: readonly string[]): Promise<EntryFiles> {
    return new EntryFiles((await Promise.all(files.map(readEntries))).flat());
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

/** All entries of a file; `-` is standard input. */
export async function readEntries(file: string): Promise<Entry[]> {
  const text = (await read(file)).toString('utf8');
  return parse(text, file).map((value, index) => entry(value, `${file}, entry ${index + 1}`));
}

async function read(file: string): Promise<Buffer> {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new CommandFailed(`${file}: ${reason(error)}`);
  }
}

/** One JSON value (a list counts as its items), or one per line. */
function parse(text: string, file: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch (whole) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw new CommandFailed(`${file}: ${reason(whole)}`);
    return lines.map((line, index) => {
      try {
        return JSON.parse(line) as unknown;
      } catch (error) {
        throw new CommandFailed(`${file}, line ${index + 1}: ${reason(error)}`);
      }
    });
  }
}

function entry(value: unknown, place: string): Entry {
  if (!isObject(value)) throw new CommandFailed(`${place}: not a JSON object`);
  if (typeof value.iscc_id !== 'string') throw new CommandFailed(`${place}: there is no iscc_id`);
  // The codes service calls the code `iscc`; an entry for the index calls it `iscc_code`.
  return typeof value.iscc === 'string' ? fromCodes(value, value.iscc_id) : (value as unknown as Entry);
}

function fromCodes(value: Members, isccId: string): Entry {
  const simprints = fromFeatures(value.features);
  return {
    iscc_id: isccId,
    iscc_code: String(value.iscc),
    ...(Array.isArray(value.units) ? { units: value.units.map(String) } : {}),
    ...(Object.keys(simprints).length > 0 ? { simprints } : {}),
    ...(typeof value.name === 'string' ? { metadata: { name: value.name } } : {}),
  };
}

/** Lists of simprints, offsets and sizes per type to simprints with their own offset and size. */
function fromFeatures(features: unknown): Record<string, Simprint[]> {
  const simprints: Record<string, Simprint[]> = {};
  for (const feature of Array.isArray(features) ? features.filter(isObject) : []) {
    const type = `${feature.maintype}_${feature.subtype}_V${feature.version}`.toUpperCase();
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

/** Parts that follow each other begin where the one before ends. */
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
