/**
 * Power losses while a node follows hubs. A recording of all writes and syncs of its index gives the files that a power loss
 * at any moment would leave. Each must hold everything that the node had shown, and lead to the right index after a restart.
 * `ISCCD_TEST_LONG=1`: 300 power losses instead of 20.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import type { HubRow } from '../../src/network/state.js';
import { HubDouble } from '../network/support/hub-double.js';
import { Node } from '../network/support/node.js';
import { isccd } from '../support/command.js';
import { Random } from '../support/torture.js';
import { Disk, recorded, recordingTo, type WriteRecord } from './support/power-loss.js';

const LOSSES = process.env.ISCCD_TEST_LONG === undefined ? 20 : 300;
/** Power losses without syncs; one that loses something is enough. */
const CONTROL_LOSSES = 10;
/** Nodes that restart at the same time. */
const PARALLEL = 2;
const STATUS_EVERY_MS = 10;
const FORKED_ENTRIES = 300;
/** Growth of the log; the last one is read in several transactions. */
const GROWTH = [1, 40, 255, 4200];
/** One in so many assets is compared after each restart. */
const COMPARED = 50;
const INDEX = path.join('search', 'idptest');

/** What a node showed, and when it had. */
interface Shown {
  readonly time: bigint;
  readonly cursor: number;
  readonly isFrozen: boolean;
}

interface Recording {
  readonly node: Node;
  readonly records: readonly WriteRecord[];
  readonly shown: readonly Shown[];
}

/** A power loss right after so many records, and what the node had shown before. */
interface Loss {
  readonly count: number;
  readonly cursor: number;
  readonly isFrozen: boolean;
}

let folder: string;
const nodes: Node[] = [];
const hubs: HubDouble[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-power-'));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.remove()));
  await Promise.all(hubs.map((hub) => hub.stop()));
  await rm(folder, { recursive: true });
});

describe.skipIf(process.platform !== 'linux')('a power loss', { timeout: LOSSES * 15_000 }, () => {
  it(`loses nothing that the node had shown; the node reads the rest again (${LOSSES} times)`, async () => {
    const growing = await hub(11, 300);
    const forking = await hub(12, FORKED_ENTRIES);
    const { records, shown } = await recording([growing, forking], async (recorder) => {
      for (const count of GROWTH) {
        growing.append(count);
        await recorder.until(growing, 'following', growing.size);
      }
      before.push(...forking.assets);
      forking.fork(0, 900);
      await recorder.until(forking, 'frozen', FORKED_ENTRIES);
    });
    const losses = Array.from({ length: LOSSES }, () => lossAfter(randomCount(records), records, shown));
    const waiting = [...losses];
    const worker = async () => {
      for (let loss = waiting.pop(); loss !== undefined; loss = waiting.pop())
        await expectRecovery(loss, records, growing, forking);
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    // The losses came in the middle of the work.
    expect(new Set(losses.map(({ cursor }) => cursor)).size).toBeGreaterThan(2);
  });

  it('loses what was shown if the index does not sync: the simulation can fail', async () => {
    const growing = await hub(11, 300);
    const { records, shown } = await recording(
      [growing],
      async (recorder) => {
        for (const count of GROWTH.slice(0, 3)) {
          growing.append(count);
          await recorder.until(growing, 'following', growing.size);
        }
      },
      { INDEXSVC_SYNC: 'false' },
    );
    let lost = 0;
    for (let at = 0; at < CONTROL_LOSSES; at += 1) {
      const loss = lossAfter(Math.floor((records.length * (at + 1)) / CONTROL_LOSSES), records, shown);
      const image = await imageOf(loss, records);
      // In a process of its own, because such a file may end it.
      const { stdout } = await isccd(['network', 'verify', path.join(image.folder, 'search'), '--json']);
      const { ok = false, hubs = [] } = stdout === '' ? {} : JSON.parse(stdout);
      if (!ok || (hubs[0]?.cursor ?? 0) < loss.cursor) lost += 1;
    }
    expect(lost).toBeGreaterThan(0);
  });
});

/** Assets of the forking hub before it forked. */
const before: object[] = [];

async function hub(hubId: number, entries: number): Promise<HubDouble> {
  const double = await HubDouble.start(hubId, entries);
  hubs.push(double);
  return double;
}

/** Records the writes of a node that follows hubs, while `work` changes their logs. */
async function recording(
  followed: readonly HubDouble[],
  work: (node: Node) => Promise<void>,
  env: Record<string, string> = {},
): Promise<Recording> {
  const node = await Node.create(...followed);
  nodes.push(node);
  const log = path.join(node.folder, 'writes.log');
  const shown: Shown[] = [];
  const root = path.join(node.folder, 'search');
  await mkdir(root);
  Object.assign(node.env, env, recordingTo(log, root, node.folder));
  await node.start();
  let isDone = false;
  const watching = (async () => {
    for (; !isDone; await sleep(STATUS_EVERY_MS)) {
      const states = await Promise.all(followed.map((each) => node.state(each)));
      const [first] = states;
      if (first === undefined) continue;
      const isFrozen = states.some((each) => each?.state === 'frozen');
      shown.push({ time: process.hrtime.bigint(), cursor: first.cursor, isFrozen });
    }
  })();
  for (const each of followed) await node.until(each, 'following', each.size);
  await work(node);
  isDone = true;
  await watching;
  await node.kill();
  const records = await recorded(log);
  // The recording is complete: it makes the folder that the node left.
  await diskAfter(records, records.length).expectEqual(root);
  return { node, records, shown };
}

/** A moment after the creation of the file. */
function randomCount(records: readonly WriteRecord[]): number {
  const created = records.findIndex(({ kind }) => kind === 'durable') + 1;
  return created + Math.floor(Math.random() * (records.length - created + 1));
}

/** The power fails just before the next record. */
function lossAfter(count: number, records: readonly WriteRecord[], shown: readonly Shown[]): Loss {
  const next = records[count]?.time;
  const last = shown.findLast(({ time }) => next === undefined || time < next);
  return { count, cursor: last?.cursor ?? 0, isFrozen: last?.isFrozen ?? false };
}

/** The disk before the record with this number. */
function diskAfter(records: readonly WriteRecord[], count: number): Disk {
  const disk = new Disk('journal');
  for (const record of records.slice(0, count)) disk.apply(record);
  return disk;
}

/** A node with the data folder that the power loss leaves. */
async function imageOf({ count }: Loss, records: readonly WriteRecord[]): Promise<Node> {
  const node = await Node.create();
  nodes.push(node);
  await diskAfter(records, count).writeAfterLoss(path.join(node.folder, 'search'), new Random(count));
  return node;
}

async function expectRecovery(
  loss: Loss,
  records: readonly WriteRecord[],
  growing: HubDouble,
  forking: HubDouble,
): Promise<void> {
  const node = await imageOf(loss, records);
  const rows = await verifiedRows(node);
  const cursor = rows.get(growing.hubId)?.cursor ?? 0;
  expect(cursor, `after ${loss.count} records`).toBeGreaterThanOrEqual(loss.cursor);
  const isKnown = (rows.get(forking.hubId)?.head ?? null) !== null;
  if (loss.isFrozen) expect(rows.get(forking.hubId)?.state).toBe('frozen');
  await node.list(growing, forking);
  Object.assign(node.env, { ISCCD_METRICS_PUBLIC: 'true' });
  await node.start();
  await node.until(growing, 'following', growing.size);
  // A node that lost all of the other hub knows only its present log.
  if (isKnown) await node.until(forking, 'frozen', FORKED_ENTRIES);
  else await node.until(forking, 'following', forking.size);
  const others = isKnown ? before : forking.assets;
  expect(await node.assets()).toBe(growing.assets.length + others.length);
  const isCompared = (_: unknown, at: number) => at % COMPARED === loss.count % COMPARED;
  await node.expectAssets({
    isccIds: growing.isccIds.filter(isCompared),
    assets: growing.assets.filter(isCompared),
  });
  // All that was lost is read, and at most the first and the last bundle twice, for the proof of the tree.
  const lost = cursor === growing.size ? 0 : Math.ceil(growing.size / 256) - Math.floor(cursor / 256);
  const read = await bundlesRead(node, growing);
  expect(read).toBeGreaterThanOrEqual(lost);
  expect(read).toBeLessThanOrEqual(lost === 0 ? 0 : lost + 2);
  await node.kill();
  const after = await verifiedRows(node);
  expect(after.get(growing.hubId)?.cursor).toBe(growing.size);
  await node.remove();
  nodes.splice(nodes.indexOf(node), 1);
}

/** Rows of hubs, once leaves, heads, counts, claims and assets of the index agree with them. */
async function verifiedRows({ folder: data }: Node): Promise<ReadonlyMap<number, HubRow>> {
  const checked = await native.checkLogIndex(path.join(data, INDEX));
  expect(checked?.problems ?? []).toEqual([]);
  return new Map(checked?.hubs.map(({ hub, row }) => [hub, JSON.parse(row) as HubRow]));
}

/** Bundles that a node has requested since its start. */
async function bundlesRead(node: Node, { hubId }: HubDouble): Promise<number> {
  const metrics = await (await node.get('/metrics')).text();
  const samples = metrics.matchAll(
    new RegExp(
      `^isccd_network_requests_total{(?=.*hub_id="${hubId}")(?=.*resource="bundle").*} (\\d+)`,
      'gm',
    ),
  );
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}
