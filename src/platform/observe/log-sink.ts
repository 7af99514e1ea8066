/**
 * Writes log lines to a file descriptor without ever failing or blocking the service: lines that cannot be written,
 * because a disk is full or a pipe is closed, are dropped and counted.
 */
import { write, writeSync } from 'node:fs';
import type { BlockWriter } from './line-buffer.js';

/** Drops new blocks while more bytes than this wait for a slow reader. */
const QUEUE_BYTES_MAX = 4 * 1024 * 1024;

/** Pause before the next try if the reader of a non-blocking pipe is slow. */
const RETRY_MS = 20;

/** Time limit for a slow reader at the exit of the process. */
const EXIT_MS_MAX = 500;

const NEWLINE = 0x0a;

export class LogSink implements BlockWriter {
  readonly #fd: number;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** Whether the first block of the queue is being written. */
  #writing = false;
  /** Whether the last write failed in the middle of a line. */
  #midLine = false;
  #linesLost = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Lines lost since the start of the process. */
  get linesLost(): number {
    return this.#linesLost;
  }

  write(block: string): void {
    const bytes = Buffer.from(block);
    if (this.#queuedBytes > QUEUE_BYTES_MAX) {
      this.#linesLost += lines(bytes);
      return;
    }
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#next();
  }

  flushSync(block: string): void {
    const inFlight = this.#writing ? 1 : 0;
    const pending = Buffer.concat([...this.#queue.slice(inFlight), Buffer.from(block)]);
    this.#queue.length = inFlight;
    const written = writeAll(this.#fd, pending, EXIT_MS_MAX);
    this.#linesLost += lines(pending.subarray(written));
  }

  #next(): void {
    const block = this.#queue[0];
    if (this.#writing || block === undefined) return;
    this.#writing = true;
    const bytes = this.#midLine ? Buffer.concat([Buffer.of(NEWLINE), block]) : block;
    this.#writeFrom(bytes, 0);
  }

  #writeFrom(bytes: Buffer, start: number): void {
    write(this.#fd, bytes, start, bytes.length - start, null, (error, written = 0) => {
      const end = start + (error ? 0 : written);
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeFrom(bytes, end), RETRY_MS).unref();
      else if (error || end === bytes.length) this.#finish(bytes, end);
      else this.#writeFrom(bytes, end);
    });
  }

  /** Removes the first block; `end` bytes of it have been written. */
  #finish(bytes: Buffer, end: number): void {
    this.#linesLost += lines(bytes.subarray(end));
    if (end > 0) this.#midLine = bytes[end - 1] !== NEWLINE;
    this.#queuedBytes -= this.#queue.shift()?.length ?? 0;
    this.#writing = false;
    this.#next();
  }
}

/** Writes until all is written, an error occurs or the time is up; returns the number of bytes written. */
function writeAll(fd: number, bytes: Buffer, msMax: number): number {
  const deadline = performance.now() + msMax;
  let end = 0;
  while (end < bytes.length) {
    try {
      end += writeSync(fd, bytes, end);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > deadline) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  return end;
}

function lines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
