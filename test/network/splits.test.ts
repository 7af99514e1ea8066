/**
 * Any split of a log into polls gives the same index, cursor and counts as one pass: however a slow hub grows, shows older
 * checkpoints or loses partial files, and wherever the node stops. A slow twin judges the entries, too.
 * `ISCCD_TEST_LONG=1`: 200 splits of a longer log.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FollowedIndex, SearchEngine } from '../../src/native.js';
import { HubClient } from '../../src/network/hub-client.js';
import { LogFiles } from '../../src/network/log-files.js';
import { poll } from '../../src/network/poll.js';
import { type HubRow, NO_MEMORY, newRow, type Outcome, settle } from '../../src/network/state.js';
import { openEngine } from '../../src/services/search/engine/open.js';
import { hostileLog } from './support/hostile-log.js';
import { HubDouble, rootOf } from './support/hub-double.js';
import { leafHash } from './support/proofs.js';
import { SlowTwin } from './support/slow-twin.js';

const IS_LONG = process.env.ISCCD_TEST_LONG !== undefined;
/** More than a poll reads without tiles, so that both ways are taken. */
const ENTRIES = IS_LONG ? 12_345 : 5_401;
const RUNS = IS_LONG ? 200 : 8;
const [REALM, HUB_ID, INDEX] = [0, 77, 'idptest'];
const POLLS_MAX = 60;
const PAGE = 1000;

let hub: HubDouble;
let client: HubClient;
let onePass: Databases;
const twin = new SlowTwin(REALM, HUB_ID);

beforeAll(async () => {
  hub = await HubDouble.start(HUB_ID, 0);
  hub.appendRecords(hostileLog(HUB_ID, ENTRIES, 20));
  for (let leaf = 0; leaf < ENTRIES; leaf += 1) twin.take(hub.record(leaf));
  client = new HubClient({ allowed: new Set(['127.0.0.1']) });
  const node = new SplitNode();
  await node.follow(ENTRIES);
  onePass = await node.databases();
  await node.close();
}, 120_000);

afterAll(async () => {
  await client.close();
  await hub.stop();
});

/** One poll of a hub that shows its log up to a size. */
interface Split {
  readonly size: number;
  /** The node stops at this request of the poll. */
  readonly stopAt: number | undefined;
  readonly delayMs: number;
  readonly hidePartials: boolean;
  /** Whether the node starts again before the poll. */
  readonly restarts: boolean;
}

const split: fc.Arbitrary<Split> = fc.record({
  size: fc.oneof(
    fc.integer({ min: 0, max: ENTRIES }),
    fc.constantFrom(1, 255, 256, 257, 511, 512, 4096, 4097, ENTRIES - 1, ENTRIES),
  ),
  stopAt: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined, freq: 2 }),
  delayMs: fc.constantFrom(0, 0, 3, 15),
  hidePartials: fc.boolean(),
  restarts: fc.boolean(),
});

interface Databases {
  readonly cursor: number;
  readonly root: string | undefined;
  readonly counts: HubRow['counts'];
  readonly anomalies: HubRow['anomalies'];
  readonly claims: readonly unknown[];
  readonly assets: readonly unknown[];
  readonly leaves: string;
}

it(`has the databases of one pass after any of ${RUNS} splits`, { timeout: RUNS * 20_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(split, { minLength: 1, maxLength: 8 }), async (splits) => {
      const node = new SplitNode();
      try {
        for (const each of splits) await node.poll(each);
        await node.follow(ENTRIES);
        expect(await node.databases()).toEqual(onePass);
      } finally {
        await node.close();
      }
    }),
    { numRuns: RUNS },
  );
});

it('has the counts, assets and root of the slow twin after one pass', () => {
  const counted = Object.entries(onePass.counts).filter(([, count]) => count > 0);
  expect(Object.fromEntries(counted)).toEqual(twin.counts);
  expect(Object.keys(twin.counts)).toHaveLength(12);
  expect(onePass.cursor).toBe(ENTRIES);
  const leaves = Array.from({ length: ENTRIES }, (_, leaf) => leafHash(hub.record(leaf)));
  expect(onePass.root).toBe(rootOf(leaves).toString('base64'));
  const byId = (asset: { iscc_id?: string }) => [asset.iscc_id, asset] as const;
  expect(new Map(onePass.assets.map((asset) => byId(asset as object)))).toEqual(twin.assets);
  const claims = [...twin.claims.values()].map(({ key, leaf }) => expect.objectContaining({ key, leaf }));
  expect(onePass.claims).toEqual(claims);
});

/** The follower of one hub. After a stop it has only what its index stores, like a new process. */
class SplitNode {
  #engine: SearchEngine | undefined;
  #index: FollowedIndex | undefined;
  #row: HubRow = newRow(hub);

  async poll({ size, stopAt, delayMs, hidePartials, restarts }: Split): Promise<Outcome> {
    if (restarts) this.#index = undefined;
    const index = await this.#opened();
    const stop = new AbortController();
    let requests = 0;
    hub.staleSize = size;
    hub.hidePartials = hidePartials;
    hub.delayMs = delayMs;
    hub.respond = () => {
      requests += 1;
      if (requests === stopAt) stop.abort();
      return false;
    };
    const outcome = await poll(this.#row, {
      hub: { hubId: HUB_ID, url: hub.url, origin: hub.origin, active: true, keys: [hub.listedKey] },
      index,
      keys: 'list',
      deletes: true,
      mirrors: false,
      didAge: { readMs: 0 },
      signal: stop.signal,
      files: new LogFiles(client, hub.url, stop.signal),
      onRow: (row) => {
        this.#row = row;
      },
      onDid: () => undefined,
      onKeyChanged: () => undefined,
      onCommit: () => undefined,
    });
    const clock = { monotonicMs: performance.now(), wall: '', random: 0.5 };
    this.#row = settle(this.#row, NO_MEMORY, outcome, 1, clock).row;
    if (outcome.kind === 'stopped') this.#index = undefined;
    return outcome;
  }

  /** Polls until everything is applied. */
  async follow(size: number): Promise<void> {
    const shown = { size, stopAt: undefined, delayMs: 0, hidePartials: false, restarts: false };
    for (let polls = 0; this.#row.cursor < size || this.#row.state !== 'following'; polls += 1) {
      const outcome = await this.poll(shown);
      if (polls === POLLS_MAX) throw new Error(`the node does not get there: ${JSON.stringify(outcome)}`);
    }
  }

  async databases(): Promise<Databases> {
    const index = await this.#opened();
    const { cursor, counts, anomalies } = await storedRow(index);
    const leaves = [];
    for (let at = 0; at * 256 < ENTRIES; at += 1)
      leaves.push(await index.tile(HUB_ID, 0, at, Math.min(256, ENTRIES - at * 256)));
    return {
      cursor,
      counts,
      anomalies,
      assets: await this.#assets(),
      root: (await index.root(HUB_ID, ENTRIES))?.toString('base64'),
      claims: await index.claims([...twin.claims.keys()]),
      leaves: Buffer.concat(leaves.map((tile) => tile ?? Buffer.alloc(0))).toString('base64'),
    };
  }

  async close(): Promise<void> {
    await this.#engine?.close();
  }

  async #opened(): Promise<FollowedIndex> {
    if (this.#index !== undefined) return this.#index;
    this.#engine ??= await openEngine('memory://');
    this.#index = await this.#engine.followLogs(INDEX, REALM);
    this.#row = await storedRow(this.#index);
    return this.#index;
  }

  async #assets(): Promise<unknown[]> {
    const assets: { iscc_id?: string }[] = [];
    for (;;) {
      const page = await this.#engine?.listAssets(INDEX, assets.at(-1)?.iscc_id, PAGE, false);
      const read = JSON.parse(page?.entries.toString() ?? '[]') as { iscc_id?: string }[];
      if (read.length === 0) return assets;
      assets.push(...read);
    }
  }
}

async function storedRow(index: FollowedIndex): Promise<HubRow> {
  const stored = (await index.hubs()).find((each) => each.hub === HUB_ID);
  return stored === undefined ? newRow(hub) : (JSON.parse(stored.row) as HubRow);
}
