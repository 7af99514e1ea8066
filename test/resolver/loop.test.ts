/** All services in one process: the resolver finds stored manifests without a hub. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServices, startServices } from '../../src/compose/start.js';
import { native } from '../../src/native.js';
import { servicePorts, startAllServices } from '../support/all-services.js';
import { isccd } from '../support/command.js';
import { queryUrl } from './support/resolver.js';

const run = promisify(execFile);
const TOKEN = 'operator';
const NAMES = ['codes', 'search', 'store', 'resolver'] as const;

/** Free ports, no log. */
function quiet(): Record<string, string> {
  const prefixes = ['CODEWEB', 'INDEXSVC', 'MSTORE', 'RESOLVER'];
  const settings = prefixes.map((prefix) => ({ [`${prefix}_PORT`]: '0', [`${prefix}_LOG_LEVEL`]: 'silent' }));
  return Object.assign({}, ...settings);
}

/** Random content: its Data-Code and Instance-Code. */
const content = () => [3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, randomBytes(32)));
const valueOfUnits = (units: readonly string[]) => native.encodeSeq([...units]).toString('base64');

async function manifestOf(units: readonly string[]): Promise<Buffer> {
  const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
  const bindings = [{ alg: 'io.iscc.v0', value: native.encodeSeq([...units]) }];
  const assetHash = createHash('sha256').update(units.join()).digest();
  const asset = { title: 'a', format: 'image/jpeg', assetHash };
  return native.signManifest({ chainPem, keyPem, algorithm: 'es256', ...asset, bindings });
}

describe('isccd serve', () => {
  let folder: string;
  let services: RunningServices;
  const environment: Record<string, string> = {};
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-loop-'));
    Object.assign(environment, quiet(), {
      ISCCD_DATA_DIR: folder,
      APP_SECRET_KEY: 'secret',
      // No server listens here, so manifests under this address can't be fetched over a connection.
      MSTORE_URL: 'http://127.0.0.1:1',
      MSTORE_UNTHROTTLED: '127.0.0.1',
      MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(TOKEN).digest('hex'),
    });
    services = await startServices(NAMES, { environment });
  });
  afterAll(async () => {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const url = (name: (typeof NAMES)[number]) => services.servers.get(name)?.url ?? '';
  const upload = async (bytes: Buffer) => {
    const headers = { 'Content-Type': 'application/c2pa' };
    const response = await fetch(`${url('store')}/v1/manifests`, { method: 'POST', headers, body: bytes });
    expect(response.status).toBe(200);
    return (await response.json()) as { manifestId: string; manifestUrl: string };
  };
  const found = async (units: readonly string[]) => {
    const response = await fetch(queryUrl(url('resolver'), valueOfUnits(units)));
    expect(response.status).toBe(200);
    return (
      (await response.json()) as { matches: { manifestId: string; endpoint: string; isccId: string }[] }
    ).matches;
  };

  it('finds no manifest in an empty store', async () => {
    expect(await found(content())).toEqual([]);
  });

  it('finds a manifest as soon as it is stored, and fetches its bytes', async () => {
    const units = content();
    const bytes = await manifestOf(units);
    const { manifestId } = await upload(bytes);
    const matches = await found(units);
    const isccId = expect.stringMatching(/^ISCC:MAIG[A-Z2-7]{12}$/);
    expect(matches).toMatchObject([{ manifestId, similarityScore: 100, isccId }]);
    const fetched = await fetch(`${matches[0]?.endpoint}/manifests/${encodeURIComponent(manifestId)}`);
    expect(fetched.headers.get('content-type')).toBe('application/c2pa');
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true);
    const byId = await fetch(`${url('resolver')}/v1/manifests/${encodeURIComponent(manifestId)}`);
    expect(Buffer.from(await byId.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('finds a manifest after a restart, until it is deleted', async () => {
    const units = content();
    const { manifestId } = await upload(await manifestOf(units));
    await services.stop();
    services = await startServices(NAMES, { environment });
    const [match] = await found(units);
    expect(match?.manifestId).toBe(manifestId);
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const target = `${url('store')}/v1/manifests/${encodeURIComponent(manifestId)}`;
    expect((await fetch(target, { method: 'DELETE', headers })).status).toBe(204);
    expect(await found(units)).toEqual([]);
    const deleted = await fetch(`${match?.endpoint}/manifests/${encodeURIComponent(manifestId)}`);
    expect(deleted.status).toBe(404);
    const asset = `${url('search')}/indexes/c2pa/assets/${match?.isccId}`;
    expect((await fetch(asset)).status).toBe(404);
  });

  it('refuses gateways at other loopback addresses', async () => {
    const units = content();
    const gateway = `http://127.0.0.1:${new URL(url('store')).port}/v1/manifests/x`;
    const entry = { iscc_id: native.isccId(0, 1, 1), units, metadata: { gateway } };
    const body = JSON.stringify([entry]);
    const headers = { 'Content-Type': 'application/json' };
    const added = await fetch(`${url('search')}/indexes/c2pa/assets`, { method: 'POST', headers, body });
    expect(added.status).toBe(201);
    expect(await found(units)).toEqual([]);
  });
});

describe('startServices', () => {
  it('starts services in canonical order, whatever the order of the names', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-order-'));
    const names = ['store', 'search', 'resolver', 'codes'] as const;
    const started: string[] = [];
    const services = await startServices(names, {
      environment: { ...quiet(), ISCCD_DATA_DIR: folder, MSTORE_INDEX: 'local' },
      onStarted: (name) => started.push(name),
    });
    await services.stop();
    await rm(folder, { recursive: true, force: true });
    expect(started).toEqual(['codes', 'search', 'store', 'resolver']);
  });

  it('refuses MSTORE_INDEX=local without the search service', async () => {
    const environment = { MSTORE_INDEX: 'local', APP_SECRET_KEY: 'x', MSTORE_URL: 'http://127.0.0.1:1' };
    await expect(startServices(['store', 'resolver'], { environment })).rejects.toThrow(
      /MSTORE_INDEX="local" needs the search service in the same process/,
    );
  });
});

describe('isccd demo', () => {
  it('runs all steps', async () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const { stdout } = await run(process.execPath, [path.join(root, 'dist/cli/main.js'), 'demo']);
    const steps = stdout.trim().split('\n');
    expect(steps).toHaveLength(8);
    for (const step of steps) expect(step).toMatch(/ \d+\.\d ms {2}/);
    expect(stdout).toMatch(/find it by the code .* score 100, ISCC:MAIG/);
    expect(steps.at(-1)).toMatch(/^compare the bytes .* [0-9a-f]{16}$/);
  });

  it('leaves nothing in running services, unless it is to use them', async () => {
    const token = createHash('sha256').update(TOKEN).digest('hex');
    const running = await startAllServices({ MSTORE_OPERATOR_TOKEN_SHA256: token });
    try {
      const options = { env: { ...running.variables, ISCCD_STORE_TOKEN: TOKEN } };
      const kept = async () => {
        const manifests = await isccd(['store', 'list'], options);
        const media = await readdir(path.join(running.folder, 'codes', 'media')).catch(() => []);
        return [manifests.stdout, media];
      };
      const before = await kept();
      const alone = await isccd(['demo'], options);
      expect([alone.code, alone.stdout]).toEqual([0, expect.stringMatching(/^start four services/)]);
      expect(await kept()).toEqual(before);
      const here = await isccd(['demo', '--here'], options);
      expect([here.code, here.stdout]).toEqual([0, expect.stringMatching(/^use the running services/)]);
      expect((await kept())[0]).toContain('urn:c2pa:');
    } finally {
      await running.stop();
    }
  });

  it('does not write to a running store with a public address', async () => {
    const running = await startAllServices({ MSTORE_URL: 'https://store.example.org' });
    try {
      // The shell of a server's administrator does not have the variables of the service.
      const { MSTORE_URL: _, ...env } = running.variables;
      const { code, stderr } = await isccd(['demo', '--here'], { env });
      expect([code, stderr]).toEqual([1, expect.stringContaining('a store whose address others use')]);
    } finally {
      await running.stop();
    }
  });

  it('names the services that do not run', async () => {
    const { code, stderr } = await isccd(['demo', '--here'], { env: await servicePorts() });
    expect(code).toBe(1);
    expect(stderr).toMatch(/not running: codes at http:\S+, search at .*; start them with isccd serve/);
  });
});
