import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searchVariables } from '../../src/config/search.js';
import { readVariables } from '../../src/config/variable.js';
import { loadTransport } from '../../src/http/load-transport.js';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { createLogger } from '../../src/observe/log.js';
import { searchApp } from '../../src/search/app.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/search');
const BATCH_ASSETS = 500;

interface Query {
  readonly qid: number;
  readonly method: string;
  readonly limit: number | null;
  readonly body: Record<string, unknown>;
}

interface Expected {
  readonly qid: number;
  readonly matches: readonly [id: string, score: number, types: Record<string, number>][];
  readonly optional?: readonly [id: string, score: number][];
}

async function lines<T>(file: string): Promise<T[]> {
  const text = await readFile(path.join(FIXTURES, file), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

async function start(folder: string, environment: Record<string, string> = {}): Promise<RunningServer> {
  const config = readVariables(searchVariables, environment);
  const log = createLogger('error');
  const app = await searchApp(config, folder);
  return startServer(app, { host: '127.0.0.1', port: 0, transport: loadTransport('auto', log), log });
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const type = { 'Content-Type': 'application/json' };
  return fetch(url, { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
  return () => rm(folder, { recursive: true, force: true });
});

describe('the recorded collection', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start(folder);
    expect((await post(`${server.url}/indexes`, { name: 'ds' })).status).toBe(201);
    const assets = await lines('assets.jsonl');
    for (let at = 0; at < assets.length; at += BATCH_ASSETS) {
      const added = await post(`${server.url}/indexes/ds/assets`, assets.slice(at, at + BATCH_ASSETS));
      expect(added.status).toBe(201);
    }
  });
  afterAll(() => server.stop());

  test('is ranked as the exact walk over all assets ranks it', async () => {
    const expected = new Map(
      (await lines<Expected>('results_exact_reference.jsonl')).map((row) => [row.qid, row]),
    );
    let compared = 0;
    for (const { qid, method, limit, body } of await lines<Query>('queries.jsonl')) {
      const wanted = expected.get(qid);
      if (wanted === undefined || method !== 'POST') continue;
      const response = await post(`${server.url}/indexes/ds/search?limit=${limit ?? 100}`, body);
      const { global_matches: found } = (await response.json()) as {
        global_matches: { iscc_id: string; score: number; types: unknown; unit_scores: unknown }[];
      };
      const optional = new Set(wanted.optional?.map(([id]) => id));
      const ranked = found.filter(({ iscc_id }) => !optional.has(iscc_id));
      const ids = wanted.matches.map(([id]) => id);
      expect([qid, ranked.map(({ iscc_id }) => iscc_id)]).toEqual([qid, ids.slice(0, ranked.length)]);
      if (optional.size === 0) expect([qid, found.length]).toEqual([qid, Math.min(ids.length, limit ?? 100)]);
      ranked.forEach(({ score, types, unit_scores }, at) => {
        expect(score).toBeCloseTo(wanted.matches[at]?.[1] ?? Number.NaN, 6);
        expect(unit_scores).toEqual(types);
      });
      compared += 1;
    }
    expect(compared).toBeGreaterThan(100);
  });

  test('is still there after a restart', async () => {
    await server.stop();
    server = await start(folder);
    const index = (await (await fetch(`${server.url}/indexes/ds`)).json()) as { assets: number };
    expect(index.assets).toBe((await lines('assets.jsonl')).length);
  });

  test('is refused to a second process', async () => {
    await expect(start(folder)).rejects.toThrow(/in use by another process/);
  });
});

describe('requests', () => {
  let server: RunningServer;
  const key = { 'X-API-Key': 's3cret' };
  beforeAll(async () => {
    server = await start(folder, {
      INDEXSVC_INDEX_URI: 'memory://',
      INDEXSVC_API_SECRET: 's3cret',
      INDEXSVC_MAX_BODY: '2048',
    });
    return () => server.stop();
  });

  test('need the key, but not for probes and documentation', async () => {
    for (const headers of [
      {},
      { 'X-API-Key': 'nope' },
      { Authorization: 'Bearer s3cret' },
      { 'X-API-Key': 's3cret2' },
    ]) {
      const refused = await fetch(`${server.url}/indexes`, { headers: headers as Record<string, string> });
      expect([refused.status, await refused.json()]).toEqual([401, { detail: 'Unauthorized' }]);
    }
    expect((await fetch(`${server.url}/indexes`, { headers: key })).status).toBe(200);
    for (const open of ['/healthz', '/readyz', '/docs', '/status', '/openapi/openapi.json']) {
      expect([open, (await fetch(`${server.url}${open}`)).status]).toEqual([open, 200]);
    }
  });

  test.each([
    ['a bad name', { name: 'Bad' }, 422],
    ['no name', {}, 422],
    ['a name', { name: 'a1' }, 201],
    ['the same name', { name: 'a1' }, 409],
  ])('to create with %s get their status', async (_, body, status) => {
    expect((await post(`${server.url}/indexes`, body, key)).status).toBe(status);
  });

  test('that are too large are refused', async () => {
    const refused = await post(`${server.url}/indexes`, { name: 'x'.repeat(4000) }, key);
    expect(refused.status).toBe(413);
  });

  test('with a wrong limit get the rule', async () => {
    const url = `${server.url}/indexes/a1/search?limit=`;
    const query = { iscc_code: 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2' };
    for (const [limit, status] of [
      ['abc', 422],
      ['1.5', 422],
      ['', 422],
      ['0', 400],
      ['10001', 400],
      ['10000', 200],
    ] as const) {
      expect([limit, (await post(url + limit, query, key)).status]).toEqual([limit, status]);
    }
  });

  test('of other methods and paths are told so', async () => {
    const put = await fetch(`${server.url}/indexes`, { method: 'PUT', headers: key });
    expect([put.status, put.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')]);
    const slash = await fetch(`${server.url}/indexes/`, { headers: key, redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([307, '/indexes']);
    expect((await fetch(`${server.url}//example.org/`, { redirect: 'manual' })).status).toBe(404);
  });
});
