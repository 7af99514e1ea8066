/** `isccd check health`, as container engines run it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceName } from '../../src/compose/service-names.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { type AllServices, servicePorts, startAllServices } from '../support/all-services.js';
import { isccd } from '../support/command.js';
import { serve } from '../support/serve.js';

let services: AllServices;
/** A server that responds from a table and hangs for unknown paths. */
let double: Server;
let responses: Record<string, [status: number, body: object]>;
let base: string;

beforeAll(async () => {
  services = await startAllServices();
  double = createServer((request, response) => {
    const [status, body] = responses[request.url ?? ''] ?? [];
    if (status !== undefined) response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => double.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(double.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await services.stop();
  double.closeAllConnections();
  double.close();
});

const health = (args: readonly string[], env: Record<string, string> = {}) =>
  isccd(['check', 'health', ...args], { cwd: services.folder, env });
const portOf = (service: ServiceName) => new URL(services.url[service]).port;

describe('healthy services', () => {
  it('are found by the configuration, one line each', async () => {
    const env = {
      CODEWEB_PORT: portOf('codes'),
      INDEXSVC_PORT: portOf('search'),
      MSTORE_PORT: portOf('store'),
      RESOLVER_PORT: portOf('resolver'),
      // A service on all addresses is queried on loopback.
      CODEWEB_HOST: '0.0.0.0',
    };
    const { code, stdout, stderr } = await health([], env);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['codes', 'search', 'store', 'resolver']);
    for (const line of lines)
      expect(line).toMatch(/^\w+ +http:\/\/127\.0\.0\.1:\d+ {2}healthy {2}\(\d+ ms\)$/);
    const one = await health(['search', '--json'], env);
    expect(JSON.parse(one.stdout)).toEqual({
      name: 'search',
      url: `http://127.0.0.1:${env.INDEXSVC_PORT}`,
      healthy: true,
      ms: expect.any(Number),
    });
  });

  it('are queried by URL', async () => {
    const url = services.url.store;
    expect(await health([`${url}/`])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${url}  healthy`),
    });
  });
});

/** Addresses of this machine beyond loopback, as a service that is bound to its own address has one. */
const ADDRESSES = [
  '::1',
  ...Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal)),
].flatMap((found) => (typeof found === 'string' ? found : found.family === 'IPv4' ? found.address : []));

it.each(ADDRESSES)('finds services on %s healthy, whatever hosts they allow', async (host) => {
  const env: Record<string, string> = {
    ISCCD_DATA_DIR: await temporaryFolder(),
    APP_SECRET_KEY: 'x'.repeat(64),
    ...(await servicePorts()),
    MSTORE_HOST: host === '::1' ? '::' : host,
    MSTORE_URL: 'https://store.example.org',
    RESOLVER_HOST: host,
    RESOLVER_ALLOWED_HOSTS: 'resolver.example.org',
    RESOLVER_SEARCH_URL: 'http://127.0.0.1:9',
  };
  const served = await serve(['store', 'resolver'], { env });
  onTestFinished(() => served.stop());
  expect(await health(['store', 'resolver'], env)).toMatchObject({ code: 0, stderr: '' });
  const urls = [env.MSTORE_PORT, env.RESOLVER_PORT].map(
    (port) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
  );
  expect(await health(urls)).toMatchObject({ code: 0, stderr: '' });
});

describe('unhealthy services', () => {
  const alive: [number, object] = [200, { status: 'ok' }];
  const problem = async (seconds = 30) => {
    const { code, stdout } = await health([base, '--json', '--timeout', String(seconds)]);
    const { healthy, problem } = JSON.parse(stdout) as { healthy: boolean; problem?: string };
    expect(code).toBe(healthy ? 0 : 1);
    return problem;
  };

  it('are reported with the reason', async () => {
    responses = { '/healthz': alive, '/readyz': [503, { status: 'not_ready', reason: 'still_loading' }] };
    expect(await problem()).toBe('/readyz returned 503: still_loading');
    responses = { '/healthz': [500, {}] };
    expect(await problem()).toBe('/healthz returned 500');
    responses = { '/healthz': [302, {}] };
    expect(await problem()).toBe('/healthz returned 302');
    responses = {};
    expect(await problem(0.5)).toMatch(/^no response: .*timeout/);
  });

  it('do not include services without /readyz', async () => {
    responses = { '/healthz': alive, '/readyz': [404, {}] };
    expect(await problem()).toBeUndefined();
  });

  it('are counted', async () => {
    const closed = 'http://127.0.0.1:9';
    const { code, stdout, stderr } = await health([services.url.codes, closed]);
    expect([code, stderr]).toEqual([1, 'isccd: 1 of 2 services unhealthy\n']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => / healthy {2}/.test(line)),
    ).toEqual([true, false]);
  });
});

it.each([['nonsense'], ['ftp://a.example'], ['codes', '--timeout', '0'], ['codes', '--timeout', 'soon']])(
  'refuses %s %s %s',
  async (...args) => {
    expect((await health(args)).code).toBe(2);
  },
);
