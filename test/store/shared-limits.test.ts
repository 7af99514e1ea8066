/** Two store processes that share rate limits in a real Redis, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { type StoreProcess, startStoreProcess } from './support/process.js';

const READS = 10;
const VARIABLES = { MSTORE_RATE_READ: `${READS}/d`, MSTORE_RATE_LOGIN: '3/d', MSTORE_LOG_LEVEL: 'info' };
const UNKNOWN = 'urn:c2pa:00000000-0000-4000-8000-000000000000';

let databases: TestDatabases;
let redis: RedisServer;
let stores: StoreProcess[] = [];
beforeAll(async () => {
  redis = await startRedis();
  databases = await testDatabases('sqlite');
  const place = await databases.create();
  const env = { ...VARIABLES, ISCCD_REDIS_URL: redis.url };
  stores = await Promise.all([startStoreProcess(place, env), startStoreProcess(place, env)]);
}, INSTALL_MAX_MS);
afterAll(async () => {
  await Promise.all(stores.map((store) => store.stop()));
  await databases?.stop();
  await redis?.stop();
});

async function statuses(count: number): Promise<number[]> {
  const all = Array.from({ length: count }, async (_, at) => {
    const response = await stores[at % 2]?.get(UNKNOWN);
    if (response?.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    return response?.status ?? 0;
  });
  return Promise.all(all);
}

it('allow a client exactly the limit over both', async () => {
  const found = await statuses(60);
  expect(found.filter((status) => status === 404).length).toBe(READS);
  expect(found.filter((status) => status === 429).length).toBe(60 - READS);
});

it('throttle logins over both', async () => {
  const found = [];
  for (let count = 0; count < 6; count += 1) {
    const store = stores[count % 2];
    const body = new URLSearchParams({ username: 'x', password: 'y', csrf: 'z', next: '' });
    const response = await fetch(`${store?.url}/admin/login/`, { method: 'POST', body, redirect: 'manual' });
    found.push(response.status);
  }
  expect(found.slice(3)).toEqual([429, 429, 429]);
  expect(found.slice(0, 3)).not.toContain(429);
});

it('serve requests while Redis is away, each with its own count', async () => {
  await redis.kill();
  const found = await statuses(60);
  expect(found.filter((status) => status === 404).length).toBe(2 * READS);
  expect(new Set(found)).toEqual(new Set([404, 429]));
  const logged = (text: string) =>
    Promise.all(
      stores.map(({ output }) => expect.poll(output, { timeout: 30_000, interval: 50 }).toContain(text)),
    );
  await logged('Redis is unavailable, rate limits and login throttling count in each process');
  await redis.start();
  await logged('Redis is available again');
});

it('say at the start that they count per process without Redis', async () => {
  const store = await startStoreProcess(await databases.create(), { MSTORE_LOG_LEVEL: 'info' });
  await expect
    .poll(store.output, { timeout: 30_000, interval: 50 })
    .toContain('rate limits count in this process: ISCCD_REDIS_URL shares them');
  await store.stop();
});
