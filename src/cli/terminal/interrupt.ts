import { EXIT_INTERRUPTED } from './failure.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Tidies up before the process ends by a signal. */
export class Interruption {
  readonly #tidy: () => Promise<unknown>;
  readonly #listener = () => {
    this.#ending ??= this.#tidy().then(
      () => process.exit(EXIT_INTERRUPTED),
      () => process.exit(EXIT_INTERRUPTED),
    );
  };
  #ending: Promise<never> | undefined;

  constructor(tidy: () => Promise<unknown>) {
    this.#tidy = tidy;
    for (const signal of SIGNALS) process.once(signal, this.#listener);
  }

  /** Signals do what they do by default again. Never resolves after one: what failed because of it is not told. */
  async over(): Promise<void> {
    await this.#ending;
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }
}
