/** Which declarations of a store count as missing in the log of their hub. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { native, type SearchEngine } from '../../src/native.js';
import { Aggregator } from '../../src/network/aggregator.js';
import { type Declared, logStates } from '../../src/network/declared.js';
import { readNetworkConfig } from '../../src/platform/config/network.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { openEngine } from '../../src/services/search/engine/open.js';
import { HubDouble } from './support/hub-double.js';

const HUB_ID = 9;
const HOUR_MS = 3_600_000;
const DECLARED_MS = 1_770_000_000_000;
const WAIT_MS_MAX = 30_000;

let folder: string;
let hub: HubDouble;
let engine: SearchEngine;
let network: Aggregator;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-unlogged-'));
  hub = await HubDouble.start(HUB_ID, 30);
  const list = path.join(folder, 'hubs.yaml');
  await writeFile(list, HubDouble.list(hub));
  engine = await openEngine('memory://');
  const config = readNetworkConfig({
    INDEXSVC_ENVIRONMENT: 'test',
    INDEXSVC_AGGREGATOR_NETWORK: 'testnet',
    INDEXSVC_AGGREGATOR_HUB_LIST_URL: list,
    INDEXSVC_AGGREGATOR_POLL_INTERVAL: '1',
    INDEXSVC_AGGREGATOR_TEST_ALLOW: '127.0.0.1',
  });
  if (config === undefined) throw new Error('no network is configured');
  network = new Aggregator(config, await engine.followLogs('idptest', 0), createLogger('fatal'));
  await network.start();
  await untilState('following');
});

afterAll(async () => {
  await network.close();
  await engine.close();
  await hub.stop();
  await rm(folder, { recursive: true });
});

async function untilState(state: string): Promise<void> {
  await vi.waitFor(() => expect(network.status().hubs[0]?.state).toBe(state), WAIT_MS_MAX);
}

/** State of a declaration so long after it was declared. */
async function stateOf(declared: Partial<Declared>, afterMs: number): Promise<string | undefined> {
  const row = { isccId: '', key: undefined, declaredMs: DECLARED_MS, ...declared };
  return (await logStates(network, [row], DECLARED_MS + afterMs))[0]?.kind;
}

const unlogged = (hubId: number, realm = 0) => native.isccId(realm, 1_790_000_000_000_000, hubId);

it('is logged if the log has it with our key', async () => {
  const isccId = hub.isccIds[0] ?? '';
  const [claim] = await network.published.claims([isccId]);
  expect(await stateOf({ isccId, key: claim?.key }, 2 * HOUR_MS)).toBe('logged');
  expect(await stateOf({ isccId }, 0)).toBe('logged');
});

it('is logged if an old hub wrote another length into the ISCC-ID', async () => {
  const isccId = hub.isccIds[0] ?? '';
  expect(isccId.slice(5, 9)).toBe('MAIG');
  expect(await stateOf({ isccId: `ISCC:MAIW${isccId.slice(9)}` }, 0)).toBe('logged');
});

it('is missing at once if the log has it with another key', async () => {
  expect(await stateOf({ isccId: hub.isccIds[0] ?? '', key: hub.listedKey }, 0)).toBe('missing');
});

it('waits for an hour, then is missing', async () => {
  expect(await stateOf({ isccId: unlogged(HUB_ID) }, HOUR_MS - 1)).toBe('waiting');
  expect(await stateOf({ isccId: unlogged(HUB_ID) }, HOUR_MS + 1)).toBe('missing');
});

it('has no state at hubs that are not followed, and in other networks', async () => {
  expect(await stateOf({ isccId: unlogged(HUB_ID + 1) }, 2 * HOUR_MS)).toBeUndefined();
  expect(await stateOf({ isccId: unlogged(HUB_ID, 1) }, 2 * HOUR_MS)).toBeUndefined();
});

it('waits while the hub is unreachable', async () => {
  hub.isGone = true;
  await untilState('unreachable');
  expect(await stateOf({ isccId: unlogged(HUB_ID) }, 2 * HOUR_MS)).toBe('waiting');
});
