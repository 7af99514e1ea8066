/** Collects log lines and hands them on in blocks: a write per line would cost a busy server more than its requests. */

/** Where blocks go; does not wait for the disk. */
export interface BlockWriter {
  write(block: string): unknown;
  /** Writes what is still waiting before it returns. */
  flushSync(): void;
}

const BLOCK_CHARACTERS = 64 * 1024;
const FLUSH_MS = 100;

/**
 * A pino destination. Lines keep their order and stay here for at most 100 ms; a process that is killed loses those.
 *
 * Not left to sonic-boom's own `minLength`: it measures all that waits again for every line that comes.
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

  /** Hands on what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === '') return;
    const block = this.#waiting;
    this.#waiting = '';
    this.#writer.write(block);
  }

  /** For the end of the process, when nothing can be waited for. */
  flushSync(): void {
    this.flush();
    this.#writer.flushSync();
  }
}
