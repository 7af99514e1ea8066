/** Logs what the engine does in the background: which segments get files, and what its checks found. */
import type { Logger } from '../../platform/observe/log.js';
import type { Engine } from './engine/port.js';

const POLL_MS = 1000;

interface Decision {
  readonly index: string;
  /** Number of assets that it concerns. */
  readonly assets: number;
  /**
   * `memory`: a file could not be written, or was damaged; `unchecked`: it could not be checked yet; `checked`: all pages of
   * the index were found sound after the start.
   */
  readonly outcome: 'file' | 'memory' | 'unchecked' | 'checked';
  readonly detail: string;
}

export class DecisionLog {
  readonly #engine: Pick<Engine, 'takeDecisions'>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #timer: NodeJS.Timeout;

  constructor(engine: Pick<Engine, 'takeDecisions'>, log: Pick<Logger, 'info' | 'warn'>) {
    this.#engine = engine;
    this.#log = log;
    this.#timer = setInterval(() => this.#write(), POLL_MS).unref();
  }

  /** Writes the last decisions. Call it before the engine is closed. */
  close(): void {
    clearInterval(this.#timer);
    this.#write();
  }

  #write(): void {
    const decisions = JSON.parse(this.#engine.takeDecisions().toString()) as Decision[];
    for (const decision of decisions) {
      const level = decision.outcome === 'memory' ? 'warn' : 'info';
      this.#log[level](decision, 'search index');
    }
  }
}
