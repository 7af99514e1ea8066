/** Declared metadata paths: routes, listings by condition, and look-ups of manifests by id. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SearchManifestIndex } from '../../src/c2pa/search-index-port.js';
import type { Entry } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { native } from '../../src/native.js';
import { HttpBackend } from '../../src/services/resolver/http-backend.js';
import { InProcessBackend } from '../../src/services/resolver/in-process-backend.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { BACKENDS, has } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { rows, startSearch } from './support/search-server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-paths-'));
  return () => rm(folder, { recursive: true, force: true });
});
const samples = (await rows<Entry>('assets.jsonl')).filter(({ iscc_code }) => iscc_code).slice(0, 9);
const entries = samples.map((entry, at) => ({ ...entry, metadata: { lang: at % 3 === 0 ? 'de' : 'en' } }));
const german = entries.filter((_, at) => at % 3 === 0).map(({ iscc_id }) => iscc_id);

describe.each(BACKENDS.filter((backend) => has(backend, 'declared paths')))('%s', (backend) => {
  let server: RunningServer;
  let client: SearchClient;
  beforeAll(async () => {
    server = await startSearch(folder, { INDEXSVC_INDEX_URI: indexUri(backend, path.join(folder, backend)) });
    client = new SearchClient(server.url);
    await client.createIndex('main');
    await client.addAssets('main', entries);
    return () => server.stop();
  });
  const ready = (index: string) =>
    expect
      .poll(async () => (await client.getPaths(index)).paths.every(({ state }) => state === 'ready'))
      .toBe(true);
  const list = (query: string) => fetch(`${server.url}/indexes/main/assets?${query}`);
  const filter = `filter=${encodeURIComponent('metadata.lang = "de"')}`;

  it('lists assets by a declared path, page by page', async () => {
    expect(await client.getPaths('main')).toEqual({ paths: [] });
    const refused = await list(filter);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('declared')]);

    const { paths } = await client.putPaths('main', ['metadata.lang', 'metadata."lang"']);
    expect(paths.map(({ path }) => path)).toEqual(['metadata.lang']);
    await ready('main');
    const found: string[] = [];
    let next: string | undefined = `/indexes/main/assets?limit=1&${filter}`;
    for (let pages = 0; next !== undefined && pages < 10; pages += 1) {
      const response: Response = await fetch(server.url + next);
      found.push(...((await response.json()) as Entry[]).map(({ iscc_id }) => iscc_id));
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(found.sort()).toEqual([...german].sort());
    const response = await fetch(`${server.url}/indexes/main/assets?${filter}`, {
      headers: { Accept: 'application/x-ndjson' },
    });
    expect((await response.text()).trim().split('\n')).toHaveLength(german.length);

    await client.deleteAsset('main', german[0] ?? '');
    const { lines } = await client.assetLines('main', undefined, 10, 'metadata.lang = "de"');
    expect(lines.toString()).not.toContain(german[0]);
  });

  it('refuses other forms', async () => {
    const put = (body: unknown) =>
      fetch(`${server.url}/indexes/main/paths`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const body of [{}, { paths: ['lang'] }, { paths: 'metadata.a' }, { paths: [], more: 1 }])
      expect([body, (await put(body)).status]).toEqual([body, 422]);
    expect((await list('filter=lang')).status).toBe(422);
    await expect(client.getPaths('unknown')).rejects.toMatchObject({ status: 404 });
  });

  it('finds manifests by id at once, also those that were there before the declaration', async () => {
    const ids = ['urn:c2pa:0b1e-1', 'urn:c2pa:0b1e-2'];
    const isccId = (number: number) => native.isccId(0, 1_700_000_000_000_000 + number, 1);
    const unit = native.encodeUnit(2, 1, 0, 256, Buffer.alloc(32, 3));
    const address = (id: string) => `https://store.example/v1/manifests/${id}`;
    const name = `c2pa`;
    await client.createIndex(name);
    const old = { iscc_id: isccId(1), units: [unit, unit], metadata: { gateway: address(ids[0] ?? '') } };
    await client.addAssets(name, [old]);
    const index = new SearchManifestIndex(client, name);
    await index.prepare();
    await ready(name);
    expect(await client.getPaths(name)).toEqual({ paths: [{ path: 'metadata.gateway', state: 'ready' }] });
    const resolver = new HttpBackend({ url: server.url, index: name, apiKey: undefined, timeoutMs: 5000 });
    const encoded = encodeURIComponent(ids[1] ?? '');
    for (const [number, gateway] of [address(encoded), address(encoded.toLowerCase())].entries())
      await index.add([{ isccId: isccId(2 + number), units: [unit], gateway }]);
    expect(await resolver.isccIdsOf(ids[0] ?? '')).toEqual([isccId(1)]);
    expect(await resolver.isccIdsOf(ids[1] ?? '')).toEqual([isccId(2), isccId(3)]);
    await index.remove(isccId(2));
    expect(await resolver.isccIdsOf(ids[1] ?? '')).toEqual([isccId(3)]);
    expect(await resolver.isccIdsOf('0b1e-1')).toEqual([]);
    await resolver.close();
  });
});

it('in one process, a replica finds a manifest that another one has just added', async () => {
  const search = await InProcessSearch.open(`usearch://${path.join(folder, 'in-process')}`);
  const index = new SearchManifestIndex(search, 'c2pa');
  await index.prepare();
  const [first, second] = [1, 2].map(() => new InProcessBackend(search.local, 'c2pa'));
  expect(await first?.isccIdsOf('a')).toEqual([]);
  expect(await second?.isccIdsOf('a')).toEqual([]);
  const isccId = native.isccId(0, 1_700_000_000_000_000, 1);
  const unit = native.encodeUnit(2, 1, 0, 256, Buffer.alloc(32, 3));
  await index.add([{ isccId, units: [unit], gateway: 'https://store.example/v1/manifests/a' }]);
  expect(await first?.isccIdsOf('a')).toEqual([isccId]);
  expect(await second?.isccIdsOf('a')).toEqual([isccId]);
  await search.close();
});
