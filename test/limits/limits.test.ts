/** Rates, windows and client keys, compared with recorded vectors. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientAddress } from '../../src/http/head/client-address.js';
import { RequestHeaders } from '../../src/http/head/head.js';
import { parseRate } from '../../src/platform/config/rate.js';
import { FixedWindows } from '../../src/platform/limits/rate-limiter.js';
import { clientKey, Throttle } from '../../src/platform/limits/throttle.js';

interface Sequence {
  readonly rate: string;
  readonly requests: readonly { t: number; status: number; retryAfter?: number }[];
}

const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../fixtures/c2pa/vectors', name), 'utf8')) as T;

const rates = vectors<{
  parse: { text: string; value: [number, number] | null }[];
  window: Sequence;
  sequence: Sequence;
}>('rates.json');
const { clientKey: clients } = vectors<{
  clientKey: { remote: string; xForwardedFor: string | null; numProxies: number; key: string }[];
}>('addresses.json');

describe('parseRate', () => {
  it.each(rates.parse)('$text', ({ text, value }) => {
    expect(parseRate(text)).toEqual(
      value === null ? undefined : { count: value[0], periodSeconds: value[1] },
    );
  });
});

describe('fixed windows', () => {
  it.each([rates.window, rates.sequence])('return the recorded results for $rate', ({ rate, requests }) => {
    let seconds = 0;
    const limiter = new FixedWindows({ read: parseRate(rate) ?? fail() }, () => seconds * 1000);
    for (const { t, retryAfter } of requests) {
      seconds = t;
      expect([t, limiter.take('read', 'a')]).toEqual([t, retryAfter ?? 0]);
    }
  });

  it('count kinds and clients separately', () => {
    const rate = { count: 1, periodSeconds: 60 };
    const limiter = new FixedWindows({ read: rate, write: rate }, () => 59_001);
    expect([limiter.take('read', 'a'), limiter.take('read', 'b'), limiter.take('write', 'a')]).toEqual([
      0, 0, 0,
    ]);
    expect(limiter.take('read', 'a')).toBe(1);
  });

  it('count on when the clock of the machine jumps', () => {
    let time = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => time);
    onTestFinished(() => clock.mockRestore());
    const limiter = new FixedWindows({ read: { count: 1, periodSeconds: 86_400 } });
    expect(limiter.take('read', 'a')).toBe(0);
    time += 2 * 86_400_000;
    expect(limiter.take('read', 'a')).toBeGreaterThan(0);
  });

  it('refuse all requests at a rate of 0', () => {
    expect(new FixedWindows({ read: { count: 0, periodSeconds: 60 } }, () => 0).take('read', 'a')).toBe(60);
  });

  it('evict old clients in a flood of addresses, and keep recent ones', () => {
    const limiter = new FixedWindows({ read: { count: 1, periodSeconds: 86_400 } }, () => 0);
    limiter.take('read', 'first');
    for (let i = 0; i < 150_000; i += 1) limiter.take('read', `client ${i}`);
    for (const recent of [100_001, 125_000, 149_998, 149_999]) {
      expect(limiter.take('read', `client ${recent}`)).toBeGreaterThan(0);
    }
    expect(limiter.take('read', 'first')).toBe(0);
  });

  it.each([
    [99_999, 60],
    [100_000, 0],
  ])('remember a client through %i others', (others, wait) => {
    const limiter = new FixedWindows({ read: { count: 1, periodSeconds: 60 } }, () => 0);
    limiter.take('read', 'first');
    for (let i = 0; i < others; i += 1) limiter.take('read', `client ${i}`);
    expect(limiter.take('read', 'first')).toBe(wait);
  });
});

describe('clientKey', () => {
  it.each(clients)('of $remote with $xForwardedFor behind $numProxies proxies is $key', (vector) => {
    const { remote, xForwardedFor, numProxies, key } = vector;
    const lines = xForwardedFor === null ? [] : ['x-forwarded-for', xForwardedFor];
    expect(clientKey(clientAddress(remote, new RequestHeaders(lines), numProxies))).toBe(key);
  });

  it('of something else than an address is its text', () => {
    expect(clientKey('unknown')).toBe('unknown');
    expect(clientKey('')).toBe('');
  });

  it('exempts an exact address, not its network', () => {
    const limiter = new FixedWindows({ read: { count: 0, periodSeconds: 1 } });
    const throttle = new Throttle(limiter, ['2001:db8::1']);
    expect(throttle.take('read', '2001:db8::1')).toBe(0);
    expect(throttle.take('read', '2001:db8::2')).toBe(1);
  });

  it.each([
    ['10.0.0.0/8', '10.255.0.1', '11.0.0.1'],
    ['2001:db8::/32', '2001:db8:ffff::1', '2001:db9::1'],
    ['0.0.0.0/0', '192.0.2.1', '2001:db8::1'],
  ])('exempts the addresses of %s', (network, inside, outside) => {
    const limiter = new FixedWindows({ read: { count: 0, periodSeconds: 1 } });
    const throttle = new Throttle(limiter, [network]);
    expect(throttle.take('read', inside)).toBe(0);
    expect(throttle.take('read', outside)).toBe(1);
    expect(throttle.take('read', 'unknown')).toBe(1);
  });
});

function fail(): never {
  throw new Error('not a rate');
}
