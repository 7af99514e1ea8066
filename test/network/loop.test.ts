/** The whole loop: a store declares, the hub logs it, and the resolver of another node finds and fetches the manifest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { OPERATOR, PASSWORD } from '../admin/support/dashboard.js';
import { Visitor } from '../admin/support/visitor.js';
import { DECLARED, hubEnvironment, MANIFEST_ID } from '../store/declarations/support.js';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
import { OPERATOR_TOKEN, type QueryAnswer, storeClient, storeEnvironment } from '../store/support/server.js';
import { servicePorts } from '../support/all-services.js';
import { HubServer } from '../support/hub-server.js';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

const HUB_ID = 1;
const TEST_MS_MAX = 120_000;

let declarations: HubServer;
let log: HubDouble;
let store: Node;
let other: Node;

beforeAll(async () => {
  declarations = new HubServer({ hubId: HUB_ID, idHeader: 0x10 });
  const hubUrl = await declarations.listen();
  log = await HubDouble.start(HUB_ID, 40);
  store = await Node.create(log);
  other = await Node.create(log);
  const ports = await servicePorts();
  Object.assign(store.env, {
    ...storeEnvironment({ dataDir: `${store.folder}/store`, url: undefined }),
    ...hubEnvironment(hubUrl),
    MSTORE_PORT: ports.MSTORE_PORT,
    MSTORE_URL: `http://127.0.0.1:${ports.MSTORE_PORT}`,
    MSTORE_HUB_ID: String(HUB_ID),
    MSTORE_INDEX: 'local',
    RESOLVER_PORT: '0',
    ISCCD_METRICS_PUBLIC: 'true',
  });
  Object.assign(other.env, {
    RESOLVER_PORT: '0',
    RESOLVER_ENVIRONMENT: 'test',
    RESOLVER_TEST_ALLOW: '127.0.0.1',
  });
  await Promise.all([store.start('search', 'store', 'resolver'), other.start('search', 'resolver')]);
  const { db, close } = await openDatabase(undefined, `${store.folder}/store`);
  await new Accounts(db).add(OPERATOR, PASSWORD, 'deleter', { kind: 'command' });
  await close();
}, TEST_MS_MAX);

afterAll(async () => {
  await Promise.all([store?.remove(), other?.remove(), log?.stop(), declarations?.close()]);
});

/** What the resolver of a node finds for the bindings of the manifest. */
async function found(node: Node): Promise<NonNullable<QueryAnswer['matches']>> {
  const binding = sidecar(DECLARED).expect.indexed?.find(({ alg }) => alg === 'io.iscc.v0');
  const response = await fetch(`${node.urls.resolver}/v1/matches/byBinding`, {
    method: 'POST',
    body: JSON.stringify(binding && { alg: binding.alg, value: binding.value }),
  });
  return ((await response.json()) as QueryAnswer).matches ?? [];
}

function endpointOf(match: unknown): string {
  return (match as { endpoint: string }).endpoint;
}

async function dashboardCell(): Promise<string> {
  const visitor = new Visitor(store.urls.store);
  await visitor.login();
  const page = await visitor.text('/admin/manifests/');
  return /class="hub">.*?<\/td><td>(.*?)<\/td>/.exec(page)?.[1] ?? '';
}

describe('what a store declares', { timeout: TEST_MS_MAX }, () => {
  it('is found once on its own node, and nowhere else before the hub logs it', async () => {
    const client = storeClient({ url: store.urls.store, port: 0, stop: async () => {} });
    expect((await client.upload(bytesOf(sidecar(DECLARED)))).status).toBe(200);
    await expect.poll(() => found(store), { timeout: 30_000 }).toHaveLength(1);
    await other.until(log, 'following', log.size);
    expect(await found(other)).toEqual([]);
    await expect.poll(dashboardCell, { timeout: 30_000 }).toBe('not yet');
  });

  it('is missing if the hub does not log it within an hour', async () => {
    const { db, close } = await openDatabase(undefined, `${store.folder}/store`);
    const twoHoursAgo = Date.now() - 2 * 3_600_000;
    await db.updateTable('declarations').set({ attempted_at: twoHoursAgo }).execute();
    await close();
    expect(await dashboardCell()).toContain('missing');
    const metrics = await (await fetch(`${store.urls.store}/metrics`)).text();
    expect(metrics).toMatch(/^isccd_store_declarations_unlogged(\{[^}]*\})? 1$/m);
  });

  it('is found and fetched by every node once the hub logs it, and still once on its own', async () => {
    const [declared] = declarations.model.inForce();
    const isccId = declared?.isccId ?? '';
    log.publish(isccId, declared?.note ?? {});
    await Promise.all([store, other].map((node) => node.until(log, 'following', log.size)));
    for (const node of [store, other]) {
      const matches = await found(node);
      expect(matches).toMatchObject([{ manifestId: MANIFEST_ID, similarityScore: 100, isccId }]);
    }
    const [match] = await found(other);
    const fetched = await fetch(`${endpointOf(match)}/manifests/${encodeURIComponent(MANIFEST_ID)}`);
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(bytesOf(sidecar(DECLARED)));
    expect(await dashboardCell()).toBe(`yes, entry ${log.size - 1}`);
  });

  it('is gone from every node once its withdrawal is logged', async () => {
    const client = storeClient({ url: store.urls.store, port: 0, stop: async () => {} });
    expect((await client.remove(MANIFEST_ID, OPERATOR_TOKEN)).status).toBe(204);
    await expect.poll(() => declarations.model.inForce(), { timeout: 30_000 }).toEqual([]);
    const withdrawal = declarations.requests.findLast(({ body }) => body.includes('iscc-note-delete'));
    const note = JSON.parse(withdrawal?.body ?? '{}') as { iscc_id: string };
    log.publish(note.iscc_id, note);
    const status = await other.until(log, 'following', log.size);
    expect(status.counts).toMatchObject({ deletion: expect.any(Number) });
    expect(await found(other)).toEqual([]);
    expect(await found(store)).toEqual([]);
  });
});
