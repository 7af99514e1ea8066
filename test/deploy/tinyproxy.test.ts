/** Outgoing connections through Debian's tinyproxy, with a user name and password. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { readProxyConfig } from '../../src/platform/config/proxy.js';
import { useProxy } from '../../src/platform/egress/proxy.js';
import { GatewayClient } from '../../src/services/resolver/gateway-client.js';
import { AUTHORITY, type Gateways, gateways } from '../resolver/support/gateways.js';
import { isccd } from '../support/command.js';
import { type DnsServer, dnsServer } from '../support/dns.js';
import { freePorts } from '../support/free-ports.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';

let folder = '';
let address = '';
let proxy: ChildProcess;
let places: Gateways;
let dns: DnsServer;
beforeAll(async () => {
  const tinyproxy = debianProgram(['tinyproxy', '/usr/bin/tinyproxy'], 'tinyproxy-bin');
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-tinyproxy-'));
  const [port = 0] = await freePorts(1);
  address = `http://user:word@127.0.0.1:${port}`;
  const settings = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    'MaxClients 20',
    'BasicAuth user word',
    `LogFile "${path.join(folder, 'log')}"`,
    'LogLevel Info',
  ];
  await writeFile(path.join(folder, 'conf'), `${settings.join('\n')}\n`);
  proxy = spawn(tinyproxy, ['-d', '-c', path.join(folder, 'conf')], { stdio: 'ignore' });
  await vi.waitUntil(() => accepts(port), { timeout: 20_000, interval: 50 });
  places = await gateways();
  places.kinds.set('/manifests/x', 'store');
  dns = await dnsServer({ 'repo.example': ['127.0.0.1'], 'inside.example': ['10.0.0.1'] });
}, INSTALL_MAX_MS);
afterAll(async () => {
  useProxy(readProxyConfig({}));
  dns?.close();
  await places?.close();
  const ended = proxy && once(proxy, 'exit');
  proxy?.kill();
  await ended;
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  places.seen.length = 0;
});

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

const requests = async () => (await readFile(path.join(folder, 'log'), 'utf8')).match(/(?:CONNECT|GET) \S+/g);

it('opens tunnels to checked addresses, in which TLS has the name of the server', async () => {
  useProxy(readProxyConfig({ ISCCD_HTTP_PROXY: address }));
  const allowed = new Set(['127.0.0.1']);
  const client = new GatewayClient({ allowed, ca: AUTHORITY, dnsServers: [dns.address] });
  onTestFinished(() => client.close());
  const get = (host: string) =>
    client.get(`https://${host}:${places.https}/manifests/x`, { timeoutMs: 5000, bytesMax: 1024 });
  expect((await get('repo.example')).kind).toBe('found');
  expect((await get('inside.example')).kind).toBe('refused');
  expect(places.seen.map(({ servername }) => servername)).toEqual(['repo.example']);
  await expect.poll(requests).toContain(`CONNECT 127.0.0.1:${places.https}`);
  expect(await requests()).toHaveLength(1);
});

it('forwards requests without TLS', async () => {
  places.kinds.set('/a.txt', 'html');
  const url = `http://127.0.0.1:${places.http}/a.txt`;
  const got = await isccd(['code', url], { env: { ISCCD_HTTP_PROXY: address } });
  expect([got.code, got.stderr]).toEqual([0, '']);
  expect(places.seen.map(({ headers }) => headers.host)).toEqual([`127.0.0.1:${places.http}`]);
  await expect.poll(requests).toContain(`GET ${url}`);
}, 30_000);

it('refuses a wrong password, which the message does not show', async () => {
  const wrong = address.replace('word', 'other');
  const url = `https://repo.example:${places.https}/a.txt`;
  const got = await isccd(['code', url], { env: { ISCCD_HTTP_PROXY: wrong } });
  expect(got.code).not.toBe(0);
  expect(got.stderr).toContain('check the user name and password in its address');
  expect(got.stderr).not.toContain('other');
  expect(places.seen).toEqual([]);
}, 30_000);
