/** Logs what the engine decides in the background: which columns get lists or graphs, which segments files, and why not. */
import type { Logger } from '../../platform/observe/log.js';
import type { Engine } from './engine/port.js';

const POLL_MS = 1000;

/** A decision for all units or simprints of a type and length in a segment, or for a whole segment. */
interface Decision {
  readonly index: string;
  readonly type?: string;
  readonly bits?: number;
  readonly rows?: number;
  readonly assets?: number;
  /** `memory`: a file could not be written, or was damaged. */
  readonly outcome: 'lists' | 'graph' | 'scan' | 'file' | 'memory';
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
      this.#log[level](decision, 'search structure of a segment');
    }
  }
}
