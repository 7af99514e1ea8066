/** A process that receives SIGTERM while its database does not respond. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ServiceName } from '../../src/compose/service-names.js';
import { freeze, startDatabase, startServices } from './support/over-postgres.js';

const TEST_MS_MAX = 120_000;
/** Load balancers give up a probe after some seconds. */
const PROBE_MS_MAX = 10_000;
/** What `ops/systemd` grants. */
const STOP_MS_MAX = 30_000;

describe.skipIf(process.platform !== 'linux')('SIGTERM while the database hangs', () => {
  const cases: readonly [ServiceName, string, string, string][] = [
    ['search', 'INDEXSVC_INDEX_URI', '/indexes', '{"name":"a"}'],
    ['store', 'DATABASE_URL', '/v1/manifests/urn:c2pa:00000000-0000-4000-8000-000000000000', ''],
  ];
  test.each(cases)('ends %s in time, with a request in flight', { timeout: TEST_MS_MAX }, async (...row) => {
    const [name, variable, route, body] = row;
    const { postgres, location } = await startDatabase();
    const server = await startServices([name], { [variable]: location });
    const url = server.urls[name];
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 30_000 }).toBe(200);
    freeze(postgres);
    if (name === 'store') {
      const probe = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_MS_MAX) });
      expect([probe.status, await probe.text()]).toEqual([503, expect.stringContaining('unreachable')]);
      const status = await fetch(`${url}/v1/services/status`, { signal: AbortSignal.timeout(PROBE_MS_MAX) });
      expect(await status.json()).toMatchObject({ status: 'degraded' });
    }
    const headers = { 'content-type': 'application/json' };
    const request = fetch(url + route, body ? { method: 'POST', headers, body } : {}).catch(() => undefined);
    await pause(1000);
    process.kill(server.pid, 'SIGTERM');
    // Ten seconds for the request, and fifteen for the service.
    await expect.poll(server.exitCode, { timeout: STOP_MS_MAX, interval: 100 }).not.toBeNull();
    await request;
    const output = server.output();
    const isClosed = output.includes('"msg":"stopped"');
    expect([server.exitCode(), output.includes('is not closed after 15 s')]).toEqual(
      isClosed ? [0, false] : [1, true],
    );
  });
});
