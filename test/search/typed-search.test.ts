/** Typed searches of the addon return the values of the JSON search, for all recorded queries. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LocalSearchFailed } from '../../src/c2pa/local-search.js';
import type { Entry, Query } from '../../src/client/search-api.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { BACKENDS } from './support/engines.js';
import { indexUri, located } from './support/locations.js';
import { rows } from './support/search-server.js';

interface RecordedQuery {
  readonly body: Query;
  readonly limit?: number | null;
}

const GATEWAY = 'https://example.com/v1/manifests/1';

describe.each(BACKENDS)('%s', (backend) => {
  let search: InProcessSearch;
  let entries: Entry[];
  beforeAll(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-typed-'));
    search = await InProcessSearch.open(await located(indexUri(backend, folder)));
    const recorded = await rows<Entry>('assets.jsonl');
    // Every third asset has a gateway, every other third one that is not a string.
    entries = recorded.map((entry, number) => {
      const gateway = [GATEWAY, 5, undefined][number % 3];
      return { ...entry, metadata: { ...entry.metadata, ...(gateway !== undefined && { gateway }) } };
    });
    await search.createIndex('main');
    await search.addAssets('main', entries);
    return async () => {
      await search.close();
      await rm(folder, { recursive: true, force: true });
    };
  }, 60_000);

  test('returns the matches of the JSON search', async () => {
    let compared = 0;
    for (const { body, limit: recorded } of await rows<RecordedQuery>('queries.jsonl')) {
      const limit = recorded ?? 100;
      const units = body.units;
      if (units === undefined || units === null) continue;
      const { global_matches } = await search.search('main', { units }, limit);
      const expected = global_matches.map(({ iscc_id, score, types, metadata }) => ({
        isccId: iscc_id,
        score,
        types,
        ...(typeof metadata?.gateway === 'string' && { gateway: metadata.gateway }),
      }));
      const matches = await search.local.searchUnits('main', units, limit);
      expect(matches).toEqual(expected);
      compared += expected.length;
    }
    expect(compared).toBeGreaterThan(100);
  });

  test('returns the gateway of an asset', async () => {
    const gateways = await Promise.all(
      entries.slice(0, 30).map(({ iscc_id }) => search.local.gateway('main', iscc_id)),
    );
    const expected = entries.slice(0, 30).map((_, number) => (number % 3 === 0 ? GATEWAY : undefined));
    expect(gateways).toEqual(expected);
  });

  test('returns undefined for what does not exist, and says whether a failure is transient', async () => {
    const units = ['ISCC:EAAWFH3PX3MCYB6N'];
    const unknownId = 'ISCC:MAIAAAAAAAAAAAAB';
    const { local } = search;
    expect(
      await Promise.all([
        local.searchUnits('none', units, 10),
        local.gateway('main', unknownId),
        local.gateway('none', unknownId),
        local.gateway('main', 'x'),
        local.asset('main', unknownId),
        local.assetLines('none', undefined, 10),
        local.assetLines('main', undefined, 10, 'metadata.unknown=1'),
        local.has('none'),
      ]),
    ).toEqual(Array(8).fill(undefined));
    expect(await local.has('main')).toBe(true);
    const [first] = entries as [Entry];
    expect(await local.asset('main', first.iscc_id as string)).toMatchObject({ iscc_id: first.iscc_id });
    const invalid = [
      () => local.searchUnits('main', units, 0),
      () => local.searchUnits('main', ['x'], 10),
      () => local.searchUnits('main', [], 10),
    ];
    for (const failure of invalid) {
      const error = await failure().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(LocalSearchFailed);
      expect(error).toMatchObject({ isTransient: false });
    }
  });

  test('says that a failure is transient once the engine is closed', async () => {
    const closed = await InProcessSearch.open('memory://');
    await closed.close();
    await expect(closed.local.has('main')).rejects.toMatchObject({ isTransient: true });
  });
});
