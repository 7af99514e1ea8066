/** Indexes in OpenSearch: the responses are those of the local engine, for all instances, whatever happens to the node. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry, SearchResult } from '../../src/client/search-api.js';
import type { RunningServer } from '../../src/http/server.js';
import { clusterProblem } from '../../src/services/search/opensearch/check.js';
import { OpenSearchEngine } from '../../src/services/search/opensearch/engine.js';
import { MAPPING_VERSION, META } from '../../src/services/search/opensearch/mapping.js';
import { type OpenSearchCluster, openSearchIfPossible } from '../support/opensearch.js';
import { isccId, randomAsset } from './support/random-assets.js';
import { addCollection, post, rows, startSearch } from './support/search-server.js';

const START_MS_MAX = 600_000;
const WAIT_MS_MAX = 60_000;

const cluster = await openSearchIfPossible();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
}, START_MS_MAX);
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Query {
  readonly method?: string;
  readonly limit?: number;
  readonly body: object;
}

/** Sends the same request to several servers and returns their responses. */
async function responses(servers: readonly RunningServer[], send: (url: string) => Promise<Response>) {
  const all = await Promise.all(servers.map(({ url }) => send(url)));
  return Promise.all(all.map(async (response) => ({ status: response.status, text: await response.text() })));
}

describe.skipIf(cluster === undefined)('with one node', () => {
  const { location, nodes } = cluster as OpenSearchCluster;
  let uri: string;
  let local: RunningServer;
  let first: RunningServer;
  let second: RunningServer;
  beforeAll(async () => {
    uri = location();
    const start = (INDEXSVC_INDEX_URI: string) => startSearch(folder, { INDEXSVC_INDEX_URI });
    local = await start(`usearch://${path.join(folder, 'local')}`);
    [first, second] = [await start(uri), await start(uri)];
    return async () => {
      for (const server of [local, first, second]) await server.stop();
    };
  }, START_MS_MAX);

  test('searches respond byte for byte as those of the local engine', async () => {
    for (const { url } of [local, first]) await addCollection(url, 'ds');
    const queries = (await rows<Query>('queries.jsonl')).filter(({ method }) => method !== 'GET');
    let compared = 0;
    for (const { body, limit = 100 } of queries) {
      const [expected, found] = await responses([local, second], (url) =>
        post(`${url}/indexes/ds/search?limit=${limit}`, body),
      );
      expect(found, JSON.stringify(body)).toEqual(expected);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(10);
    const [{ units }] = (await rows<Entry>('assets.jsonl')) as [Entry];
    for (const parameters of [
      'explain=true',
      'cursor=*',
      'min_score=0.9',
      'threshold=0.9',
      'unit_types=DATA_NONE_V0',
    ]) {
      const [expected, found] = await responses([local, first], (url) =>
        post(`${url}/indexes/ds/search?${parameters}`, { units }),
      );
      expect(found, parameters).toEqual(expected);
    }
  }, 300_000);

  test('assets, pages and errors are those of the local engine', async () => {
    const assets = await rows<Entry>('assets.jsonl');
    const [one] = assets as [Entry];
    const requests: ((url: string) => Promise<Response>)[] = [
      (url) => fetch(`${url}/indexes/ds/assets/${one.iscc_id}`),
      (url) => fetch(`${url}/indexes/ds/assets?limit=7`),
      (url) => fetch(`${url}/indexes/ds/assets?limit=7&after=${one.iscc_id}`),
      (url) => fetch(`${url}/indexes/ds/assets?limit=7&filter=a=1`),
      (url) => fetch(`${url}/indexes/ds/assets?filter=metadata.a%20exists`),
      (url) => fetch(`${url}/indexes/ds/assets?limit=0`),
      (url) => fetch(`${url}/indexes/ds/assets`, { headers: { Accept: 'application/x-ndjson' } }),
      (url) => fetch(`${url}/indexes/ds/paths`),
      (url) => fetch(`${url}/indexes/ds/assets/${isccId(9)}`),
      (url) => fetch(`${url}/indexes/ds/assets/x`),
      (url) => fetch(`${url}/indexes/none`),
      (url) => fetch(`${url}/indexes/constructor`),
      (url) => fetch(`${url}/indexes/none/assets`),
      (url) => post(`${url}/indexes/none/search`, { units: one.units }),
      (url) => post(`${url}/indexes/ds/search`, { iscc_id: isccId(9) }),
      (url) => post(`${url}/indexes/ds/search`, { units: [] }),
      (url) => post(`${url}/indexes/ds/assets`, [{ iscc_id: one.iscc_id }]),
      (url) => post(`${url}/indexes/ds/assets`, [{ iscc_id: 1 }]),
      (url) => post(`${url}/indexes/none/assets`, []),
      (url) => post(`${url}/indexes`, { name: 'ds' }),
      (url) => post(`${url}/indexes`, { name: 'X' }),
      (url) => fetch(`${url}/aliases/none`),
      (url) => fetch(`${url}/indexes/none`, { method: 'DELETE' }),
    ];
    for (const [at, request] of requests.entries()) {
      const [expected, found] = await responses([local, second], request);
      expect(found, `request ${at}`).toEqual(expected);
    }
  });

  test('names and aliases are those that any instance has acknowledged', async () => {
    const put = (url: string, alias: string, index: string) =>
      fetch(`${url}/aliases/${alias}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ index }),
      });
    const steps: ((url: string) => Promise<Response>)[] = [
      (url) => post(`${url}/indexes`, { name: 'a' }),
      (url) => put(url, 'now', 'a'),
      (url) => put(url, 'a', 'ds'),
      (url) => put(url, 'now2', 'now'),
      (url) => fetch(`${url}/aliases`),
      (url) => post(`${url}/indexes/now/assets`, [randomAsset(1)]),
      (url) => fetch(`${url}/indexes/now/assets/${isccId(1)}`),
      (url) => fetch(`${url}/indexes/a`, { method: 'DELETE' }),
      (url) => post(`${url}/indexes/a/rename`, { name: 'b' }),
      (url) => post(`${url}/indexes/now/search`, { iscc_id: isccId(1) }),
      (url) => fetch(`${url}/indexes/a/assets/${isccId(1)}`),
      (url) => fetch(`${url}/aliases/now`, { method: 'DELETE' }),
      (url) => fetch(`${url}/indexes/b`, { method: 'DELETE' }),
      (url) => fetch(`${url}/indexes/b`),
      (url) => post(`${url}/indexes`, { name: 'b' }),
      (url) => fetch(`${url}/indexes/b/assets/${isccId(1)}`),
      (url) => fetch(`${url}/indexes/b`, { method: 'DELETE' }),
    ];
    const sizeless = (text: string) => text.replace(/,"size":\d+(,"sizes":\{[^}]*\})?/g, '');
    for (const [at, step] of steps.entries()) {
      // The instances take turns.
      const [expected, found] = await responses([local, at % 2 === 0 ? first : second], step);
      expect([found?.status, sizeless(found?.text ?? '')], `step ${at}`).toEqual([
        expected?.status,
        sizeless(expected?.text ?? ''),
      ]);
    }
  });

  test('concurrent changes of the same assets by two instances end as one after the other', async () => {
    await post(`${first.url}/indexes`, { name: 'race' });
    const ids = Array.from({ length: 5 }, (_, at) => at);
    const versions = Array.from({ length: 6 }, (_, at) => at);
    await Promise.all(
      versions.map(async (version) => {
        const { url } = version % 2 === 0 ? first : second;
        const batch = ids.map((id) => ({ ...randomAsset(100 * version + id), iscc_id: isccId(id) }));
        expect((await post(`${url}/indexes/race/assets`, batch)).status).toBe(201);
      }),
    );
    for (const id of ids) {
      const stored = (await (await fetch(`${first.url}/indexes/race/assets/${isccId(id)}`)).json()) as Entry;
      const version = versions.find((one) => randomAsset(100 * one + id).units?.[0] === stored.units?.[0]);
      expect(stored.units).toEqual(randomAsset(100 * (version as number) + id).units);
      for (const other of versions) {
        const { units = [] } = randomAsset(100 * other + id);
        const response = await post(`${second.url}/indexes/race/search`, { units });
        const { global_matches: matches } = (await response.json()) as SearchResult;
        const found = matches.filter(({ iscc_id }) => iscc_id === isccId(id)).map(({ score }) => score);
        expect(found).toEqual(other === version ? [1] : []);
      }
    }
  });

  test('what it cannot do is refused with a sentence', async () => {
    const refusals = await Promise.all([
      fetch(`${first.url}/indexes/ds/paths`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: '{"paths":["a"]}',
      }),
      post(`${first.url}/indexes/ds/search?exact=true`, { units: randomAsset(1).units }),
      post(`${first.url}/indexes/ds/search?not_in=race`, { units: randomAsset(1).units }),
    ]);
    for (const refusal of refusals) {
      expect(refusal.status).toBe(400);
      expect(((await refusal.json()) as { detail: string }).detail).toMatch(/OpenSearch/);
    }
  });

  test('a start removes what a creation that did not end has left, and nothing else', async () => {
    const [node] = nodes as [(typeof nodes)[number]];
    const [, prefix = ''] = /\/([^/?]+)\?/.exec(uri.replace('//', '')) ?? [];
    const stored = async () => {
      const response = await fetch(`${node.url}/_cat/indices/${prefix}-*?format=json&h=index`);
      return ((await response.json()) as readonly { readonly index: string }[]).map(({ index }) => index);
    };
    const before = await stored();
    const [old, young] = ['old', 'young'].map((_, at) => `${prefix}-u_0123456789a${at}-assets-1`);
    const hoursAgo = Date.now() - 2 * 60 * 60_000;
    for (const [index, settings] of [
      [old, { 'index.creation_date': hoursAgo }],
      [young, {}],
    ]) {
      const created = await fetch(`${node.url}/${index}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ settings, mappings: { _meta: { [META]: MAPPING_VERSION } } }),
      });
      expect([created.status, await created.text()]).toEqual([200, expect.anything()]);
    }
    await (await OpenSearchEngine.open({ location: uri, engine: {}, log: undefined })).close();
    expect((await stored()).toSorted()).toEqual([...before, young].toSorted());
  });

  test('check config names what is wrong', async () => {
    expect(await clusterProblem(uri, undefined)).toBeUndefined();
    expect(await clusterProblem(`${uri.split('?')[0]}?replicas=1`, undefined)).toMatch(
      /1 data nodes, too few/,
    );
    expect(await clusterProblem(`${uri}&x=1`, undefined)).toMatch(/shards and replicas, not x/);
    expect(await clusterProblem('opensearch+http://user:geheim@127.0.0.1:1/x', undefined)).toMatch(
      /^opensearch\+http:\/\/user@127\.0\.0\.1:1\/x cannot be used: /,
    );
  });

  test(
    'without the node, requests are 503 with Retry-After until it is back',
    async () => {
      const [node] = nodes as [(typeof nodes)[number]];
      await node.kill();
      const asset = [randomAsset(7)];
      const refused = await Promise.all([
        post(`${first.url}/indexes/ds/assets`, asset),
        post(`${first.url}/indexes/ds/search`, { units: asset[0]?.units }),
        fetch(`${first.url}/indexes`),
      ]);
      for (const response of refused) {
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
        expect(await response.json()).toEqual({ detail: 'The database of the indexes is unavailable' });
      }
      const ready = await fetch(`${first.url}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([
        503,
        expect.stringContaining('database_unavailable'),
      ]);
      await node.start();
      const deadline = Date.now() + WAIT_MS_MAX;
      while ((await fetch(`${first.url}/readyz`)).status !== 200) {
        expect(Date.now()).toBeLessThan(deadline);
        await pause(100);
      }
      let added = await post(`${first.url}/indexes/ds/assets`, asset);
      // The shards open a moment later than the node.
      for (; added.status === 503 && Date.now() < deadline; await pause(200))
        added = await post(`${first.url}/indexes/ds/assets`, asset);
      expect(added.status).toBe(201);
      const found = await post(`${second.url}/indexes/ds/search`, { units: asset[0]?.units });
      expect(((await found.json()) as SearchResult).global_matches.map(({ score }) => score)).toEqual([1]);
    },
    START_MS_MAX,
  );
});
