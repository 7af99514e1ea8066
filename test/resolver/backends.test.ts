/** The same queries with every search backend: in this process, our service, and iscc-search from PyPI. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SearchApi, SearchClient } from '../../src/client/index.js';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import { native } from '../../src/native.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { createLogger } from '../../src/platform/observe/log.js';
import type { InProcessServices } from '../../src/services/resolver/app.js';
import { searchApp } from '../../src/services/search/app.js';
import { type Gateways, gateways } from './support/gateways.js';
import { isccSearch } from './support/iscc-search.js';
import { queryUrl, startResolver } from './support/resolver.js';

const API_KEY = 's3cret';

interface Backend {
  readonly search: SearchApi;
  /** Environment and in-process services of the resolver. */
  readonly resolver: readonly [environment: Record<string, string>, inProcess?: InProcessServices];
  stop(): Promise<void>;
}

const BACKENDS = {
  'in this process': async (folder: string): Promise<Backend> => {
    const app = await searchApp(readVariables(searchVariables, {}), folder);
    const search = app.inProcess;
    return { search, resolver: [{}, { search }], stop: async () => app.close?.() };
  },
  'our service': async (folder: string): Promise<Backend> => {
    const app = await searchApp(readVariables(searchVariables, { INDEXSVC_API_SECRET: API_KEY }), folder);
    const log = createLogger('silent');
    const options = { host: '127.0.0.1', port: 0, transport: loadTransport('auto', log), log };
    const { url, stop } = await startServer(app, options);
    return overHttp(url, stop);
  },
  'iscc-search 0.3.3': async (folder: string): Promise<Backend> => {
    const { url, stop } = await isccSearch(folder, API_KEY);
    return overHttp(url, stop);
  },
};

function overHttp(url: string, stop: () => Promise<void>): Backend {
  const environment = { RESOLVER_SEARCH_URL: url, RESOLVER_SEARCH_API_KEY: API_KEY };
  return { search: new SearchClient(url, { apiKey: API_KEY }), resolver: [environment], stop };
}

/** 256 bits of a type, of which the first `ones` are set. */
function unit(mainType: number, subType: number, ones: number): string {
  const body = Buffer.alloc(32);
  for (let bit = 0; bit < ones; bit += 1) body[bit >> 3] = (body[bit >> 3] ?? 0) | (128 >> (bit & 7));
  return native.encodeUnit(mainType, subType, 0, 256, body);
}

const isccId = (number: number) => native.isccId(0, 1_700_000_000_000_000 + number, 1);
const valueWith = (...units: string[]) => native.encodeSeq(units).toString('base64');

describe.each(Object.entries(BACKENDS))('%s', (name, start) => {
  /** iscc-search has no route that lists assets. */
  const canList = !name.startsWith('iscc-search');
  let folder: string;
  let backend: Backend;
  let places: Gateways;
  let server: RunningServer;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-resolver-'));
    places = await gateways();
    backend = await start(folder);
    const [environment, inProcess] = backend.resolver;
    server = await startResolver({ ...environment, RESOLVER_SEARCH_INDEX: 'declared' }, inProcess);
    await declareAll();
  }, 600_000);
  afterAll(async () => {
    await server.stop();
    await backend.stop().catch(() => {});
    await places.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Five declarations; one points to a missing manifest, and one has no gateway. */
  async function declareAll(): Promise<void> {
    await backend.search.createIndex('declared').catch(() => {});
    const gateway = (id: string) => ({ gateway: `https://127.0.0.1:${places.https}/v1/manifests/${id}` });
    for (const id of ['exact', 'near', 'far']) places.kinds.set(`/v1/manifests/${id}`, 'store');
    const entry = (number: number, ones: number, metadata: Record<string, unknown>) => ({
      iscc_id: isccId(number),
      units: [unit(2, 1, ones), unit(3, 0, 128 + ones), unit(4, 0, 64 + ones)],
      metadata,
    });
    await backend.search.addAssets('declared', [
      entry(4, 40, gateway('far')),
      entry(3, 10, gateway('near')),
      entry(2, 10, gateway('missing')),
      entry(1, 0, gateway('exact')),
      entry(5, 0, { name: 'no gateway' }),
    ]);
  }

  const query = async (...units: string[]) => {
    const response = await fetch(queryUrl(server.url, valueWith(...units)));
    const { matches } = (await response.json()) as { matches: Record<string, unknown>[] };
    return matches.map(({ manifestId, similarityScore, isccId: id }) => [manifestId, similarityScore, id]);
  };

  it('finds similar declarations, best first', async () => {
    expect(await query(unit(2, 1, 0))).toEqual([
      ['exact', 99, isccId(1)],
      ['near', 96, isccId(3)],
      ['far', 84, isccId(4)],
    ]);
    expect((await query(unit(2, 1, 0), unit(4, 0, 64)))[0]).toEqual(['exact', 100, isccId(1)]);
    expect(await query(unit(4, 0, 74))).toEqual([['near', 100, isccId(3)]]);
    expect(await query(unit(1, 1, 0))).toEqual([]);
  });

  it('gives 100 to a declaration with the units of the query and no others, not to a part of them', async () => {
    const id = isccId(9);
    const gateway = `https://127.0.0.1:${places.https}/v1/manifests/same`;
    places.kinds.set('/v1/manifests/same', 'store');
    const units = [unit(2, 1, 200), unit(3, 0, 250)];
    await backend.search.addAssets('declared', [{ iscc_id: id, units, metadata: { gateway } }]);
    const scored = async (...queried: string[]) =>
      (await query(...queried)).find(([name]) => name === 'same');
    expect(await scored(...units)).toEqual(['same', 100, id]);
    expect(await scored(...[...units].reverse())).toEqual(['same', 100, id]);
    expect(await scored(unit(2, 1, 200))).toEqual(['same', 99, id]);
    expect(await scored(...units, unit(4, 0, 250))).toEqual(['same', 99, id]);
  });

  it('leaves out matches below the lowest score', async () => {
    const [environment, inProcess] = backend.resolver;
    const strict = { ...environment, RESOLVER_SEARCH_INDEX: 'declared', RESOLVER_MATCH_THRESHOLD: '96' };
    const fresh = await startResolver(strict, inProcess);
    try {
      const response = await fetch(queryUrl(fresh.url, valueWith(unit(2, 1, 0))));
      const { matches } = (await response.json()) as { matches: { manifestId: string }[] };
      expect(matches.map(({ manifestId }) => manifestId)).toEqual(['exact', 'near']);
    } finally {
      await fresh.stop();
    }
  });

  it('returns the manifest of a declaration', async () => {
    const at = (id: string, manifestId: string) =>
      fetch(`${server.url}/v1/iscc/${id.slice(5).toLowerCase()}/manifests/${manifestId}`);
    expect((await at(isccId(3), 'near')).status).toBe(200);
    for (const [id, manifestId] of [
      [isccId(3), 'exact'],
      [isccId(2), 'missing'],
      [isccId(5), 'x'],
      [isccId(99), 'near'],
    ] as const) {
      const response = await at(id, manifestId);
      expect([response.status, await response.json()]).toEqual([404, { detail: 'C2PA Manifest not found' }]);
    }
  });

  it('returns a manifest by its id alone, without a query before', async () => {
    const [environment, inProcess] = backend.resolver;
    const fresh = await startResolver({ ...environment, RESOLVER_SEARCH_INDEX: 'declared' }, inProcess);
    const statusOf = async (id: string) => (await fetch(`${fresh.url}/v1/manifests/${id}`)).status;
    try {
      expect(await statusOf('near')).toBe(canList ? 200 : 404);
      expect(await statusOf('far')).toBe(canList ? 200 : 404);
      expect(await statusOf('missing')).toBe(404);
      expect(await statusOf('unknown')).toBe(404);
    } finally {
      await fresh.stop();
    }
  });

  it('has status ok until the search service stops', async () => {
    const status = async (base: string) => {
      const response = await fetch(`${base}/v1/services/status`);
      return [response.status, ((await response.json()) as { status: string }).status];
    };
    expect(await status(server.url)).toEqual([200, 'ok']);
    const fresh = await startResolver(...backend.resolver);
    await backend.stop();
    const response = await fetch(queryUrl(server.url, valueWith(unit(2, 1, 0))));
    expect([response.status, await response.json()]).toEqual([503, { detail: 'Search backend unavailable' }]);
    expect(response.headers.get('retry-after')).toBe('5');
    const manifest = await fetch(`${server.url}/v1/iscc/${isccId(3).slice(5).toLowerCase()}/manifests/near`);
    expect([manifest.status, await manifest.json()]).toEqual([503, { detail: 'Search backend unavailable' }]);
    // The status is cached for 15 s; a fresh resolver has no cached status.
    expect(await status(server.url)).toEqual([200, 'ok']);
    expect(await status(fresh.url)).toEqual([200, 'degraded']);
    await fresh.stop();
  });
});
