/** PostgreSQL down: the store answers 503 with Retry-After, and works again when the server is back. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
import { startStore } from '../store/support/server.js';
import { startPostgres } from '../support/postgres.js';

const [stored, other] = [sidecar('ok-es256-iscc4'), sidecar('ok-ed25519')];
const id = stored.expect.manifestId ?? '';
const [binding] = stored.expect.indexed ?? [];

test('requests get 503 with Retry-After while PostgreSQL is down', { timeout: 60_000 }, async () => {
  const server = await startPostgres();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'isccd-store-'));
  const store = await startStore({ dataDir, url: await server.createDatabase() });
  onTestFinished(async () => {
    await store.stop();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const query = new URLSearchParams({ alg: 'io.iscc.v0', value: binding?.value ?? '' });
  const requests: Readonly<Record<string, () => Promise<Response>>> = {
    upload: () => store.upload(bytesOf(other)),
    fetch: () => store.get(id),
    query: () => fetch(`${store.url}/v1/matches/byBinding?${query}`),
    algorithms: () => fetch(`${store.url}/v1/services/supportedAlgorithms`),
    remove: () => store.remove(id),
  };
  expect((await store.upload(bytesOf(stored))).status).toBe(200);

  await server.halt();
  for (const [name, send] of Object.entries(requests)) {
    const response = await send();
    expect([name, response.status, await response.json()]).toEqual([
      name,
      503,
      { detail: 'The database is unavailable' },
    ]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  const page = await fetch(`${store.url}/admin/`, { headers: { Cookie: 'isccd_session=x' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  expect(Number(page.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await page.text()).toContain('The database does not respond.');
  expect((await fetch(`${store.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${store.url}/healthz`)).status).toBe(200);
  expect(await store.json('/v1/services/status')).toMatchObject({ status: 'degraded' });

  await server.start();
  await expect.poll(async () => (await store.get(id)).status).toBe(200);
  expect((await store.upload(bytesOf(other))).status).toBe(200);
  expect((await store.query('io.iscc.v0', binding?.value ?? '')).body.matches).toHaveLength(1);
  expect((await fetch(`${store.url}/readyz`)).status).toBe(200);
});
