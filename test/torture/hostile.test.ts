/** What once ended, blocked or filled a service, sent to all services in one process: refusals, and health meanwhile. */
import { expect, onTestFinished, test } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { post } from '../search/support/search-server.js';
import { QUIET, servicePorts } from '../support/all-services.js';
import { serve } from '../support/serve.js';
import { torture } from '../support/torture.js';
import { HOSTILE_REQUESTS, INDEX } from './support/hostile-requests.js';
import { errorLines, peakMb } from './support/probe.js';

const { size, cases, report } = torture('hostile');
/** Files have a quarter of the time of a job. A busy machine is allowed for. */
const SECONDS_MAX = 90;
const HEALTH_SECONDS_MAX = 5;
const MAIN_MB_MAX = 700;

const requests = HOSTILE_REQUESTS.slice(0, size);

test(`${requests.length} hostile requests`, {
  timeout: requests.length * 3 * SECONDS_MAX * 1000,
}, async () => {
  const folder = await temporaryFolder();
  const env = {
    ...(await servicePorts()),
    ISCCD_DATA_DIR: folder,
    ...QUIET,
    MSTORE_LOG_LEVEL: 'warn',
    MSTORE_RATE_WRITE: '1000/m',
  };
  const server = await serve(SERVICE_NAMES, { cwd: folder, env });
  onTestFinished(() => server.kill());
  expect((await post(`${server.urls.search}/indexes`, { name: INDEX })).status).toBe(201);

  const findings: string[] = [];
  let slowest = { seconds: 0, name: '' };
  let health = 0;
  let tried = 0;
  const headers = { Connection: 'close' };
  /** Seconds of the slowest of the four probes. */
  const probe = async () => {
    const start = performance.now();
    const statuses = await Promise.all(
      SERVICE_NAMES.map(async (name) => (await fetch(`${server.urls[name]}/healthz`, { headers })).status),
    );
    expect(statuses).toEqual(SERVICE_NAMES.map(() => 200));
    return (performance.now() - start) / 1000;
  };
  for (const number of cases()) {
    const request = requests[number];
    if (request === undefined) break;
    const { name, send } = request;
    tried += 1;
    const start = performance.now();
    let isDone = false;
    const sent = send(server.urls).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      health = Math.max(health, await probe());
      await Promise.race([sent.catch(() => undefined), new Promise((next) => setTimeout(next, 100))]);
    }
    const faults = await sent.catch((error: unknown) => [String(error)]);
    const seconds = (performance.now() - start) / 1000;
    if (seconds > slowest.seconds) slowest = { seconds, name };
    findings.push(...faults.map((fault) => `--only=${number}: ${name}: ${fault}`));
    if (seconds > SECONDS_MAX) findings.push(`--only=${number}: ${name}: took ${seconds.toFixed(0)} s`);
    expect([name, server.exitCode()]).toEqual([name, null]);
  }

  expect(findings).toEqual([]);
  expect(errorLines(server)).toEqual([]);
  expect(health).toBeLessThan(HEALTH_SECONDS_MAX);
  const memory = await peakMb(server.pid);
  expect(memory).toBeLessThan(MAIN_MB_MAX);
  const worst = `${slowest.seconds.toFixed(1)} s (${slowest.name}), /healthz ${(health * 1000).toFixed(0)} ms, main process ${memory} MB`;
  report({ tried, survived: tried, worst });
});
