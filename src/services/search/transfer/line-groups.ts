/** Cuts NDJSON into groups of whole lines. */
import { Gathered } from '../../../http/request/gathered.js';
import { withoutByteOrderMark } from '../../../http/request/streamed.js';

const LINES_MAX = 1000;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;
const NEWLINE = 10;

/** Whole lines, to be added together. */
export interface LineGroup {
  readonly bytes: Buffer;
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** Number of lines, also empty ones. */
  readonly lines: number;
}

/** A line is longer than allowed. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
  readonly line: number;

  constructor(line: number, bytesMax: number) {
    super(`line ${line} is longer than ${bytesMax} bytes`);
    this.line = line;
  }
}

/**
 * Groups of up to 1000 lines or about 4 MiB, whichever comes first.
 *
 * @param skip number of lines at the start to leave out
 * @throws {LineTooLong}
 */
export async function* lineGroups(
  bytes: AsyncIterable<Uint8Array>,
  { lineBytesMax, skip = 0 }: { readonly lineBytesMax: number; readonly skip?: number },
): AsyncGenerator<LineGroup> {
  const group = new GroupBuilder(lineBytesMax, skip);
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, at);
      group.append(chunk.subarray(at, end < 0 ? chunk.length : end + 1));
      at = end < 0 ? chunk.length : end + 1;
      if (end >= 0 && group.endLine()) yield group.take();
    }
  }
  const last = group.finish();
  if (last !== undefined) yield last;
}

class GroupBuilder {
  readonly #lineBytesMax: number;
  readonly #skip: number;
  readonly #kept = new Gathered();
  #lineBytes = 0;
  #lines = 0;
  #firstLine: number;
  #line = 1;

  constructor(lineBytesMax: number, skip: number) {
    this.#lineBytesMax = lineBytesMax;
    this.#skip = skip;
    this.#firstLine = skip + 1;
  }

  append(part: Uint8Array): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes > this.#lineBytesMax) throw new LineTooLong(this.#line, this.#lineBytesMax);
    if (this.#line <= this.#skip) return;
    this.#kept.add(part);
  }

  /** Returns whether the group is full. */
  endLine(): boolean {
    if (this.#line > this.#skip) this.#lines += 1;
    this.#line += 1;
    this.#lineBytes = 0;
    return this.#lines >= LINES_MAX || this.#kept.length >= GROUP_BYTES_MAX;
  }

  take(): LineGroup {
    const kept = this.#kept.take();
    const bytes = this.#firstLine === 1 ? withoutByteOrderMark(kept) : kept;
    const group = { bytes, firstLine: this.#firstLine, lines: this.#lines };
    this.#firstLine += this.#lines;
    this.#lines = 0;
    return group;
  }

  /** The last group; its last line may lack the line break. */
  finish(): LineGroup | undefined {
    if (this.#lineBytes > 0) this.endLine();
    return this.#lines > 0 ? this.take() : undefined;
  }
}
