/**
 * Fixed windows counted in Redis: exact over all instances, by the clock of Redis. While Redis is unavailable, this
 * process counts for itself. Import it only if Redis is configured.
 */
import type { Rate } from '../config/rate.js';
import type { RedisLink } from '../redis/link.js';
import { FixedWindows, type RateLimiter } from './rate-limiter.js';

/**
 * Counts a request unless the window is full. A window is a hash of its number and count, which expires with it.
 *
 * Arguments: limit, period in milliseconds, the time in milliseconds or an empty string for that of Redis, and the cost.
 * Returns the milliseconds to the end of a full window, else 0.
 */
const COUNT = `
local now = tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local period = tonumber(ARGV[2])
local window = math.floor(now / period)
local left = (window + 1) * period - now
local stored = redis.call('HMGET', KEYS[1], 'window', 'count')
local count = tonumber(stored[1]) == window and tonumber(stored[2]) or 0
if count >= tonumber(ARGV[1]) then return left end
redis.call('HSET', KEYS[1], 'window', window, 'count', string.format('%.0f', count + tonumber(ARGV[4])))
redis.call('PEXPIRE', KEYS[1], left)
return 0
`;

export class RedisWindows implements RateLimiter {
  readonly #link: RedisLink;
  readonly #rates: Readonly<Record<string, Rate>>;
  readonly #now: (() => number) | undefined;
  readonly #local: FixedWindows;

  /** @param now milliseconds since the epoch, for tests; default: the clock of Redis */
  constructor(link: RedisLink, rates: Readonly<Record<string, Rate>>, now?: () => number) {
    this.#link = link;
    this.#rates = rates;
    this.#now = now;
    this.#local = new FixedWindows(rates, now);
  }

  async take(kind: string, client: string, cost = 1): Promise<number> {
    const rate = this.#rates[kind];
    if (rate === undefined) return 0;
    const key = `isccd:rate:${kind}:${client}`;
    const time = this.#now === undefined ? '' : String(this.#now());
    const waitMs = await this.#link.run((redis) =>
      redis.eval(COUNT, 1, key, rate.count, rate.periodSeconds * 1000, time, cost),
    );
    return waitMs === undefined ? this.#local.take(kind, client, cost) : Math.ceil(Number(waitMs) / 1000);
  }
}
