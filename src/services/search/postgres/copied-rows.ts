/**
 * A binary COPY of one column with the JSON of a row, read page by page: the server sends rows as it finds them, and waits
 * while a page is in use.
 */
import type { PostgresCursor } from 'kysely';
import type { Connection, Submittable } from 'pg';

/** Rows of one page: a JSON array. */
export interface CopiedPage {
  readonly rows: Buffer;
  readonly count: number;
}

/** Bytes of a page; one row may be larger. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** A server that sends nothing for so long is unreachable. */
const SILENCE_MS_MAX = 120_000;
/** pg's own limit is for a whole statement; a large index takes longer. This is the longest that timers have. */
const STATEMENT_MS_MAX = 2 ** 31 - 1;
/** Of the format: signature, flags and length of an extension. */
const HEADER_BYTES = 19;
/** Of each row: number of columns, and length of the only one. The last one has no column. */
const ROW_HEAD_BYTES = 6;
const [OPEN, COMMA, CLOSE] = [...Buffer.from('[,]')] as [number, number, number];

/** The form of a cursor of Kysely, so that COPY runs in its transactions. Each row that it reads is a page. */
export class CopiedRows implements Submittable, PostgresCursor<CopiedPage> {
  readonly #statement: string;
  readonly #silenceMsMax: number;
  /** When the server last sent something. */
  #heardAt = 0;
  #stream: Connection['stream'] | undefined;
  #page = new Page();
  #full: CopiedPage[] = [];
  #hasHeader = false;
  #isDone = false;
  #isClosing = false;
  #error: Error | undefined;
  #wake: () => void = () => {};
  readonly query_timeout = STATEMENT_MS_MAX;
  /** pg replaces it, to clear its timer. */
  callback: () => void = () => {};

  /** @param _parameters COPY has none; Kysely passes an empty list */
  constructor(statement: string, _parameters: readonly unknown[] = [], silenceMsMax = SILENCE_MS_MAX) {
    this.#statement = statement;
    this.#silenceMsMax = silenceMsMax;
  }

  submit(connection: Connection): void {
    this.#stream = connection.stream;
    connection.query(this.#statement);
  }

  /** The next page; an empty list at the end. */
  async read(): Promise<CopiedPage[]> {
    while (this.#full.length === 0 && !this.#isDone) await this.#change();
    if (this.#error !== undefined) throw this.#error;
    const page = this.#full.shift() ?? this.#page.take();
    this.#stream?.resume();
    return page.count === 0 ? [] : [page];
  }

  /** Ignores the remaining rows, so that the connection can be used again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stream?.resume();
    while (!this.#isDone) await this.#change();
  }

  /** A message has one row; the first one may have the header alone or with it. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#heardAt = performance.now();
    const start = this.#hasHeader ? 0 : HEADER_BYTES;
    this.#hasHeader = true;
    if (this.#isClosing || chunk.length < start + ROW_HEAD_BYTES) return;
    this.#page.add(chunk.subarray(start + ROW_HEAD_BYTES));
    if (this.#page.bytes < PAGE_BYTES) return;
    this.#full.push(this.#page.take());
    this.#stream?.pause();
    this.#wake();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#end();
  }

  handleError(error: Error): void {
    this.#error = error;
    this.#end();
  }

  #end(): void {
    this.#isDone = true;
    this.callback();
    this.#wake();
  }

  /** Waits for a full page or the end. */
  async #change(): Promise<void> {
    this.#heardAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      const left = this.#silenceMsMax - (performance.now() - this.#heardAt);
      if (left <= 0) this.#stream?.destroy(new Error('Query read timeout'));
      else timer = setTimeout(watch, left);
    };
    watch();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    clearTimeout(timer);
  }
}

/** A JSON array that grows. */
class Page {
  #buffer = Buffer.allocUnsafe(PAGE_BYTES);
  #count = 0;
  bytes = 0;

  /** Copies the row: pg uses its memory again. */
  add(row: Buffer): void {
    const needed = this.bytes + row.length + 2;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.bytes);
      this.#buffer = larger;
    }
    this.#buffer[this.bytes] = this.#count === 0 ? OPEN : COMMA;
    row.copy(this.#buffer, this.bytes + 1);
    this.bytes += 1 + row.length;
    this.#count += 1;
  }

  /** What it has, after which it is empty. */
  take(): CopiedPage {
    const count = this.#count;
    if (count > 0) this.#buffer[this.bytes] = CLOSE;
    const rows = this.#buffer.subarray(0, this.bytes + 1);
    this.#buffer = Buffer.allocUnsafe(PAGE_BYTES);
    [this.bytes, this.#count] = [0, 0];
    return { rows, count };
  }
}
