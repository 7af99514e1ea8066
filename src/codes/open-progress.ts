/** Where the progress of uploads is: in Redis, which instances share, or in this process. */
import type { CodesConfig } from '../config/codes.js';
import type { Metric } from '../observe/instruments.js';
import type { Logger } from '../observe/log.js';
import type { ProgressPort } from './progress.js';

export interface OpenProgress {
  /** Without Redis the service has its own. */
  readonly parts: { readonly progress?: ProgressPort };
  readonly metrics: readonly Metric[];
  close(): void;
}

/** Resolves also if Redis is unavailable. */
export async function openProgress({ redisUrl: url }: CodesConfig, log: Logger): Promise<OpenProgress> {
  if (url === undefined) {
    log.info('progress of uploads is kept in this process: ISCCD_REDIS_URL shares it between instances');
    return { parts: {}, metrics: [], close: () => {} };
  }
  const { RedisLink } = await import('../redis/link.js');
  const { SharedProgress } = await import('./shared-progress.js');
  const fallback = 'progress of uploads is kept in each process';
  const link = await RedisLink.open({ url, log, metric: 'isccd_codes', fallback });
  const progress = await SharedProgress.open(link);
  return { parts: { progress }, metrics: link.metrics, close: () => link.close() };
}
