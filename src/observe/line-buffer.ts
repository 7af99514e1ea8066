/** Collects log lines into blocks: on a busy server, one write per line would cost more than the requests. */

/** Receives blocks; does not wait for the disk. */
export interface BlockWriter {
  write(block: string): unknown;
  /** Writes all pending blocks before it returns. */
  flushSync(): void;
}

const BLOCK_CHARACTERS = 64 * 1024;
const FLUSH_MS = 100;

/**
 * A pino destination. Lines keep their order and wait for at most 100 ms; killing the process loses them.
 *
 * sonic-boom's own `minLength` is too slow: it measures the whole buffer again for every line.
 */
export class LineBuffer {
  readonly #writer: BlockWriter;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  write(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length >= BLOCK_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** Passes the pending lines to the writer. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === '') return;
    const block = this.#waiting;
    this.#waiting = '';
    this.#writer.write(block);
  }

  /** For the exit handler, which must be synchronous. */
  flushSync(): void {
    this.flush();
    this.#writer.flushSync();
  }
}
