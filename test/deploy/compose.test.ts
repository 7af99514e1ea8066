/**
 * `compose.yaml` without a container engine. Every service runs with its command and environment, on its own loopback
 * address instead of a host name, behind a real nginx with the mounted configuration.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, fetch, type RequestInit } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { native } from '../../src/native.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT, readImage } from './support/dockerfile.js';
import { freePort, Running } from './support/running.js';

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly volumes?: readonly string[];
  readonly networks?: { readonly default: { readonly ipv4_address: string } };
  readonly depends_on?: readonly string[];
}

const MAIN = path.join(ROOT, 'dist', 'cli', 'main.js');
const PHOTO = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
const DOMAIN = 'isccd.test';
const SECRET = 'a secret of the index';
const TOKEN = 'the operator';
const given: Readonly<Record<string, string>> = {
  APP_SECRET_KEY: 'a long secret of the installation, created for this test',
  INDEXSVC_API_SECRET: SECRET,
  ISCCD_DOMAIN: DOMAIN,
  ISCCD_OPERATORS: '127.0.0.1',
  ISCCD_STORE_URL: `http://store.${DOMAIN}`,
  MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(TOKEN).digest('hex'),
};

const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;
/** Resolves every name to this machine. */
const dispatcher = new Agent({
  connect: { lookup: (_, __, found) => found(null, [LOOPBACK]) },
});

const compose = parse(await readFile(path.join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Readonly<Record<string, ComposeService>>;
  volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(compose.services).filter(([, { image }]) => image.startsWith('isccd'));
/** One address of 127.0.0.0/8 per service, so that all use their default ports. */
const addresses = new Map(services.map(([name], index) => [name, `127.83.67.${index + 1}`]));

describe('compose.yaml', () => {
  const running = new Running();
  let folder = '';
  let port = 0;

  beforeAll(async () => {
    const nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-compose-'));
    port = await freePort();
    for (const [name, service] of services) startService(running, name, service, path.join(folder, name));
    await Promise.all(
      services.map(([name, service]) => running.listens(addresses.get(name) as string, portOf(service))),
    );
    const configuration = path.join(folder, 'nginx.conf');
    await writeFile(configuration, await nginxConfiguration(folder, port));
    running.start(nginx, ['-c', configuration, '-p', folder, '-e', 'stderr'], {});
    const isServed = async (name: string) => (await request(name, '/healthz')).status === 200;
    await running.until(async () => {
      const served = await Promise.all(['codes', 'search', 'store', 'resolver'].map(isServed));
      return served.every(Boolean);
    });
  }, INSTALL_MAX_MS);

  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const request = (service: string, target: string, init: RequestInit = {}) =>
    fetch(`http://${service}.${DOMAIN}:${port}${target}`, { ...init, dispatcher });

  const upload = (body: Buffer) => {
    const headers = { 'X-Upload-Filename': Buffer.from('photo.jpg').toString('base64') };
    return request('codes', '/api/v1/iscc', { method: 'POST', headers, body });
  };

  it('replicates stateless services and gives the others a volume', () => {
    const commands = services.map(([, { command }]) => command?.join(' '));
    expect(commands.sort()).toEqual([
      ...['serve codes', 'serve codes', 'serve resolver', 'serve resolver', 'serve search', 'serve store'],
    ]);
    for (const [name, service] of services) {
      expect(service.read_only, name).toBe(true);
      expect(service.env_file, name).toEqual([{ path: `${service.command?.[1]}.env`, required: false }]);
      expect(service.healthcheck?.test, name).toEqual(['CMD', '/opt/isccd/health']);
      const kept = (service.volumes ?? []).map((volume) => volume.split(':')[0] as string);
      expect(kept, name).toEqual(service.command?.[1] === 'resolver' ? [] : [name]);
    }
    const volumes = services
      .flatMap(([, { volumes: used }]) => used ?? [])
      .map((volume) => volume.split(':')[0]);
    expect(Object.keys(compose.volumes).sort()).toEqual(volumes.sort());
    expect([...(compose.services.proxy?.depends_on ?? [])].sort()).toEqual([...addresses.keys()].sort());
  });

  it('keeps the addresses that nginx looks up once, and gives up on those of stopped containers', async () => {
    const fixed = services.map(([, { networks }]) => networks?.default.ipv4_address);
    expect(new Set(fixed.filter(Boolean)).size).toBe(services.length);
    const template = await readFile(path.join(ROOT, 'ops/proxy/isccd.conf.template'), 'utf8');
    expect(template).toMatch(/^proxy_connect_timeout 1s;$/m);
  });

  it('creates codes behind the proxy and finds the upload on its replica', async () => {
    const photo = await readFile(PHOTO);
    const created = await upload(photo);
    expect(created.status).toBe(201);
    const { media_id: id } = (await created.json()) as { media_id: string };
    const replicas = [...addresses]
      .filter(([name]) => name.startsWith('codes-'))
      .map(([, address]) => address);
    // Ask the replicas directly: only one of them has the upload.
    const statuses = await Promise.all(
      replicas.map(async (address) => {
        const headers = { 'X-Forwarded-For': '127.0.0.1' };
        return (await fetch(`http://${address}:8000/api/v1/media/${id}`, { headers, method: 'HEAD' })).status;
      }),
    );
    expect(statuses.sort()).toEqual([200, 404]);
    const fetched = await request('codes', `/api/v1/media/${id}`);
    expect(fetched.status).toBe(200);
    expect(Buffer.from(await fetched.arrayBuffer()).equals(photo)).toBe(true);
  });

  it('requires the API key for the index', async () => {
    expect((await request('search', '/indexes')).status).toBe(401);
    const headers = { 'X-API-Key': SECRET, 'Content-Type': 'application/json' };
    const created = await request('search', '/indexes', { method: 'POST', headers, body: '{"name":"mine"}' });
    expect(created.status).toBe(201);
  });

  it('resolves the code of a photo to its manifest, until the manifest is deleted', async () => {
    const { units } = (await (await upload(await readFile(PHOTO))).json()) as { units: string[] };
    const value = native.encodeSeq(units);
    const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
    const asset = { title: 'a', format: 'image/jpeg', assetHash: Buffer.alloc(32, 1) };
    const bindings = [{ alg: 'io.iscc.v0', value }];
    const bytes = await native.signManifest({ chainPem, keyPem, algorithm: 'es256', ...asset, bindings });
    const headers = { 'Content-Type': 'application/c2pa' };
    const stored = await request('store', '/v1/manifests', { method: 'POST', headers, body: bytes });
    expect(stored.status).toBe(200);
    const { manifestId } = (await stored.json()) as { manifestId: string };

    const target = `/v1/matches/byBinding?alg=io.iscc.v0&value=${encodeURIComponent(value.toString('base64'))}`;
    const matches = async () => {
      const found = await request('resolver', target);
      expect(found.status).toBe(200);
      return ((await found.json()) as { matches: { manifestId: string; endpoint: string }[] }).matches;
    };
    await running.until(async () => (await matches()).length > 0);
    const [match] = await matches();
    expect(match).toMatchObject({ manifestId, similarityScore: 100 });
    const path = `${new URL(match?.endpoint ?? '').pathname}/manifests/${encodeURIComponent(manifestId)}`;
    const fetched = await request('resolver', path);
    expect(fetched.status).toBe(200);
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true);
    const status = (await (await request('resolver', '/v1/services/status')).json()) as { status: string };
    expect(status.status).toBe('ok');

    const removal = { method: 'DELETE', headers: { Authorization: `Bearer ${TOKEN}` } };
    expect((await request('store', `/v1/manifests/${manifestId}`, removal)).status).toBe(204);
    await running.until(async () => (await matches()).length === 0);
  });

  it('closes the dashboard and the indexes to all but the operators', async () => {
    const outside = new Agent({
      localAddress: '127.0.0.2',
      connect: { lookup: (_, __, found) => found(null, '127.0.0.1', 4) },
    });
    const status = async (service: string, target: string, from: Agent) =>
      (await fetch(`http://${service}.${DOMAIN}:${port}${target}`, { dispatcher: from, redirect: 'manual' }))
        .status;
    const closed = [
      ['store', '/admin/'],
      ['store', '/admin/login'],
      ['search', '/indexes'],
      ['search', '/indexes/c2pa/search'],
    ] as const;
    for (const [service, target] of closed) {
      expect([target, await status(service, target, outside)]).toEqual([target, 403]);
      expect([target, await status(service, target, dispatcher)]).not.toEqual([target, 403]);
    }
    expect(await status('search', '/healthz', outside)).toBe(200);
    expect(await status('store', '/v1/services/status', outside)).toBe(200);
    await outside.close();
  });

  it('serves the store under its public name', async () => {
    const response = await request('store', '/v1/services/supportedAlgorithms');
    expect(response.status).toBe(200);
  });

  it('closes connections to unknown names', async () => {
    await expect(request('elsewhere', '/')).rejects.toThrow('fetch failed');
  });
});

/** Replaces service names by addresses, in environment values and nginx upstreams. */
function withAddresses(text: string): string {
  return text.replace(/\b([a-z]+(?:-\d)?)(?=:80\d0\b)/g, (name) => addresses.get(name) ?? name);
}

/** The default port of a service. */
function portOf({ command }: ComposeService): number {
  const ports: Readonly<Record<string, number>> = { codes: 8000, search: 8010, store: 8020, resolver: 8030 };
  return ports[command?.[1] ?? ''] ?? Number.NaN;
}

function interpolated(text: string): string {
  return text.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    return given[name] ?? otherwise ?? '';
  });
}

function startService(running: Running, name: string, service: ComposeService, data: string): void {
  const address = addresses.get(name) as string;
  const own = Object.entries({ ...readImage().environment, ...service.environment }).map(
    ([variable, value]) => {
      const text = interpolated(value).replace(/^\/data\b/, data);
      return [variable, variable.endsWith('_HOST') ? address : withAddresses(text)];
    },
  );
  running.start(process.execPath, [MAIN, ...(service.command ?? [])], {
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...Object.fromEntries(own) },
  });
}

/** The mounted template as the nginx image uses it: with variables replaced, inside the `http` block. */
async function nginxConfiguration(folder: string, port: number): Promise<string> {
  const template = await readFile(path.join(ROOT, 'ops/proxy/isccd.conf.template'), 'utf8');
  const servers = withAddresses(interpolated(template)).replaceAll('listen 8080', `listen 127.0.0.1:${port}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${servers}\n}\n`;
}
