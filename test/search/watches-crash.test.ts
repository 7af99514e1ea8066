/** Each change is reported once, also if processes are killed, and if several share a database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import { isccIdOf } from '../../src/iscc/iscc-id.js';
import { isccd } from '../support/command.js';
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

test('a backup of a running service has the watches and their events, and goes on', {
  timeout: 120_000,
}, async () => {
  const env = { ISCCD_DATA_DIR: folder, INDEXSVC_INDEX_URI: `usearch://${folder}/search` };
  const first = await startProcess(env.INDEXSVC_INDEX_URI, env);
  onTestFinished(() => first.stop());
  await new SearchClient(first.url).createIndex('ds');
  await watch(first.url);
  await new SearchClient(first.url).addAssets('ds', batch(0));
  await reported(first.url, BATCH);
  const copy = path.join(folder, 'copy');
  const made = await isccd(['backup', copy, '--json'], { env });
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect((await isccd(['verify', copy, '--json'])).code).toBe(0);
  const second = await startProcess(`usearch://${copy}/search`, { ISCCD_DATA_DIR: copy });
  onTestFinished(() => second.stop());
  await new SearchClient(second.url).addAssets('ds', batch(1));
  const all = [...batch(0), ...batch(1)].map(({ iscc_id }) => iscc_id as string).sort();
  expect(await reported(second.url, all.length)).toEqual(all);
  expect(await reported(first.url, BATCH)).toEqual(all.slice(0, BATCH));
});
