/** One search service that follows hubs: a real process, real HTTP. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect } from 'vitest';
import type { HubStatus } from '../../../src/network/status.js';
import { type ServedProcess, serve } from '../../support/serve.js';
import { HubDouble } from './hub-double.js';

export const TEST_MS_MAX = 120_000;
const WAIT_MS_MAX = 60_000;

export let folder: string;
export let env: Record<string, string>;
export let service: ServedProcess | undefined;
const hubs: HubDouble[] = [];

/** Each test gets a folder of its own; its processes and hubs end with it. Call it once in a file. */
export function useNode(): void {
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-network-'));
    env = {
      ISCCD_DATA_DIR: folder,
      INDEXSVC_PORT: '0',
      INDEXSVC_ENVIRONMENT: 'test',
      INDEXSVC_AGGREGATOR_NETWORK: 'testnet',
      INDEXSVC_AGGREGATOR_HUB_LIST_URL: path.join(folder, 'hubs.yaml'),
      INDEXSVC_AGGREGATOR_POLL_INTERVAL: '1',
      INDEXSVC_AGGREGATOR_TEST_ALLOW: '127.0.0.1',
    };
  });

  afterEach(async () => {
    await service?.kill();
    service = undefined;
    await Promise.all(hubs.splice(0).map((hub) => hub.stop()));
    await rm(folder, { recursive: true });
  });
}

export async function hub(hubId: number, entries: number): Promise<HubDouble> {
  const double = await HubDouble.start(hubId, entries);
  hubs.push(double);
  await writeFile(path.join(folder, 'hubs.yaml'), HubDouble.list(...hubs));
  return double;
}

export async function start(): Promise<void> {
  service = await serve(['search'], { env });
}

export async function stateOf({ hubId }: HubDouble): Promise<HubStatus | undefined> {
  const response = await fetch(`${service?.urls.search}/status`);
  const { hubs } = (await response.json()) as { hubs: readonly HubStatus[] };
  return hubs.find((each) => each.hub_id === hubId);
}

/** Waits until the hub is in this state with this cursor. */
export async function until(double: HubDouble, state: HubStatus['state'], cursor: number): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const status = await stateOf(double);
    if (status?.state === state && status.cursor === cursor) return;
    if (Date.now() > deadline) expect(status).toMatchObject({ state, cursor });
    await sleep(100);
  }
}

export async function assetCount(): Promise<number> {
  const response = await fetch(`${service?.urls.search}/status`);
  return ((await response.json()) as { index: { assets: number } }).index.assets;
}
