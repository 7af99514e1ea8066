/** Checks that a Redis server can be used: it is reachable, new enough, and allows scripts and messages. */
import { Redis } from 'ioredis';
import { clusterReason, redisReason } from './reason.js';

const MS_MAX = 3_000;
/** The first version whose scripts may read the time before they write without an option. */
const VERSION_MIN = 5;
const PROBE_KEY = 'isccd:check';
/** What the limits need: the time, and a key that expires. */
const PROBE = "redis.call('TIME') redis.call('SET', KEYS[1], 1, 'PX', 1) return 1";

/** Why Redis can't be used, for the operator; `undefined` if it can. Leaves no key behind. */
export async function redisProblem(url: string): Promise<string | undefined> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: MS_MAX,
    commandTimeout: MS_MAX,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let failure: unknown;
  redis.on('error', (error) => {
    failure = error;
  });
  try {
    await redis.connect();
    const info = await redis.info('server');
    const [, version = ''] = /^redis_version:(\S+)/m.exec(info) ?? [];
    if (Number.parseInt(version, 10) < VERSION_MIN)
      return `Redis ${version} is too old, isccd needs ${VERSION_MIN} or later`;
    if (/^redis_mode:cluster/m.test(info)) return clusterReason(new URL(url).host);
    await redis.eval(PROBE, 1, PROBE_KEY);
    await redis.publish(PROBE_KEY, '');
    await redis.del(PROBE_KEY);
    // A database with a number that does not exist is reported apart from the commands, which then use number 0.
    return failure === undefined ? undefined : redisReason(failure, url);
  } catch (error) {
    return redisReason(failure ?? error, url);
  } finally {
    redis.disconnect();
  }
}
