/**
 * Request metrics, counted in plain numbers: at 100 000 requests a second, resolving prom-client labels per request
 * costs too much. The numbers become labelled samples at scrape time.
 */
import { Counter, Histogram, type Registry } from 'prom-client';

/** One finished request. */
export interface RequestMetrics {
  readonly method: string;
  /** The route's path template, or a fixed word for requests without a route. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** Bytes of the response body. */
  readonly bodyBytes: number;
}

/** Upper bounds of the histogram's buckets, in seconds. */
const BUCKETS_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60] as const;

const LABELS = ['service', 'method', 'route', 'status'] as const;

/** Requests of one service, method, route and status class. */
interface Series {
  /** `status` is a class: `2xx`. */
  readonly labels: Readonly<Record<(typeof LABELS)[number], string>>;
  count: number;
  seconds: number;
  bodyBytes: number;
  /** Counts per bucket; the last one is for values above all bounds. */
  readonly buckets: number[];
}

export class RequestTable {
  readonly #series: Series[] = [];

  /** Registers the table's metrics. */
  constructor(registry: Registry) {
    const series = this.#series;
    new RequestDurations(registry, series);
    new Counter({
      name: 'isccd_http_answer_body_bytes_total',
      help: 'Bytes of response bodies',
      labelNames: LABELS,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, bodyBytes } of series) this.inc(labels, bodyBytes);
      },
    });
  }

  /** Returns a function that counts finished requests of a service. */
  of(service: string): (request: RequestMetrics) => void {
    const byMethod = new Map<string, Map<string, Series[]>>();
    return (request) => {
      const { method, route, status } = request;
      const byRoute = entry(byMethod, method, () => new Map<string, Series[]>());
      const byClass = entry(byRoute, route, (): Series[] => []);
      const statusClass = Math.trunc(status / 100);
      let series = byClass[statusClass];
      if (series === undefined) {
        series = newSeries({ service, method, route, status: `${statusClass}xx` });
        byClass[statusClass] = series;
        this.#series.push(series);
      }
      add(series, request);
    };
  }
}

function newSeries(labels: Series['labels']): Series {
  return { labels, count: 0, seconds: 0, bodyBytes: 0, buckets: [] };
}

function add(series: Series, { seconds, bodyBytes }: RequestMetrics): void {
  series.count += 1;
  series.seconds += seconds;
  series.bodyBytes += bodyBytes;
  const fitting = BUCKETS_SECONDS.findIndex((end) => seconds <= end);
  const bucket = fitting < 0 ? BUCKETS_SECONDS.length : fitting;
  series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

const DURATIONS = 'isccd_http_request_duration_seconds';
const HELP = 'From the request head to the last byte of the response';

type Sample = Awaited<ReturnType<Histogram['get']>>['values'][number];

/** A histogram whose values come from the table. */
class RequestDurations extends Histogram {
  readonly #series: readonly Series[];

  constructor(registry: Registry, series: readonly Series[]) {
    super({
      name: DURATIONS,
      help: HELP,
      labelNames: LABELS,
      buckets: [...BUCKETS_SECONDS],
      registers: [registry],
    });
    this.#series = series;
  }

  /** prom-client calls this to send the values to another process. */
  override async get(): ReturnType<Histogram['get']> {
    // prom-client declares numbers for the type, and uses names.
    return (await this.getForPromString()) as unknown as Awaited<ReturnType<Histogram['get']>>;
  }

  /** prom-client calls this at scrape time. */
  async getForPromString() {
    const kind = { name: DURATIONS, help: HELP, type: 'histogram', aggregator: 'sum' } as const;
    return { ...kind, values: this.#series.flatMap(samplesOf) };
  }
}

function samplesOf({ labels, count, seconds, buckets }: Series): Sample[] {
  let sum = 0;
  const cumulative = BUCKETS_SECONDS.map((le, index) => {
    sum += buckets[index] ?? 0;
    return { metricName: `${DURATIONS}_bucket`, labels: { ...labels, le }, value: sum };
  });
  return [
    ...cumulative,
    { metricName: `${DURATIONS}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${DURATIONS}_sum`, labels, value: seconds },
    { metricName: `${DURATIONS}_count`, labels, value: count },
  ];
}
