/** Where the progress of uploads and jobs is, and what clients have used: in Redis, which instances share, or in this process. */
import type { CodesConfig } from '../../../platform/config/codes.js';
import type { Rate } from '../../../platform/config/rate.js';
import { FixedWindows, type RateLimiter } from '../../../platform/limits/rate-limiter.js';
import type { Metric } from '../../../platform/observe/instruments.js';
import type { Logger } from '../../../platform/observe/log.js';
import type { ProgressPort } from './progress.js';

export interface OpenProgress {
  /** Without Redis the service has its own. */
  readonly parts: { readonly progress?: ProgressPort; readonly jobs?: ProgressPort };
  readonly limiter: RateLimiter;
  readonly metrics: readonly Metric[];
  close(): void;
}

/** Resolves also if Redis is unavailable. */
export async function openProgress(
  { redisUrl: url, rateWrite, rateBytes }: CodesConfig,
  log: Logger,
): Promise<OpenProgress> {
  const rates: Record<string, Rate> = {
    ...(rateWrite && { write: rateWrite }),
    ...(rateBytes && { bytes: rateBytes }),
  };
  if (url === undefined) {
    log.info(
      'progress of uploads and jobs is kept in this process: ISCCD_REDIS_URL shares it between instances',
    );
    return { parts: {}, limiter: new FixedWindows(rates), metrics: [], close: () => {} };
  }
  const { RedisLink } = await import('../../../platform/redis/link.js');
  const { RedisWindows } = await import('../../../platform/limits/redis-windows.js');
  const { JOBS, SharedProgress, UPLOADS } = await import('./shared-progress.js');
  const fallback = 'progress of uploads and jobs is kept in each process';
  const link = await RedisLink.open({ url, log, metric: 'isccd_codes', fallback });
  const [progress, jobs] = await Promise.all([
    SharedProgress.open(link, UPLOADS),
    SharedProgress.open(link, JOBS),
  ]);
  const close = () => {
    progress.close();
    jobs.close();
    link.close();
  };
  return { parts: { progress, jobs }, limiter: new RedisWindows(link, rates), metrics: link.metrics, close };
}
