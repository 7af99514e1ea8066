/** All metrics of a process and its services, in the Prometheus text format. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from '../version.js';
import { DataDisks } from './data-disks.js';
import type { Metric } from './instruments.js';
import { logLinesLost } from './log.js';
import { type ReadinessProblem, ReadyServices } from './ready-services.js';
import { type RequestMetrics, RequestTable } from './request-metrics.js';
import type { SpanExporter } from './spans.js';

export type { RequestMetrics } from './request-metrics.js';

/** Text in the exposition format, and its media type. */
export interface Exposition {
  readonly text: string;
  readonly contentType: string;
}

/** Spans of requests by whether they were exported. */
export function spansTotal(exporter: SpanExporter): Counter<'result'> {
  return new Counter({
    name: 'isccd_trace_spans_total',
    help: 'Spans of requests, exported or dropped because the collector was unavailable',
    labelNames: ['result'],
    registers: [],
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(exporter.counts)) this.inc({ result }, count);
    },
  });
}

/** Gauges of prom-client with the suffix of counters. The metrics of the same names without it have the same values by type. */
const MISNAMED = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);

/** Something that can be scraped. */
export interface MetricsSource {
  exposition(): Promise<Exposition>;
}

/** The values of a registry, which can be sent to another process. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** One exposition of the metrics of several processes, whose labels tell them apart. */
export async function mergedExposition(processes: readonly MetricValues[]): Promise<Exposition> {
  // Labels differ, so a sum has one value. Other rules would leave out processes.
  const all = processes.map((metrics) => metrics.map((each) => ({ ...each, aggregator: 'sum' as const })));
  const merged = AggregatorRegistry.aggregate(all);
  return { text: await merged.metrics(), contentType: merged.contentType };
}

/** A process among others that serve the same addresses. */
export interface Sibling {
  /** Label `worker` of all its metrics. */
  readonly worker: number;
  /** The metrics of all processes. */
  readonly gather: () => Promise<Exposition>;
}

/** One per process: process metrics appear once, metrics that services share carry a `service` label. */
export class Metrics implements MetricsSource {
  readonly #registry = new Registry();
  readonly #gather: Sibling['gather'] | undefined;
  readonly #requests: RequestTable;
  readonly #disks = new DataDisks();
  readonly #ready = new ReadyServices();

  constructor(sibling?: Sibling) {
    this.#gather = sibling?.gather;
    if (sibling !== undefined) this.#registry.setDefaultLabels({ worker: String(sibling.worker) });
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    new Counter({
      name: 'isccd_log_lines_lost_total',
      help: 'Log lines lost because stderr could not be written',
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(logLinesLost());
      },
    });
    new Gauge({
      name: 'isccd_build_info',
      help: 'Always 1; version of isccd, Node.js and the platform',
      labelNames: ['version', 'node', 'platform'],
      registers: [this.#registry],
    }).set({ version, node: process.version, platform: `${process.platform}-${process.arch}` }, 1);
    this.#requests = new RequestTable(this.#registry);
    this.register([...this.#disks.metrics, this.#ready.metric]);
  }

  /** Returns a function that counts finished requests of a service. */
  requests(service: string): (request: RequestMetrics) => void {
    return this.#requests.of(service);
  }

  /** Adds the free space of a service's data folders to the exposition. */
  dataFolders(service: string, folders: readonly string[]): void {
    this.#disks.add(service, folders);
  }

  /** Adds whether a service is ready to the exposition. */
  readiness(service: string, problem: ReadinessProblem): void {
    this.#ready.add(service, problem);
  }

  /** Adds metrics to the exposition. @throws if a name is already registered */
  register(metrics: readonly Metric[]): void {
    for (const metric of metrics) this.#registry.registerMetric(metric);
  }

  /** The metrics of this process alone. */
  values(): Promise<MetricValues> {
    return this.#registry.getMetricsAsJSON();
  }

  /** The metrics of all processes that serve the same addresses. */
  async exposition(): Promise<Exposition> {
    if (this.#gather !== undefined) return this.#gather();
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
