/** Settings of a node that change what it serves: readiness, deletions, the network. */
import { afterEach, expect, it } from 'vitest';
import { isccd } from '../support/command.js';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

const TEST_MS_MAX = 120_000;

let node: Node;
let hub: HubDouble;

afterEach(async () => {
  await node?.remove();
  await hub?.stop();
});

async function startNode(env: Record<string, string>): Promise<void> {
  node = await Node.create(hub);
  Object.assign(node.env, env);
  await node.start();
}

it('is ready once every hub was read to its end, if so configured', { timeout: TEST_MS_MAX }, async () => {
  hub = await HubDouble.start(1, 40);
  // Longer than a hub may fail before the others no longer wait for it.
  hub.respond = () => true;
  await startNode({ INDEXSVC_AGGREGATOR_READY: 'caught_up' });
  const response = await node.get('/readyz');
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: 'not_ready', reason: 'catching_up' });
  expect((await node.get('/healthz')).status).toBe(200);
  hub.respond = undefined;
  await node.until(hub, 'following', 40);
  expect((await node.get('/readyz')).status).toBe(200);
});

it('keeps deleted assets if so configured; counts and claims are the same', {
  timeout: TEST_MS_MAX,
}, async () => {
  hub = await HubDouble.start(1, 11);
  await startNode({ INDEXSVC_AGGREGATOR_DELETIONS: 'keep' });
  await node.until(hub, 'following', 11);
  // The twelfth entry of the double is a deletion.
  hub.append(1);
  const { counts } = await node.until(hub, 'following', 12);
  expect(counts).toMatchObject({ ok: 11, deletion: 1 });
  expect(await node.assets()).toBe(11);
  expect((await node.get(`/indexes/idptest/assets/${hub.deletedIds[0]}`)).status).toBe(200);
  const verified = await isccd(['network', 'verify', '--json'], { env: node.env });
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
});

it('does not start on an unknown network', { timeout: TEST_MS_MAX }, async () => {
  hub = await HubDouble.start(1, 1);
  node = await Node.create(hub);
  const env = { ...node.env, INDEXSVC_AGGREGATOR_NETWORK: 'othernet' };
  const { code, stderr } = await isccd(['serve', 'search'], { env });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('testnet') });
});
