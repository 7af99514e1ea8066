/**
 * `compose.yaml` without a container engine: every service with the command and environment it has there, each on
 * a loopback address of its own in place of a host name, behind a real nginx with the configuration that is mounted.
 */
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
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[];
}

const MAIN = path.join(ROOT, 'dist', 'cli', 'main.js');
const PHOTO = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
const DOMAIN = 'isccd.test';
const SECRET = 'a secret of the index';
const given: Readonly<Record<string, string>> = {
  APP_SECRET_KEY: 'a long secret of the installation, made for this test',
  INDEXSVC_API_SECRET: SECRET,
  ISCCD_DOMAIN: DOMAIN,
  ISCCD_STORE_URL: `http://store.${DOMAIN}`,
};

/** Every name is this machine. */
const dispatcher = new Agent({
  connect: { lookup: (_, __, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
});

const compose = parse(await readFile(path.join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Readonly<Record<string, ComposeService>>;
  volumes: Readonly<Record<string, unknown>>;
};
const ours = Object.entries(compose.services).filter(([, { image }]) => image.startsWith('isccd'));
/** One address of 127.0.0.0/8 a service: all of them have their usual ports. */
const addresses = new Map(ours.map(([name], index) => [name, `127.83.67.${index + 1}`]));

describe('compose.yaml', () => {
  const running = new Running();
  let folder = '';
  let port = 0;

  beforeAll(async () => {
    const nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-compose-'));
    port = await freePort();
    for (const [name, service] of ours) startService(running, name, service, path.join(folder, name));
    await Promise.all(
      ours.map(([name, service]) => running.listens(addresses.get(name) as string, portOf(service))),
    );
    const configuration = path.join(folder, 'nginx.conf');
    await writeFile(configuration, await nginxConfiguration(folder, port));
    running.start(nginx, ['-c', configuration, '-p', folder, '-e', 'stderr'], {});
    const isServed = async (name: string) => (await ask(name, '/healthz')).status === 200;
    await running.until(async () => {
      const served = await Promise.all(['codes', 'search', 'store', 'resolver'].map(isServed));
      return served.every(Boolean);
    });
  }, INSTALL_MAX_MS);

  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (service: string, target: string, init: RequestInit = {}) =>
    fetch(`http://${service}.${DOMAIN}:${port}${target}`, { ...init, dispatcher });

  const upload = (body: Buffer) => {
    const headers = { 'X-Upload-Filename': Buffer.from('photo.jpg').toString('base64') };
    return ask('codes', '/api/v1/iscc', { method: 'POST', headers, body });
  };

  it('replicates what may be replicated, and keeps what must be kept', () => {
    const commands = ours.map(([, { command }]) => command?.join(' '));
    expect(commands.sort()).toEqual([
      ...['serve codes', 'serve codes', 'serve resolver', 'serve resolver', 'serve search', 'serve store'],
    ]);
    for (const [name, service] of ours) {
      expect(service.read_only, name).toBe(true);
      expect(service.healthcheck?.test.slice(-3), name).toEqual(['check', 'health', service.command?.[1]]);
      const kept = (service.volumes ?? []).map((volume) => volume.split(':')[0] as string);
      expect(kept, name).toEqual(service.command?.[1] === 'resolver' ? [] : [name]);
    }
    const volumes = ours.flatMap(([, { volumes: used }]) => used ?? []).map((volume) => volume.split(':')[0]);
    expect(Object.keys(compose.volumes).sort()).toEqual(volumes.sort());
    expect([...(compose.services.proxy?.depends_on ?? [])].sort()).toEqual([...addresses.keys()].sort());
  });

  it('makes codes behind the proxy, and finds the upload whichever replica has it', async () => {
    const photo = await readFile(PHOTO);
    const made = await upload(photo);
    expect(made.status).toBe(201);
    const { media_id: id } = (await made.json()) as { media_id: string };
    const replicas = [...addresses]
      .filter(([name]) => name.startsWith('codes-'))
      .map(([, address]) => address);
    // Straight to the replicas: only one of them has it.
    const knows = await Promise.all(
      replicas.map(async (address) => {
        const headers = { 'X-Forwarded-For': '127.0.0.1' };
        return (await fetch(`http://${address}:8000/api/v1/media/${id}`, { headers, method: 'HEAD' })).status;
      }),
    );
    expect(knows.sort()).toEqual([200, 404]);
    const fetched = await ask('codes', `/api/v1/media/${id}`);
    expect(fetched.status).toBe(200);
    expect(Buffer.from(await fetched.arrayBuffer()).equals(photo)).toBe(true);
  });

  it('keeps the index behind its secret', async () => {
    expect((await ask('search', '/indexes')).status).toBe(401);
    const headers = { 'X-API-Key': SECRET, 'Content-Type': 'application/json' };
    const made = await ask('search', '/indexes', { method: 'POST', headers, body: '{"name":"c2pa"}' });
    expect(made.status).toBe(201);
  });

  it('lets the resolver ask the index', async () => {
    const photo = await readFile(PHOTO);
    const { units } = (await (await upload(photo)).json()) as { units: string[] };
    const value = native.encodeSeq(units).toString('base64');
    const target = `/v1/matches/byBinding?alg=io.iscc.v0&value=${encodeURIComponent(value)}`;
    const found = await ask('resolver', target);
    expect(found.status).toBe(200);
    expect(await found.json()).toMatchObject({ matches: [] });
  });

  it('serves the store under its public name', async () => {
    const answer = await ask('store', '/v1/services/supportedAlgorithms');
    expect(answer.status).toBe(200);
  });

  it('does not answer to other names', async () => {
    await expect(ask('elsewhere', '/')).rejects.toThrow('fetch failed');
  });
});

/** Numbers for names: in an environment's values and in nginx's upstreams. */
function withAddresses(text: string): string {
  return text.replace(/\b([a-z]+(?:-\d)?)(?=:80\d0\b)/g, (name) => addresses.get(name) ?? name);
}

/** Where a service listens when nobody tells it otherwise. */
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

/** The mounted template as the image of nginx uses it: variables filled in, inside its `http` block. */
async function nginxConfiguration(folder: string, port: number): Promise<string> {
  const template = await readFile(path.join(ROOT, 'ops/proxy/isccd.conf.template'), 'utf8');
  const servers = withAddresses(interpolated(template)).replaceAll('listen 8080', `listen 127.0.0.1:${port}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${servers}\n}\n`;
}
