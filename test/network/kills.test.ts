/**
 * Two hubs, one of which forks and one of which is away for a while and then for good, and a node that is killed again and
 * again: its index must be right. `ISCCD_TEST_LONG=1`: 100,000 entries and twenty kills.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { isccd } from '../support/command.js';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

const IS_LONG = process.env.ISCCD_TEST_LONG !== undefined;
const ENTRIES = IS_LONG ? 50_000 : 5_000;
const KILLS = IS_LONG ? 20 : 6;
/** A kill comes at any time of a start, of reading a long log, and of the polls after it. */
const KILL_MS_MAX = IS_LONG ? 6_000 : 1_500;
const WAIT_MS_MAX = IS_LONG ? 600_000 : 60_000;

let node: Node;
const hubs: HubDouble[] = [];

afterAll(async () => {
  await node?.remove();
  await Promise.all(hubs.map((hub) => hub.stop()));
});

it(
  'has the right index across kills, a fork and an outage',
  async () => {
    const forking = await HubDouble.start(11, ENTRIES);
    const leaving = await HubDouble.start(12, ENTRIES);
    hubs.push(forking, leaving);
    node = await Node.create(forking, leaving);
    for (let kill = 0; kill < KILLS; kill += 1) {
      leaving.isGone = kill >= KILLS / 4 && kill < KILLS / 2;
      await node.start();
      await sleep((KILL_MS_MAX * (kill + 1)) / KILLS);
      await node.kill();
      forking.append(kill * 61);
      if (!leaving.isGone) leaving.append(17);
    }
    await node.start();
    for (const hub of hubs) await node.until(hub, 'following', hub.size, WAIT_MS_MAX);
    const [accepted, before] = [forking.size, [...forking.assets]];
    const ids = [...forking.isccIds];
    leaving.isGone = true;
    forking.fork(ENTRIES - 700, ENTRIES + 9_000);
    await node.until(forking, 'frozen', accepted, WAIT_MS_MAX);
    await node.until(leaving, 'unreachable', leaving.size, WAIT_MS_MAX);
    await node.kill();
    await node.start();
    await node.until(forking, 'frozen', accepted, WAIT_MS_MAX);
    await node.expectAssets({ isccIds: ids, assets: before });
    await node.expectAssets(leaving);
    expect(await node.assets()).toBe(before.length + leaving.assets.length);
    const status = await node.state(forking);
    expect(status?.alarm).toMatchObject({ kind: 'fork', evidence: 1 });
    const counted = Object.values(status?.counts ?? {}).reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(accepted);
    const verified = await isccd(['network', 'verify', '--json'], { env: node.env });
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
  },
  IS_LONG ? 1_800_000 : 180_000,
);
