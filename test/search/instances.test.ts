/** Several instances of the service on one PostgreSQL: each sees what any of them has acknowledged. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Entry, SearchResult } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { Metrics } from '../../src/platform/observe/metrics.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { post, rows, startSearch } from './support/search-server.js';

const LINES = 'application/x-ndjson';

let postgres: PostgresServer;
let entries: readonly Entry[];
beforeAll(async () => {
  postgres = await startPostgres();
  entries = (await rows<Entry>('assets.jsonl')).filter(({ units }) => units?.length === 4);
  return () => postgres.stop();
});

let folder: string;
let location: string;
let servers: RunningServer[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-instances-'));
  location = await postgres.createDatabase();
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function start(
  name: string,
  environment: Record<string, string> = {},
  metrics?: Metrics,
): Promise<SearchClient> {
  const variables = { INDEXSVC_INDEX_URI: location, ...environment };
  const server = await startSearch(path.join(folder, name), variables, 'auto', metrics);
  servers.push(server);
  return new SearchClient(server.url);
}
const urlOf = (at: number) => servers[at]?.url as string;

/** All assets of an index, as one text. */
async function exported(url: string, index: string): Promise<string> {
  const response = await fetch(`${url}/indexes/${index}/assets`, { headers: { Accept: LINES } });
  expect(response.status).toBe(200);
  return response.text();
}

async function expectEqual(index: string): Promise<string> {
  const [first, ...others] = await Promise.all(servers.map(({ url }) => exported(url, index)));
  for (const other of others) expect(other).toBe(first);
  return first as string;
}

async function found(url: string, { units }: Entry): Promise<readonly string[]> {
  const response = await post(`${url}/indexes/ds/search`, { units });
  expect(response.status).toBe(200);
  return ((await response.json()) as SearchResult).global_matches.map(({ iscc_id }) => iscc_id);
}

test('a read sees what another instance has acknowledged just before', async () => {
  const [one, two] = [await start('one'), await start('two')];
  await one.createIndex('ds');
  for (const [at, entry] of entries.slice(0, 30).entries()) {
    const [writer, reader] = at % 2 === 0 ? [one, two] : [two, one];
    expect(await writer.addAssets('ds', [entry])).toEqual([{ iscc_id: entry.iscc_id, status: 'created' }]);
    expect(await reader.getAsset('ds', entry.iscc_id as string)).toEqual(entry);
    const result = await reader.search('ds', { units: entry.units as string[] });
    expect(result.global_matches.map(({ iscc_id }) => iscc_id)).toContain(entry.iscc_id);
    expect(await reader.addAssets('ds', [entry])).toEqual([{ iscc_id: entry.iscc_id, status: 'updated' }]);
  }
  const [first] = entries;
  await two.deleteAsset('ds', first?.iscc_id as string);
  await expect(one.getAsset('ds', first?.iscc_id as string)).rejects.toMatchObject({ status: 404 });
  await expectEqual('ds');
});

/** Searches that the engine of an instance has run. */
async function searchesOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const counts = [...metrics.matchAll(/^isccd_search_searches_total\{.*\} (\d+)$/gm)];
  expect(counts.length).toBeGreaterThan(0);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test('a search that runs while the database is asked is repeated if another instance has changed the indexes', async () => {
  const [one] = [await start('one'), await start('two', {}, new Metrics())];
  await one.createIndex('ds');
  const [before, rounds] = [await searchesOf(urlOf(1)), entries.slice(0, 30)];
  for (const entry of rounds) {
    const id = entry.iscc_id as string;
    // Nothing has changed since the last search, so that the next one begins at once.
    await found(urlOf(1), entry);
    await one.addAssets('ds', [entry]);
    expect(await found(urlOf(1), entry)).toContain(id);
    await found(urlOf(1), entry);
    await one.deleteAsset('ds', id);
    expect(await found(urlOf(1), entry)).not.toContain(id);
  }
  const repeated = (await searchesOf(urlOf(1))) - before - 4 * rounds.length;
  // Some changes were read by the poll before the search.
  expect(repeated).toBeGreaterThan(rounds.length / 2);
});

test('an instance that missed large changes gets them in pages', { timeout: 120_000 }, async () => {
  const one = await start('one');
  await one.createIndex('ds');
  await start('two');
  await expectEqual('ds');
  await servers.pop()?.stop();
  // More bytes than a page has, with a deleted asset and small ones in between.
  const large = entries.slice(0, 60).map((entry, at) => ({
    ...entry,
    metadata: { text: 'ä"'.repeat(at % 3 === 0 ? 700_000 : 10) },
  }));
  for (const entry of large) await one.addAssets('ds', [entry]);
  const [first] = large;
  await one.deleteAsset('ds', first?.iscc_id as string);
  await start('two');
  await expect.poll(async () => (await fetch(`${urlOf(1)}/readyz`)).status, { timeout: 60_000 }).toBe(200);
  expect((await expectEqual('ds')).length).toBeGreaterThan(20_000_000);
});

test('names, aliases, paths and deletions are the same in all instances', async () => {
  const [one, two] = [await start('one'), await start('two')];
  await one.createIndex('ds');
  await expect(two.createIndex('ds')).rejects.toMatchObject({ status: 409 });
  await two.addAssets('ds', entries.slice(0, 3));
  await two.putAlias('live', 'ds');
  expect(await one.listAliases()).toEqual([{ name: 'live', index: 'ds' }]);
  expect(await one.getIndex('live')).toMatchObject({ name: 'ds', assets: 3 });
  await expect(one.deleteIndex('ds')).rejects.toMatchObject({ status: 409 });
  await one.renameIndex('ds', 'other');
  expect(await two.getIndex('live')).toMatchObject({ name: 'other', assets: 3 });
  await two.createIndex('ds');
  await two.addAssets('ds', entries.slice(5, 6));
  // Two indexes exchange their names while the first instance looks away.
  await two.renameIndex('ds', 'third');
  await two.renameIndex('other', 'ds');
  await two.renameIndex('third', 'other');
  expect(await one.getIndex('ds')).toMatchObject({ assets: 3 });
  expect(await one.getIndex('other')).toMatchObject({ assets: 1 });
  expect(await one.listAliases()).toEqual([{ name: 'live', index: 'ds' }]);
  await one.putPaths('ds', ['metadata.lang']);
  expect((await two.getPaths('ds')).paths.map(({ path }) => path)).toEqual(['metadata.lang']);
  await two.deleteAlias('live');
  await two.deleteIndex('ds');
  await expect(one.addAssets('ds', entries.slice(0, 1))).rejects.toMatchObject({ status: 404 });
  await one.createIndex('ds');
  expect(await two.getIndex('ds')).toMatchObject({ assets: 0 });
});

test('concurrent writers of the same assets leave one state, and each batch is there completely or not at all', async () => {
  const clients = [await start('one'), await start('two'), await start('three')];
  await clients[0]?.createIndex('ds');
  const batches = Array.from({ length: 24 }, (_, batch) =>
    entries.slice(0, 10).map((entry) => ({ ...entry, metadata: { batch } })),
  );
  const writes = batches.map((batch, at) => clients[at % 3]?.addAssets('ds', batch));
  const deletions = entries
    .slice(0, 10)
    .map(({ iscc_id }, at) => clients[at % 3]?.deleteAssets('ds', [iscc_id as string]));
  let isDone = false;
  const torn = (async () => {
    for (let reads = 0; !isDone; reads += 1) {
      const lines = (await exported(urlOf(reads % 3), 'ds')).split('\n').filter(Boolean);
      const seen = new Set(lines.map((line) => (JSON.parse(line) as Entry).metadata?.batch));
      if (lines.length === 10) expect(seen.size).toBe(1);
    }
  })();
  await Promise.all([...writes, ...deletions]);
  isDone = true;
  await torn;
  await expectEqual('ds');
});

describe('the cache', () => {
  test('is brought up to date at the next start, and loaded again if it is missing or of another database', async () => {
    const one = await start('one');
    await start('two');
    await one.createIndex('ds');
    await one.createIndex('gone');
    await one.addAssets('ds', entries.slice(0, 100));
    await servers.pop()?.stop();
    await one.addAssets('ds', entries.slice(50, 150));
    await one.deleteAssets('ds', [entries[0]?.iscc_id as string]);
    await one.deleteIndex('gone');
    await one.renameIndex('ds', 'renamed');
    await one.createIndex('ds');
    await one.addAssets('ds', entries.slice(0, 1));
    await start('two');
    await start('three');
    expect((await expectEqual('renamed')).split('\n')).toHaveLength(150);
    await expectEqual('ds');
    // A cache of another database.
    await servers.pop()?.stop();
    location = await postgres.createDatabase();
    const other = await start('three');
    expect(await other.listIndexes()).toEqual([]);
    expect(await readdir(path.join(folder, 'three', 'search-cache'))).not.toContain('ds');
  });

  test('is loaded again if the changes since it was used are gone', async () => {
    const one = await start('one');
    await start('two');
    await one.createIndex('ds');
    await one.addAssets('ds', entries.slice(0, 20));
    await expectEqual('ds');
    await servers.pop()?.stop();
    await one.addAssets('ds', entries.slice(20, 30));
    await one.addAssets('ds', entries.slice(30, 40));
    const client = new pg.Client({ connectionString: location });
    await client.connect();
    // All but the last one, as when the feed is truncated: without that, the running instance loads everything again, too.
    await client.query('update isccd_search.feed set forgotten = sequence - 1');
    await client.query(
      'delete from isccd_search.changes where sequence < (select sequence from isccd_search.feed)',
    );
    await client.end();
    await start('two');
    expect((await expectEqual('ds')).split('\n')).toHaveLength(41);
  });

  test('keeps simprints and their types over a load', async () => {
    const one = await start('one');
    await one.createIndex('ds');
    const [first, second] = entries as [Entry, Entry];
    const simprint = (text: string) => [{ simprint: text, offset: 0, size: 9 }];
    await one.addAssets('ds', [
      { ...second, simprints: { ZULU: simprint('AAAAAAAAAAAAAAAAAAAAAA') } },
      {
        ...first,
        simprints: { ALFA: simprint('BBBBBBBBBBBBBBBBBBBBBA'), ZULU: simprint('AAAAAAAAAAAAAAAAAAAAAA') },
      },
    ]);
    await one.addAssets('ds', [{ ...first, simprints: { ALFA: null } }] as unknown as Entry[]);
    const two = await start('two');
    const body = { simprints: { ZULU: simprint('AAAAAAAAAAAAAAAAAAAAAA') } };
    const answers = await Promise.all(
      servers.map(async ({ url }) => (await post(`${url}/indexes/ds/search`, body)).text()),
    );
    expect(answers[1]).toBe(answers[0]);
    expect(answers[0]).toContain(first.iscc_id);
    await two.addAssets('ds', [first]);
    await expectEqual('ds');
  });
});

/** A metric of the first instance. */
async function metric(name: string): Promise<number> {
  const metrics = await (await fetch(`${urlOf(0)}/metrics`)).text();
  const [, value] = new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(metrics) ?? [];
  return Number(value);
}

test('reads are answered for a while without the database, then refused; all recovers by itself', async () => {
  const staleness = { INDEXSVC_STALENESS_MAX_S: '2' };
  const [one, two] = [await start('one', staleness, new Metrics()), await start('two')];
  const [first, second] = entries as [Entry, Entry];
  await one.createIndex('ds');
  await two.addAssets('ds', [first]);
  expect(await found(urlOf(0), first)).toContain(first.iscc_id);
  expect(await metric('isccd_search_database_unavailable')).toBe(0);
  expect(await metric('isccd_search_cache_age_seconds')).toBeLessThan(60);
  await postgres.halt();
  const stale = await post(`${urlOf(0)}/indexes/ds/search`, { units: first.units });
  expect(stale.status).toBe(200);
  expect(stale.headers.get('isccd-stale')).toMatch(/^[123]$/);
  expect(await stale.text()).toContain(first.iscc_id);
  const absent = await fetch(`${urlOf(0)}/indexes/ds/assets/${entries[29]?.iscc_id}`);
  expect([absent.status, absent.headers.has('isccd-stale')]).toEqual([404, true]);
  const refused = await post(`${urlOf(0)}/indexes/ds/assets`, [second]);
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { detail: 'The database of the indexes is unavailable' },
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  // It notices at its next poll.
  const ready = async () => {
    const response = await fetch(`${urlOf(1)}/readyz`);
    return [response.status, await response.json()];
  };
  await expect.poll(ready).toMatchObject([200, { database: 'database_unavailable' }]);
  const search = () => post(`${urlOf(0)}/indexes/ds/search`, { units: first.units });
  await expect.poll(async () => (await search()).status, { timeout: 10_000 }).toBe(503);
  expect((await search()).headers.get('retry-after')).toBeTruthy();
  expect((await fetch(`${urlOf(0)}/readyz`)).status).toBe(503);
  expect(await metric('isccd_search_database_unavailable')).toBe(1);
  expect(await metric('isccd_search_cache_age_seconds')).toBeGreaterThan(2);
  // The second instance still answers: its limit is 30 s.
  expect((await post(`${urlOf(1)}/indexes/ds/search`, { units: first.units })).status).toBe(200);
  await postgres.start();
  await expect.poll(async () => (await search()).status, { timeout: 10_000 }).toBe(200);
  expect((await search()).headers.get('isccd-stale')).toBeNull();
  await expect
    .poll(async () => (await post(`${urlOf(1)}/indexes/ds/assets`, [second])).status, { timeout: 10_000 })
    .toBe(201);
  expect(await found(urlOf(0), second)).toContain(second.iscc_id);
  expect((await fetch(`${urlOf(0)}/readyz`)).status).toBe(200);
  expect(await metric('isccd_search_database_unavailable')).toBe(0);
}, 60_000);

test('a synchronous standby takes over from a killed primary without a restart or a lost write', async () => {
  const server = await startPostgres();
  const standby = await server.addStandby();
  onTestFinished(async () => {
    await standby.stop();
    await server.stop();
  });
  location = `${standby.urlOfBoth(await server.createDatabase())}&target_session_attrs=read-write`;
  const [one] = [await start('one'), await start('two')];
  await one.createIndex('ds');
  const acknowledged: string[] = [];
  let [next, isOver] = [0, false];
  const writer = async (at: number) => {
    while (!isOver && next < entries.length) {
      const entry = entries[next] as Entry;
      next += 1;
      const response = await post(`${urlOf(at)}/indexes/ds/assets`, [entry]);
      expect([201, 503]).toContain(response.status);
      if (response.status === 201) acknowledged.push(entry.iscc_id as string);
      else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const writers = [writer(0), writer(1), writer(0), writer(1)];
  await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(20);
  await server.kill();
  const before = acknowledged.length;
  await standby.promote();
  await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(before + 20);
  isOver = true;
  await Promise.all(writers);
  // Until an instance has found the new primary, it answers from memory and says so.
  for (const at of [0, 1]) {
    const ready = async () => (await fetch(`${urlOf(at)}/readyz`)).json();
    await expect.poll(ready, { timeout: 20_000 }).toEqual({ status: 'ready' });
  }
  const lines = await expectEqual('ds');
  const stored = new Set(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as Entry).iscc_id),
  );
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
}, 90_000);
