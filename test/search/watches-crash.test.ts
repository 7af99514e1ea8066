/** Each change is reported once, also if processes are killed, and if several share a database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import { isccIdOf } from '../../src/iscc/iscc-id.js';
import { newLocation } from './support/locations.js';
import { startProcess } from './support/search-process.js';
import { post, rows, startSearch } from './support/search-server.js';
import { nextEvents } from './support/watch-stream.js';

const BATCH = 20;
/** Long enough for an event that must not come. */
const QUIET_MS = 1500;

let folder: string;
let entry: Entry;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-watches-'));
  entry = (await rows<Entry>('assets.jsonl')).find(({ units }) => units?.length === 4) as Entry;
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

async function watch(url: string): Promise<void> {
  const response = await fetch(`${url}/indexes/ds/watches/w`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: { units: entry.units } }),
  });
  expect(response.status).toBe(201);
}

/** A batch of new assets with the content that is watched. */
function batch(number: number): Entry[] {
  const ids = Array.from({ length: BATCH }, (_, at) => isccIdOf(0, BigInt((1 + number) * 1_000_000 + at)));
  return ids.map((iscc_id) => ({ ...entry, iscc_id }));
}

/** The assets of the index, sorted. */
async function stored(url: string): Promise<string[]> {
  const response = await fetch(`${url}/indexes/ds/assets`, { headers: { Accept: 'application/x-ndjson' } });
  const lines = (await response.text()).split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { iscc_id: string }).iscc_id).sort();
}

/** The assets of all events, sorted. */
async function reported(url: string, count: number): Promise<string[]> {
  const events = await nextEvents(`${url}/indexes/ds/watches/w`, count, { quietMs: QUIET_MS });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  return events.map(({ data }) => data.iscc_id).sort();
}

test('a process that is killed while it stores and compares loses no event and repeats none', {
  timeout: 120_000,
}, async () => {
  const location = `usearch://${folder}/search`;
  let added = 0;
  for (let round = 0; round < 5; round += 1) {
    const process = await startProcess(location);
    const client = new SearchClient(process.url);
    if (round === 0) {
      await client.createIndex('ds');
      await watch(process.url);
    }
    const acknowledged = new Set<string>();
    const writers = Array.from({ length: 4 }, async () => {
      for (;;) {
        const entries = batch(added++);
        // Not with the client, which tries again.
        const response = await post(`${process.url}/indexes/ds/assets`, entries);
        expect(response.status).toBe(201);
        await response.text();
        for (const { iscc_id } of entries) acknowledged.add(iscc_id as string);
      }
    });
    const failed = Promise.allSettled(writers);
    await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(BATCH * (5 + 3 * round));
    await process.kill();
    await failed;
    const next = await startProcess(location);
    const assets = await stored(next.url);
    expect(assets).toEqual(expect.arrayContaining([...acknowledged]));
    expect(await reported(next.url, assets.length)).toEqual(assets);
    await next.kill();
  }
});

test('several instances of a database report each change once, also when one stops', {
  timeout: 120_000,
}, async () => {
  const variables = { INDEXSVC_INDEX_URI: await newLocation('postgresql') };
  const servers = await Promise.all(
    ['one', 'two', 'three'].map((name) => startSearch(path.join(folder, name), variables)),
  );
  const [one, two, three] = servers.map(({ url }) => url) as [string, string, string];
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });
  await new SearchClient(one).createIndex('ds');
  await watch(two);
  let added = 0;
  const write = async (url: string, batches: number) => {
    for (let n = 0; n < batches; n += 1) await new SearchClient(url).addAssets('ds', batch(added++));
  };
  await Promise.all([write(one, 10), write(two, 10), write(three, 10)]);
  await Promise.all([write(two, 10), write(three, 10), servers[0]?.stop()]);
  const assets = await stored(two);
  expect(assets).toHaveLength(50 * BATCH);
  expect(await reported(three, assets.length)).toEqual(assets);
  expect(await reported(two, assets.length)).toEqual(assets);
});
