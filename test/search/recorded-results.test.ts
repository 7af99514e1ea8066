/** The recorded collection over HTTP: every ranked result and every chunk match, with each backend. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ChunkMatch, Entry, GlobalMatch, SearchResult } from '../../src/client/search-api.js';
import type { RunningServer } from '../../src/http/server.js';
import { among } from './support/engines.js';
import { type Backend, indexUri } from './support/locations.js';
import { addCollection, rows, startSearch } from './support/search-server.js';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;
/** Recorded scores were computed from 32-bit distances. */
const SCORE_DIGITS = 6;

interface Query {
  readonly qid: number;
  readonly method: string;
  readonly limit: number | null;
  readonly body: Readonly<Record<string, unknown>>;
}

type Ranked = readonly [id: string, score: number, types: Readonly<Record<string, number>>];

interface Truth {
  readonly qid: number;
  readonly matches: readonly Ranked[];
  /** Assets with only a code, found by the units of that code. */
  readonly optional?: readonly Ranked[];
}

interface Recorded {
  readonly qid: number;
  readonly status: number;
  readonly response: SearchResult;
}

let folder: string;
let queries: readonly Query[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
  queries = await rows<Query>('queries.jsonl');
  return () => rm(folder, { recursive: true, force: true });
});

/** Starts a backend with the collection; returns a function that sends it a query. */
function serving(backend: Backend) {
  let server: RunningServer;
  beforeAll(async () => {
    const uri = indexUri(backend, path.join(folder, backend));
    server = await startSearch(folder, { INDEXSVC_INDEX_URI: uri });
    await addCollection(server.url, 'ds');
    return () => server.stop();
  });
  return async ({ method, body, limit }: Query, at = limit): Promise<SearchResult> => {
    const url = new URL(`${server.url}/indexes/ds/search`);
    if (at !== null) url.searchParams.set('limit', String(at));
    if (method === 'GET') url.searchParams.set('iscc_code', String(body.iscc_code));
    const headers = { 'Content-Type': 'application/json' };
    const sent = method === 'GET' ? {} : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(url, sent);
    expect([body, response.status]).toEqual([body, 200]);
    return (await response.json()) as SearchResult;
  };
}

async function byQuery<T extends { qid: number }>(file: string): Promise<Map<number, T>> {
  return new Map((await rows<T>(file)).map((row) => [row.qid, row]));
}

/** By score, then number of units, then ISCC-ID. */
function inOrder([id, score, types]: Ranked, [otherId, otherScore, otherTypes]: Ranked): number {
  const units = Object.keys(otherTypes).length - Object.keys(types).length;
  return otherScore - score || units || (id < otherId ? -1 : 1);
}

function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, one) =>
    typeof one === 'number' ? Number(one.toFixed(SCORE_DIGITS)) : one,
  );
}

function ranked({ iscc_id, score, types }: GlobalMatch): Ranked {
  return [iscc_id, score, types];
}

describe.each(among('memory', 'usearch', 'postgresql', 'opensearch'))('%s', (backend) => {
  const search = serving(backend);

  test('ranks units as a brute-force comparison does', async () => {
    const truth = await byQuery<Truth>('results_exact_reference.jsonl');
    let compared = 0;
    for (const query of queries) {
      const row = truth.get(query.qid);
      if (row === undefined) continue;
      const all = [...row.matches, ...(row.optional ?? [])].sort(inOrder);
      const wanted = all.slice(0, query.limit ?? LIMIT_DEFAULT);
      const { global_matches: found } = await search(query);
      expect([query, rounded(found.map(ranked))]).toEqual([query, rounded(wanted)]);
      for (const { types, unit_scores } of found) expect(unit_scores).toEqual(types);
      compared += found.length;
    }
    expect(compared).toBeGreaterThan(800);
  });

  test('finds the recorded chunks, or nearer ones that the recorded graph missed', async () => {
    const recorded = await byQuery<Recorded>('results_usearch.jsonl');
    let [compared, equal] = [0, 0];
    for (const query of queries) {
      const wanted = recorded.get(query.qid)?.response.chunk_matches ?? [];
      const { chunk_matches: all } = await search(query, LIMIT_MAX);
      for (const match of wanted) {
        const found = all.find(({ iscc_id }) => iscc_id === match.iscc_id);
        expect([query.qid, match.iscc_id, isAsNear(found, match)]).toEqual([query.qid, match.iscc_id, true]);
        compared += 1;
        if (sameChunks(found, match)) {
          expect(found?.score).toBeCloseTo(match.score, SCORE_DIGITS);
          equal += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(100);
    expect(equal / compared).toBeGreaterThan(0.9);
  });
});

describe('lmdb', () => {
  const search = serving('lmdb');

  test('ranks equal prefixes as recorded', async () => {
    const recorded = await byQuery<Recorded>('results_lmdb.jsonl');
    const entries = await rows<Entry>('assets.jsonl');
    // Now found by the units of their code, never found in the recording.
    const codeOnly = new Set(entries.filter(({ units }) => !units).map(({ iscc_id }) => iscc_id));
    let compared = 0;
    for (const query of queries) {
      const row = recorded.get(query.qid);
      // In the recording, a query with only simprints fails.
      if (row?.status !== 200) continue;
      const wanted = row.response.global_matches;
      const { global_matches: all, query: echo } = await search(query, LIMIT_MAX);
      const found = all.filter(({ iscc_id }) => !codeOnly.has(iscc_id));
      const { qid } = query;
      expect([qid, wanted.length]).toEqual([qid, Math.min(found.length, query.limit ?? LIMIT_DEFAULT)]);
      expect([qid, echo.units]).toEqual([qid, row.response.query.units]);
      wanted.forEach(({ iscc_id, score, types }, place) => {
        // The recording orders equal scores arbitrarily, so at the limit only the score is certain.
        expect([qid, place, found[place]?.score]).toEqual([qid, place, score]);
        const same = found.find((one) => one.iscc_id === iscc_id);
        expect([qid, iscc_id, same?.types]).toEqual([qid, iscc_id, types]);
      });
      compared += wanted.length;
    }
    expect(compared).toBeGreaterThan(200);
  });

  test('ranks equal simprints by coverage and quality', async () => {
    const recorded = await byQuery<{ qid: number; chunk_matches: ChunkMatch[] }>(
      'results_simprint_exact.jsonl',
    );
    let compared = 0;
    for (const query of queries) {
      const row = recorded.get(query.qid);
      if (row === undefined) continue;
      const { chunk_matches: found } = await search(query);
      expect([query.qid, rounded(found)]).toEqual([query.qid, rounded(row.chunk_matches)]);
      compared += found.length;
    }
    expect(compared).toBeGreaterThan(7);
  });
});

type Chunk = ChunkMatch['types'][string]['chunks'][number];

function chunks({ types }: ChunkMatch): Map<string, Chunk> {
  const all = Object.entries(types).flatMap(([type, { chunks }]) =>
    chunks.map((chunk) => [`${type} ${chunk.query}`, chunk] as const),
  );
  return new Map(all);
}

/** Whether each recorded chunk is found, or a nearer one instead. */
function isAsNear(found: ChunkMatch | undefined, recorded: ChunkMatch): boolean {
  if (found === undefined) return false;
  const ours = chunks(found);
  return [...chunks(recorded)].every(([key, { match, score, freq }]) => {
    const own = ours.get(key);
    return own !== undefined && own.score >= score && (own.match !== match || own.freq === freq);
  });
}

function sameChunks(found: ChunkMatch | undefined, recorded: ChunkMatch): boolean {
  const values = (match: ChunkMatch) =>
    [...chunks(match)].map(([key, { match, score, freq }]) => `${key} ${match} ${score} ${freq}`).sort();
  return found !== undefined && values(found).join() === values(recorded).join();
}
