/** What a clean-up could not remove. It must neither keep the others nor prevent a start, but be noticed. */
import { failureReason } from '../../../platform/failure-reason.js';
import type { Logger } from '../../../platform/observe/log.js';
import type { OnUnremoved } from '../../../storage/blobs/port.js';

/** Files in the log of a round, and in `/readyz`. */
const NAMED_MAX = 10;

export class Unremoved {
  readonly #log: Logger;
  /** Those of the running round, by upload or path. */
  #found = new Map<string, unknown>();
  /** Those of the last round, with the reason. */
  #lines: readonly string[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Number of files that the last round could not remove. */
  get count(): number {
    return this.#lines.length;
  }

  /** The first of them, each with the reason. */
  get lines(): readonly string[] {
    return this.#lines.slice(0, NAMED_MAX);
  }

  readonly add: OnUnremoved = (place, error) => {
    this.#found.set(place, error);
  };

  /** Whether the running round could not remove it. */
  has(place: string): boolean {
    return this.#found.has(place);
  }

  get size(): number {
    return this.#found.size;
  }

  begin(): void {
    this.#found = new Map();
  }

  /** Ends the round. */
  report(): void {
    const found = [...this.#found];
    for (const [file, err] of found.slice(0, NAMED_MAX))
      this.#log.error({ err, file }, 'could not remove a file');
    if (found.length > NAMED_MAX) this.#log.error({ files: found.length }, 'could not remove more files');
    this.#lines = found.map(([file, error]) => `${file}: ${failureReason(error)}`);
  }
}
