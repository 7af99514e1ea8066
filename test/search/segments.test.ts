/** Frozen segments and lists as clients and operators see them: headers, descriptions of indexes, metrics and the log. */
import { expect, it, onTestFinished } from 'vitest';
import { native } from '../../src/native.js';
import { DecisionLog } from '../../src/search/decision-log.js';
import { searchMetrics } from '../../src/search/metrics.js';
import { index as indexSchema } from '../../src/search/schema.js';
import { SearchService } from '../../src/search/service.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { randomAsset } from './support/random-assets.js';
import { type Backend, indexUri, post, startSearch } from './support/search-server.js';

const ASSETS = 300;
/** Assets of a full segment. */
const FULL = 32;
const JSON_TYPE = 'application/json';

/** An index of segments that are frozen early. */
async function frozen() {
  const folder = await temporaryFolder();
  const engine = await native.openSearchEngine(indexUri('usearch', folder), {
    freezeEarly: FULL,
    sync: false,
  });
  const service = new SearchService(engine, folder);
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
  const sources = { list: () => service.list(), counts: () => service.counts() };
  const all = await Promise.all(searchMetrics(sources).map((one) => one.get()));
  return all.find((one) => one.name === name)?.values;
}

it('describes segments, counts ways of searching and logs decisions', async () => {
  const { engine, service } = await frozen();
  const isFrozen = async () => {
    const { segments = [] } = await description(service);
    const full = segments.slice(0, -1);
    expect(full.length).toBeGreaterThan(0);
    for (const { kind, columns } of full) {
      expect(kind).toBe('frozen');
      for (const column of columns) expect(column).toMatchObject({ bits: 256, lists: true, graph: false });
    }
    expect(segments.at(-1)?.kind).toBe('growing');
    expect(segments.reduce((sum, { assets }) => sum + assets, 0)).toBe(ASSETS);
  };
  await expect.poll(() => isFrozen().then(() => true, String), { timeout: 20_000 }).toBe(true);

  const lines: unknown[] = [];
  new DecisionLog(engine, { info: (line: unknown) => lines.push(line) }).close();
  expect(lines).toContainEqual(expect.objectContaining({ index: 'main', bits: 256, outcome: 'lists' }));

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
  expect(probes?.map(({ labels }) => labels.way)).toEqual(['lists', 'scan', 'graph', 'gave_up']);
  expect(probes?.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
  const segments = await metric(service, 'isccd_search_index_segments');
  expect(segments).toContainEqual({ labels: { index: 'main', kind: 'scan' }, value: 1 });
});

it.each(['memory', 'lmdb', 'usearch'] as const)('%s tells how a search ran', async (backend: Backend) => {
  const folder = await temporaryFolder();
  const server = await startSearch(folder, { INDEXSVC_INDEX_URI: indexUri(backend, folder) });
  onTestFinished(() => server.stop());
  await post(`${server.url}/indexes`, { name: 'main' });
  await post(`${server.url}/indexes/main/assets`, [randomAsset(1)]);
  const { units } = randomAsset(1);
  const response = await post(`${server.url}/indexes/main/search`, { units });
  expect(response.status).toBe(200);
  expect(response.headers.get('search-exact')).toBe('true');
  const timing = response.headers.get('server-timing');
  if (backend === 'usearch') expect(timing).toMatch(/^scan;dur=[\d.]+;desc="\d+"$/);
  else expect(timing).toBeNull();
  // A small index has no segments to describe.
  expect(await (await fetch(`${server.url}/indexes/main`)).json()).not.toHaveProperty('segments');
});
