/** All figures about a process and the services in it, in Prometheus' form. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Figure } from './figures.js';
import { type RequestFigures, RequestTable } from './request-figures.js';

export type { RequestFigures } from './request-figures.js';

/** Text of the exposition format, and its media type. */
export interface Exposition {
  readonly text: string;
  readonly contentType: string;
}

/** One for a process: what is the process's own stands there once, what services have in common by their names. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: RequestTable;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new RequestTable(this.#registry);
  }

  /** Counts a service's requests that are over. */
  requests(service: string): (figures: RequestFigures) => void {
    return this.#requests.of(service);
  }

  /** Shows figures. @throws if another one has the name of one */
  show(figures: readonly Figure[]): void {
    for (const figure of figures) this.#registry.registerMetric(figure);
  }

  async exposition(): Promise<Exposition> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
