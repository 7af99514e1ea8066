/**
 * OpenSearch behind a proxy with a certificate of its own authority that wants credentials, as the security plug-in does:
 * user and password, or an API key. Then indexes with mappings of other versions.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry, SearchResult } from '../../src/client/search-api.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { clusterProblem } from '../../src/services/search/opensearch/check.js';
import { OpenSearchEngine } from '../../src/services/search/opensearch/engine.js';
import { freePort, Running } from '../deploy/support/running.js';
import { isccd } from '../support/command.js';
import { type OpenSearchCluster, openSearchIfPossible } from '../support/opensearch.js';
import { serve } from '../support/serve.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { isccId, randomAsset } from './support/random-assets.js';
import { post, rows } from './support/search-server.js';

const run = promisify(execFile);
const USER = 'isccd';
const PASSWORD = 'geheim:1';
const API_KEY = 'c2VjcmV0OmtleQ';
const TEST_MS_MAX = 300_000;

const cluster = await openSearchIfPossible();
afterAll(() => cluster?.stop());

describe.skipIf(cluster === undefined)('behind a proxy with TLS', () => {
  const running = new Running();
  let folder: string;
  let port: number;
  /** Variables of a process that trusts the authority. */
  let trusting: Record<string, string>;
  const uri = (user = '') => `opensearch+https://${user}127.0.0.1:${port}/secured?replicas=0`;
  const encoded = `${USER}:${encodeURIComponent(PASSWORD)}@`;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-access-'));
    port = await freePort();
    trusting = { NODE_EXTRA_CA_CERTS: await certificate(folder) };
    const nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, configuration(folder, port, (cluster as OpenSearchCluster).nodes[0]?.url ?? ''));
    running.start(nginx, ['-c', file, '-p', folder, '-e', 'stderr'], {});
    await running.listens('127.0.0.1', port);
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const check = (env: Record<string, string>) => isccd(['check', 'config', 'search'], { cwd: folder, env });

  test('user and password, or an API key, are accepted, others are named', {
    timeout: TEST_MS_MAX,
  }, async () => {
    const key = { INDEXSVC_OPENSEARCH_API_KEY: API_KEY };
    const accepted = await Promise.all([
      check({ ...trusting, INDEXSVC_INDEX_URI: uri(encoded) }),
      check({ ...trusting, INDEXSVC_INDEX_URI: uri(), ...key }),
    ]);
    expect(accepted.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const refused = await Promise.all([
      check({ ...trusting, INDEXSVC_INDEX_URI: uri(`${USER}:falsch@`) }),
      check({ ...trusting, INDEXSVC_INDEX_URI: uri() }),
      check({ ...trusting, INDEXSVC_INDEX_URI: uri(), INDEXSVC_OPENSEARCH_API_KEY: 'x' }),
    ]);
    for (const { code, stdout, stderr } of refused) {
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain('it refuses the user and password, or the API key');
      expect(stdout + stderr).not.toContain('falsch');
    }
  });

  test('a certificate of an unknown authority is refused', { timeout: TEST_MS_MAX }, async () => {
    const { code, stdout, stderr } = await check({ INDEXSVC_INDEX_URI: uri(encoded) });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/127\.0\.0\.1:\d+\/secured\?replicas=0 cannot be used: .*certificate/);
    expect(stdout + stderr).not.toContain(PASSWORD);
  });

  test('the service adds and finds assets with an API key', { timeout: TEST_MS_MAX }, async () => {
    const server = await serve(['search'], {
      cwd: folder,
      env: {
        ...trusting,
        INDEXSVC_INDEX_URI: uri(),
        INDEXSVC_OPENSEARCH_API_KEY: API_KEY,
        INDEXSVC_PORT: '0',
        INDEXSVC_METRICS_PUBLIC: 'true',
        ISCCD_METRICS_PUBLIC: 'true',
        ISCCD_DATA_DIR: folder,
      },
    });
    try {
      const url = server.urls.search;
      expect((await post(`${url}/indexes`, { name: 'main' })).status).toBe(201);
      expect((await post(`${url}/indexes/main/assets`, [randomAsset(1)])).status).toBe(201);
      const found = await post(`${url}/indexes/main/search`, { units: randomAsset(1).units });
      const [match] = ((await found.json()) as SearchResult).global_matches;
      expect([match?.iscc_id, match?.score]).toEqual([isccId(1), 1]);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const counted = (operation: string) =>
        Number(
          new RegExp(
            `^isccd_search_opensearch_requests_total\\{operation="${operation}",outcome="ok".*\\} (\\d+)`,
            'm',
          ).exec(metrics)?.[1],
        );
      for (const operation of ['search', 'read', 'write']) expect(counted(operation)).toBeGreaterThan(0);
      expect(metrics).toMatch(/^isccd_search_opensearch_request_seconds_count\{operation="search".*\} \d/m);
      expect(metrics).toMatch(/^isccd_search_opensearch_queue\{state="waiting".*\} 0$/m);
    } finally {
      await server.stop();
    }
  });

  test('reindex brings indexes there and back with an API key', { timeout: TEST_MS_MAX }, async () => {
    const source = await InProcessSearch.open(`usearch://${path.join(folder, 'source')}`);
    await source.createIndex('moved');
    await source.addAssets('moved', (await rows<Entry>('assets.jsonl')).slice(0, 50));
    await source.close();
    const move = (...args: string[]) => isccd(['reindex', ...args], { cwd: folder, env: trusting });
    const from = path.join(folder, 'source');
    const there = await move('--from', from, '--to', uri(), '--to-api-key', API_KEY);
    expect([there.code, there.stderr]).toEqual([0, '']);
    expect(JSON.parse(there.stdout)).toMatchObject({ index: 'moved', differences: 0 });
    const refused = await move('--from', uri(), '--to', path.join(folder, 'back'));
    expect(refused.code).not.toBe(0);
    const back = await move('--from', uri(), '--from-api-key', API_KEY, '--to', path.join(folder, 'back'));
    expect(back.code).toBe(0);
    expect(back.stdout).toContain('"index":"moved"');
  });
});

describe.skipIf(cluster === undefined)('mappings of other versions', () => {
  const [node] = (cluster as OpenSearchCluster).nodes;
  const send = async (method: string, at: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${node?.url}${at}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status, at).toBe(200);
    return (await response.json()) as Record<string, { readonly mappings?: { readonly _meta?: object } }>;
  };
  const open = (location: string) => OpenSearchEngine.open({ location, engine: {}, log: undefined });

  test('mappings of other versions are refused at the start', {
    timeout: TEST_MS_MAX,
  }, async () => {
    const location = (cluster as OpenSearchCluster).location();
    const prefix = /\/(test\d+)/.exec(location)?.[1] as string;
    const first = await open(location);
    await first.createIndex(Buffer.from('{"name":"main"}'));
    await first.addAssets('main', Buffer.from(JSON.stringify([randomAsset(1)])));
    await first.close();
    const alias = `${prefix}-main-assets`;
    const versions = async () =>
      Object.values(await send('GET', `/${prefix}-u_*/_mapping`)).map(({ mappings }) => mappings?._meta);
    const current = await versions();
    expect(current).toEqual([{ isccd_mapping: expect.any(Number) }]);

    await send('PUT', `/${alias}/_mapping`, { _meta: { isccd_mapping: 1 } });
    const older = /^the index test\d+-u_\w+-assets-1 at \S+ has format 1, .*an older isccd wrote it\. Export/;
    await expect(open(location)).rejects.toThrow(older);
    expect(await clusterProblem(location, undefined)).toMatch(older);

    await send('PUT', `/${alias}/_mapping`, { _meta: { isccd_mapping: 99 } });
    const refusal =
      /^the index test\d+-u_\w+-assets-1 at \S+ has format 99, .*a newer isccd wrote it\. Start that version/;
    await expect(open(location)).rejects.toThrow(refusal);
    expect(await clusterProblem(location, undefined)).toMatch(refusal);
  });
});

/** A certificate for 127.0.0.1; returns the file of its authority. */
async function certificate(folder: string): Promise<string> {
  const program = debianProgram(['openssl'], 'openssl');
  const openssl = (...args: string[]) => run(program, args, { cwd: folder });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-subj', '/CN=isccd tests', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2'];
  await openssl('req', '-x509', ...key, ...authority);
  await openssl('req', ...key, '-subj', '/CN=127.0.0.1', '-keyout', 'server.key', '-out', 'server.csr');
  await writeFile(path.join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n');
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  await openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...by);
  return path.join(folder, 'ca.pem');
}

function configuration(folder: string, port: number, node: string): string {
  const basic = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary}
  client_max_body_size 100m;
  map $http_authorization $is_known { default 0; "Basic ${basic}" 1; "ApiKey ${API_KEY}" 1; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/server.pem;
    ssl_certificate_key ${folder}/server.key;
    location / {
      if ($is_known = 0) { return 401; }
      proxy_pass ${node};
      proxy_http_version 1.1;
    }
  }
}
`;
}
