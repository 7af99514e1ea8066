/** Rights look-ups whose manifests are at gateways that fail, lie or change, and the switch of the routes. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ContentCoder } from '../../../src/content/coder.js';
import type { RunningServer } from '../../../src/http/server.js';
import { native } from '../../../src/native.js';
import { readCodesConfig } from '../../../src/platform/config/codes.js';
import { createLogger } from '../../../src/platform/observe/log.js';
import { startContentCoder } from '../../../src/services/codes/content-coder.js';
import { type RecordedSearch, recordedSearch, startResolver } from '../support/resolver.js';
import { FIXTURES, fixture, rightsByCode, rightsByContent, statuses } from './support.js';

const CODE = 'ISCC:EEA6SRMTUHFVYT4S';
const DENIES = fixture('rights/301-denies-trusted.c2pa');
const NOTHING = ['unspecified', 'unspecified', 'unspecified', 'unspecified'];

let search: RecordedSearch;
let coder: ContentCoder;
let resolver: RunningServer;
let gateway: http.Server;
let base: string;
const served = new Map<string, Buffer | number>();

beforeAll(async () => {
  search = await recordedSearch();
  coder = await startContentCoder(readCodesConfig({}), createLogger('silent'));
  resolver = await startResolver(
    {
      RESOLVER_SEARCH_URL: search.url,
      RESOLVER_RIGHTS: '1',
      RESOLVER_FETCH_TIMEOUT: '5',
      RESOLVER_TRUST_ANCHORS: path.join(FIXTURES, 'certs/trust-anchors.pem'),
    },
    { coder },
  );
  gateway = http.createServer((request, response) => {
    const found = served.get(request.url ?? '') ?? 404;
    if (typeof found === 'number') response.writeHead(found).end();
    else response.end(found);
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await resolver.stop();
  await coder.close();
  await search.close();
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
});
beforeEach(() => {
  served.clear();
  declare([]);
});

/** The index has these declarations; scores in per cent. */
function declare(entries: readonly { address: string; score?: number }[]): void {
  const matches = entries.map(({ address, score = 97 }, at) => ({
    iscc_id: native.isccId(0, 1_770_000_000_000_000 + at, 1),
    types: { CONTENT_IMAGE_V0: score / 100 },
    metadata: { gateway: address },
  }));
  search.assets.clear();
  for (const { iscc_id, metadata } of matches)
    search.assets.set(iscc_id, { status: 200, body: JSON.stringify({ iscc_id, metadata }) });
  search.searchResponse = { status: 200, body: JSON.stringify({ global_matches: matches }) };
}

const ID = (await native.activeManifestId(DENIES)) ?? '';
const PLACE = `/manifests/${encodeURIComponent(ID)}`;
const look = async (query = '') => {
  const { status, body } = await rightsByCode(resolver.url, CODE, query);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};

describe('a manifest at a gateway', () => {
  it('counts with the state of its signature', async () => {
    served.set(PLACE, DENIES);
    declare([{ address: `${base}${PLACE}` }]);
    const report = await look();
    expect(report.sources).toMatchObject([
      { signature: 'trusted', counts: true, similarityScore: 97, gateway: `${base}${PLACE}`, manifestId: ID },
    ]);
    expect(statuses(report)).toEqual(['notAllowed', 'notAllowed', 'notAllowed', 'constrained']);
    expect(report.complete).toBe(true);
  });

  it('does not count if its signature is broken, but its statements are listed', async () => {
    const broken = Buffer.from(DENIES);
    broken.write('X', broken.indexOf('301-denies-trusted'));
    served.set(PLACE, broken);
    declare([{ address: `${base}${PLACE}` }]);
    const report = await look();
    expect(report.sources).toMatchObject([{ signature: 'invalid', counts: false }]);
    expect(report.sources[0]?.statements).toHaveLength(4);
    expect(report.sources[0]?.problem).toBeTruthy();
    expect(statuses(report)).toEqual(NOTHING);
  });

  it.each([
    [503, 'unreachable'],
    [404, 'no such manifest'],
  ])('that responds with %i makes the report incomplete', async (status, problem) => {
    served.set(PLACE, status);
    declare([{ address: `${base}${PLACE}` }]);
    const report = await look();
    expect(report.sources).toMatchObject([
      { signature: 'notChecked', counts: false, problem: expect.stringContaining(problem) },
    ]);
    expect([report.complete, statuses(report)]).toEqual([false, NOTHING]);
  });

  it('does not count if the content is less similar than minScore', async () => {
    served.set(PLACE, DENIES);
    declare([{ address: `${base}${PLACE}`, score: 80 }]);
    expect(statuses(await look())).toEqual(NOTHING);
    expect(statuses(await look('?minScore=80'))).toEqual([
      'notAllowed',
      'notAllowed',
      'notAllowed',
      'constrained',
    ]);
  });

  it('is not read at an address that is not public', async () => {
    declare([{ address: `https://10.0.0.1${PLACE}` }]);
    const { sources, complete } = await look();
    expect(sources).toMatchObject([{ signature: 'notChecked', counts: false, statements: [] }]);
    expect(complete).toBe(false);
  });

  it('is one of at most ten that are read', async () => {
    declare(Array.from({ length: 14 }, (_, at) => ({ address: `${base}${PLACE}${at}` })));
    const report = await look();
    expect([report.sources.length, report.complete]).toEqual([10, false]);
  });
});

it('lists a declaration whose address says nothing', async () => {
  served.set('/', Buffer.from('Words'));
  declare([{ address: `${base}/` }]);
  const report = await look();
  expect(report.sources).toMatchObject([
    { kind: 'declaration', sinceFrom: 'declaration', since: '2026-02-02T02:40:00.000Z', counts: false },
  ]);
  expect([report.complete, statuses(report)]).toEqual([true, NOTHING]);
});

it('answers 503 with Retry-After while the search service is overloaded, also per line', async () => {
  search.searchResponse = { status: 503, body: '{}' };
  const { status } = await rightsByCode(resolver.url, CODE);
  expect(status).toBe(503);
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const body = `"${CODE}"\n"x"\n`;
  const response = await fetch(`${resolver.url}/v1/rights/byCode`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  const lines = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { line: 1, status: 503, detail: 'Search backend unavailable' },
    { line: 2, status: 400 },
  ]);
});

it('has no such routes unless RESOLVER_RIGHTS is set', async () => {
  const off = await startResolver({ RESOLVER_SEARCH_URL: search.url }, { coder });
  try {
    expect((await rightsByCode(off.url, CODE)).status).toBe(404);
    expect((await rightsByContent(off.url, Buffer.from('x'), 'image/png')).status).toBe(404);
  } finally {
    await off.stop();
  }
});
