/** The port of rate limits, with one suite for counting in this process and in a real Redis. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseRate, type Rate } from '../../src/platform/config/rate.js';
import { openLimits } from '../../src/platform/limits/open.js';
import { FixedWindows, type RateLimiter } from '../../src/platform/limits/rate-limiter.js';
import { RedisWindows } from '../../src/platform/limits/redis-windows.js';
import type { Logger } from '../../src/platform/observe/log.js';
import { RedisLink } from '../../src/platform/redis/link.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

interface Sequence {
  readonly rate: string;
  readonly requests: readonly { t: number; status: number; retryAfter?: number }[];
}

const file = path.join(import.meta.dirname, '../fixtures/c2pa/vectors/rates.json');
const vectors = JSON.parse(readFileSync(file, 'utf8')) as { window: Sequence; sequence: Sequence };
const WAIT = { timeout: 30_000, interval: 20 };
const HOUR: Rate = { count: 10, periodSeconds: 3600 };

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis('a secret');
}, INSTALL_MAX_MS);
afterAll(() => redis?.stop());

async function linked() {
  const lines: string[] = [];
  const log = { warn: (line: string) => lines.push(line), info: (line: string) => lines.push(line) };
  const options = { url: redis.url, metric: 'isccd_test', fallback: 'each counts' };
  const link = await RedisLink.open({ ...options, log: log as unknown as Logger });
  onTestFinished(() => link.close());
  return { link, lines };
}

let name = 0;
/** A client of this test only. */
let client: string;
beforeEach(() => {
  name += 1;
  client = `client ${name}`;
});

type Open = (rates: Readonly<Record<string, Rate>>, now?: () => number) => Promise<RateLimiter>;

const ENGINES: readonly (readonly [string, Open])[] = [
  ['in this process', async (rates, now) => new FixedWindows(rates, now)],
  ['in Redis', async (rates, now) => new RedisWindows((await linked()).link, rates, now)],
];

describe.each(ENGINES)('windows counted %s', (_, open) => {
  it.each([vectors.window, vectors.sequence])('return the recorded results for $rate', async (sequence) => {
    const read = parseRate(sequence.rate);
    if (read === undefined) throw new Error('not a rate');
    let seconds = 0;
    const limiter = await open({ read }, () => seconds * 1000);
    for (const { t, retryAfter } of sequence.requests) {
      seconds = t;
      expect([t, await limiter.take('read', client)]).toEqual([t, retryAfter ?? 0]);
    }
  });

  it('count what a request costs, also sums that no 32 bits hold, and allow the one that reaches the limit', async () => {
    const limiter = await open({ bytes: { count: 20_000_000_000, periodSeconds: 60 } }, () => 1000);
    expect(await limiter.take('bytes', client, 19_999_999_999)).toBe(0);
    expect(await limiter.take('bytes', client, 0)).toBe(0);
    expect(await limiter.take('bytes', client, 1_000_000_000)).toBe(0);
    expect(await limiter.take('bytes', client, 1)).toBe(59);
    expect(await limiter.take('bytes', client, 0)).toBe(59);
  });

  it('count kinds and clients separately, and not kinds without a rate', async () => {
    const rate = { count: 1, periodSeconds: 60 };
    const limiter = await open({ read: rate, write: rate }, () => 59_001);
    const results = [];
    for (const [kind, who] of [
      ['read', client],
      ['read', `${client} b`],
      ['write', client],
      ['other', client],
    ])
      results.push(await limiter.take(kind ?? '', who ?? ''));
    expect(results).toEqual([0, 0, 0, 0]);
    expect(await limiter.take('read', client)).toBe(1);
    expect(await limiter.take('other', client)).toBe(0);
  });

  it('refuse all requests at a rate of 0', async () => {
    const limiter = await open({ read: { count: 0, periodSeconds: 60 } }, () => 0);
    expect(await limiter.take('read', client)).toBe(60);
  });

  it('allow exactly the limit to concurrent requests, by the clock', async () => {
    const limiter = await open({ read: HOUR });
    const waits = await Promise.all(Array.from({ length: 100 }, () => limiter.take('read', client)));
    expect(waits.filter((wait) => wait === 0).length).toBe(HOUR.count);
    const longest = Math.max(...waits);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(HOUR.periodSeconds);
  });
});

describe('Redis', () => {
  afterEach(async () => {
    redis.thaw();
  });

  it('is not asked about kinds without a rate', async () => {
    const { link, lines } = await linked();
    redis.freeze();
    expect(await new RedisWindows(link, { read: HOUR }).take('write', client)).toBe(0);
    expect(lines).toEqual([]);
  });

  it('counts exactly for two instances', async () => {
    const [a, b] = [await linked(), await linked()].map(({ link }) => new RedisWindows(link, { read: HOUR }));
    const takes = Array.from({ length: 100 }, (_, at) => (at % 2 ? a : b)?.take('read', client));
    const waits = await Promise.all(takes);
    expect(waits.filter((wait) => wait === 0).length).toBe(HOUR.count);
  });

  it('killed: each process counts for itself, and says so; afterwards they share again', async () => {
    const [one, two] = [await linked(), await linked()];
    const [a, b] = [one, two].map(({ link }) => new RedisWindows(link, { read: HOUR }));
    if (a === undefined || b === undefined) throw new Error('no limiter');
    expect(await a.take('read', client)).toBe(0);
    await redis.kill();
    for (const limiter of [a, b]) {
      const waits = [];
      for (let count = 0; count < 15; count += 1) waits.push(await limiter.take('read', client));
      expect(waits.filter((wait) => wait === 0).length).toBe(HOUR.count);
    }
    expect(one.lines).toEqual([
      expect.stringMatching(/^Redis is unavailable, each counts: Redis at 127\.0\.0\.1:\d+ /),
    ]);
    expect(await up(one.link)).toBe(0);
    await redis.start();
    await expect.poll(async () => [await up(one.link), await up(two.link)], WAIT).toEqual([1, 1]);
    expect(one.lines.at(-1)).toBe('Redis is available again');
    const waits = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? a : b).take('read', client)),
    );
    expect(waits.filter((wait) => wait === 0).length).toBe(HOUR.count);
    expect([...one.lines, ...two.lines].join()).not.toContain('a secret');
  });

  it('frozen: only the first requests wait for it', async () => {
    const { link, lines } = await linked();
    const limiter = new RedisWindows(link, { read: HOUR });
    redis.freeze();
    const waits = await Promise.all(Array.from({ length: 5 }, () => limiter.take('read', client)));
    for (let count = 0; count < 1000; count += 1) waits.push(await limiter.take('read', client));
    expect(waits.filter((wait) => wait === 0).length).toBe(HOUR.count);
    expect(lines).toEqual([expect.stringContaining('Command timed out')]);
    redis.thaw();
    await expect.poll(() => up(link), WAIT).toBe(1);
    expect(await limiter.take('read', `${client} b`)).toBe(0);
  });
});

describe('opened', () => {
  const open = async (url: string | undefined) => {
    const lines: string[] = [];
    const log = { warn: (line: string) => lines.push(line), info: (line: string) => lines.push(line) };
    const limits = await openLimits(url, { read: HOUR }, log as unknown as Logger);
    onTestFinished(() => limits.close());
    return { ...limits, lines };
  };
  const allowed = async (limiters: readonly RateLimiter[]) => {
    const waits = Array.from({ length: 40 }, (_, at) => limiters[at % 2]?.take('read', client));
    return (await Promise.all(waits)).filter((wait) => wait === 0).length;
  };

  it('without Redis, each process counts, and the log names the setting that shares', async () => {
    const [a, b] = [await open(undefined), await open(undefined)];
    expect(await allowed([a.limiter, b.limiter])).toBe(2 * HOUR.count);
    expect(a.metrics).toEqual([]);
    expect(a.lines).toEqual([expect.stringContaining('ISCCD_REDIS_URL')]);
  });

  it('with Redis, processes share the counts, and a metric and the log tell when they do not', async () => {
    const [a, b] = [await open(redis.url), await open(redis.url)];
    expect(await allowed([a.limiter, b.limiter])).toBe(HOUR.count);
    expect(await up(a)).toBe(1);
    expect((await a.metrics[0]?.get())?.name).toBe('isccd_store_redis_up');
    redis.freeze();
    onTestFinished(() => redis.thaw());
    expect(await a.limiter.take('read', `${client} b`)).toBe(0);
    expect(a.lines[0]).toMatch(
      /^Redis is unavailable, rate limits and login throttling count in each process: /,
    );
  });

  it('closed, leaves Redis', async () => {
    const a = await open(redis.url);
    a.close();
    await expect.poll(() => up(a), WAIT).toBe(0);
  });
});

async function up({ metrics }: Pick<RedisLink, 'metrics'>): Promise<number | undefined> {
  const [metric] = metrics;
  return (await metric?.get())?.values[0]?.value;
}
