/**
 * kill -9 of one process with all four services under mixed load, with a hub that fails a quarter of its requests.
 * A ledger holds what was acknowledged; after each start everything in it is there, byte for byte, and nothing deleted is.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { bodyOf, noise, sha256, upload } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { isccId, randomAsset } from '../search/support/random-assets.js';
import { post } from '../search/support/search-server.js';
import { hubEnvironment } from '../store/declarations/support.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { OPERATOR_TOKEN, STORE_URL, storeEnvironment } from '../store/support/server.js';
import { servicePorts } from '../support/all-services.js';
import { HubServer } from '../support/hub-server.js';
import { type ServedProcess, serve } from '../support/serve.js';
import { Random, torture } from '../support/torture.js';

const { size: KILLS, seed, cases, report } = torture('kill-all');
const RUN_MS_MAX = 1500;
/** Responses that a round waits for before its kill. */
const RESPONSES_MIN = 12;
const BATCH_ASSETS = 20;
const FAULTY_SHARE = 0.25;
const SETTLE = { timeout: 120_000, interval: 500 };

type State = 'stored' | 'deleted' | 'unknown';
interface Ledger {
  /** Uploads by id, with the SHA-256 of their bytes. */
  readonly files: Map<string, { state: State; readonly hash: string }>;
  /** Batches of assets by number. */
  readonly batches: Map<number, State>;
  readonly manifests: Map<string, State>;
  responses: number;
}

const sidecars = new Map(
  acceptedSidecars().map((item) => [item.expect.manifestId ?? '', bytesOf(item)] as const),
);
const manifestUrl = (base: string, id: string) => `${base}/v1/manifests/${encodeURIComponent(id)}`;
const gateway = (id: string) => manifestUrl(STORE_URL, id);
const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}` };

/** A response that neither the load nor a kill explains. */
class Unexpected extends Error {}
const expectStatus = (response: Response, ...wanted: readonly number[]) => {
  if (!wanted.includes(response.status)) throw new Unexpected(`${response.url}: ${response.status}`);
};

/** Uploads files and deletes some. */
async function useCodes(base: string, ledger: Ledger, random: Random): Promise<void> {
  const bytes = noise(20_000 + random.below(60_000), random.word());
  const response = await upload(base, 'a.bin', bytes, { to: 'media' });
  expectStatus(response, 201);
  const { media_id: id } = await bodyOf(response);
  const file: { state: State; hash: string } = { state: 'stored', hash: sha256(bytes) };
  ledger.files.set(id, file);
  if (!random.chance(0.4)) return;
  file.state = 'unknown';
  expectStatus(await fetch(`${base}/api/v1/media/${id}`, { method: 'DELETE' }), 204);
  file.state = 'deleted';
}

const assetsOf = (batch: number) =>
  Array.from({ length: BATCH_ASSETS }, (_, at) => randomAsset(batch * BATCH_ASSETS + at));

async function useSearch(base: string, ledger: Ledger): Promise<void> {
  const batch = ledger.batches.size;
  ledger.batches.set(batch, 'unknown');
  expectStatus(await post(`${base}/indexes/kills/assets`, assetsOf(batch)), 201);
  ledger.batches.set(batch, 'stored');
}

async function useStore(base: string, ledger: Ledger, random: Random): Promise<void> {
  const [id, bytes] = random.pick([...sidecars]);
  const before = ledger.manifests.get(id);
  if (before === 'deleted' || before === 'unknown') return;
  if (before === 'stored' && random.chance(0.1)) {
    ledger.manifests.set(id, 'unknown');
    expectStatus(await fetch(manifestUrl(base, id), { method: 'DELETE', headers: operator }), 202, 204);
    ledger.manifests.set(id, 'deleted');
    return;
  }
  const headers = { 'Content-Type': 'application/c2pa' };
  const response = await fetch(`${base}/v1/manifests`, { method: 'POST', headers, body: bytes });
  // Another lane may have deleted it meanwhile; then the store refuses it.
  const isUnchanged = ledger.manifests.get(id) === before;
  expectStatus(response, 200, 202, ...(isUnchanged ? [] : [409]));
  if (isUnchanged) ledger.manifests.set(id, 'stored');
}

/** Uses the services until the process is killed. */
async function work(urls: ServedProcess['urls'], ledger: Ledger, random: Random): Promise<void> {
  try {
    for (;;) {
      const kind = random.below(3);
      if (kind === 0) await useCodes(urls.codes, ledger, random);
      else if (kind === 1) await useSearch(urls.search, ledger);
      else await useStore(urls.store, ledger, random);
      ledger.responses += 1;
    }
  } catch (error) {
    if (error instanceof Unexpected) throw error;
  }
}

/** Checks everything in the ledger. */
async function expectKept({ codes, search, store }: ServedProcess['urls'], ledger: Ledger): Promise<void> {
  for (const [id, { state, hash }] of ledger.files) {
    if (state === 'unknown') continue;
    const response = await fetch(`${codes}/api/v1/media/${id}`);
    expect([id, response.status]).toEqual([id, state === 'stored' ? 200 : 404]);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (state === 'stored') expect(sha256(bytes)).toBe(hash);
  }
  for (const [batch, state] of ledger.batches) {
    const found = await Promise.all(
      [0, BATCH_ASSETS - 1].map(async (at) => {
        const response = await fetch(`${search}/indexes/kills/assets/${isccId(batch * BATCH_ASSETS + at)}`);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    if (state === 'stored') expect([batch, found]).toEqual([batch, [200, 200]]);
    else
      expect([
        [200, 200],
        [404, 404],
      ]).toContainEqual(found);
  }
  for (const [id, state] of ledger.manifests) {
    if (state === 'unknown') continue;
    const response = await fetch(manifestUrl(store, id));
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([id, response.status]).toEqual([id, state === 'stored' ? 200 : 410]);
    if (state === 'stored') expect(bytes.equals(sidecars.get(id) ?? Buffer.alloc(0))).toBe(true);
  }
}

/** Once the hub works again, each live manifest is in force once at most, and no deleted one is. */
async function expectDeclared(store: string, hub: HubServer, ledger: Ledger): Promise<void> {
  hub.faults = () => undefined;
  await vi.waitFor(async () => {
    for (const [id, state] of ledger.manifests) {
      const { length } = hub.model.inForce(gateway(id));
      if (state === 'deleted') expect([id, length]).toEqual([id, 0]);
      if (state !== 'stored') continue;
      const headers = { 'Content-Type': 'application/c2pa' };
      const body = sidecars.get(id) ?? null;
      const response = await fetch(`${store}/v1/manifests`, { method: 'POST', headers, body });
      const { declaration } = (await response.json()) as { declaration?: { status?: string } };
      expect([id, length]).toEqual([id, declaration?.status === 'declared' ? 1 : 0]);
      expect([id, declaration?.status]).not.toEqual([id, 'pending']);
    }
  }, SETTLE);
}

test(`${KILLS} kills`, { timeout: 300_000 + KILLS * 20_000 }, async () => {
  const folder = await temporaryFolder();
  const hub = new HubServer();
  const env = {
    ...storeEnvironment({ dataDir: `${folder}/store`, url: undefined }),
    ...(await servicePorts()),
    ...hubEnvironment(await hub.listen()),
    MSTORE_HUB_TIMEOUT: '3',
    MSTORE_UNDO_DAYS: '0',
    ISCCD_DATA_DIR: folder,
    CODEWEB_LOG_LEVEL: 'error',
    INDEXSVC_LOG_LEVEL: 'error',
    RESOLVER_LOG_LEVEL: 'error',
  };
  onTestFinished(() => hub.close());
  const start = () => serve(SERVICE_NAMES, { cwd: folder, env });
  let served = await start();
  onTestFinished(() => served.kill());
  await vi.waitFor(async () =>
    expect((await post(`${served.urls.search}/indexes`, { name: 'kills' })).status).toBe(201),
  );
  const ledger: Ledger = { files: new Map(), batches: new Map(), manifests: new Map(), responses: 0 };
  let kills = 0;
  for (const kill of cases()) {
    kills += 1;
    const random = new Random(seed, kill);
    hub.faults = () => {
      if (!random.chance(FAULTY_SHARE)) return undefined;
      const answer = random.pick(['hang', 'reset', { status: 500 }, { status: 503 }] as const);
      return { processed: random.chance(0.5), answer };
    };
    const responses = ledger.responses + RESPONSES_MIN + random.below(RESPONSES_MIN);
    const lanes = [0, 1, 2, 3].map((lane) => work(served.urls, ledger, new Random(seed, kill, lane)));
    const working = Promise.all(lanes);
    await Promise.race([working, vi.waitUntil(() => ledger.responses >= responses, { timeout: 60_000 })]);
    await pause(random.below(RUN_MS_MAX));
    await served.kill();
    await working;
    served = await start();
    await vi.waitFor(
      async () => expect((await fetch(`${served.urls.search}/readyz`)).status).toBe(200),
      SETTLE,
    );
    await expectKept(served.urls, ledger);
  }
  await expectDeclared(served.urls.store, hub, ledger);
  const { files, batches, manifests, responses } = ledger;
  expect(Math.min(files.size, batches.size, manifests.size)).toBeGreaterThan(0);
  const worst = `0 lost of ${responses} acknowledged changes`;
  report({ tried: kills, survived: kills, worst });
});
