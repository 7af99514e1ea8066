/** A process that receives SIGTERM while its database does not respond. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceName } from '../../src/compose/service-names.js';
import { servicePorts } from '../support/all-services.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { serve } from '../support/serve.js';

const TEST_MS_MAX = 120_000;
/** Load balancers give up a probe after some seconds. */
const PROBE_MS_MAX = 10_000;
/** What `ops/systemd` grants. */
const STOP_MS_MAX = 30_000;

describe.skipIf(process.platform !== 'linux')('SIGTERM while the database hangs', () => {
  let postgres: PostgresServer;
  let location: string;
  beforeEach(async () => {
    postgres = await startPostgres();
    location = await postgres.createDatabase();
    return async () => {
      postgres.thaw();
      await postgres.stop();
    };
  });

  const cases: readonly [ServiceName, string, string, string][] = [
    ['search', 'INDEXSVC_INDEX_URI', '/indexes', '{"name":"a"}'],
    ['store', 'DATABASE_URL', '/v1/manifests/urn:c2pa:00000000-0000-4000-8000-000000000000', ''],
  ];
  test.each(cases)('ends %s in time, with a request in flight', { timeout: TEST_MS_MAX }, async (...row) => {
    const [name, variable, route, body] = row;
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-hung-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = { ...(await servicePorts()), ISCCD_DATA_DIR: folder, [variable]: location };
    const server = await serve([name], { cwd: folder, env });
    onTestFinished(() => server.kill());
    const url = server.urls[name];
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 30_000 }).toBe(200);
    postgres.freeze();
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
