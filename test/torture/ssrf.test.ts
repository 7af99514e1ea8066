/**
 * Addresses from strangers: assets by reference, gateways of declarations, sources of uploads, and redirects of all of them,
 * to places inside. The kernel's list of connections is the judge.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { byReference } from '../content/support.js';
import { randomAsset } from '../search/support/random-assets.js';
import { servicePorts } from '../support/all-services.js';
import { type ServedProcess, serve } from '../support/serve.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { Random, torture } from '../support/torture.js';

const { size, seed, only, report } = torture('ssrf');
const WAIT = { timeout: 20_000, interval: 50 };
/** The only address that the services may connect to. It stands for the public Internet, and redirects to places inside. */
const STRANGER = '127.0.0.2';
const DNS_PORT = 53;

/** Places inside, in the forms that filters of addresses overlook. */
const HOSTS = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0', '127.0.0.3'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...[
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
  ],
  ...['100.64.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1', '255.255.255.255', 'localhost', 'LOCALHOST.'],
  ...['ip6-localhost', `${STRANGER}@127.0.0.1`, `user:pass@127.0.0.1`, '①②⑦.⓪.⓪.①', '127。0。0。1'],
] as const;
const STATUSES = [301, 302, 303, 307, 308] as const;
const HOPS_MAX = 3;
const WAYS = ['store', 'resolver', 'gateway', 'source'] as const;

interface Case {
  readonly number: number;
  readonly way: (typeof WAYS)[number];
  /** The first address. */
  readonly address: string;
}

test(`${size} addresses of places inside`, { timeout: INSTALL_MAX_MS + size * 2_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-ssrf-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const inside = await canary();
  const stranger = await redirecting();
  const log = path.join(folder, 'connections');
  const services = await start(folder, log, stranger.port, inside.port);
  onTestFinished(() => services.kill());
  // At its start the process tries its own transport.
  const atStart = (await connections(log)).length;
  const cases = casesOf(inside.port, stranger.port);
  await declare(services, cases);
  const wrong: string[] = [];
  for (const { number, way, address } of cases) {
    const status = await ask(services, { number, way, address });
    if (status < 400) wrong.push(`case ${number}: ${way} responded with ${status} to ${address}`);
  }
  // The list is complete: it has the connections to the stranger.
  await expect.poll(() => connections(log), WAIT).toContain(`${STRANGER} ${stranger.port}`);
  expect(stranger.requests()).toBeGreaterThan(0);
  await services.stop();
  const allowed = (connection: string) =>
    connection === `${STRANGER} ${stranger.port}` || connection.endsWith(` ${DNS_PORT}`);
  const made = (await connections(log)).slice(atStart);
  expect(made.filter((connection) => !allowed(connection))).toEqual([]);
  expect(inside.accepted()).toBe(0);
  expect(wrong).toEqual([]);
  report({ tried: cases.length, survived: cases.length, worst: `${made.length} connections, none inside` });
});

/** All services under strace, which lists the connections of the process and its children. */
async function start(
  folder: string,
  log: string,
  strangerPort: number,
  insidePort: number,
): Promise<ServedProcess> {
  const strace = debianProgram(['strace'], 'strace');
  return serve(['codes', 'search', 'store', 'resolver'], {
    cwd: folder,
    under: [strace, '-D', '-f', '-qq', '--seccomp-bpf', '-e', 'trace=connect', '-o', log],
    env: {
      ...(await servicePorts()),
      ISCCD_DATA_DIR: folder,
      CODEWEB_SOURCES: `http://${STRANGER}:${strangerPort} http://127.0.0.1:${insidePort} http://169.254.169.254`,
      MSTORE_BY_CONTENT: '1',
      MSTORE_LOG_LEVEL: 'warn',
      RESOLVER_BY_CONTENT: '1',
      RESOLVER_ENVIRONMENT: 'test',
      RESOLVER_TEST_ALLOW: STRANGER,
    },
  });
}

function casesOf(insidePort: number, strangerPort: number): Case[] {
  const numbers = Array.from({ length: size }, (_, number) => number);
  return numbers
    .filter((number) => only === undefined || number === only)
    .map((number) => {
      const random = new Random(seed, number);
      const scheme = random.chance(0.3) ? 'https' : 'http';
      const port = random.chance(0.8) ? `:${insidePort}` : '';
      let address = `${scheme}://${random.pick(HOSTS)}${port}/v1/manifests/x`;
      if (random.chance(0.1)) address = random.pick(['file:///etc/passwd', 'ftp://127.0.0.1/manifests/x']);
      for (let hops = random.below(HOPS_MAX + 1); hops > 0; hops -= 1) {
        const target = Buffer.from(address).toString('base64url');
        address = `http://${STRANGER}:${strangerPort}/${random.pick(STATUSES)}/${target}/manifests/x`;
      }
      return { number, way: random.pick(WAYS), address };
    });
}

/** Declares an asset for each gateway. */
async function declare({ urls }: ServedProcess, cases: readonly Case[]): Promise<void> {
  const gateways = cases.filter(({ way }) => way === 'gateway');
  if (gateways.length === 0) return;
  const assets = gateways.map(({ number, address }) => randomAsset(number, { gateway: address }));
  const headers = { 'Content-Type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(assets) };
  expect((await fetch(`${urls.search}/indexes/c2pa/assets`, request)).status).toBe(201);
}

/** The status of the response to a request that names the address. */
async function ask({ urls }: ServedProcess, { number, way, address }: Case): Promise<number> {
  switch (way) {
    case 'store':
    case 'resolver':
      return (await byReference(urls[way], { referenceUrl: address, assetLength: 1000 })).status;
    case 'gateway': {
      const id = String(randomAsset(number).iscc_id).replace('ISCC:', '').toLowerCase();
      return (await fetch(`${urls.resolver}/v1/iscc/${id}/manifests/x`)).status;
    }
    case 'source': {
      // Only ASCII can be in a header.
      const headers = { 'X-Upload-Source': URL.canParse(address) ? new URL(address).href : 'http://127.1/' };
      return (await fetch(`${urls.codes}/api/v1/iscc`, { method: 'POST', headers })).status;
    }
    default:
      return way satisfies never;
  }
}

/** `ADDRESS PORT` of each connection over IP. */
async function connections(log: string): Promise<string[]> {
  const lines = (await readFile(log, 'utf8')).matchAll(
    /sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"/g,
  );
  return [...lines].map(([, port, address]) => `${address} ${port}`);
}

/** A server inside, on all addresses of the machine. */
async function canary(): Promise<{ port: number; accepted(): number }> {
  let accepted = 0;
  const server = net.createServer((socket) => {
    accepted += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, accepted: () => accepted };
}

/** A server that redirects `/STATUS/TARGET` to the target in Base64url. */
async function redirecting(): Promise<{ port: number; requests(): number }> {
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests += 1;
    const [, status, target = ''] = (request.url ?? '').split('/');
    // A location with any characters.
    const location = Buffer.from(target, 'base64url').toString('latin1');
    response.writeHead(Number(status), { Location: location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, STRANGER, resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, requests: () => requests };
}
