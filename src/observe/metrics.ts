/** Figures about a running service in Prometheus' form. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type RequestFigures, RequestTable } from './request-figures.js';

export type { RequestFigures } from './request-figures.js';

/** Text of the exposition format, and its media type. */
export interface Exposition {
  readonly text: string;
  readonly contentType: string;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: RequestTable;

  /** `service` stands as a label at every figure. */
  constructor(service: string) {
    this.#registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new RequestTable(this.#registry);
  }

  /** Counts a request that is over. */
  request(figures: RequestFigures): void {
    this.#requests.add(figures);
  }

  /** A figure that is looked up whenever somebody asks for all. */
  gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      ...{ name, help, registers: [this.#registry] },
      collect() {
        this.set(value());
      },
    });
  }

  /** A count of events, divided by labels. */
  counter<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
  ): (labels: Record<L, string>, by?: number) => void {
    const counter = new Counter<L>({ name, help, labelNames, registers: [this.#registry] });
    return (labels, by = 1) => counter.inc(labels, by);
  }

  async exposition(): Promise<Exposition> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
