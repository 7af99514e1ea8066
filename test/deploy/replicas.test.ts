/**
 * Two replicas of all services on one PostgreSQL and one folder of manifests, each with its own similarity index, behind
 * a real nginx. What one stores or deletes, both find or lose, also after a restart.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICE_NAMES, type ServiceName } from '../../src/compose/service-names.js';
import { native } from '../../src/native.js';
import { servicePorts } from '../support/all-services.js';
import { isccd } from '../support/command.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { type ServedProcess, serve } from '../support/serve.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { freePort, Running } from './support/running.js';

const TOKEN = 'the operator';

interface Replica {
  readonly environment: Record<string, string>;
  process: ServedProcess;
}

interface Match {
  readonly manifestId: string;
  readonly endpoint: string;
}

describe('two replicas behind nginx', () => {
  const running = new Running();
  let folder: string;
  let databases: TestDatabases;
  let ports: Record<ServiceName, number>;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    const nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-replicas-'));
    databases = await testDatabases('postgres');
    const place = await databases.create();
    ports = Object.fromEntries(
      await Promise.all(SERVICE_NAMES.map(async (name) => [name, await freePort()])),
    ) as Record<ServiceName, number>;
    for (const name of ['a', 'b']) {
      const environment = {
        ...(await servicePorts()),
        ISCCD_DATA_DIR: path.join(folder, name),
        APP_SECRET_KEY: 'a secret of both replicas',
        MSTORE_URL: `http://127.0.0.1:${ports.store}`,
        MSTORE_DATA_DIR: place.dataDir,
        DATABASE_URL: place.url ?? '',
        MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(TOKEN).digest('hex'),
        MSTORE_RATE_WRITE: '1000/s',
        MSTORE_RATE_READ: '1000/s',
        MSTORE_NUM_PROXIES: '1',
        CODEWEB_LOG_LEVEL: 'error',
        INDEXSVC_LOG_LEVEL: 'error',
        MSTORE_LOG_LEVEL: 'error',
        RESOLVER_LOG_LEVEL: 'error',
      };
      replicas.push({ environment, process: await serve(SERVICE_NAMES, { cwd: folder, env: environment }) });
    }
    const configuration = path.join(folder, 'nginx.conf');
    await writeFile(configuration, nginxConfiguration(folder, ports, replicas));
    running.start(nginx, ['-c', configuration, '-p', folder, '-e', 'stderr'], {});
    await Promise.all(
      SERVICE_NAMES.map((name) => running.answers(`http://127.0.0.1:${ports[name]}/healthz`)),
    );
  }, INSTALL_MAX_MS);

  afterAll(async () => {
    await running.stop();
    await Promise.all(replicas.map(({ process }) => process.stop()));
    await databases.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const shared = (name: ServiceName) => `http://127.0.0.1:${ports[name]}`;

  async function upload(store: string): Promise<{ id: string; value: Buffer; bytes: Buffer }> {
    const value = native.encodeSeq([3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, randomBytes(32))));
    const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
    const asset = { title: 'a', format: 'image/jpeg', assetHash: randomBytes(32) };
    const bindings = [{ alg: 'io.iscc.v0', value }];
    const bytes = await native.signManifest({ chainPem, keyPem, algorithm: 'es256', ...asset, bindings });
    const headers = { 'Content-Type': 'application/c2pa' };
    const response = await fetch(`${store}/v1/manifests`, { method: 'POST', headers, body: bytes });
    expect(response.status).toBe(200);
    return { id: ((await response.json()) as { manifestId: string }).manifestId, value, bytes };
  }

  async function remove(store: string, id: string): Promise<void> {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${store}/v1/manifests/${id}`, { method: 'DELETE', headers });
    expect(response.status).toBe(204);
  }

  async function matches(resolver: string, value: Buffer): Promise<Match[]> {
    const query = `alg=io.iscc.v0&value=${encodeURIComponent(value.toString('base64'))}`;
    const response = await fetch(`${resolver}/v1/matches/byBinding?${query}`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { matches: Match[] }).matches;
  }

  /** Waits until both resolvers find the manifest, or both do not. */
  const untilBoth = (value: Buffer, isFound: boolean) =>
    running.until(async () => {
      const found = await Promise.all(replicas.map(({ process }) => matches(process.urls.resolver, value)));
      return found.every(({ length }) => length === (isFound ? 1 : 0));
    });

  it('finds through both what was uploaded through one, and loses it together', async () => {
    for (const [at, { process }] of replicas.entries()) {
      const { id, value, bytes } = await upload(process.urls.store);
      await untilBoth(value, true);
      const [match] = await matches(shared('resolver'), value);
      expect(match?.manifestId).toBe(id);
      // Each resolver serves the endpoint that the other one returned.
      for (const replica of replicas) {
        const endpoint = `${replica.process.urls.resolver}${new URL(match?.endpoint ?? '').pathname}`;
        const fetched = await fetch(`${endpoint}/manifests/${id}`);
        expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true);
      }
      await remove(replicas[1 - at]?.process.urls.store ?? '', id);
      await untilBoth(value, false);
    }
  });

  it('catches up after a restart of each replica, while the other one serves', async () => {
    for (const [at, replica] of replicas.entries()) {
      const before = await upload(shared('store'));
      await untilBoth(before.value, true);
      await replica.process.stop();
      const during = await upload(shared('store'));
      await remove(shared('store'), before.id);
      expect(await matches(shared('resolver'), during.value)).toHaveLength(1);
      replica.process = await serve(SERVICE_NAMES, { cwd: folder, env: replica.environment });
      await untilBoth(during.value, true);
      await untilBoth(before.value, false);
      // The index itself has lost the deleted manifest.
      const index = await fetch(`${replicas[at]?.process.urls.search}/indexes/c2pa`);
      const other = await fetch(`${replicas[1 - at]?.process.urls.search}/indexes/c2pa`);
      expect(((await index.json()) as { assets: number }).assets).toBe(
        ((await other.json()) as { assets: number }).assets,
      );
    }
  });

  it('fills both indexes again on request', async () => {
    const { value } = await upload(shared('store'));
    await untilBoth(value, true);
    const [first] = replicas;
    const deleted = await fetch(`${first?.process.urls.search}/indexes/c2pa`, { method: 'DELETE' });
    expect(deleted.status).toBe(204);
    const { code, stdout, stderr } = await isccd(['store', 'reindex', '--bindings'], {
      cwd: folder,
      env: first?.environment ?? {},
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const statuses = stdout.trim().split('\n');
    expect(statuses).toHaveLength(2);
    for (const status of statuses) expect(status).toMatch(/^local:.*\/c2pa: in sync, (\d+) of \1 manifests$/);
    await untilBoth(value, true);
  });
});

function nginxConfiguration(
  folder: string,
  ports: Readonly<Record<ServiceName, number>>,
  replicas: readonly Replica[],
): string {
  const servers = SERVICE_NAMES.map((name) => {
    const members = replicas.map(({ process }) => `server ${new URL(process.urls[name]).host} max_fails=0;`);
    return `upstream ${name} { ${members.join(' ')} }
server {
  listen 127.0.0.1:${ports[name]};
  location / {
    proxy_pass http://${name};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  }
}`;
  });
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\nclient_max_body_size 0;\n${paths.join('\n')}\n${servers.join('\n')}\n}\n`;
}
