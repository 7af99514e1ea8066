/** `ops/nginx/isccd.conf` in Debian's nginx, in front of the services of one process, over TLS. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { run } from '../support/command.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';
import { freePort, Running } from './support/running.js';

const NAMES = ['codes', 'search', 'store', 'resolver'] as const;
const running = new Running();
let nginx = '';
let folder = '';
let port = 0;
let services: AllServices;

beforeAll(async () => {
  nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-nginx-'));
  port = await freePort();
  services = await startAllServices({
    MSTORE_URL: 'https://store.example.org',
    APP_SECRET_KEY: 'a secret of this test',
    CODEWEB_NUM_PROXIES: '1',
    INDEXSVC_NUM_PROXIES: '1',
    MSTORE_NUM_PROXIES: '1',
    RESOLVER_NUM_PROXIES: '1',
    ISCCD_METRICS_PUBLIC: 'true',
  });
  const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
  await writeFile(path.join(folder, 'fullchain.pem'), chainPem);
  await writeFile(path.join(folder, 'privkey.pem'), keyPem);
  await writeFile(path.join(folder, 'nginx.conf'), await configuration());
  running.start(nginx, ['-c', path.join(folder, 'nginx.conf'), '-p', folder, '-e', 'stderr'], {});
  await running.until(async () => (await status('codes', '/healthz', '127.0.0.1')) === 200);
}, INSTALL_MAX_MS);

afterAll(async () => {
  await running.stop();
  await services.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The file with the ports and folders of this test, inside an `http` block with settings of the machine's other sites, as in
 * Debian's nginx.conf.
 */
async function configuration(): Promise<string> {
  const servers = NAMES.reduce(
    (text, name, at) => text.replace(`127.0.0.1:80${at}0`, new URL(services.url[name]).host),
    (await readFile(path.join(ROOT, 'ops/nginx/isccd.conf'), 'utf8')).replaceAll(
      'listen 443',
      `listen 127.0.0.1:${port}`,
    ),
  );
  const included = await readFile(path.join(ROOT, 'ops/nginx/isccd-server.conf'), 'utf8');
  await writeFile(
    path.join(folder, 'isccd-server.conf'),
    included.replaceAll('/etc/letsencrypt/live/example.org', folder),
  );
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\nssl_protocols TLSv1.1 TLSv1.2;\n${paths}\n${servers}\n}\n`;
}

/** The status that a client with this address of the machine gets. */
async function status(service: string, target: string, localAddress: string): Promise<number> {
  const dispatcher = new Agent({
    localAddress,
    connect: {
      rejectUnauthorized: false,
      lookup: (_, __, found) => found(null, '127.0.0.1', 4),
    },
  });
  try {
    const url = `https://${service}.example.org:${port}${target}`;
    return (await fetch(url, { dispatcher, redirect: 'manual' })).status;
  } finally {
    await dispatcher.destroy();
  }
}

it('is valid for the nginx of the distribution', async () => {
  const args = ['-t', '-c', path.join(folder, 'nginx.conf'), '-p', folder];
  const { code, stderr } = await run(nginx, args);
  expect([code, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
  expect(stderr).not.toContain('duplicate value');
});

it('forwards every service', async () => {
  const statuses = await Promise.all(NAMES.map((name) => status(name, '/healthz', '127.0.0.2')));
  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(await status('store', '/v1/services/status', '127.0.0.2')).toBe(200);
});

it('closes the dashboard and the indexes to all but the operators', async () => {
  for (const [service, target] of [
    ['store', '/admin/'],
    ['store', '/admin/login'],
    ['search', '/indexes'],
    ['search', '/aliases'],
  ] as const) {
    expect([target, await status(service, target, '127.0.0.2')]).toEqual([target, 403]);
    expect([200, 302, 303]).toContain(await status(service, target, '127.0.0.1'));
  }
});

it('does not publish the metrics', async () => {
  for (const name of NAMES) {
    expect((await globalThis.fetch(`${services.url[name]}/metrics`)).status).toBe(200);
    expect(await status(name, '/metrics', '127.0.0.1')).toBe(404);
  }
});

it('closes connections to unknown names', async () => {
  await expect(status('other', '/', '127.0.0.1')).rejects.toThrow();
});

it('limits the requests of a client to the resolver', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 150 }, () => status('resolver', '/v1/services/status', '127.0.0.3')),
  );
  expect(statuses.filter((one) => one === 200).length).toBeGreaterThan(39);
  expect(statuses.filter((one) => one === 503).length).toBeGreaterThan(0);
});
