/** Metrics of a service other than its requests. Declare one where it is measured; {@link Metrics} exposes it. */
import { Counter, Gauge, Histogram } from 'prom-client';

export type { Counter, Gauge, Histogram } from 'prom-client';

export type Metric = Counter<string> | Gauge<string> | Histogram<string>;

/** A value with its labels. Take labels from short, fixed lists: each combination is kept for the process's life. */
export interface Sample<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** Time limit for reading one gauge during a scrape. A gauge that takes longer is left out. */
const READ_MS_MAX = 1000;

/** A count of events, by labels. Names end in `_total`. */
export function counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
  return new Counter({ name, help, labelNames, registers: [] });
}

/** A histogram of durations; `bucketsSeconds` are the upper bounds of the buckets. */
export function durations<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  bucketsSeconds: readonly number[],
): Histogram<L> {
  return new Histogram({ name, help, labelNames, buckets: [...bucketsSeconds], registers: [] });
}

/** A gauge computed at scrape time; if reading fails, it is left out. */
export function gauge<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  read: () => readonly Sample<L>[] | Promise<readonly Sample<L>[]>,
): Gauge<L> {
  return new Gauge({
    name,
    help,
    labelNames,
    registers: [],
    async collect() {
      const samples = await inTime(read);
      this.reset();
      for (const { labels, value } of samples) this.set(labels, value);
    },
  });
}

/** A count that is kept elsewhere and read at scrape time; if reading fails, it is left out. Names end in `_total`. */
export function total<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  read: () => readonly Sample<L>[] | Promise<readonly Sample<L>[]>,
): Counter<L> {
  return new Counter({
    name,
    help,
    labelNames,
    registers: [],
    async collect() {
      const samples = await inTime(read);
      this.reset();
      for (const { labels, value } of samples) this.inc(labels, value);
    },
  });
}

/** A gauge without labels. */
export function level(name: string, help: string, read: () => number): Gauge<never> {
  return gauge(name, help, [], () => [{ labels: {}, value: read() }]);
}

async function inTime<T>(read: () => readonly T[] | Promise<readonly T[]>): Promise<readonly T[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly T[]>((resolve) => {
    timer = setTimeout(resolve, READ_MS_MAX, []);
  });
  const inquiry = (async () => read())();
  try {
    return await Promise.race([inquiry, late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
