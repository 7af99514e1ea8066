/** Three nodes of OpenSearch, of which one is killed while assets are added: nothing that was acknowledged is lost. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { SearchResult } from '../../src/client/search-api.js';
import { Slots } from '../../src/platform/slots.js';
import { type OpenSearchCluster, openSearchIfPossible } from '../support/opensearch.js';
import { isccId, randomAsset } from './support/random-assets.js';
import { post, startSearch } from './support/search-server.js';

const ASSETS = 1000;
const CLIENTS = 24;
/** The node is killed after this many acknowledged assets. */
const KILLED_AFTER = 300;
const NODES = 3;
const HEAP_MIB = 360;
const TEST_MS_MAX = 900_000;
const PATIENCE = { timeout: 240_000, interval: 500 };

const cluster = await openSearchIfPossible(NODES, HEAP_MIB);
afterAll(() => cluster?.stop());

test.skipIf(cluster === undefined)(
  'no acknowledged asset is lost when a node is killed',
  async () => {
    const { nodes, location } = cluster as OpenSearchCluster;
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
    const uri = { INDEXSVC_INDEX_URI: location('?replicas=1&shards=3') };
    const [writer, reader] = [await startSearch(folder, uri), await startSearch(folder, uri)];
    try {
      expect((await post(`${writer.url}/indexes`, { name: 'main' })).status).toBe(201);
      const acknowledged: number[] = [];
      let killed: Promise<void> | undefined;
      const add = async (number: number) => {
        for (;;) {
          const response = await post(`${writer.url}/indexes/main/assets`, [randomAsset(number)]);
          await response.arrayBuffer();
          if (response.status === 201) break;
          expect([response.status, response.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
          await pause(500);
        }
        acknowledged.push(number);
        if (acknowledged.length === KILLED_AFTER) killed = nodes[0]?.kill();
      };
      const slots = new Slots(CLIENTS);
      await Promise.all(Array.from({ length: ASSETS }, (_, number) => slots.run(() => add(number))));
      await killed;
      expect(acknowledged).toHaveLength(ASSETS);

      const listed = await fetch(`${reader.url}/indexes/main/assets`, {
        headers: { Accept: 'application/x-ndjson' },
      });
      const ids = (await listed.text())
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { readonly iscc_id: string }).iscc_id);
      expect(new Set(ids)).toEqual(new Set(acknowledged.map(isccId)));
      for (let number = 0; number < ASSETS; number += 10) {
        const { units } = randomAsset(number);
        const response = await post(`${reader.url}/indexes/main/search`, { units });
        const [best] = ((await response.json()) as SearchResult).global_matches;
        expect([best?.iscc_id, best?.score]).toEqual([isccId(number), 1]);
      }
      await expectUnavailableWithoutQuorum(cluster as OpenSearchCluster, writer.url);
    } finally {
      await Promise.all([writer.stop(), reader.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
  TEST_MS_MAX,
);

/** With one node of three left, requests are 503, also those that the node alone could serve in part, and so is /readyz. */
async function expectUnavailableWithoutQuorum({ nodes }: OpenSearchCluster, url: string): Promise<void> {
  await nodes[1]?.kill();
  const search = () => post(`${url}/indexes/main/search`, { units: randomAsset(1).units });
  const status = async (request: Promise<Response>) => {
    const response = await request;
    await response.arrayBuffer();
    return [response.status, response.headers.has('retry-after')];
  };
  const create = () => post(`${url}/indexes`, { name: 'other' });
  await expect.poll(() => status(create()), PATIENCE).toEqual([503, true]);
  // Before the last node knows that it is alone, it may serve again after a request that failed at the killed one.
  const readiness = async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < 5; round += 1) statuses.add((await fetch(`${url}/readyz`)).status);
    return [...statuses];
  };
  await expect.poll(readiness, PATIENCE).toEqual([503]);
  // A node that is left may have copies of all shards of an index.
  for (let round = 0; round < 5; round += 1) expect([200, 503]).toContain((await status(search()))[0]);
  await Promise.all([nodes[0]?.start(), nodes[1]?.start()]);
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, PATIENCE).toBe(200);
  expect(await status(search())).toEqual([200, false]);
}
