/** Where requests are counted: in Redis, which instances share, or in this process. */
import type { Rate } from '../config/rate.js';
import type { Metric } from '../observe/instruments.js';
import type { Logger } from '../observe/log.js';
import { FixedWindows, type RateLimiter } from './rate-limiter.js';

export interface OpenLimits {
  readonly limiter: RateLimiter;
  readonly metrics: readonly Metric[];
  close(): void;
}

/** @param url of Redis. Resolves also if Redis is unavailable */
export async function openLimits(
  url: string | undefined,
  rates: Readonly<Record<string, Rate>>,
  log: Logger,
): Promise<OpenLimits> {
  if (url === undefined) {
    log.info('rate limits count in this process: ISCCD_REDIS_URL shares them between instances');
    return { limiter: new FixedWindows(rates), metrics: [], close: () => {} };
  }
  const { RedisLink } = await import('../redis/link.js');
  const { RedisWindows } = await import('./redis-windows.js');
  const fallback = 'rate limits and login throttling count in each process';
  const link = await RedisLink.open({ url, log, metric: 'isccd_store', fallback });
  return { limiter: new RedisWindows(link, rates), metrics: link.metrics, close: () => link.close() };
}
