/** Segments as clients and operators see them: headers, descriptions of indexes, metrics and the log. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { native } from '../../src/native.js';
import { DecisionLog } from '../../src/services/search/decision-log.js';
import { searchMetrics } from '../../src/services/search/metrics.js';
import { index as indexSchema } from '../../src/services/search/schema.js';
import { SearchService } from '../../src/services/search/service.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { BACKENDS, has } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { randomAsset } from './support/random-assets.js';
import { post, startSearch } from './support/search-server.js';

const ASSETS = 300;
/** Assets of a full segment. */
const FULL = 32;
const JSON_TYPE = 'application/json';

async function open(
  folder: string,
  more: { simprintLists?: 'all' | 'first' | 'none'; graphRowsMin?: number } = {},
) {
  const options = { sealEarly: FULL, sync: false, ...more };
  const engine = await native.openSearchEngine(indexUri('usearch', folder), options);
  return { engine, service: new SearchService(engine) };
}

/** An index of small segments. */
async function filled() {
  const { engine, service } = await open(await temporaryFolder());
  onTestFinished(() => service.close());
  await service.create(Buffer.from('{"name":"main"}'), JSON_TYPE);
  const entries = Array.from({ length: ASSETS }, (_, number) => randomAsset(number));
  await service.add('main', Buffer.from(JSON.stringify(entries)), JSON_TYPE);
  return { engine, service };
}

async function description(service: SearchService) {
  return indexSchema.parse(JSON.parse((await service.get('main')).toString()));
}

async function metric(service: SearchService, name: string) {
  const all = await Promise.all(searchMetrics(service).map((one) => one.get()));
  return all.find((one) => one.name === name)?.values;
}

it('describes segments, counts methods of searching and logs decisions', async () => {
  const { engine, service } = await filled();
  const isSealed = async () => {
    const { segments = [] } = await description(service);
    const full = segments.slice(0, -1);
    expect(full.length).toBeGreaterThan(0);
    for (const { kind, columns } of full) {
      expect(kind).toBe('sealed');
      for (const column of columns) expect(column).toMatchObject({ bits: 256, lists: true, graph: false });
    }
    expect(segments.at(-1)?.kind).toBe('growing');
    expect(segments.reduce((sum, { assets }) => sum + assets, 0)).toBe(ASSETS);
  };
  await expect.poll(() => isSealed().then(() => true, String), { timeout: 20_000 }).toBe(true);

  const lines: unknown[] = [];
  const add = (line: unknown) => lines.push(line);
  new DecisionLog(engine, { info: add, warn: add }).close();
  expect(lines).toContainEqual(expect.objectContaining({ index: 'main', outcome: 'file' }));

  const { units } = randomAsset(7);
  const query = Buffer.from(JSON.stringify({ units }));
  const selection = { threshold: 1 };
  const { json, isExact, serverTiming } = await service.search('main', query, JSON_TYPE, {
    limit: 5,
    selection,
  });
  expect(JSON.parse(json.toString())).toMatchObject({ global_matches: [{ score: 1 }] });
  expect(isExact).toBe(true);
  expect(serverTiming).toMatch(/^(?:lists;dur=[\d.]+;desc="\d+", )?scan;dur=[\d.]+;desc="\d+"$/);
  const probes = await metric(service, 'isccd_search_probes_total');
  expect(probes?.map(({ labels }) => labels.method)).toEqual(['lists', 'scan', 'graph', 'gave_up']);
  expect(probes?.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
  const segments = await metric(service, 'isccd_search_index_segments');
  expect(segments).toContainEqual({ labels: { index: 'main', kind: 'scan' }, value: 1 });
});

it.each([undefined, 'first', 'none'] as const)('builds lists of simprints: %s', async (lists) => {
  const { service } = await open(await temporaryFolder(), {
    ...(lists && { simprintLists: lists }),
  });
  // Too few full segments to be merged.
  const count = FULL * 4 + 3;
  onTestFinished(() => service.close());
  await service.create(Buffer.from('{"name":"main"}'), JSON_TYPE);
  const simprint = (number: number) => Buffer.alloc(16, number % 8).toString('base64url');
  const simprints = (number: number) => ({ TEXT: [{ simprint: simprint(number), offset: 0, size: 9 }] });
  const entries = Array.from({ length: count }, (_, number) => ({
    ...randomAsset(number),
    simprints: simprints(number),
  }));
  await service.add('main', Buffer.from(JSON.stringify(entries)), JSON_TYPE);
  const columns = async () => {
    const { segments = [] } = await description(service);
    expect(segments.slice(0, -1).every(({ kind }) => kind === 'sealed')).toBe(true);
    return segments.flatMap((segment) => segment.columns.filter(({ type }) => type === 'SIMPRINT_TEXT'));
  };
  await expect.poll(() => columns().catch(() => []), { timeout: 20_000 }).not.toEqual([]);
  const sealed = (await columns()).slice(0, -1);
  const expected = { type: 'SIMPRINT_TEXT', bits: 128, rows: 8, lists: lists !== 'none', graph: false };
  expect(sealed).toEqual(sealed.map(() => expected));
  const query = Buffer.from(JSON.stringify({ simprints: { TEXT: [simprint(3)] } }));
  const found = await service.search('main', query, JSON_TYPE, {
    limit: 2,
    selection: { thresholdSimprints: 1 },
  });
  const chunk = { match: simprint(3), score: 1, freq: Math.ceil((count - 3) / 8), offset: 0, size: 9 };
  const { chunk_matches: matches } = JSON.parse(found.json.toString());
  expect(matches).toHaveLength(2);
  expect(matches[0]).toMatchObject({
    score: 1,
    types: { TEXT: { matches: 1, queried: 1, chunks: [chunk] } },
  });
  expect(found.serverTiming).not.toBe('');
});

it('maps the files of full segments after a restart, and loads the index again if one is damaged', async () => {
  const folder = await temporaryFolder();
  const first = await open(folder);
  await first.service.create(Buffer.from('{"name":"main"}'), JSON_TYPE);
  const entries = Array.from({ length: ASSETS }, (_, number) => randomAsset(number));
  await first.service.add('main', Buffer.from(JSON.stringify(entries)), JSON_TYPE);
  const isSealed = ({ segments = [] }: Awaited<ReturnType<typeof description>>) =>
    segments.length > 1 && segments.slice(0, -1).every(({ kind }) => kind === 'sealed');
  await expect.poll(async () => isSealed(await description(first.service)), { timeout: 20_000 }).toBe(true);
  const query = Buffer.from(JSON.stringify({ units: randomAsset(7).units }));
  const search = async (service: SearchService) =>
    (await service.search('main', query, JSON_TYPE, { limit: 5 })).json.toString();
  const expected = await search(first.service);
  await first.service.close();

  const second = await open(folder);
  const described = await description(second.service);
  expect(isSealed(described)).toBe(true);
  expect(await search(second.service)).toBe(expected);
  const files = await readdir(path.join(folder, 'main', 'segments'));
  const counts = await metric(second.service, 'isccd_search_index_sealed_segments');
  expect(counts).toEqual([{ labels: { index: 'main' }, value: files.length }]);
  expect(described.segments).toHaveLength(files.length + 1);
  const lmdb = (await stat(path.join(folder, 'main', 'data.mdb'))).size;
  const sizes = await metric(second.service, 'isccd_search_index_bytes');
  expect(sizes).toContainEqual({ labels: { index: 'main', part: 'lmdb' }, value: lmdb });
  await second.service.close();

  const file = path.join(folder, 'main', 'segments', files[0] ?? '');
  const bytes = await readFile(file);
  // The first section, ISCC-IDs, starts at 4096.
  bytes.writeUInt8(bytes.readUInt8(4100) ^ 1, 4100);
  await writeFile(file, bytes);
  const third = await open(folder);
  onTestFinished(() => third.service.close());
  const warnings: unknown[] = [];
  const log = new DecisionLog(third.engine, { info: () => {}, warn: (line: unknown) => warnings.push(line) });
  await expect
    .poll(() => warnings, { timeout: 20_000 })
    .toContainEqual(expect.objectContaining({ index: 'main', assets: ASSETS, outcome: 'memory' }));
  log.close();
  expect(await search(third.service)).toBe(expected);
});

it('opens graphs in files after a restart, and counts them', async () => {
  const folder = await temporaryFolder();
  const first = await open(folder, { graphRowsMin: 1 });
  await first.service.create(Buffer.from('{"name":"main"}'), JSON_TYPE);
  const entries = Array.from({ length: ASSETS }, (_, number) => randomAsset(number));
  await first.service.add('main', Buffer.from(JSON.stringify(entries)), JSON_TYPE);
  /** Number of columns in files with graphs, or 0 before all segments but the last are in files. */
  const graphs = async (service: SearchService) => {
    const { segments = [] } = await description(service);
    const full = segments.slice(0, -1);
    const columns = full.flatMap((segment) => segment.columns);
    return full.every(({ kind }) => kind === 'sealed') ? columns.filter(({ graph }) => graph).length : 0;
  };
  await expect.poll(() => graphs(first.service), { timeout: 30_000 }).toBeGreaterThan(0);
  await first.service.close();

  const second = await open(folder, { graphRowsMin: 1 });
  onTestFinished(() => second.service.close());
  // Merges change the number, before the stop and after the start.
  expect(await graphs(second.service)).toBeGreaterThan(0);
  const difference = async () => {
    const counted = await graphs(second.service);
    const counts = await metric(second.service, 'isccd_search_index_graphs');
    return counts?.map(({ labels, value }) => [labels.index, value - counted]);
  };
  await expect.poll(difference).toEqual([['main', 0]]);
});

it.each(BACKENDS)('%s tells how a search ran', async (backend) => {
  const folder = await temporaryFolder();
  const server = await startSearch(folder, { INDEXSVC_INDEX_URI: indexUri(backend, folder) });
  onTestFinished(() => server.stop());
  await post(`${server.url}/indexes`, { name: 'main' });
  await post(`${server.url}/indexes/main/assets`, [randomAsset(1)]);
  const { units } = randomAsset(1);
  const response = await post(`${server.url}/indexes/main/search`, { units });
  expect(response.status).toBe(200);
  expect(response.headers.get('search-exact')).toBe(String(has(backend, 'all assets scored')));
  const timing = response.headers.get('server-timing');
  if (backend === 'lmdb' || backend === 'opensearch') expect(timing).toBeNull();
  else expect(timing).toMatch(/^scan;dur=[\d.]+;desc="\d+"$/);
  // A small index has no segments to describe.
  expect(await (await fetch(`${server.url}/indexes/main`)).json()).not.toHaveProperty('segments');
});
