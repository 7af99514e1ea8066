/** Standing queries over HTTP, on the engines that have them. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Entry, SearchResult } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { Metrics } from '../../src/platform/observe/metrics.js';
import { among } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { post, rows, startSearch } from './support/search-server.js';
import { nextEvents, shortOf } from './support/watch-stream.js';

const KEY = 'a secret of these tests, of more than enough characters';
/** Long enough for an event that must not come. */
const QUIET_MS = 1500;

let entries: readonly Entry[];
beforeAll(async () => {
  entries = (await rows<Entry>('assets.jsonl')).filter(({ units }) => units?.length === 4);
});

describe.each(among('memory', 'usearch', 'postgresql'))('on %s', (engine) => {
  let folder: string;
  let server: RunningServer;
  let client: SearchClient;
  const metrics = () => new Metrics();
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-watches-'));
    await start();
    await client.createIndex('ds');
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(environment: Record<string, string> = {}): Promise<void> {
    const variables = {
      INDEXSVC_INDEX_URI: indexUri(engine, path.join(folder, 'search')),
      INDEXSVC_WEBHOOK_KEY: KEY,
      ...environment,
    };
    server = await startSearch(folder, variables, 'auto', metrics(), new Set(['127.0.0.1']));
    client = new SearchClient(server.url);
  }

  const at = (id: string, index = 'ds') => `${server.url}/indexes/${index}/watches/${id}`;
  async function put(id: string, body: object, status = 201, index = 'ds'): Promise<Record<string, unknown>> {
    const response = await fetch(at(id, index), {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const found = (await response.json()) as Record<string, unknown>;
    expect([response.status, found]).toEqual([status, found]);
    return found;
  }

  const unitsOf = (entry: Entry | undefined) => entry?.units as string[];
  const idOf = (entry: Entry | undefined) => entry?.iscc_id as string;

  test('reports an asset that is added, updated or deleted once each, and not those before', async () => {
    const [one, other] = entries as [Entry, Entry];
    await client.addAssets('ds', [one]);
    await put('same', { query: { units: unitsOf(one) }, threshold: 1 });
    await client.addAssets('ds', [one]);
    await client.addAssets('ds', [other]);
    await client.deleteAsset('ds', idOf(one));
    await client.addAssets('ds', [one]);
    // Its content changes, so that it no longer matches.
    await client.addAssets('ds', [{ ...other, iscc_id: idOf(one) }]);
    await client.addAssets('ds', [{ ...other, iscc_id: idOf(one) }]);
    const events = await nextEvents(at('same'), 4, { quietMs: QUIET_MS });
    expect(events.map(shortOf)).toEqual([
      `asset.updated ${idOf(one)} true`,
      `asset.withdrawn ${idOf(one)} false`,
      `asset.added ${idOf(one)} true`,
      `asset.updated ${idOf(one)} false`,
    ]);
    expect(events[2]?.data.global_match).toMatchObject({ score: 1 });
    expect(events[2]?.data).toMatchObject({ index: 'ds', watch: 'same' });
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    // A stream continues after the last event that the client has.
    const rest = await nextEvents(at('same'), 2, { after: events[1]?.id as string });
    expect(rest).toEqual(events.slice(2));
  });

  test('reports what a search with the same query and parameters finds', { timeout: 60_000 }, async () => {
    const watched = entries.slice(0, 24);
    const kinds: { threshold?: number; min_score?: number; unit_types?: string[] }[] = [
      {},
      { threshold: 0.9 },
      { min_score: 0.95 },
      { unit_types: ['DATA_NONE_V0', 'META_NONE_V0'] },
    ];
    const watches = watched.map((entry, n) => ({
      id: `w${n}`,
      units: unitsOf(entry),
      ...kinds[n % kinds.length],
    }));
    for (const { id, units, ...settings } of watches) await put(id, { query: { units }, ...settings });
    await put('last', { query: { units: unitsOf(entries.at(-1)) }, threshold: 1 });
    await client.addAssets('ds', [...entries]);
    expect(await nextEvents(at('last'), 1)).toHaveLength(1);
    let total = 0;
    for (const { id, units, unit_types, ...settings } of watches) {
      const types = unit_types && { unit_types: unit_types.join() };
      const parameters = { limit: 10_000, metadata: false, ...settings, ...types };
      const result: SearchResult = await client.search('ds', { units }, parameters);
      const scores = result.global_matches.map(({ iscc_id, score }) => [iscc_id, score]).sort();
      const events = await nextEvents(at(id), scores.length);
      expect(events.map(({ data }) => [data.iscc_id, data.global_match?.score]).sort()).toEqual(scores);
      total += scores.length;
    }
    expect(total).toBeGreaterThan(watched.length);
  });

  test('reports each value of `once` once, whatever becomes of the asset', async () => {
    const [one, other] = entries as [Entry, Entry];
    const at1 = { ...one, metadata: { gateway: 'https://a.example/1' } };
    await put('once', { query: { units: unitsOf(one) }, threshold: 1, once: 'metadata.gateway' });
    await client.addAssets('ds', [{ ...one, metadata: { title: 'without' } }]);
    await client.addAssets('ds', [at1]);
    await client.addAssets('ds', [at1]);
    await client.deleteAsset('ds', idOf(one));
    // The same address under another id, and twice in a batch.
    await client.addAssets('ds', [{ ...at1, iscc_id: idOf(other) }, at1]);
    const at2 = { gateway: 'https://a.example/2' };
    await client.addAssets('ds', [
      { ...one, metadata: at2 },
      { ...at1, iscc_id: idOf(other), metadata: at2 },
    ]);
    await client.addAssets('ds', [{ ...other, metadata: { gateway: 'https://a.example/3' } }]);
    const events = await nextEvents(at('once'), 2, { quietMs: QUIET_MS });
    expect(events.map(({ data }) => data.value)).toEqual(['https://a.example/1', 'https://a.example/2']);
    await put('other', { query: { units: unitsOf(one) }, once: 'gateway' }, 422);
  });

  test('compares metadata, simprints and the content of another asset', async () => {
    const [one, other] = entries as [Entry, Entry];
    const simprint = 'AXvu5ksvE1s';
    await client.addAssets('ds', [one]);
    await put('german', { query: { units: unitsOf(one) }, filter: ['metadata.lang = "de"'] });
    await put('passage', { query: { simprints: { CONTENT_TEXT_V0: [simprint] } } });
    await put('same', { same_as: idOf(one) });
    const simprints = { CONTENT_TEXT_V0: [{ simprint, offset: 0, size: 10 }] };
    const copies = ['MAIGIIFJRDGEQQAA', 'MAIGIIFJRDGEQQAQ'].map((id) => ({ ...one, iscc_id: `ISCC:${id}` }));
    await client.addAssets('ds', [{ ...(copies[0] as Entry), metadata: { lang: 'de' } }]);
    await client.addAssets('ds', [{ ...(copies[1] as Entry), metadata: { lang: 'en' } }]);
    await client.addAssets('ds', [{ iscc_id: idOf(other), simprints }]);
    await client.addAssets('ds', [one]);
    const ids = async (watch: string, count: number) =>
      (await nextEvents(at(watch), count, { quietMs: QUIET_MS })).map(({ data }) => data.iscc_id);
    const [german, passage, same] = await Promise.all([ids('german', 1), ids('passage', 1), ids('same', 2)]);
    expect(german).toEqual([copies[0]?.iscc_id]);
    expect(passage).toEqual([idOf(other)]);
    expect(same).toEqual(copies.map(({ iscc_id }) => iscc_id));
  });

  test('sends events to a webhook, signed, and again after a failure', { timeout: 60_000 }, async () => {
    const [one] = entries as [Entry];
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(received.length === 1 ? 500 : 204).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => void receiver.close());
    const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { secret } = await put('hook', { query: { units: unitsOf(one) }, webhook });
    await client.addAssets('ds', [one]);
    await expect.poll(() => received.length, { timeout: 30_000 }).toBe(2);
    const [first, second] = received as [(typeof received)[0], (typeof received)[0]];
    expect(second.body).toBe(first.body);
    const [event] = await nextEvents(at('hook'), 1);
    expect(JSON.parse(first.body)).toEqual(event);
    const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature } = second.headers;
    const key = Buffer.from(String(secret).replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${seconds}.${second.body}`).digest('base64');
    expect([id, signature]).toEqual([event?.id, `v1,${expected}`]);
    const shown = async () => (await fetch(at('hook'))).json();
    await expect.poll(shown).toMatchObject({ webhook, delivery: { delivered: 1, failed: 1, waiting: 0 } });
    expect(await shown()).not.toHaveProperty('secret');
    // The same address keeps its secret.
    expect(await put('hook', { query: { units: unitsOf(one) }, webhook }, 200)).toMatchObject({ secret });
  });

  test('follows its index through renames and aliases, and ends with it', async () => {
    const [one, other] = entries as [Entry, Entry];
    await put('same', { query: { units: unitsOf(one) }, threshold: 1 });
    await client.putAlias('live', 'ds');
    await client.addAssets('live', [one]);
    await client.renameIndex('ds', 'renamed');
    await client.addAssets('live', [one]);
    await client.createIndex('ds');
    await client.putAlias('live', 'ds');
    await client.addAssets('live', [one]);
    await client.addAssets('renamed', [other]);
    await client.deleteAsset('renamed', idOf(one));
    const events = await nextEvents(at('same', 'renamed'), 3, { quietMs: QUIET_MS });
    expect(events.map(shortOf)).toEqual([
      `asset.added ${idOf(one)} true`,
      `asset.updated ${idOf(one)} true`,
      `asset.withdrawn ${idOf(one)} false`,
    ]);
    expect((await fetch(at('same'))).status).toBe(404);
    const stream = await fetch(`${at('same', 'renamed')}/events`);
    await client.deleteIndex('renamed');
    expect(await stream.text()).toContain(events[2]?.id);
    await client.createIndex('renamed');
    expect(await (await fetch(`${server.url}/indexes/renamed/watches`)).json()).toEqual({
      watches: [],
      next: null,
    });
  });

  test('is listed, read, replaced and deleted', async () => {
    const [one, other] = entries as [Entry, Entry];
    const units = unitsOf(one);
    const made = await put('b', { query: { units }, threshold: 0.9 });
    expect(made).toMatchObject({ id: 'b', query: { units }, threshold: 0.9 });
    await put('a', { same_as: idOf(one) }, 404);
    await put('a', { query: { units: unitsOf(other) } });
    const list = async (query = '') =>
      (await (await fetch(`${server.url}/indexes/ds/watches${query}`)).json()) as {
        watches: { id: string }[];
      };
    expect(await list()).toMatchObject({ watches: [{ id: 'a' }, { id: 'b' }], next: null });
    expect(await list('?limit=1')).toMatchObject({ watches: [{ id: 'a' }], next: 'a' });
    expect(await list('?after=a')).toMatchObject({ watches: [made], next: null });
    await put('b', { query: { units: unitsOf(other) } }, 200);
    await client.addAssets('ds', [one, other]);
    const ids = (await nextEvents(at('b'), 1)).map(({ data }) => data.iscc_id);
    expect(ids).toEqual([idOf(other)]);
    expect((await fetch(at('b'), { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(at('b'))).status).toBe(404);
    expect((await fetch(at('b'), { method: 'DELETE' })).status).toBe(404);
    expect((await fetch(`${at('b')}/events`)).status).toBe(404);
    expect(await list()).toMatchObject({ watches: [{ id: 'a' }] });
  });

  test('refuses what breaks a rule, and says which', async () => {
    const units = unitsOf(entries[0]);
    const query = { units };
    const cases: [string, object, number, RegExp][] = [
      ['x', {}, 422, /one of query, same_as and quarantine/],
      ['x', { query, same_as: idOf(entries[0]) }, 422, /one of query, same_as and quarantine/],
      ['x', { query, treshold: 1 }, 422, /treshold/],
      ['x', { query, threshold: 2 }, 422, /threshold/],
      ['x', { query, threshold: 0.1 }, 400, /threshold/],
      ['x', { query, filter: ['lang'] }, 422, /lang/],
      ['x', { query: {} }, 400, /./],
      ['x', { query: { units: ['ISCC:AAAA'] } }, 400, /./],
      ['x', { query, webhook: 'http://example.org/' }, 422, /https/],
      ['x', { query, webhook: 'https://10.0.0.1/' }, 422, /not a public address/],
      ['x'.repeat(65), { query }, 422, /1 to 64 letters/],
    ];
    for (const [id, body, status, reason] of cases) {
      const found = await put(id, body, status);
      expect(JSON.stringify(found)).toMatch(reason);
    }
    await put('x', { query }, 404, 'other');
    const empty = await fetch(at('x'), { method: 'PUT', body: '{' });
    expect([empty.status, await empty.text()]).toEqual([400, expect.stringContaining('not JSON')]);
    await server.stop();
    await start({ INDEXSVC_WATCHES_MAX: '1', INDEXSVC_WEBHOOK_KEY: '' });
    if (engine === 'memory') await client.createIndex('ds');
    expect(JSON.stringify(await put('x', { query, webhook: 'https://example.org/' }, 400))).toMatch(
      /INDEXSVC_WEBHOOK_KEY/,
    );
    await put('x', { query });
    await put('x', { query }, 200);
    expect(JSON.stringify(await put('y', { query }, 409))).toMatch(/INDEXSVC_WATCHES_MAX/);
  });

  test('needs the rights of its key', async () => {
    await server.stop();
    await start({ INDEXSVC_API_SECRET: 'key' });
    expect((await fetch(at('x'))).status).toBe(401);
    expect((await fetch(at('x'), { method: 'PUT', body: '{}' })).status).toBe(401);
    expect((await fetch(`${at('x')}/events`)).status).toBe(401);
    expect((await post(`${server.url}/indexes`, { name: 'other' }, { 'X-API-Key': 'key' })).status).toBe(201);
  });

  test('has metrics', async () => {
    const [one] = entries as [Entry];
    await put('same', { query: { units: unitsOf(one) } });
    await client.addAssets('ds', [one]);
    await nextEvents(at('same'), 1);
    const shown = await (await fetch(`${server.url}/metrics`)).text();
    for (const line of [
      'isccd_search_watches 1',
      'isccd_search_watch_events_total 1',
      'isccd_search_watch_changes 0',
      'isccd_search_watch_lag_seconds 0',
      'isccd_search_webhook_waiting 0',
    ])
      expect(shown).toContain(line);
  });
});

describe.each(among('lmdb', 'opensearch'))('on %s', (engine) => {
  test('every request for a watch is refused with the reason', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-watches-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const server = await startSearch(folder, {
      INDEXSVC_INDEX_URI: indexUri(engine, path.join(folder, 'search')),
    });
    onTestFinished(() => server.stop());
    await post(`${server.url}/indexes`, { name: 'ds' });
    const all = `${server.url}/indexes/ds/watches`;
    const json = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: { units: entries[0]?.units } });
    const responses = await Promise.all([
      fetch(`${all}/w`, { method: 'PUT', headers: json, body }),
      fetch(all),
      fetch(`${all}/w`),
      fetch(`${all}/w/events`),
      fetch(`${all}/w`, { method: 'DELETE' }),
    ]);
    for (const response of responses) {
      const { detail } = (await response.json()) as { detail: string };
      expect([response.status, detail]).toEqual([
        400,
        expect.stringContaining('cannot be watched; use a folder'),
      ]);
    }
  });
});
