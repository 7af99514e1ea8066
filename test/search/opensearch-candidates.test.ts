/** Candidates in OpenSearch: complete at high thresholds, whatever crowds share a unit, on three shards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry, SearchResult } from '../../src/client/search-api.js';
import type { RunningServer } from '../../src/http/server.js';
import { native } from '../../src/native.js';
import { type OpenSearchCluster, openSearchIfPossible } from '../support/opensearch.js';
import { isccId } from './support/random-assets.js';
import { post, startSearch } from './support/search-server.js';

const START_MS_MAX = 600_000;
const CROWD = 10_000;
const BATCH = 1000;
const META = [0, 0] as const;
const IMAGE = [2, 1] as const;
const DATA = [3, 0] as const;
const INSTANCE = [4, 0] as const;
const LENGTHS = [32, 64, 96, 128, 160, 192, 224, 256];

const cluster = await openSearchIfPossible();
afterAll(() => cluster?.stop());

describe.skipIf(cluster === undefined)('on three shards', () => {
  const servers: RunningServer[] = [];
  beforeAll(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
    const { location } = cluster as OpenSearchCluster;
    for (const uri of [`usearch://${path.join(folder, 'local')}`, location('?shards=3&replicas=0')])
      servers.push(await startSearch(folder, { INDEXSVC_INDEX_URI: uri }));
    return async () => {
      for (const server of servers) await server.stop();
      await rm(folder, { recursive: true, force: true });
    };
  }, START_MS_MAX);

  const both = async (send: (url: string) => Promise<Response>) => {
    const all = await Promise.all(servers.map(({ url }) => send(url)));
    return Promise.all(all.map(async (one) => ({ status: one.status, text: await one.text() })));
  };
  const add = async (index: string, entries: readonly Entry[]) => {
    await both((url) => post(`${url}/indexes`, { name: index }));
    for (let at = 0; at < entries.length; at += BATCH) {
      const batch = entries.slice(at, at + BATCH);
      const added = await both((url) => post(`${url}/indexes/${index}/assets`, batch));
      expect(added.map(({ status }) => status)).toEqual([201, 201]);
    }
  };

  test(
    'a crowd that shares a unit hides no copy and no near copy',
    async () => {
      const random = generator(1);
      const title = body(random, 256);
      const crowd = Array.from({ length: CROWD }, (_, at) => ({
        iscc_id: isccId(at),
        units: [unit(META, title), unit(INSTANCE, body(random, 256))],
      }));
      const others = [IMAGE, DATA, INSTANCE].map((kind) => [kind, body(random, 256)] as const);
      const copy = {
        iscc_id: isccId(CROWD + 1),
        units: [unit(META, title), ...others.map(([kind, bytes]) => unit(kind, bytes))],
      };
      const near = {
        iscc_id: isccId(CROWD + 2),
        units: [unit(META, title), ...others.map(([kind, bytes]) => unit(kind, flipped(random, bytes, 9)))],
      };
      await add('crowd', [...crowd, near, copy]);
      const { url } = servers[1] as RunningServer;
      const { units } = copy;
      for (const limit of [5, BATCH])
        for (const threshold of ['', '&threshold=0.9']) {
          const response = await post(`${url}/indexes/crowd/search?limit=${limit}${threshold}`, { units });
          const [first] = ((await response.json()) as SearchResult).global_matches;
          expect([first?.iscc_id, Object.keys(first?.types ?? {}).length]).toEqual([copy.iscc_id, 4]);
        }
      // Without the title and the Instance-Code, both are certain.
      const exact = 'limit=5&threshold=0.9&exact=true';
      const [expected, found] = await both((url) =>
        post(`${url}/indexes/crowd/search?${exact}`, { units: units.slice(1, 3) }),
      );
      expect(found).toEqual(expected);
      // More assets have the title than OpenSearch returns.
      const refused = await post(`${url}/indexes/crowd/search?${exact}`, { units });
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringMatching(/^.*exact: .*10,000/),
      ]);
    },
    START_MS_MAX,
  );

  test(
    'near copies of random units of all lengths are those of the local engine',
    async () => {
      const random = generator(2);
      const works = Array.from({ length: 12 }, () =>
        [META, IMAGE, DATA].map((kind) => [kind, body(random, 256)] as const),
      );
      const variant = (work: number, lengths: readonly number[]) =>
        (works[work] as (typeof works)[number]).map(([kind, bytes]) => {
          const length = lengths[random() % lengths.length] as number;
          const cut = bytes.subarray(0, length / 8);
          return unit(kind, flipped(random, cut, random() % (length / 7)));
        });
      const entries = Array.from({ length: 600 }, (_, at) => ({
        iscc_id: isccId(at),
        units: [
          ...variant(at % works.length, LENGTHS),
          // Some have two units of a type.
          ...(at % 7 === 0 ? variant((at + 1) % works.length, LENGTHS).slice(0, 1) : []),
        ],
      }));
      await add('random', entries);
      let matches = 0;
      for (let at = 0; at < 150; at += 1) {
        const units = variant(at % works.length, LENGTHS);
        const threshold = [0.88, 0.9, 0.9375, 0.95, 0.98, 1][at % 6];
        const query = `limit=1000&threshold=${threshold}&exact=true&explain=bits`;
        const [expected, found] = await both((url) =>
          post(`${url}/indexes/random/search?${query}`, { units }),
        );
        expect(found, `${query} ${units}`).toEqual(expected);
        matches += (JSON.parse(found?.text ?? '') as SearchResult).global_matches.length;
      }
      expect(matches).toBeGreaterThan(1000);
    },
    START_MS_MAX,
  );

  test('a query with more simprints than fit into a search finds equal and near ones', async () => {
    const random = generator(4);
    const passages = Array.from({ length: 250 }, () => body(random, 128));
    const near = (flips: number) => ({
      PASSAGE: passages.map((bytes, at) => ({
        simprint: Buffer.from(flipped(random, bytes, flips)).toString('base64url'),
        offset: 100 * at,
        size: 100,
      })),
    });
    const entries = [0, 3, 9].map((flips, at) => ({
      iscc_id: isccId(at),
      simprints: near(flips),
    }));
    await add('passages', entries as unknown as Entry[]);
    const query = { simprints: near(1) };
    const [expected, found] = await both((url) => post(`${url}/indexes/passages/search`, query));
    expect(found).toEqual(expected);
    expect((JSON.parse(found?.text ?? '') as SearchResult).chunk_matches).toHaveLength(3);
  });

  test('Search-Exact says whether all matches were found, and exact=true is refused where that is open', async () => {
    const { url } = servers[1] as RunningServer;
    const search = (parameters: string, query: object) =>
      post(`${url}/indexes/random/search?${parameters}`, query);
    const units = [unit(DATA, body(generator(3), 256))];
    const headers = await Promise.all(
      ['', 'threshold=0.87', 'threshold=0.88', 'threshold=1'].map(async (parameters) =>
        (await search(parameters, { units })).headers.get('search-exact'),
      ),
    );
    expect(headers).toEqual(['false', 'false', 'true', 'true']);
    const refused = await search('exact=true', { units });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringMatching(/exact: .*OpenSearch.*threshold=0\.88/),
    ]);
  });
});

function unit([main, sub]: readonly [number, number], bytes: Uint8Array): string {
  return `ISCC:${native.encodeUnit(main, sub, 0, bytes.length * 8, bytes).replace('ISCC:', '')}`;
}

function body(random: () => number, bits: number): Uint8Array {
  return Uint8Array.from({ length: bits / 8 }, () => random() & 0xff);
}

/** A copy that differs in exactly `count` bits. */
function flipped(random: () => number, bytes: Uint8Array, count: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const positions = new Set<number>();
  while (positions.size < Math.floor(count)) positions.add(random() % (bytes.length * 8));
  for (const at of positions) copy[at >> 3] = (copy[at >> 3] as number) ^ (1 << (at & 7));
  return copy;
}

/** A generator of integers of 31 bits (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 1;
  };
}
