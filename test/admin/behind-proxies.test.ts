/** The dashboard behind one and two nginx with TLS: cookies, addresses in the audit log, and CORS. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, fetch, type RequestInit } from 'undici';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { DATABASE_FILE, openDatabase } from '../../src/storage/database/open.js';
import { openSqliteReadOnly } from '../../src/storage/database/sqlite.js';
import { freePort, Running } from '../deploy/support/running.js';
import { type StoreClient, startStore } from '../store/support/server.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { PASSWORD, SET_UP } from './support/dashboard.js';

const HOST = 'store.example.org';
const CLIENT = '127.0.0.7';

let nginx = '';
let certificate: { readonly chainPem: string; readonly keyPem: string };
beforeAll(async () => {
  nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
  certificate = await native.makeTestCertificate('es256', 'isccd test');
}, INSTALL_MAX_MS);

let folder = '';
let running: Running;
let store: StoreClient | undefined;
let agent: Agent;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-behind-proxies-'));
  running = new Running();
  await writeFile(path.join(folder, 'fullchain.pem'), certificate.chainPem);
  await writeFile(path.join(folder, 'privkey.pem'), certificate.keyPem);
});
afterEach(async () => {
  await agent?.destroy();
  await running.stop();
  await store?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a store with this many nginx in front, of which the outermost one has TLS. Returns its port. */
async function started(proxies: number, trusted: number): Promise<number> {
  const dataDir = path.join(folder, 'store');
  await mkdir(dataDir);
  const environment = { MSTORE_URL: `https://${HOST}`, MSTORE_NUM_PROXIES: String(trusted) };
  const database = await openDatabase(undefined, dataDir);
  await new Accounts(database.db).add('olga', PASSWORD, 'admin', SET_UP);
  await database.close();
  store = await startStore({ dataDir, url: undefined }, environment);
  const [inner, outer] = [await freePort(), await freePort()];
  const outerServer = server(`${outer} ssl`, proxies === 1 ? store.port : inner, '$scheme');
  const innerServer = server(String(inner), store.port, '$http_x_forwarded_proto');
  const servers = [outerServer, ...(proxies === 2 ? [innerServer] : [])].join('\n');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  const file = path.join(folder, 'nginx.conf');
  const top = `daemon off; master_process off; pid ${folder}/nginx.pid; events {}`;
  await writeFile(file, `${top}\nhttp {\naccess_log off;\n${paths}\n${servers}\n}\n`);
  running.start(nginx, ['-c', file, '-p', folder, '-e', 'stderr'], {});
  await running.listens('127.0.0.1', outer);
  const connect = { rejectUnauthorized: false, lookup: toLoopback };
  agent = new Agent({ localAddress: CLIENT, connect });
  return outer;
}

const toLoopback = (_: string, __: unknown, found: (error: null, address: string, family: number) => void) =>
  found(null, '127.0.0.1', 4);

function server(listen: string, target: number, scheme: string): string {
  return `server {
    listen 127.0.0.1:${listen};
    ${listen.endsWith('ssl') ? `ssl_certificate ${folder}/fullchain.pem; ssl_certificate_key ${folder}/privkey.pem;` : ''}
    location / {
      proxy_pass http://127.0.0.1:${target};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto ${scheme};
    }
  }`;
}

function send(port: number, target: string, init: RequestInit = {}) {
  // A client may forge its address.
  const headers = { 'X-Forwarded-For': '203.0.113.9', ...(init.headers as Record<string, string>) };
  const url = `https://${HOST}:${port}${target}`;
  return fetch(url, { ...init, headers, dispatcher: agent, redirect: 'manual' });
}

/** Logs in as a browser does. Returns the `Set-Cookie` lines of both responses. */
async function logIn(port: number): Promise<readonly string[]> {
  const page = await send(port, '/admin/login/');
  const [csrf] = /(?<=name="csrf" value=")[^"]+/.exec(await page.text()) ?? [];
  const cookies = page.headers.getSetCookie();
  const response = await send(port, '/admin/login/', {
    method: 'POST',
    headers: { Origin: `https://${HOST}`, Cookie: cookies[0]?.split(';')[0] ?? '' },
    body: new URLSearchParams({ csrf: csrf ?? '', username: 'olga', password: PASSWORD, next: '' }),
  });
  expect(response.status).toBe(302);
  return [...cookies, ...response.headers.getSetCookie()];
}

/** Addresses in the audit log of the logins. */
async function auditedLogins(): Promise<readonly (string | null)[]> {
  const db = openSqliteReadOnly(path.join(folder, 'store', DATABASE_FILE));
  const rows = await db.selectFrom('audit').select('origin').where('action', '=', 'login').execute();
  await db.destroy();
  return rows.map(({ origin }) => origin);
}

it.each([
  [1, 0, '127.0.0.1'],
  [1, 1, CLIENT],
  [2, 0, '127.0.0.1'],
  [2, 2, CLIENT],
])('%d proxies, %d of them trusted: Secure cookies, and the client %s', async (proxies, trusted, client) => {
  const port = await started(proxies, trusted);
  const cookies = await logIn(port);
  expect(cookies).toHaveLength(3);
  for (const cookie of cookies) expect(cookie).toMatch(/; Secure$/);
  expect(await auditedLogins()).toEqual([client]);
  const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
  const open = await send(port, '/v1/matches/byBinding', { method: 'OPTIONS', headers: preflight });
  expect([open.status, open.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const closed = await send(port, '/admin/login/', { method: 'OPTIONS', headers: preflight });
  expect(closed.headers.get('access-control-allow-origin')).toBeNull();
});

it('cookies of plain HTTP to a local address are not Secure', async () => {
  await started(1, 0);
  const [cookie] = (await fetch(`${store?.url}/admin/login/`)).headers.getSetCookie();
  expect(cookie).toMatch(/^isccd_login=/);
  expect(cookie).not.toContain('Secure');
});
