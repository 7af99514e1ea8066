/** Logs what the engine decides in the background: which columns get lists or graphs, and why others do not. */
import type { Logger } from '../observe/log.js';
import type { Engine } from './engine/port.js';

const POLL_MS = 1000;

/** A decision for all units of a type and length in a segment. */
interface Decision {
  readonly index: string;
  readonly type: string;
  readonly bits: number;
  readonly rows: number;
  readonly outcome: 'lists' | 'graph' | 'scan';
  readonly detail: string;
}

export class DecisionLog {
  readonly #engine: Pick<Engine, 'takeDecisions'>;
  readonly #log: Pick<Logger, 'info'>;
  readonly #timer: NodeJS.Timeout;

  constructor(engine: Pick<Engine, 'takeDecisions'>, log: Pick<Logger, 'info'>) {
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
    for (const decision of decisions) this.#log.info(decision, 'search structure of a segment');
  }
}
