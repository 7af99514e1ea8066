/** The metrics of a whole process, and the Grafana dashboard for them. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { native } from '../../src/native.js';
import { Slots } from '../../src/platform/slots.js';
import { databaseMetric } from '../../src/services/search/metrics.js';
import { ClientMetrics } from '../../src/services/search/opensearch/metrics.js';
import { cacheMetrics } from '../../src/services/search/postgres/metrics.js';
import { HubDouble } from '../network/support/hub-double.js';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { run } from '../support/command.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DASHBOARD = path.join(ROOT, 'ops/grafana/isccd.json');
const ISCC_ID = 'ISCC:MAIGIIFJRDGEQQAA';

let services: AllServices;
let text: string;
let lines: string[];
/** Names of all metrics, also of those without samples yet. */
let families: Set<string>;
let hub: HubDouble;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-metrics-'));
  hub = await HubDouble.start(1, 3);
  await writeFile(path.join(folder, 'hubs.yaml'), HubDouble.list(hub));
  services = await startAllServices({
    ISCCD_METRICS_PORT: '0',
    INDEXSVC_ENVIRONMENT: 'test',
    INDEXSVC_FLOOD_GUARD: '20',
    INDEXSVC_AGGREGATOR_NETWORK: 'testnet',
    INDEXSVC_AGGREGATOR_HUB_LIST_URL: path.join(folder, 'hubs.yaml'),
    INDEXSVC_AGGREGATOR_TEST_ALLOW: '127.0.0.1',
    INDEXSVC_AGGREGATOR_EXCLUSIVE: 'false',
    // Nothing listens there.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    MSTORE_WEBHOOK_URL: 'http://127.0.0.1:9/events',
    MSTORE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  await useEverything();
  const response = await fetch(`${url('metrics')}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  text = await response.text();
  const ofDatabases = [
    ...new ClientMetrics(new Slots(1)).all,
    ...cacheMetrics(() => 0),
    databaseMetric(() => undefined),
  ];
  const others = await Promise.all(ofDatabases.map((metric) => metric.get()));
  families = new Set([
    ...[...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name),
    // Of engines that are not configured here.
    ...others.map(({ name }) => name),
  ]);
  lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
});
afterAll(async () => {
  await services.stop();
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
});

it('the port of the metrics responds to health checks by HTTP/1.0', async () => {
  const { hostname, port } = new URL(url('metrics'));
  const socket = connect(Number(port), hostname);
  socket.write('GET /healthz HTTP/1.0\r\n\r\n');
  // Ends, because HTTP/1.0 closes the connection after each response.
  const response = await textOf(socket);
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(response).toContain('"status":"ok"');
});

const url = (service: keyof AllServices['url']) => services.url[service] ?? '';
/** The sum of the samples that match. */
const value = (pattern: RegExp) =>
  lines
    .filter((line) => pattern.test(line))
    .map((line) => Number(line.split(' ').at(-1)))
    .reduce((sum, number) => sum + number, 0);

/** Sends at least one request of every kind that is counted. */
async function useEverything(): Promise<void> {
  const json = { 'Content-Type': 'application/json' };
  const done = async (response: Promise<Response>, status: number) => {
    const { status: returned, url: target } = await response;
    expect([target, returned]).toEqual([target, status]);
  };
  const name = { 'X-Upload-Filename': Buffer.from('note.txt').toString('base64') };
  const text = 'A text that is long enough to be coded. '.repeat(20);
  await done(fetch(`${url('codes')}/api/v1/iscc`, { method: 'POST', headers: name, body: text }), 201);
  await done(fetch(`${url('codes')}/api/v1/iscc/AAAAAAAAAAAAA`), 404);
  await done(fetch(`${url('codes')}/made/up`), 404);
  const indexes = `${url('search')}/indexes`;
  await done(fetch(indexes, { method: 'POST', headers: json, body: '{"name":"mine"}' }), 201);
  const entries = JSON.stringify([{ iscc_id: ISCC_ID, iscc_code: 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2' }]);
  await done(fetch(`${indexes}/mine/assets`, { method: 'POST', headers: json, body: entries }), 201);
  const manifest = { 'Content-Type': 'application/c2pa' };
  const body = bytesOf(sidecar('ok-es256-iscc4'));
  await done(fetch(`${url('store')}/v1/manifests`, { method: 'POST', headers: manifest, body }), 200);
  await done(fetch(`${url('resolver')}/v1/services/status`), 200);
  const binding = native.encodeSeq([3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, randomBytes(32))));
  const query = new URLSearchParams({ alg: 'io.iscc.v0', value: binding.toString('base64') });
  await done(fetch(`${url('resolver')}/v1/matches/byBinding?${query}`), 200);
}

describe('/metrics', () => {
  it("is not on the services' own addresses", async () => {
    const responses = await Promise.all(SERVICE_NAMES.map((service) => fetch(`${url(service)}/metrics`)));
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('is the only page on its address', async () => {
    const statuses = await Promise.all(
      ['/', '/docs', '/healthz', '/metrics/'].map(
        async (page) => (await fetch(url('metrics') + page)).status,
      ),
    );
    expect(statuses).toEqual([404, 404, 200, 404]);
    expect((await fetch(`${url('metrics')}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it("counts each service's requests by route and class of status", () => {
    const durations = /^isccd_http_request_duration_seconds_count/;
    for (const service of SERVICE_NAMES)
      expect(value(new RegExp(`${durations.source}.*service="${service}"`))).toBeGreaterThan(0);
    const count = (labels: string) => value(new RegExp(`${durations.source}\\{${labels}\\}`));
    expect(count('service="codes",method="POST",route="/api/v1/iscc",status="2xx"')).toBe(1);
    expect(count('service="codes",method="GET",route="/api/v1/iscc/{media_id}",status="4xx"')).toBe(1);
    expect(count('service="codes",method="GET",route="none",status="4xx"')).toBe(1);
    expect(lines.filter((line) => /AAAAAAAAAAAAA|made.up/.test(line))).toEqual([]);
  });

  it('counts steps, jobs, indexes, validations, declarations and statements', () => {
    expect(value(/^isccd_codes_step_duration_seconds_count\{step="text"\}/)).toBe(1);
    expect(value(/^isccd_codes_step_duration_seconds_count\{step="receive"\}/)).toBe(1);
    expect(value(/^isccd_codes_step_duration_seconds_count\{step="wait"\}/)).toBe(1);
    expect(value(/^isccd_codes_jobs_total\{type="content text",outcome="done"\}/)).toBe(1);
    expect(value(/^isccd_search_index_assets\{index="mine"\}/)).toBe(1);
    expect(value(/^isccd_search_committed_assets_total\{index="mine"\}/)).toBe(1);
    expect(value(/^isccd_search_commits_total\{index="mine"\}/)).toBeGreaterThan(0);
    expect(value(/^isccd_search_indexes\{state="ready"\}/)).toBeGreaterThan(0);
    expect(value(/^isccd_store_validations_total\{outcome="accepted"\}/)).toBe(1);
    expect(value(/^isccd_store_validation_duration_seconds_count/)).toBe(1);
    expect(value(/^isccd_store_validations_pending/)).toBe(0);
    expect(value(/^isccd_store_declarations\{status="disabled",manifest="live"\}/)).toBe(1);
    expect(value(/^isccd_store_query_duration_seconds_count\{statement="insert"/)).toBeGreaterThan(0);
    expect(value(/^nodejs_eventloop_lag_p99_seconds/)).toBeGreaterThan(0);
    expect(value(/^isccd_resolver_queries_total\{outcome="none"\}/)).toBe(1);
  });

  it('has the free space and the size of the disk of each data folder', async () => {
    const { blocks, bsize } = await statfs(services.folder);
    for (const service of ['codes', 'search', 'store']) {
      const labels = `\\{service="${service}",folder="${path.join(services.folder, service)}"\\}`;
      expect(value(new RegExp(`^isccd_data_disk_bytes${labels}`))).toBe(blocks * bsize);
      const free = value(new RegExp(`^isccd_data_free_bytes${labels}`));
      expect(free).toBeGreaterThan(0);
      expect(free).toBeLessThan(blocks * bsize);
    }
    expect(lines.filter((line) => line.startsWith('isccd_data_free_bytes'))).toHaveLength(3);
  });

  it('follows the conventions that promtool checks', { timeout: INSTALL_MAX_MS }, async () => {
    const promtool = debianProgram(['promtool'], 'prometheus');
    const { code, stdout, stderr } = await run(promtool, ['check', 'metrics'], { input: text });
    expect([code, stdout + stderr]).toEqual([0, '']);
  });

  it('names the version', () => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    const labels = `version="${version}",node="${process.version}",platform="${process.platform}-${process.arch}"`;
    expect(lines).toContain(`isccd_build_info{${labels}} 1`);
  });
});

describe('the Grafana dashboard', () => {
  const dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard;
  const { panels } = dashboard;
  const queries = [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query)),
  ];
  const family = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const NAME = /\b(?:isccd|nodejs|process)_\w+/g;

  it('uses only metrics that a process has', () => {
    const named = new Set(queries.flatMap((query) => query.match(NAME) ?? []));
    expect(named.size).toBeGreaterThan(40);
    expect([...named].filter((name) => !families.has(family(name)))).toEqual([]);
  });

  it('shows every isccd metric', () => {
    const named = new Set(queries.flatMap((query) => query.match(NAME) ?? []).map(family));
    expect([...families].filter((name) => name.startsWith('isccd_') && !named.has(name))).toEqual([]);
  });

  it('has panels with unique ids that do not overlap', () => {
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    const corners = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(corners).size).toBe(corners.length);
  });
});

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}
