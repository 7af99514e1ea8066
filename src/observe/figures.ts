/** What a service counts beside its requests: declared where it is counted, shown once {@link Metrics} has it. */
import { Counter, Gauge, Histogram } from 'prom-client';

export type { Counter, Gauge, Histogram } from 'prom-client';

export type Figure = Counter<string> | Gauge<string> | Histogram<string>;

/** A value by its labels. Labels come from fixed, short lists: each combination is kept for ever. */
export interface Sample<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** Whoever asks for all figures does not wait longer for one of them; it is left out then. */
const READ_MS_MAX = 1000;

/** A count of events, divided by labels. Names end in `_total`. */
export function counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
  return new Counter({ name, help, labelNames, registers: [] });
}

/** Times by the buckets they fit into; `bucketsSeconds` are the upper ends. */
export function durations<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  bucketsSeconds: readonly number[],
): Histogram<L> {
  return new Histogram({ name, help, labelNames, buckets: [...bucketsSeconds], registers: [] });
}

/** A level that is looked up whenever somebody asks for all figures; one that can't be read is left out. */
export function gauge<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  read: () => readonly Sample<L>[] | Promise<readonly Sample<L>[]>,
): Gauge<L> {
  return new Gauge({
    ...{ name, help, labelNames, registers: [] },
    async collect() {
      const samples = await inTime(read);
      this.reset();
      for (const { labels, value } of samples) this.set(labels, value);
    },
  });
}

/** A level without labels. */
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
