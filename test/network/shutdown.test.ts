/** SIGTERM while a node follows hubs: the process ends soon, between two transactions, and the next one goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

const TEST_MS_MAX = 120_000;
/** Above what the stop of an idle node takes on the same machine. */
const STOP_MS_MAX = 2_000;
/** More than a poll reads in one transaction. */
const GROWTH = 5_000;
const FEW_BUNDLES = 3;
const PAUSES_MS = [0, 200, 500];
/** Bundles of a transaction, and those that are fetched before it. */
const [TRANSACTION_BUNDLES, AHEAD] = [16, 4];

let hub: HubDouble;
let node: Node;

beforeEach(async () => {
  hub = await HubDouble.start(1, 300);
  node = await Node.create(hub);
});

afterEach(async () => {
  await node.remove();
  await hub.stop();
});

/** Milliseconds from SIGTERM to the exit, which must be clean. */
async function stopMs(): Promise<number> {
  const startedMs = performance.now();
  await node.stop();
  expect(node.exitCode).toBe(0);
  return performance.now() - startedMs;
}

async function idleStopMs(): Promise<number> {
  await node.start();
  await node.until(hub, 'following', hub.size);
  return stopMs();
}

async function expectContinued(): Promise<void> {
  await node.start();
  await node.until(hub, 'following', hub.size);
  await node.expectAssets(hub);
  expect(await node.assets()).toBe(hub.assets.length);
}

it.each([
  ['its checkpoint', '/checkpoint'],
  ['a bundle', '/entries/'],
])('ends while the hub does not respond for %s', { timeout: TEST_MS_MAX }, async (_, file) => {
  const idleMs = await idleStopMs();
  hub.append(700);
  let isAsked = false;
  hub.respond = (path) => {
    isAsked ||= path.includes(file);
    return path.includes(file);
  };
  await node.start();
  await expect.poll(() => isAsked, { timeout: 30_000 }).toBe(true);
  expect(await stopMs()).toBeLessThan(idleMs + STOP_MS_MAX);
  hub.respond = undefined;
  await expectContinued();
});

it('ends while a long log is read; the next process reads only the rest', {
  timeout: TEST_MS_MAX,
}, async () => {
  const idleMs = await idleStopMs();
  hub.delayMs = 30;
  for (const pauseMs of PAUSES_MS) {
    hub.append(GROWTH);
    const before = hub.requests.length;
    const bundles = () => hub.requests.slice(before).filter((path) => path.includes('entries'));
    await node.start();
    await expect.poll(() => bundles().length, { timeout: 30_000 }).toBeGreaterThan(FEW_BUNDLES);
    await sleep(pauseMs);
    expect(await stopMs()).toBeLessThan(idleMs + STOP_MS_MAX);
  }
  hub.delayMs = 0;
  await expectContinued();
  const read = hub.requests.filter((path) => path.includes('entries') && !path.includes('.p/'));
  // Every stop costs at most what was fetched and not committed.
  const repeated = PAUSES_MS.length * (TRANSACTION_BUNDLES + AHEAD);
  expect(read.length).toBeLessThan(hub.size / 256 + repeated);
});
