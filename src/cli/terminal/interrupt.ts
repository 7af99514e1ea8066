import { EXIT_INTERRUPTED } from './failure.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Cleans up before a signal ends the process. */
export class Interruption {
  readonly #cleanUp: () => Promise<unknown>;
  readonly #listener = () => {
    this.#ending ??= this.#cleanUp().then(
      () => process.exit(EXIT_INTERRUPTED),
      () => process.exit(EXIT_INTERRUPTED),
    );
  };
  #ending: Promise<never> | undefined;

  constructor(cleanUp: () => Promise<unknown>) {
    this.#cleanUp = cleanUp;
    for (const signal of SIGNALS) process.once(signal, this.#listener);
  }

  /** Restores the default signal handling. Never resolves after a signal, so that its consequences are not reported. */
  async over(): Promise<void> {
    await this.#ending;
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }
}
