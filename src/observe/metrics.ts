/** All metrics of a process and its services, in the Prometheus text format. */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { Metric } from './instruments.js';
import { logLinesLost } from './log.js';
import { type RequestMetrics, RequestTable } from './request-metrics.js';

export type { RequestMetrics } from './request-metrics.js';

/** Text in the exposition format, and its media type. */
export interface Exposition {
  readonly text: string;
  readonly contentType: string;
}

/** One per process: process metrics appear once, metrics that services share carry a `service` label. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: RequestTable;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    new Counter({
      name: 'isccd_log_lines_lost_total',
      help: 'Log lines lost because stderr could not be written',
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(logLinesLost());
      },
    });
    this.#requests = new RequestTable(this.#registry);
  }

  /** Returns a function that counts finished requests of a service. */
  requests(service: string): (request: RequestMetrics) => void {
    return this.#requests.of(service);
  }

  /** Adds metrics to the exposition. @throws if a name is already registered */
  register(metrics: readonly Metric[]): void {
    for (const metric of metrics) this.#registry.registerMetric(metric);
  }

  async exposition(): Promise<Exposition> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
