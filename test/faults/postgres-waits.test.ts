/** The database hangs, or commits wait for a standby that is down: requests get 503 in time, and all recovers by itself. */
import { randomUUID } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceName } from '../../src/compose/service-names.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { freshBinding, freshManifest } from '../store/support/fresh-manifest.js';
import { servicePorts } from '../support/all-services.js';
import { query } from '../support/postgres.js';
import { serve } from '../support/serve.js';
import { freeze, startDatabase, startServices } from './support/over-postgres.js';

const TEST = { timeout: 180_000 };
const WAIT = { timeout: 60_000, interval: 200 };
/** Clients and load balancers give up after 30 to 60 seconds. */
const REPLY_MS_MAX = 30_000;

describe.skipIf(process.platform !== 'linux')('a database that', () => {
  test('hangs makes the store respond with 503', TEST, async () => {
    const { postgres, location } = await startDatabase();
    const { upload, isReady } = await startService('store', 'DATABASE_URL', location);
    await expect.poll(upload, WAIT).toBe('200 null');
    freeze(postgres);
    expect(await upload()).toBe('503 5');
    expect(await isReady()).toBe(false);
    postgres.thaw();
    await expect.poll(upload, WAIT).toBe('200 null');
    await expect.poll(isReady, WAIT).toBe(true);
  });

  const writers = [
    ['store', 'DATABASE_URL'],
    ['search', 'INDEXSVC_INDEX_URI'],
  ] as const;
  test.each(writers)('waits for its standby makes writes to %s fail with 503', TEST, async (...writer) => {
    const { postgres, location } = await startDatabase();
    const { upload, isReady } = await startService(...writer, location);
    await expect.poll(upload, WAIT).toMatch(/^20[01] null$/);
    const standby = await postgres.addStandby();
    await expect.poll(upload, WAIT).toMatch(/^20[01] null$/);
    await standby.stop();
    expect(await upload()).toMatch(/^503 \d$/);
    if (writer[0] === 'store') expect(await isReady()).toBe(false);
    await query(location, 'alter system reset synchronous_standby_names');
    await query(location, 'select pg_reload_conf()');
    await expect.poll(upload, WAIT).toMatch(/^20[01] null$/);
    await expect.poll(isReady, WAIT).toBe(true);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a store that starts while commits wait for a standby says so, and starts when they no longer wait',
  TEST,
  async () => {
    const { postgres, location } = await startDatabase();
    const standby = await postgres.addStandby();
    await standby.stop();
    const folder = await temporaryFolder();
    const log = await open(path.join(folder, 'log'), 'w');
    onTestFinished(() => log.close());
    const env = { ...(await servicePorts()), ISCCD_DATA_DIR: folder, DATABASE_URL: location };
    const starting = serve(['store'], { cwd: folder, env, stderr: log.fd });
    const logged = () => readFile(path.join(folder, 'log'), 'utf8');
    await expect.poll(logged, WAIT).toContain('store has not opened its data after 10 s');
    await query(location, 'alter system reset synchronous_standby_names');
    await query(location, 'select pg_reload_conf()');
    const server = await starting;
    onTestFinished(() => server.kill());
    expect((await fetch(`${server.urls.store}/readyz`)).status).toBe(200);
  },
);

test('a role that may not log in counts as an unreachable database', TEST, async () => {
  const { location: admin } = await startDatabase();
  await query(admin, 'create role app superuser login');
  const location = admin.replace('isccd@', 'app@');
  const { urls: at } = await startServices(['store', 'search'], {
    DATABASE_URL: location,
    INDEXSVC_INDEX_URI: location,
    INDEXSVC_STALENESS_MAX_S: '2',
  });
  const routes = [`${at.store}/v1/manifests/urn:c2pa:${randomUUID()}`, `${at.search}/indexes`];
  const probes = [`${at.store}/readyz`, `${at.search}/readyz`];
  const statuses = () => Promise.all([...routes, ...probes].map(async (url) => (await fetch(url)).status));
  await expect.poll(statuses, WAIT).toEqual([404, 200, 200, 200]);
  await query(admin, 'alter role app nologin');
  await query(admin, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");
  await expect.poll(statuses, WAIT).toEqual([503, 503, 503, 503]);
  await query(admin, 'alter role app login');
  await expect.poll(statuses, WAIT).toEqual([404, 200, 200, 200]);
});

test(
  'a resolver in the process of the store responds with 503 while the database is away',
  TEST,
  async () => {
    const { postgres, location } = await startDatabase();
    const server = await startServices(['store', 'search', 'resolver'], { DATABASE_URL: location });
    const value = freshBinding();
    const headers = { 'content-type': 'application/c2pa' };
    const { manifestId } = (await fetch(`${server.urls.store}/v1/manifests`, {
      method: 'POST',
      headers,
      body: await freshManifest(value),
    }).then((response) => response.json())) as { manifestId: string };
    const query = new URLSearchParams({ alg: 'io.iscc.v0', value: value.toString('base64') });
    const matches = async () => {
      const response = await fetch(`${server.urls.resolver}/v1/matches/byBinding?${query}`);
      const { matches } = (await response.json()) as { matches?: readonly { manifestId: string }[] };
      return [response.status, response.headers.get('retry-after'), matches?.map((one) => one.manifestId)];
    };
    await expect.poll(matches, WAIT).toEqual([200, null, [manifestId]]);
    await postgres.halt();
    expect(await matches()).toEqual([503, '5', undefined]);
    await postgres.start();
    await expect.poll(matches, WAIT).toEqual([200, null, [manifestId]]);
  },
);

async function startService(name: ServiceName, variable: string, location: string) {
  const server = await startServices([name], { [variable]: location });
  const url = server.urls[name];
  let indexes = 0;
  const upload = async () => {
    indexes += 1;
    const [route, body] =
      name === 'store'
        ? ['/v1/manifests', await freshManifest()]
        : ['/indexes', JSON.stringify({ name: `a${indexes}` })];
    const headers = { 'content-type': name === 'store' ? 'application/c2pa' : 'application/json' };
    const signal = AbortSignal.timeout(REPLY_MS_MAX);
    const response = await fetch(`${url}${route}`, { method: 'POST', headers, body, signal });
    await response.arrayBuffer();
    return `${response.status} ${response.headers.get('retry-after')}`;
  };
  return { upload, isReady: async () => (await fetch(`${url}/readyz`)).status === 200 };
}
