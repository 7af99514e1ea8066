/** A file of results, one line of JSON each, that survives a kill: a last line that is not complete is cut. */
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { CommandFailed, reason } from '../terminal/failure.js';
import type { Failure } from './run.js';

/** A line of output: the path first, then the result or the failure. */
export interface Line {
  readonly path: string;
  readonly error?: Failure;
  readonly [member: string]: unknown;
}

/** Where a line is in its file. */
export interface LinePlace {
  readonly offset: number;
  readonly bytes: number;
}

const READ_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const LINE_START = '{"path":"';

export class LineFile {
  #file: number;
  readonly #name: string;
  #end = 0;

  /**
   * Opens or creates the file and passes its lines to `add`, oldest first.
   *
   * @throws {CommandFailed} if the file is unusable or has other content, which is kept
   */
  constructor(name: string, add: (line: Line, place: LinePlace) => void) {
    this.#name = name;
    try {
      this.#file = openSync(name, 'a+', 0o666);
      this.#read(add);
      ftruncateSync(this.#file, this.#end);
    } catch (error) {
      throw error instanceof CommandFailed ? error : new CommandFailed(`${name}: ${reason(error)}`);
    }
  }

  /** @throws {CommandFailed} if the file can't be written; it then ends with the line before */
  append(line: Line): LinePlace {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      // A disk that gets full takes a part.
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      ftruncateSync(this.#file, this.#end);
      throw new CommandFailed(`${this.#name}: ${reason(error)}`);
    }
    const place = { offset: this.#end, bytes: bytes.length };
    this.#end += bytes.length;
    return place;
  }

  read({ offset, bytes }: LinePlace): Line {
    const buffer = Buffer.alloc(bytes);
    readSync(this.#file, buffer, 0, bytes, offset);
    return JSON.parse(buffer.toString()) as Line;
  }

  /** Rewrites the file with some of its lines only. Their places change, so that only `close` may follow. */
  keep(places: readonly LinePlace[]): void {
    const draft = `${this.#name}.tmp`;
    const target = openSync(draft, 'w', 0o666);
    try {
      for (const { offset, bytes } of places) {
        const buffer = Buffer.alloc(bytes);
        readSync(this.#file, buffer, 0, bytes, offset);
        for (let at = 0; at < bytes; ) at += writeSync(target, buffer, at);
      }
      fsyncSync(target);
      renameSync(draft, this.#name);
    } catch {
      // The lines remain in the old file, for example on a full disk.
      closeSync(target);
      rmSync(draft, { force: true });
      return;
    }
    closeSync(this.#file);
    this.#file = target;
  }

  close(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
  }

  #read(add: (line: Line, place: LinePlace) => void): void {
    const buffer = Buffer.alloc(READ_BYTES);
    let pending = Buffer.alloc(0);
    let number = 0;
    for (let at = 0; ; ) {
      const bytes = readSync(this.#file, buffer, 0, READ_BYTES, at);
      if (bytes === 0) break;
      at += bytes;
      pending = Buffer.concat([pending, buffer.subarray(0, bytes)]);
      let start = 0;
      for (let end = pending.indexOf(LINE_FEED); end >= 0; end = pending.indexOf(LINE_FEED, start)) {
        number += 1;
        const text = pending.toString('utf8', start, end);
        const place = { offset: this.#end, bytes: end + 1 - start };
        if (text.trim() !== '') add(parsed(text, `${this.#name}, line ${number}`), place);
        start = end + 1;
        this.#end += place.bytes;
      }
      pending = pending.subarray(start);
    }
    this.#checkTorn(pending.toString());
  }

  /** Cutting the end of a file that is not ours would destroy it. */
  #checkTorn(end: string): void {
    if (!end.startsWith(LINE_START) && !LINE_START.startsWith(end)) parsed('', `the end of ${this.#name}`);
  }
}

function parsed(text: string, place: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string')
      return value as Line;
  } catch {
    // Reported below.
  }
  throw new CommandFailed(`${place} is not a result of isccd; choose another file`);
}
