/** Everything that was acknowledged is there through every instance. */
import { type Dispatcher, request } from 'undici';
import { expect } from 'vitest';
import type { Entry } from '../../../src/client/search-api.js';
import type { ServiceName } from '../../../src/compose/service-names.js';
import { Slots } from '../../../src/platform/slots.js';
import { sha256 } from '../../codes/support/client.js';
import type { HubServer } from '../../support/hub-server.js';
import { Random } from '../../support/torture.js';
import type { Cluster } from './cluster.js';
import { instancesOf } from './compose.js';
import type { Ledger, StoredManifest } from './ledger.js';
import { assetsOf, INDEX, randomAddress } from './load.js';

const CONCURRENT = 8;
const SETTLE_MS_MAX = 180_000;
/** Resolvers keep nothing: a sample shows that each finds what is in the index. */
const RESOLVED = 40;

interface Found {
  readonly status: number;
  readonly bytes: Buffer;
}

type Get = (path: string, headers?: Record<string, string>) => Promise<Found>;

/** One instance of a service, without the proxy. Each request is that of another client, unless it names one. */
function instance(cluster: Cluster, service: ServiceName, name: string): { get: Get; agent: Dispatcher } {
  const agent = cluster.direct(name);
  const random = new Random(Date.now());
  const get: Get = async (path, headers = {}) => {
    const all = { 'x-forwarded-for': randomAddress(random), ...headers };
    const response = await request(cluster.directUrlOf(service) + path, { dispatcher: agent, headers: all });
    return { status: response.statusCode, bytes: Buffer.from(await response.body.arrayBuffer()) };
  };
  return { get, agent };
}

async function throughEach(
  cluster: Cluster,
  service: ServiceName,
  check: (get: Get, name: string) => Promise<void>,
): Promise<void> {
  for (const name of instancesOf(service)) {
    const { get, agent } = instance(cluster, service, name);
    await check(get, name);
    await agent.destroy();
  }
}

async function each<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const slots = new Slots(CONCURRENT);
  await Promise.all(items.map((item) => slots.run(() => check(item))));
}

/** Checks everything in the ledger: what was stored is there, and what was deleted is not. */
export async function expectKept(cluster: Cluster, ledger: Ledger, apiKey: string): Promise<void> {
  await throughEach(cluster, 'codes', async (get, name) => {
    await each(ledger.files, async ({ id, sha256: expected, from, iscc }) => {
      const headers = { 'x-forwarded-for': from };
      const file = await get(`/api/v1/media/${id}`, headers);
      expect([name, id, file.status, sha256(file.bytes)]).toEqual([name, id, 200, expected]);
      if (iscc === undefined) return;
      const result = await get(`/api/v1/iscc/${id}`, headers);
      expect([name, id, result.status, JSON.parse(result.bytes.toString()).iscc]).toEqual([
        name,
        id,
        200,
        iscc,
      ]);
    });
    await each(ledger.deletedFiles, async ({ id, from }) => {
      const { status } = await get(`/api/v1/media/${id}`, { 'x-forwarded-for': from });
      expect([name, id, status]).toEqual([name, id, 404]);
    });
  });
  await expectAssets(cluster, ledger, apiKey);
  await throughEach(cluster, 'store', async (get, name) => {
    await each(ledger.manifests, async ({ id, bytes }) => {
      const found = await get(manifestPath(id));
      expect([name, id, found.status, found.bytes.equals(bytes)]).toEqual([name, id, 200, true]);
    });
  });
  await throughEach(cluster, 'resolver', async (get, name) => {
    await each(sampleOf(ledger.manifests), (manifest) =>
      cluster.until(`${name} finds ${manifest.id}`, () => isResolved(get, manifest), SETTLE_MS_MAX),
    );
  });
}

/** The last ones, which the index may not have yet, and others at equal distances. */
function sampleOf(manifests: readonly StoredManifest[]): StoredManifest[] {
  const step = Math.ceil(manifests.length / (RESOLVED / 2));
  return manifests.filter((_, at) => at % step === 0 || at >= manifests.length - RESOLVED / 2);
}

/**
 * Both instances have the same assets, byte for byte: all that were acknowledged, as they were sent, and none whose
 * deletion was.
 */
async function expectAssets(cluster: Cluster, ledger: Ledger, apiKey: string): Promise<void> {
  const exports: string[] = [];
  await throughEach(cluster, 'search', async (get) => {
    const headers = { accept: 'application/x-ndjson', 'x-api-key': apiKey };
    const { status, bytes } = await get(`/indexes/${INDEX}/assets`, headers);
    expect(status).toBe(200);
    exports.push(bytes.toString());
  });
  expect(new Set(exports).size).toBe(1);
  const stored = new Map(
    exports[0]
      ?.split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Entry)
      .map(({ iscc_id, units }) => [iscc_id, String(units)]),
  );
  const lost = ledger.batches
    .flatMap(assetsOf)
    .filter(({ iscc_id, units }) => stored.get(iscc_id) !== String(units));
  expect(lost).toEqual([]);
  const undeleted = ledger.deletedBatches.flatMap(assetsOf).filter(({ iscc_id }) => stored.has(iscc_id));
  expect(undeleted).toEqual([]);
}

const manifestPath = (id: string) => `/v1/manifests/${encodeURIComponent(id)}`;

async function isResolved(get: Get, { id, value }: StoredManifest): Promise<boolean> {
  const query = `alg=io.iscc.v0&value=${encodeURIComponent(value)}`;
  const { status, bytes } = await get(`/v1/matches/byBinding?${query}`);
  if (status !== 200) return false;
  const { matches } = JSON.parse(bytes.toString()) as { matches: readonly { manifestId: string }[] };
  return matches.some(({ manifestId }) => manifestId === id);
}

/** Each manifest is declared at the hub, and in force once. */
export async function expectDeclared(cluster: Cluster, ledger: Ledger, hub: HubServer): Promise<void> {
  const [name = ''] = instancesOf('store');
  const { get, agent } = instance(cluster, 'store', name);
  const isDeclared = async (id: string) => {
    const { bytes } = await get(manifestPath(id), { accept: 'application/json' });
    const { declaration } = JSON.parse(bytes.toString()) as { declaration?: { status?: string } };
    return declaration?.status === 'declared';
  };
  await each(ledger.manifests, ({ id }) =>
    cluster.until(`${id} is declared`, () => isDeclared(id), SETTLE_MS_MAX),
  );
  await agent.destroy();
  const gateway = (id: string) => cluster.urlOf('store') + manifestPath(id);
  const wrong = ledger.manifests.filter(({ id }) => hub.model.inForce(gateway(id)).length !== 1);
  expect(wrong.map(({ id }) => id)).toEqual([]);
}
