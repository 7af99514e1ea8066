/** Extensions of the search: which matches are wanted, pages, explanations, several queries. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { base32nopad } from '@scure/base';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry, Query, SearchParameters, SearchResult } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { among, BACKENDS, has } from './support/engines.js';
import { type Backend, indexUri } from './support/locations.js';
import { addCollection, post, rows, startSearch } from './support/search-server.js';

const LIMIT = 10_000;
const THRESHOLD = 0.875;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-selection-'));
  return () => rm(folder, { recursive: true, force: true });
});
const entries = await rows<Entry>('assets.jsonl');
const byId = new Map(entries.map((entry) => [entry.iscc_id, entry]));
const recorded = (await rows<{ readonly method: string; readonly body: Query }>('queries.jsonl'))
  .filter(({ method }) => method === 'POST')
  .map(({ body }) => body);
/** Each has matches, of units or of simprints. */
const queries = [
  ...recorded.filter(({ units }) => units).slice(0, 8),
  ...recorded.filter(({ simprints }) => simprints).slice(0, 4),
  ...recorded.filter(({ iscc_id }) => iscc_id).slice(0, 2),
];

/** The body of a unit, without its header of two bytes. */
const bodyOf = (unit: string) => base32nopad.decode(unit.replace('ISCC:', '')).subarray(2);
/** Numbers of compared and of differing bits. */
function compared(a: string, b: string): { bits: number; distance: number } {
  const [one, other] = [bodyOf(a), bodyOf(b)];
  const length = Math.min(one.length, other.length);
  let distance = 0;
  for (let at = 0; at < length; at += 1) {
    for (let rest = (one[at] as number) ^ (other[at] as number); rest > 0; rest >>= 1) distance += rest & 1;
  }
  return { bits: 8 * length, distance };
}

async function started(backend: Backend, name: string, environment: Record<string, string> = {}) {
  const place = path.join(folder, name);
  const server = await startSearch(place, { INDEXSVC_INDEX_URI: indexUri(backend, place), ...environment });
  await addCollection(server.url, 'ds');
  return server;
}

describe.each(BACKENDS)('%s', (backend) => {
  let server: RunningServer;
  let client: SearchClient;
  const search = (query: Query, parameters: SearchParameters = {}) =>
    client.search('ds', query, { limit: LIMIT, ...parameters });
  /** For each query, the result with parameters and the one without. */
  const both = async (parameters: SearchParameters) =>
    Promise.all(
      queries.map(async (query) => {
        const [limited, full] = await Promise.all([search(query, parameters), search(query)]);
        return { query, limited, full };
      }),
    );
  beforeAll(async () => {
    server = await started(backend, backend);
    client = new SearchClient(server.url);
    return () => server.stop();
  });

  test('exclude and min_score leave out matches and change nothing else', async () => {
    const all = await search(queries[0] as Query);
    const excluded = all.global_matches.slice(0, 2).map(({ iscc_id }) => iscc_id);
    expect(excluded.length).toBeGreaterThan(0);
    const minScore = 0.6;
    const isWanted = ({ iscc_id, score }: { iscc_id: string; score: number }) =>
      !excluded.includes(iscc_id) && score >= minScore;
    let left = 0;
    for (const { limited, full } of await both({ exclude: excluded.join(','), min_score: minScore })) {
      expect(limited).toEqual({
        query: full.query,
        global_matches: full.global_matches.filter(isWanted),
        chunk_matches: full.chunk_matches.filter(isWanted),
      });
      left += limited.global_matches.length + limited.chunk_matches.length;
    }
    expect(left).toBeGreaterThan(0);
    const { query } = (await both({}))[0] as { query: Query };
    expect(await search(query, { min_score: 0 })).toEqual(await search(query));
  });

  test('filters keep the matches whose metadata meet all conditions', async () => {
    const cases: readonly [string[], (metadata: Record<string, unknown>) => boolean][] = [
      [['metadata.source exists'], (metadata) => 'source' in metadata],
      [['metadata.nested exists'], (metadata) => 'nested' in metadata],
      [['metadata.name exists', 'metadata.tags exists'], (m) => 'name' in m && 'tags' in m],
      [['metadata.name = "none has this"'], () => false],
    ];
    for (const [filter, isWanted] of cases) {
      for (const { limited, full } of await both({ filter })) {
        const keeps = ({ metadata }: { metadata: Record<string, unknown> | null }) =>
          metadata !== null && isWanted(metadata);
        expect(limited.global_matches).toEqual(full.global_matches.filter(keeps));
        expect(limited.chunk_matches).toEqual(full.chunk_matches.filter(keeps));
      }
    }
    const first = (await search(queries[0] as Query)).global_matches.find(({ metadata }) => metadata?.name);
    const name = JSON.stringify(first?.metadata?.name);
    const found = await search(queries[0] as Query, { filter: [`metadata.name = ${name}`], limit: 1 });
    expect(found.global_matches).toEqual([first]);
  });

  test('unit_types searches with these units only', async () => {
    for (const query of queries.filter(({ units }) => units)) {
      const { query: echo, global_matches } = await search(query, {
        unit_types: 'DATA_NONE_V0,CONTENT_TEXT_V0',
      });
      expect(echo).toEqual((await search(query)).query);
      const kept = (query.units ?? []).filter((unit) => /^ISCC:(?:GA|EA)/.test(unit));
      if (kept.length === 0) expect(global_matches).toEqual([]);
      else expect(global_matches).toEqual((await search({ units: kept })).global_matches);
    }
  });

  test('pages join to the whole result, also with a filter', async () => {
    for (const query of queries) {
      for (const parameters of [{}, { filter: ['metadata.name exists'] }] as SearchParameters[]) {
        const full = await search(query, parameters);
        const joined = { global_matches: [] as unknown[], chunk_matches: [] as unknown[] };
        let pages = 0;
        for (let cursor: string | null | undefined = '*'; cursor; pages += 1) {
          const page: SearchResult = await search(query, { ...parameters, cursor, limit: 7 });
          joined.global_matches.push(...page.global_matches);
          joined.chunk_matches.push(...page.chunk_matches);
          cursor = page.next_cursor;
          expect(cursor === null || page.global_matches.length + page.chunk_matches.length >= 7).toBe(true);
        }
        expect({ query: full.query, ...joined }).toEqual(full);
        const longest = Math.max(full.global_matches.length, full.chunk_matches.length);
        expect(pages).toBe(Math.max(1, Math.ceil(longest / 7)));
      }
    }
  });

  test('explain=bits shows the compared bits of each unit', async () => {
    let units = 0;
    for (const { limited, full } of await both({ explain: 'bits' })) {
      const plain = limited.global_matches.map(({ explain: _, ...match }) => match);
      expect({ ...limited, global_matches: plain }).toEqual(full);
      for (const { iscc_id, types, explain = [] } of limited.global_matches) {
        expect(new Set(explain.map(({ type }) => type))).toEqual(new Set(Object.keys(types)));
        const stored = byId.get(iscc_id)?.units;
        for (const { unit, bits, distance } of stored ? explain : []) {
          expect(stored?.map((one) => compared(unit, one))).toContainEqual({ bits, distance });
          units += 1;
        }
        if (backend === 'lmdb') expect(explain.every(({ distance }) => distance === 0)).toBe(true);
        else
          for (const { type, bits, distance } of explain.filter(({ type }) => !type.startsWith('INSTANCE')))
            expect(types[type]).toBeGreaterThanOrEqual(1 - distance / bits);
      }
    }
    expect(units).toBeGreaterThan(20);
  });

  test.runIf(has(backend, 'not_in'))(
    'not_in leaves out the units that match in another index, and names them',
    async () => {
      const query = queries[0] as Query;
      const [placeholder, ...rest] = query.units as [string, ...string[]];
      await client.createIndex('placeholders');
      const entry = { iscc_id: (entries[0] as Entry).iscc_id, iscc_code: placeholder };
      await client.addAssets('placeholders', [entry]);
      const found = await search(query, { not_in: 'placeholders' });
      expect(found.suppressed).toEqual([placeholder]);
      expect(found.global_matches).toEqual((await search({ units: rest })).global_matches);
      expect(found.query).toEqual((await search(query)).query);
      const other = await search(queries[1] as Query, { not_in: 'placeholders' });
      expect(other).toEqual({ ...(await search(queries[1] as Query)), suppressed: [] });
    },
  );

  test('several queries have the results of each alone, errors in their place', async () => {
    const wrong = [{ units: ['ISCC:!'] }, { iscc_code: 1 }, { iscc_id: 'ISCC:MAAHHHHHHHHHHHHH' }];
    const all = [...queries, ...wrong, ...queries];
    const parameters = { limit: 5, explain: 'bits' } as const;
    const one = async (query: unknown) => {
      const response = await post(`${server.url}/indexes/ds/search?limit=5&explain=bits`, query);
      const body = (await response.json()) as { detail?: unknown };
      return response.ok ? body : { status: response.status, detail: body.detail };
    };
    const wanted = await Promise.all(all.map(one));
    expect(wanted.filter((result) => 'status' in result)).toHaveLength(wrong.length);
    expect(await client.searchSeveral('ds', all as Query[], parameters)).toEqual(wanted);
    const lines = await fetch(`${server.url}/indexes/ds/searches?limit=5&explain=bits`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: all.map((query) => `${JSON.stringify(query)}\n`).join('\n'),
    });
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    const texts = (await lines.text()).trimEnd().split('\n');
    expect(texts.map((line) => JSON.parse(line))).toEqual(wanted);
  });
});

test.each(among('memory', 'usearch', 'opensearch'))(
  '%s: threshold is as if it were configured',
  async (backend) => {
    const server = await started(backend, `low-${backend}`);
    const strict = await started(backend, `high-${backend}`, {
      INDEXSVC_MATCH_THRESHOLD_UNITS: String(THRESHOLD),
      INDEXSVC_MATCH_THRESHOLD_SIMPRINTS: String(THRESHOLD),
    });
    const [client, wanted] = [new SearchClient(server.url), new SearchClient(strict.url)];
    const parameters = {
      threshold: THRESHOLD,
      threshold_simprints: THRESHOLD,
      ...(has(backend, 'exact=true') && { exact: true }),
    };
    // Concurrent, so that searches with different thresholds share passes.
    await Promise.all(
      queries.map(async (query) => {
        const [found, plain] = await Promise.all([
          client.search('ds', query, { ...parameters, limit: LIMIT }),
          client.search('ds', query, LIMIT),
        ]);
        expect(found).toEqual(await wanted.search('ds', query, LIMIT));
        expect(plain.global_matches.length).toBeGreaterThanOrEqual(found.global_matches.length);
      }),
    );
    await Promise.all([server.stop(), strict.stop()]);
  },
);

describe('parameters', () => {
  const servers = new Map<Backend, RunningServer>();
  beforeAll(async () => {
    for (const backend of ['lmdb', 'usearch'] as const)
      servers.set(backend, await started(backend, `refusals-${backend}`));
    return () => Promise.all([...servers.values()].map((server) => server.stop()));
  });
  const responded = async (backend: Backend, parameters: string, target = 'search') => {
    const url = `${servers.get(backend)?.url}/indexes/ds/${target}?${parameters}`;
    const body =
      target === 'search' ? { iscc_code: entries[0]?.iscc_code } : [{ iscc_code: entries[0]?.iscc_code }];
    const response = await post(url, body);
    return [response.status, JSON.stringify(await response.json())];
  };

  test.each([
    ['threshold=high', 422, 'a number from 0 to 1'],
    ['threshold=1e1', 422, 'a number from 0 to 1'],
    ['threshold=0x1', 422, 'a number from 0 to 1'],
    ['threshold=.', 422, 'a number from 0 to 1'],
    ['threshold=1.1', 422, 'a number from 0 to 1'],
    ['threshold=', 422, 'a number from 0 to 1'],
    ['min_score=-1', 422, 'a number from 0 to 1'],
    ['threshold=0.5', 400, 'must be at least 0.75'],
    ['threshold_simprints=0.5', 400, 'must be at least 0.75'],
    ['unit_types=CONTENT_PICTURE_V0', 422, 'CONTENT_IMAGE_V0'],
    ['exclude=ISCC:A', 422, 'must be ISCC-IDs'],
    ['filter=metadata.lang%20=%20de', 422, 'metadata.PATH = VALUE'],
    ['cursor=x', 422, 'next_cursor of a response'],
    ['explain=all', 422, 'Input should be bits'],
    ['exact=maybe', 422, 'true or false'],
    ['not_in=missing', 400, "Index 'missing' not found"],
    ['tresholds=0.9', 422, 'Extra inputs are not permitted'],
  ] as const)('%s is refused with %i and the rule', async (parameters, status, rule) => {
    expect(await responded('usearch', parameters)).toEqual([status, expect.stringContaining(rule)]);
  });

  test.each(['9e-1', '.9', '0.90', '1', '1.', '10E-1'])('threshold=%s is a number', async (threshold) => {
    const [status] = await responded('usearch', `threshold=${threshold}`);
    expect(status).toBe(200);
  });

  test('lmdb refuses a threshold', async () => {
    expect(await responded('lmdb', 'threshold=0.9')).toEqual([
      400,
      expect.stringContaining('compares for equality'),
    ]);
  });

  test('an empty list of queries, a longer one than allowed, and another value are refused', async () => {
    const url = `${servers.get('usearch')?.url}/indexes/ds/searches`;
    const many = Array.from({ length: 1001 }, () => ({}));
    for (const [body, rule] of [
      [{}, 'valid list'],
      [[], '1 to 1000 items'],
      [many, '1 to 1000 items'],
    ] as const) {
      const response = await post(url, body);
      expect([response.status, await response.text()]).toEqual([422, expect.stringContaining(rule)]);
    }
    const missing = await post(url.replace('/ds/', '/none/'), [{}]);
    expect(missing.status).toBe(404);
  });
});
