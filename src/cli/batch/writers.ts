/** Where results go: lines of JSON, CSV, a file to resume from, or side-cars next to the files. */
import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { csvField } from '../../platform/csv.js';
import { printable } from '../../platform/printable.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { type Line, LineFile } from './line-file.js';
import type { Place } from './place.js';
import type { Source } from './source.js';

export interface Writer {
  /** Writes the line of a file. */
  write(line: Line, place: Place): Promise<void>;
  close(): Promise<void>;
}

/** Lines of text on standard output. Waits for a slow reader. */
export class StandardOutput implements Writer {
  readonly #format: (line: Line) => string;

  constructor(format: (line: Line) => string, head = '') {
    this.#format = format;
    if (head !== '') process.stdout.write(head);
  }

  async write(line: Line): Promise<void> {
    if (!process.stdout.write(`${this.#format(line)}\n`)) await once(process.stdout, 'drain');
  }

  async close(): Promise<void> {}
}

export function jsonLine(line: Line): string {
  return JSON.stringify(line);
}

const CSV_COLUMNS = ['path', 'iscc', 'mode', 'mediatype', 'filesize', 'name', 'datahash'] as const;

/** The first line of CSV output. */
export const CSV_HEAD = `${[...CSV_COLUMNS, 'units', 'error', 'detail'].join(',')}\r\n`;

/** RFC 4180, without the line end's line feed, which every line gets. Control characters are escaped for a terminal. */
export function csvLine(line: Line): string {
  const units = Array.isArray(line.units) ? line.units.join(' ') : '';
  const values = [...CSV_COLUMNS.map((column) => line[column]), units, line.error?.code, line.error?.detail];
  const shown = process.stdout.isTTY === true ? values.map(shownValue) : values;
  return `${shown.map(csvField).join(',')}\r`;
}

function shownValue(value: unknown): unknown {
  return typeof value === 'string' ? printable(value) : value;
}

/** A file of lines to which every run appends, and which says what earlier runs have done. */
export class ResumeFile implements Writer {
  /** Size in bytes of each file with a result. */
  readonly #done = new Map<string, number | undefined>();
  readonly #file: LineFile;

  constructor(file: string) {
    this.#file = new LineFile(file, (line) => {
      // A later line of the same path replaces an earlier one.
      if (line.error !== undefined) this.#done.delete(line.path);
      else this.#done.set(line.path, typeof line.filesize === 'number' ? line.filesize : undefined);
    });
  }

  /** Whether an earlier run has a result for the source. A file of another size has changed since. */
  has({ path, size, isTransient }: Source): boolean {
    if (isTransient || !this.#done.has(path)) return false;
    const known = this.#done.get(path);
    return size === undefined || known === undefined || known === size;
  }

  async write(line: Line): Promise<void> {
    this.#file.append(line);
  }

  async close(): Promise<void> {
    this.#file.close();
  }
}

/** End of the names of side-cars, as iscc-sdk writes them. */
export const SIDECAR_END = '.iscc.json';

/** The path of a file's side-car. */
export function sideCarOf({ path, bytes }: Place, end = SIDECAR_END): string | Buffer {
  return bytes === undefined ? path + end : Buffer.concat([bytes, Buffer.from(end)]);
}

/** Writes each result as indented JSON to `FILE.iscc.json`; failures leave no file. */
export class SideCars implements Writer {
  async write({ path: _, error, ...result }: Line, place: Place): Promise<void> {
    if (error !== undefined) return;
    const target = sideCarOf(place);
    const draft = sideCarOf(place, `${SIDECAR_END}.tmp`);
    try {
      await writeFile(draft, JSON.stringify(result, undefined, 2));
      await rename(draft, target);
    } catch (failure) {
      await rm(draft, { force: true });
      throw new CommandFailed(`the side-car can't be written: ${reason(failure)}`);
    }
  }

  async close(): Promise<void> {}
}
