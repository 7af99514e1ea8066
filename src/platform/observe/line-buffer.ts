/** Collects log lines into blocks: on a busy server, one write per line would cost more than the requests. */

/** Receives blocks of lines. Neither method throws. */
export interface BlockWriter {
  /** Does not wait until the block is written. */
  write(block: string): void;
  /** Writes all pending blocks and then this one before it returns. */
  flushSync(block: string): void;
}

const BLOCK_CHARACTERS = 64 * 1024;
const FLUSH_MS = 100;

/**
 * A pino destination. Lines keep their order and wait for at most 100 ms; killing the process loses them.
 *
 * Replaces pino's own destination: its `minLength` measures the whole buffer again for every line, and it does not
 * survive a full disk or a closed pipe.
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
    if (this.#waiting !== '') this.#writer.write(this.#take());
  }

  /** For the exit handler, which must be synchronous. */
  flushSync(): void {
    this.#writer.flushSync(this.#take());
  }

  #take(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const block = this.#waiting;
    this.#waiting = '';
    return block;
  }
}
