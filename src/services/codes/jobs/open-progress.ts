/** Where the progress of uploads and jobs is: in Redis, which instances share, or in this process. */
import type { CodesConfig } from '../../../platform/config/codes.js';
import type { Metric } from '../../../platform/observe/instruments.js';
import type { Logger } from '../../../platform/observe/log.js';
import type { ProgressPort } from './progress.js';

export interface OpenProgress {
  /** Without Redis the service has its own. */
  readonly parts: { readonly progress?: ProgressPort; readonly jobs?: ProgressPort };
  readonly metrics: readonly Metric[];
  close(): void;
}

/** Resolves also if Redis is unavailable. */
export async function openProgress({ redisUrl: url }: CodesConfig, log: Logger): Promise<OpenProgress> {
  if (url === undefined) {
    log.info(
      'progress of uploads and jobs is kept in this process: ISCCD_REDIS_URL shares it between instances',
    );
    return { parts: {}, metrics: [], close: () => {} };
  }
  const { RedisLink } = await import('../../../platform/redis/link.js');
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
  return { parts: { progress, jobs }, metrics: link.metrics, close };
}
