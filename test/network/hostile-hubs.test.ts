/** Hubs that send too much, too slowly, or claim what can't be: the node keeps its index and recovers. */
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { HubStatus } from '../../src/network/status.js';
import { HubDouble } from './support/hub-double.js';
import { Node } from './support/node.js';

const TEST_MS_MAX = 240_000;
const ENTRIES = 300;
/** Needs four bundles. */
const GROWTH = 700;
const HUBS_MAX = 4096;
const WAIT_MS_MAX = 80_000;

let hub: HubDouble;
let node: Node;

beforeEach(async () => {
  hub = await HubDouble.start(1, ENTRIES);
  node = await Node.create(hub);
});

afterEach(async () => {
  await node.remove();
  await hub.stop();
});

/** Sends a byte of the checkpoint every half second. */
async function dribble(response: ServerResponse): Promise<void> {
  for (const byte of hub.note) {
    if (response.destroyed) return;
    response.write(byte);
    await sleep(500);
  }
  response.end();
}

const BOMB = gzipSync(Buffer.alloc(200 * 1024 * 1024));

const FAULTS: Record<string, (path: string, response: ServerResponse) => boolean> = {
  'sends its checkpoint byte by byte': (file, response) => {
    if (!file.endsWith('/checkpoint')) return false;
    void dribble(response);
    return true;
  },
  'sends 10 MB of headers': (_, response) => {
    for (let at = 0; at < 100; at += 1) response.setHeader(`x-${at}`, 'h'.repeat(100_000));
    response.end(hub.note);
    return true;
  },
  'sends a gzip bomb': (_, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(BOMB);
    return true;
  },
  'closes connections while an earlier bundle is on its way': (file, response) => {
    if (!file.includes('entries')) return false;
    if (file.endsWith('/001')) setTimeout(() => response.end(), 1000);
    else response.destroy();
    return true;
  },
  'sends an unknown encoding': (_, response) => {
    response.setHeader('content-encoding', 'br');
    response.end(hub.note);
    return true;
  },
};

it('follows a hub while the requests to many others do not end', { timeout: TEST_MS_MAX }, async () => {
  const slow = await Promise.all([2, 3, 4, 5, 6].map((hubId) => HubDouble.start(hubId, ENTRIES)));
  const held: ServerResponse[] = [];
  for (const one of slow)
    one.respond = (file, response) => {
      if (!file.includes('/tile/')) return false;
      held.push(response);
      return true;
    };
  onTestFinished(async () => void (await Promise.all(slow.map((one) => one.stop()))));
  await node.remove();
  node = await Node.create(...slow, hub);
  await node.start();
  await expect.poll(() => held.length, { timeout: WAIT_MS_MAX }).toBeGreaterThanOrEqual(2 * slow.length);
  hub.append(GROWTH);
  await node.until(hub, 'following', ENTRIES + GROWTH);
  expect(held.filter((response) => !response.destroyed).length).toBeGreaterThan(0);
});

describe('a hub that', { timeout: TEST_MS_MAX }, () => {
  it.each(Object.keys(FAULTS))('%s is unreachable, and followed again afterwards', async (name) => {
    await node.start();
    await node.until(hub, 'following', ENTRIES);
    const assets = await node.assets();
    hub.respond = FAULTS[name];
    hub.append(GROWTH);
    await node.until(hub, 'unreachable', ENTRIES);
    expect(await node.assets()).toBe(assets);
    hub.respond = undefined;
    await node.until(hub, 'following', ENTRIES + GROWTH);
    await node.expectAssets(hub);
  });

  it('redirects is not followed to the other address', async () => {
    let visits = 0;
    const other = createServer((_, response) => {
      visits += 1;
      response.end(hub.note);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    hub.respond = (_, response) => {
      const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/log/checkpoint`;
      response.writeHead(302, { location });
      response.end();
      return true;
    };
    await node.start();
    await node.until(hub, 'unreachable', 0);
    expect(visits).toBe(0);
  });

  it.each([
    ['10^9', 1e9],
    ['2^53 - 1', Number.MAX_SAFE_INTEGER],
  ])('signs a tree of %s entries that it does not have gets nothing accepted', async (_, size) => {
    await node.start();
    await node.until(hub, 'following', ENTRIES);
    hub.claimedSize = size;
    await node.until(hub, 'unverifiable', ENTRIES);
    hub.claimedSize = undefined;
    hub.append(1);
    await node.until(hub, 'following', ENTRIES + 1);
  });
});

it('follows one hub among 4,096 that are away', { timeout: TEST_MS_MAX }, async () => {
  const rows = Array.from({ length: HUBS_MAX }, (_, hubId) =>
    hubId === hub.hubId
      ? { url: hub.url, pubkey: hub.listedKey }
      : { url: `http://127.0.0.1:${10_000 + hubId}` },
  );
  const taken = rows.filter((row, at) => at !== hub.hubId && row.url === hub.url);
  for (const row of taken) row.url = 'http://127.0.0.1:9999';
  const list = { network: 'testnet', hubs: rows.map((row, hub_id) => ({ hub_id, ...row, active: true })) };
  await writeFile(path.join(node.folder, 'hubs.yaml'), JSON.stringify(list));
  // Reading so long a list takes a second.
  Object.assign(node.env, { INDEXSVC_AGGREGATOR_HUB_REFRESH_INTERVAL: '3600' });
  await node.start();
  // A status of 4,096 hubs is long, so the test asks for an asset instead.
  const lastAsset = async () => (await node.get(`/indexes/idptest/assets/${hub.isccIds.at(-1)}`)).status;
  await expect.poll(lastAsset, { timeout: WAIT_MS_MAX, interval: 500 }).toBe(200);
  hub.append(5);
  await expect.poll(lastAsset, { timeout: WAIT_MS_MAX, interval: 500 }).toBe(200);
  const { hubs } = (await (await node.get('/status')).json()) as { hubs: readonly HubStatus[] };
  expect(hubs.length).toBe(HUBS_MAX);
  expect((await node.get('/healthz')).status).toBe(200);
});
