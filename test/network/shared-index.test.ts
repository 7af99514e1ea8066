/**
 * Two processes that share an index in PostgreSQL: one of them follows the hubs and writes, the other one sees what it commits,
 * and takes over when it is killed. `ISCCD_TEST_LONG=1`: more kills and longer logs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isccd } from '../support/command.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

const TEST_MS_MAX = 240_000;
const IS_LONG = process.env.ISCCD_TEST_LONG !== undefined;
const ENTRIES = IS_LONG ? 20_000 : 600;
const GROWTH = IS_LONG ? 9_000 : 5_000;
const KILLS = IS_LONG ? 12 : 2;
const FOLLOWS = 'this process follows the hubs';
const STOPPED = 'this process no longer follows the hubs';

let postgres: PostgresServer;
let hubs: HubDouble[];
let nodes: Node[];

beforeEach(async () => {
  postgres = await startPostgres();
  hubs = [await HubDouble.start(1, ENTRIES), await HubDouble.start(2, ENTRIES)];
  const location = await postgres.createDatabase();
  nodes = [await Node.create(...hubs), await Node.create(...hubs)];
  for (const { env } of nodes) env.INDEXSVC_INDEX_URI = location;
}, 60_000);

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.remove()));
  await Promise.all(hubs.map((hub) => hub.stop()));
  await postgres.stop();
}, 60_000);

const [first, second] = [() => nodes[0] as Node, () => nodes[1] as Node];
const forking = () => hubs[0] as HubDouble;

/** Both processes have the state and counts of all hubs, and as many assets. */
async function expectCounts(): Promise<void> {
  for (const node of nodes) {
    let assets = 0;
    for (const hub of hubs) {
      const { counts } = await node.until(hub, 'following', hub.size);
      expect(counts.ok + counts.deletion).toBe(hub.size);
      assets += counts.ok - counts.deletion;
    }
    expect(await node.assets()).toBe(assets);
  }
}

async function expectAssets(): Promise<void> {
  for (const node of nodes) for (const hub of hubs) await node.expectAssets(hub);
}

/** The process that follows, and the other one. */
async function roles(): Promise<[Node, Node]> {
  const leads = ({ output }: Node) => output.lastIndexOf(FOLLOWS) > output.lastIndexOf(STOPPED);
  await expect.poll(() => nodes.filter(leads).length, { timeout: 30_000 }).toBe(1);
  return nodes[0] !== undefined && leads(nodes[0]) ? [first(), second()] : [second(), first()];
}

it('is followed by one process, and by the other one once that is killed', {
  timeout: TEST_MS_MAX,
}, async () => {
  await Promise.all(nodes.map((node) => node.start()));
  await expectCounts();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const [leader, standby] = await roles();
    const growing = hubs[kill % hubs.length] as HubDouble;
    growing.append(GROWTH);
    growing.delayMs = 20;
    // While it reads the long log, at another place each time.
    const isReading = async () => Number((await leader.state(growing))?.cursor) > growing.size - GROWTH;
    await expect.poll(isReading, { timeout: 30_000 }).toBe(true);
    await sleep(kill * 150);
    await leader.kill();
    growing.delayMs = 0;
    await standby.until(growing, 'following', growing.size);
    await leader.start();
    await expectCounts();
    expect((await roles())[0]).toBe(standby);
  }
  await expectAssets();
  for (const { env } of nodes) {
    const verified = await isccd(['network', 'verify', '--json'], { env });
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
  }
});

it('goes on after the database was away', { timeout: TEST_MS_MAX }, async () => {
  await Promise.all(nodes.map((node) => node.start()));
  await expectCounts();
  await postgres.halt();
  forking().append(300);
  const hasStopped = () => nodes.some((node) => node.output.includes(STOPPED));
  await expect.poll(hasStopped, { timeout: 30_000 }).toBe(true);
  await postgres.start();
  await expectCounts();
  await roles();
  expect(nodes.map(({ exitCode }) => exitCode)).toEqual([null, null]);
});

it('asks each hub once, whichever process is asked', { timeout: TEST_MS_MAX }, async () => {
  await Promise.all(nodes.map((node) => node.start()));
  await expectCounts();
  const [leader, standby] = await roles();
  const bundles = forking().requests.filter((path) => path.includes('/entries/'));
  expect(new Set(bundles).size).toBe(bundles.length);
  const id = forking().isccIds[3];
  for (const address of [
    '/network/hubs/1/checkpoint',
    `/network/inclusion/${id}`,
    `/indexes/idptest/assets/${id}`,
  ]) {
    const [ours, theirs] = await Promise.all([leader.get(address), standby.get(address)]);
    expect([ours.status, await ours.text()]).toEqual([200, await theirs.text()]);
  }
});

it('shows a fork in both processes, with its evidence, and keeps it across a change of the leader', {
  timeout: TEST_MS_MAX,
}, async () => {
  await Promise.all(nodes.map((node) => node.start()));
  await expectCounts();
  const [accepted, assets, isccIds] = [forking().size, [...forking().assets], [...forking().isccIds]];
  forking().fork(accepted - 70, accepted + 300);
  for (const node of nodes) await node.until(forking(), 'frozen', accepted);
  const [leader, standby] = await roles();
  await leader.kill();
  const other = hubs[1] as HubDouble;
  other.append(10);
  await standby.until(other, 'following', other.size);
  const status = await standby.until(forking(), 'frozen', accepted);
  expect(status.alarm).toMatchObject({ kind: 'fork', evidence: 1 });
  expect(await (await standby.get('/network/hubs/1/evidence')).json()).toMatchObject([{ kind: 'fork' }]);
  await standby.expectAssets({ isccIds, assets });

  const reset = () => isccd(['network', 'reset', '1', '--yes'], { env: leader.env });
  expect(await reset()).toMatchObject({ code: 1, stderr: expect.stringContaining('stop all services') });
  await standby.kill();
  expect(await reset()).toMatchObject({ code: 0 });
  await Promise.all(nodes.map((node) => node.start()));
  await expectCounts();
  // The evidence is kept.
  expect(await (await leader.get('/network/hubs/1/evidence')).json()).toHaveLength(1);
});

it('is read-only for requests to every process', { timeout: TEST_MS_MAX }, async () => {
  const free = second().env;
  for (const { env } of nodes) env.INDEXSVC_AGGREGATOR_EXCLUSIVE = 'false';
  await first().start();
  for (const hub of hubs) await first().until(hub, 'following', hub.size);
  // A process that does not follow the network, with the same database.
  delete free.INDEXSVC_AGGREGATOR_NETWORK;
  await second().start();
  const detail = "Index 'idptest' follows the network and is read-only";
  const asset = {
    iscc_id: forking().isccIds[0],
    iscc_code: 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY',
  };
  const body = JSON.stringify([asset]);
  const headers = { 'Content-Type': 'application/json' };
  for (const node of nodes) {
    const url = `${node.urls.search}/indexes/idptest`;
    for (const [method, address, content] of [
      ['POST', `${url}/assets`, body],
      ['DELETE', `${url}/assets/${asset.iscc_id}`, undefined],
      ['DELETE', url, undefined],
      ['POST', `${node.urls.search}/indexes`, '{"name":"idptest"}'],
    ] as const) {
      const response = await fetch(address, { method, headers, ...(content && { body: content }) });
      expect([method, address, response.status, await response.json()]).toEqual([
        method,
        address,
        403,
        { detail },
      ]);
    }
    const created = await fetch(`${node.urls.search}/indexes`, {
      method: 'POST',
      headers,
      body: `{"name":"own${nodes.indexOf(node)}"}`,
    });
    expect(created.status).toBe(201);
  }
  await second().expectAssets(forking());
});
