/** Parts of OpenSearch that are deleted, blocked or frozen: what is affected is named, and the rest serves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { SearchResult } from '../../src/client/search-api.js';
import type { RunningServer } from '../../src/http/server.js';
import { Metrics } from '../../src/platform/observe/metrics.js';
import { type OpenSearchCluster, openSearchIfPossible } from '../support/opensearch.js';
import { isccId, randomAsset } from './support/random-assets.js';
import { post, startSearch } from './support/search-server.js';

const START_MS_MAX = 600_000;
const TEST_MS_MAX = 120_000;
/** Until the state of the indexes is checked again. */
const CHECK_MS_MAX = 20_000;
const UNAVAILABLE = { detail: 'The database of the indexes is unavailable' };

const cluster = await openSearchIfPossible();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
}, START_MS_MAX);
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(cluster === undefined)('with one node', { timeout: TEST_MS_MAX }, () => {
  const { location, nodes } = cluster as OpenSearchCluster;
  const [node] = nodes as [(typeof nodes)[number]];

  /** A service with the indexes `hurt` and `good`, which have the same asset. */
  async function started() {
    const uri = location();
    const [, prefix = ''] = /\/([^/?]+)\?/.exec(uri.replace('//', '')) ?? [];
    const start = async () => {
      const server = await startSearch(folder, { INDEXSVC_INDEX_URI: uri }, 'auto', new Metrics());
      onTestFinished(() => server.stop());
      return server;
    };
    const server = await start();
    for (const name of ['hurt', 'good']) {
      await post(`${server.url}/indexes`, { name });
      expect((await post(`${server.url}/indexes/${name}/assets`, [randomAsset(1)])).status).toBe(201);
    }
    return { uri, prefix, server, start };
  }

  const search = ({ url }: RunningServer, index: string) =>
    post(`${url}/indexes/${index}/search`, { units: randomAsset(1).units });
  const json = async (url: string) => (await (await fetch(url)).json()) as unknown;
  const listed = ({ url }: RunningServer) => json(`${url}/indexes`);
  const readiness = ({ url }: RunningServer) => json(`${url}/readyz`);

  /** Sends a request to OpenSearch itself. */
  async function operate(method: string, target: string, body?: object): Promise<void> {
    const response = await fetch(node.url + target, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect([target, response.status, await response.text()]).toEqual([target, 200, expect.anything()]);
  }

  /** Deletes the index behind an alias. */
  async function deleteIndex(alias: string): Promise<void> {
    const [physical = ''] = Object.keys((await json(`${node.url}/${alias}`)) as object);
    await operate('DELETE', `/${physical}`);
  }

  async function expectGood(server: RunningServer): Promise<void> {
    const found = await search(server, 'good');
    const { global_matches: matches } = (await found.json()) as SearchResult;
    expect(matches.map(({ iscc_id }) => iscc_id)).toEqual([isccId(1)]);
  }

  test('a lost registry is not replaced by an empty one', async () => {
    const { prefix, server, start } = await started();
    await server.stop();
    await operate('DELETE', `/${prefix}-registry`);
    await expect(start()).rejects.toThrow(
      /the registry at .+ is missing, but \d+ parts of its indexes exist/,
    );
    const parts = (await json(
      `${node.url}/_cat/indices/${prefix}-*?format=json&h=index`,
    )) as readonly object[];
    expect(parts).toHaveLength(2);
    await operate('DELETE', `/${prefix}-u_*`);
    const empty = await start();
    expect(await listed(empty)).toEqual([]);
    await empty.stop();
    // As while another process creates it.
    await operate('DELETE', `/${prefix}-registry/_doc/registry`);
    expect(await listed(await start())).toEqual([]);
  });

  test('without an index in OpenSearch, the others serve, and it is named', async () => {
    const { prefix, server, start } = await started();
    await deleteIndex(`${prefix}-hurt-assets`);
    const reason = `${prefix}-hurt-assets is missing in OpenSearch`;
    const expectNamed = async (server: RunningServer) => {
      await expectGood(server);
      const refused = [
        await search(server, 'hurt'),
        await post(`${server.url}/indexes/hurt/assets`, [randomAsset(2)]),
        await fetch(`${server.url}/indexes/hurt`),
      ];
      for (const response of refused) {
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
        const { detail } = (await response.json()) as { readonly detail: string };
        expect(detail).toContain(`Index 'hurt' is damaged: ${reason}`);
        expect(detail).toContain('delete the index');
      }
      expect(await listed(server)).toEqual([
        expect.objectContaining({ name: 'good', assets: 1 }),
        { name: 'hurt', assets: 0, size: 0, state: 'damaged', reason },
      ]);
      expect(await readiness(server)).toEqual({ status: 'ready', damaged: { hurt: reason } });
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      expect(metrics).toContain('isccd_search_indexes{state="damaged"} 1');
    };
    await expectNamed(server);
    const restarted = await start();
    expect(await readiness(restarted)).toEqual({ status: 'ready', damaged: { hurt: reason } });
    await expectNamed(restarted);
    // The cure that the response names.
    expect((await fetch(`${server.url}/indexes/hurt`, { method: 'DELETE' })).status).toBe(204);
    await post(`${server.url}/indexes`, { name: 'hurt' });
    expect((await post(`${server.url}/indexes/hurt/assets`, [randomAsset(1)])).status).toBe(201);
    expect((await search(restarted, 'hurt')).status).toBe(200);
    for (const one of [server, restarted]) {
      await expect.poll(() => readiness(one), { timeout: CHECK_MS_MAX }).toEqual({ status: 'ready' });
    }
  });

  test('an index that is deleted in OpenSearch is named without a request', async () => {
    const { prefix, server } = await started();
    await deleteIndex(`${prefix}-hurt-assets`);
    const damaged = { hurt: `${prefix}-hurt-assets is missing in OpenSearch` };
    await expect
      .poll(() => readiness(server), { timeout: CHECK_MS_MAX })
      .toEqual({ status: 'ready', damaged });
  });

  test('without the list of the indexes, the service is not ready', async () => {
    const { prefix, server } = await started();
    await operate('DELETE', `/${prefix}-registry`);
    await expect
      .poll(() => readiness(server), { timeout: CHECK_MS_MAX })
      .toEqual({ status: 'not_ready', reason: 'database_unavailable', database: 'database_unavailable' });
  });

  test('writes to blocked indexes are 503, and reads go on', async () => {
    const { prefix, server } = await started();
    const add = () => post(`${server.url}/indexes/good/assets`, [randomAsset(2)]);
    await operate('PUT', `/${prefix}-*/_settings`, { 'index.blocks.write': true });
    for (const refused of [await add(), await post(`${server.url}/indexes`, { name: 'new' })]) {
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await refused.json()).toEqual(UNAVAILABLE);
    }
    await expectGood(server);
    expect(await readiness(server)).toEqual({ status: 'ready' });
    await operate('PUT', `/${prefix}-*/_settings`, { 'index.blocks.write': false });
    expect((await add()).status).toBe(201);
  });

  test.each([
    ['is blocked', 'PUT', '/_settings', { 'index.blocks.read': true }],
    ['is closed', 'POST', '/_close', undefined],
  ] as const)('an index that %s is 503, and the others serve', async (_what, method, target, body) => {
    const { prefix, server } = await started();
    await operate(method, `/${prefix}-hurt-*${target}`, body);
    for (const refused of [
      await search(server, 'hurt'),
      await fetch(`${server.url}/indexes/hurt/assets/${isccId(1)}`),
    ]) {
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await refused.json()).toEqual(UNAVAILABLE);
    }
    await expectGood(server);
    expect(await listed(server)).toEqual([
      expect.objectContaining({ name: 'good', assets: 1 }),
      expect.objectContaining({
        name: 'hurt',
        state: 'damaged',
        reason: expect.stringContaining('OpenSearch'),
      }),
    ]);
    expect(await readiness(server)).toMatchObject({ status: 'ready' });
  });

  test('a frozen node is noticed after seconds, with and without requests', async () => {
    const { server } = await started();
    const idle = await started();
    node.freeze();
    try {
      const startMs = performance.now();
      const notReady = expect
        .poll(async () => (await fetch(`${idle.server.url}/readyz`)).status, { timeout: CHECK_MS_MAX })
        .toBe(503);
      const refused = await Promise.all([
        fetch(`${server.url}/indexes/good/assets/${isccId(1)}`),
        fetch(`${server.url}/indexes`),
        fetch(`${server.url}/indexes/good`),
        search(server, 'good'),
      ]);
      expect(performance.now() - startMs).toBeLessThan(15_000);
      for (const response of refused) expect(response.status).toBe(503);
      await notReady;
    } finally {
      node.thaw();
    }
    await expect.poll(() => readiness(server), { timeout: CHECK_MS_MAX }).toEqual({ status: 'ready' });
    await expectGood(server);
  });
});
