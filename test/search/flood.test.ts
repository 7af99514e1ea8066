/** The flood guard over HTTP, on the engines that have it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Entry, QuarantinedUnit, SearchResult } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { readSearchConfig } from '../../src/platform/config/search.js';
import { Metrics } from '../../src/platform/observe/metrics.js';
import { LEARNING_WINDOWS } from '../../src/services/search/flood/counts.js';
import { among } from './support/engines.js';
import { indexUri, located } from './support/locations.js';
import { post, rows, startSearch } from './support/search-server.js';
import { nextEvents } from './support/watch-stream.js';

const GUARD = { INDEXSVC_FLOOD_GUARD: '20', INDEXSVC_FLOOD_WINDOW_S: '1' };
/** After it, the guard knows the past. */
const LEARNT_MS = (LEARNING_WINDOWS + 1) * 1000;
/** In one window more than the guard allows of a unit without a past, also if a busy machine takes several. */
const BURST = 1000;
const TIMEOUT_MS = 120_000;

const entries = (await rows<Entry>('assets.jsonl')).filter(({ units }) => units?.length === 4);
const [one, two, three] = entries as [Entry, Entry, Entry];
const unitsOf = (entry: Entry) => entry.units as string[];
const contentOf = (entry: Entry) => unitsOf(entry)[1] as string;
const idsOf = ({ global_matches }: SearchResult) => global_matches.map(({ iscc_id }) => iscc_id);
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Searches with the same query, each of which is an answer. */
async function burstOf(url: string, units: readonly string[], count: number): Promise<void> {
  const queries = Array.from({ length: count }, () => ({ units: [...units] }));
  const response = await post(`${url}/indexes/ds/searches?limit=10`, queries);
  expect((await response.json()) as unknown[]).toHaveLength(count);
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text();
}

describe.each(among('memory', 'usearch', 'postgresql'))('on %s', (engine) => {
  let folder: string;
  let server: RunningServer;
  let client: SearchClient;
  let startedMs: number;
  const metrics = () => new Metrics();
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-flood-'));
    await start(GUARD);
    await client.createIndex('ds');
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(environment: Record<string, string>): Promise<void> {
    const variables = { INDEXSVC_INDEX_URI: indexUri(engine, path.join(folder, 'search')), ...environment };
    server = await startSearch(folder, variables, 'auto', metrics());
    client = new SearchClient(server.url);
    startedMs = performance.now();
  }

  const list = async (): Promise<readonly QuarantinedUnit[]> => (await client.listQuarantine('ds')).units;
  const search = async (units: readonly string[], limit = 100) =>
    idsOf(await client.search('ds', { units: [...units] }, { limit, threshold: 1 }));

  /** Waits until the guard knows the past of the units that matched meanwhile. */
  async function learnt(meanwhile: () => Promise<unknown> = () => pause(50)): Promise<void> {
    while (performance.now() - startedMs < LEARNT_MS) await meanwhile();
  }

  /** Searches for a unit until it is set aside. */
  async function flood(unit: string): Promise<void> {
    await learnt();
    const isListed = async () => (await list()).some((one) => one.unit === unit);
    while (!(await isListed())) {
      await burst([unit]);
      // On a busy machine a burst takes several windows and so is a past. It fades until the next one.
      for (let tried = 0; tried < 60 && !(await isListed()); tried += 1) await pause(100);
    }
  }

  const burst = (units: readonly string[], count = BURST) => burstOf(server.url, units, count);

  test('a unit that floods no longer matches alone; an operator decides', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const [blank, other] = [contentOf(one), contentOf(two)];
    // Assets that share a picture, and one that has another one of the same kind, too.
    const sharing = entries
      .slice(3, 8)
      .map((entry) => ({ ...entry, units: [blank, ...unitsOf(entry).slice(2)] }));
    await client.addAssets('ds', [one, two, three, ...sharing]);
    await client.putWatch('ds', 'floods', { quarantine: true });
    const before = await search([blank]);
    expect(before).toHaveLength(6);
    // A unit that always matches as much is no flood.
    await learnt(() => burst([other], 300));
    await burst([other], 300);
    expect(await list()).toEqual([]);

    await flood(blank);
    const [listed] = await list();
    expect(listed).toEqual({
      unit: blank,
      state: 'set_aside',
      matches: expect.any(Number),
      past: expect.any(Number),
      set_aside_at: expect.stringMatching(isoTime),
      decided_at: null,
    });
    expect(listed?.matches).toBeGreaterThan(200);
    expect(await list()).toHaveLength(1);
    expect(await search([blank])).toEqual([]);
    // With another unit they match, and the answer is as long as it can be.
    const shared = sharing[0] as Entry;
    expect(await search([blank, unitsOf(shared)[1] as string])).toEqual([shared.iscc_id]);
    expect(await search([blank, other], 1)).toEqual([two.iscc_id]);
    // The same file is found by its Data-Code and Instance-Code.
    expect(await search(unitsOf(one))).toEqual([one.iscc_id]);
    expect(await textOf(`${server.url}/metrics`)).toMatch(
      /isccd_search_quarantined_units\{[^}]*state="set_aside"[^}]*\} 1\n/,
    );
    const events = await nextEvents(`${server.url}/indexes/ds/watches/floods`, 1, { quietMs: 1500 });
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      [
        'unit.set_aside',
        { index: 'ds', watch: 'floods', unit: blank, matches: listed?.matches, past: listed?.past },
      ],
    ]);

    const confirmed = await client.decideQuarantine('ds', blank, 'confirmed');
    expect(confirmed).toMatchObject({ state: 'confirmed', decided_at: expect.stringMatching(isoTime) });
    expect(await search([blank])).toEqual([]);
    await client.decideQuarantine('ds', blank, 'released');
    expect((await search([blank])).sort()).toEqual([...before].sort());
    // Its new past is learned: it is not set aside again at once.
    await burst([blank]);
    expect(await list()).toMatchObject([{ unit: blank, state: 'released' }]);
    expect(await search([blank])).toHaveLength(6);
    // Then it is a unit like the others.
    await expect.poll(list, { timeout: 30_000 }).toEqual([]);
  });

  test.skipIf(engine === 'memory')(
    'the list survives a restart and later changes',
    { timeout: TIMEOUT_MS },
    async () => {
      await client.addAssets('ds', [one, two]);
      await flood(contentOf(one));
      await client.addAssets('ds', [three]);
      await client.renameIndex('ds', 'other');
      await client.renameIndex('other', 'ds');
      await server.stop();
      await start(GUARD);
      expect(await list()).toMatchObject([{ unit: contentOf(one), state: 'set_aside' }]);
      expect(await search([contentOf(one)])).toEqual([]);
      await client.decideQuarantine('ds', contentOf(one), 'confirmed');
      await server.stop();
      // Without the guard, nothing is set aside, and nothing is forgotten.
      await start({});
      expect(await search([contentOf(one)])).toEqual([one.iscc_id]);
      await client.addAssets('ds', entries.slice(3, 6));
      await server.stop();
      await start(GUARD);
      expect(await list()).toMatchObject([{ unit: contentOf(one), state: 'confirmed' }]);
      expect(await search([contentOf(one)])).toEqual([]);
      // An index of the same name is another one.
      await client.deleteIndex('ds');
      await client.createIndex('ds');
      await client.addAssets('ds', [one]);
      expect(await list()).toEqual([]);
      expect(await search([contentOf(one)])).toEqual([one.iscc_id]);
    },
  );

  test('is off by default, and refuses what is not listed', async () => {
    await expect(client.decideQuarantine('ds', contentOf(one), 'released')).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining(contentOf(one)),
    });
    await expect(client.listQuarantine('missing')).rejects.toMatchObject({ status: 404 });
    const other = await fetch(`${server.url}/indexes/ds/quarantine/${contentOf(one)}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{"state":"gone"}',
    });
    expect(other.status).toBe(422);
    await expect(client.putWatch('ds', 'w', { quarantine: true, threshold: 1 })).rejects.toMatchObject({
      status: 422,
    });
    await server.stop();
    await start({});
    await expect(client.listQuarantine('ds')).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('INDEXSVC_FLOOD_GUARD'),
    });
  });
});

test('instances on PostgreSQL share the list', { timeout: TIMEOUT_MS }, async () => {
  const location = await located('postgresql:///flood');
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-flood-'));
  const startOne = (name: string) =>
    startSearch(path.join(folder, name), { INDEXSVC_INDEX_URI: location, ...GUARD });
  const servers = [await startOne('one'), await startOne('two')];
  const startedMs = performance.now();
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  });
  const [first, second] = servers.map(({ url }) => new SearchClient(url)) as [SearchClient, SearchClient];
  await first.createIndex('ds');
  await first.addAssets('ds', [one, two]);
  await first.putWatch('ds', 'floods', { quarantine: true });
  const found = async (client: SearchClient) =>
    idsOf(await client.search('ds', { units: [contentOf(one)] }, { threshold: 1 }));
  while (performance.now() - startedMs < LEARNT_MS) await pause(50);
  // Both see the flood. One of them sets the unit aside.
  await Promise.all(servers.map(({ url }) => burstOf(url, [contentOf(one)], BURST)));
  for (const client of [first, second]) {
    await expect.poll(() => found(client), { timeout: 20_000 }).toEqual([]);
    expect((await client.listQuarantine('ds')).units).toMatchObject([{ state: 'set_aside' }]);
  }
  const events = await nextEvents(`${servers[1]?.url}/indexes/ds/watches/floods`, 1, { quietMs: 1500 });
  expect(events.map(({ type }) => type)).toEqual(['unit.set_aside']);
  await second.decideQuarantine('ds', contentOf(one), 'released');
  expect(await found(second)).toEqual([one.iscc_id]);
  await expect.poll(() => found(first), { timeout: 20_000 }).toEqual([one.iscc_id]);
});

test.each(['lmdb:///data', 'opensearch+https://host/prefix'])('%s has no guard', (location) => {
  const environment = { INDEXSVC_INDEX_URI: location, INDEXSVC_FLOOD_GUARD: '20' };
  expect(() => readSearchConfig(environment)).toThrow(/INDEXSVC_FLOOD_GUARD=20 needs indexes in a folder/);
  expect(readSearchConfig({ INDEXSVC_INDEX_URI: location }).floodFactor).toBeUndefined();
});
