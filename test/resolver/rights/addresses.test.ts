/** Rights look-ups that read what the address of a declaration, or of the content, says: objects, headers, meta elements, tdmrep.json. */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ContentCoder } from '../../../src/content/coder.js';
import type { RunningServer } from '../../../src/http/server.js';
import { native } from '../../../src/native.js';
import { readCodesConfig } from '../../../src/platform/config/codes.js';
import { createLogger } from '../../../src/platform/observe/log.js';
import { signJson } from '../../../src/platform/signing/iscc-sig.js';
import { SigningKey } from '../../../src/platform/signing/key.js';
import { startContentCoder } from '../../../src/services/codes/content-coder.js';
import { type RecordedSearch, recordedSearch, startResolver } from '../support/resolver.js';
import { rightsByCode, statuses } from './support.js';

const UNITS = [0, 1].map((at) => native.encodeUnit(3 + at, 0, 0, 256, randomBytes(32)));
const CODE = `ISCC:${native.composeCode(UNITS.join('\n'), false).replace(/^ISCC:/, '')}`;
const UNIT = `ISCC:${UNITS[0]?.replace(/^ISCC:/, '')}`;
const ISCC_ID = native.isccId(0, 1_770_000_000_000_000, 1);
const OTHER_ID = native.isccId(0, 1_770_000_000_000_777, 1);
const RESERVED = ['notAllowed', 'notAllowed', 'notAllowed', 'unspecified'];
const NOTHING = ['unspecified', 'unspecified', 'unspecified', 'unspecified'];
const MODIFIED = 'Tue, 03 Nov 2026 08:00:00 GMT';

interface Response {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

let search: RecordedSearch;
let coder: ContentCoder;
let resolver: RunningServer;
let server: http.Server;
let base: string;
const served = new Map<string, Response>();
const requests: string[] = [];

beforeAll(async () => {
  search = await recordedSearch();
  coder = await startContentCoder(readCodesConfig({}), createLogger('silent'));
});
afterAll(async () => {
  await coder.close();
  await search.close();
});
beforeEach(async () => {
  served.clear();
  requests.length = 0;
  // A new server and resolver, because files of servers are cached.
  server = http.createServer((request, response) => {
    requests.push(request.url ?? '');
    const { status = 200, headers = {}, body = '' } = served.get(request.url ?? '') ?? { status: 404 };
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  resolver = await startResolver(
    { RESOLVER_SEARCH_URL: search.url, RESOLVER_RIGHTS: '1', RESOLVER_FETCH_TIMEOUT: '5' },
    { coder },
  );
  declare(`${base}/work`);
  return async () => {
    await resolver.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});

function declare(address: string, score = 97): void {
  const metadata = { gateway: address };
  const match = { iscc_id: ISCC_ID, types: { DATA_NONE_V0: score / 100 }, metadata };
  search.assets.clear();
  const body = JSON.stringify({
    iscc_id: ISCC_ID,
    units: UNITS.map((unit) => `ISCC:${unit.replace(/^ISCC:/, '')}`),
    metadata,
  });
  search.assets.set(ISCC_ID, { status: 200, body });
  search.searchResponse = { status: 200, body: JSON.stringify({ global_matches: [match] }) };
}

function serveObject(value: object, headers: Record<string, string> = {}): void {
  served.set('/work', {
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(value),
  });
}

const tdm = (rest: object) => ({
  '@context': 'http://purl.org/iscc/context/0.8.0.jsonld',
  '@type': 'TDM',
  $schema: 'http://purl.org/iscc/schema/tdm-0.8.0.json',
  ...rest,
});
const genai = (rest: object) => ({
  '@context': 'http://purl.org/iscc/context/0.8.0.jsonld',
  '@type': 'GenAI',
  $schema: 'http://purl.org/iscc/schema/genai-0.8.0.json',
  ...rest,
});

const look = async (query = '', iscc = UNIT) => {
  const { status, body } = await rightsByCode(resolver.url, iscc, query);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};

describe('objects of iscc-schema at the address of a declaration', () => {
  it.each([
    ['its ISCC-ID', () => ISCC_ID],
    ['the ISCC-CODE of the declared content', () => CODE],
    ['the code of the query', () => UNIT],
    ['no content, so that of the address', () => undefined],
  ])('a TDM reservation counts if it names %s', async (_, iscc) => {
    serveObject(tdm({ iscc: iscc(), tdm_reservation: 1 }), { 'Last-Modified': MODIFIED });
    const report = await look();
    expect(statuses(report)).toEqual(RESERVED);
    expect(report.answers.mayTrain).toEqual({ answer: 'no', sources: ['1'], signature: 'none' });
    expect(report.answers.madeByAi).toEqual({ answer: 'unspecified', sources: [] });
    expect(report.sources).toMatchObject([
      {
        kind: 'tdm',
        place: 'match',
        counts: true,
        signature: 'none',
        isccId: ISCC_ID,
        address: `${base}/work`,
        since: '2026-11-03T08:00:00.000Z',
        sinceFrom: 'server',
      },
    ]);
    expect(report.complete).toBe(true);
  });

  it.each([[OTHER_ID], ['ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY'], [7]])(
    'one that names another content is listed, and does not count: %s',
    async (iscc) => {
      serveObject(tdm({ iscc, tdm_reservation: 1 }));
      const report = await look();
      expect(statuses(report)).toEqual(NOTHING);
      expect(report.sources).toMatchObject([
        { kind: 'tdm', counts: false, problem: 'it names another content', sinceFrom: 'read' },
      ]);
    },
  );

  it('does not count for content that is less similar than minScore', async () => {
    declare(`${base}/work`, 80);
    serveObject(tdm({ tdm_reservation: 1 }));
    expect(statuses(await look())).toEqual(NOTHING);
    expect(statuses(await look('?minScore=80'))).toEqual(RESERVED);
  });

  it('a policy makes the reservation a condition', async () => {
    serveObject(tdm({ tdm_reservation: 1, tdm_policy: 'https://example.org/policy.json' }));
    const report = await look();
    expect(report.answers.mayTrain.answer).toBe('onConditions');
    expect(report.sources[0]?.statements[0]).toMatchObject({
      field: 'tdm_reservation',
      detail: 'https://example.org/policy.json',
    });
  });

  it('a signature is checked, and names the signer', async () => {
    const key = new SigningKey(Buffer.alloc(32, 5));
    const object = tdm({ iscc: ISCC_ID, tdm_reservation: 1 });
    const signed = signJson(object as never, key, 'did:web:publisher.example') as object;
    serveObject(signed);
    const report = await look();
    expect(report.sources).toMatchObject([
      { signature: 'valid', counts: true, by: 'did:web:publisher.example' },
    ]);
    expect(report.answers.mayTrain).toMatchObject({ answer: 'no', by: ['did:web:publisher.example'] });
    serveObject({ ...signed, tdm_reservation: 0 });
    const changed = await look();
    expect(changed.sources).toMatchObject([
      { signature: 'invalid', counts: false, problem: 'the signature does not verify' },
    ]);
    expect(statuses(changed)).toEqual(NOTHING);
  });

  it.each([
    [{ involvement: 'ai_generated', ai_system: 'Painter 3' }, 'ai_generated', 'Painter 3'],
    [{ involvement: 'human_supervised' }, 'human_supervised', undefined],
    [
      {
        digital_source_type: 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
      },
      'ai_generated',
      undefined,
    ],
    [
      { digital_source_type: 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture' },
      'human',
      undefined,
    ],
  ])('says whether AI made the content: %j', async (said, answer, system) => {
    serveObject(genai({ iscc: ISCC_ID, ...said }));
    const report = await look();
    expect(report.answers.madeByAi).toEqual({ answer, sources: ['1'], signature: 'none' });
    const [disclosure] = report.sources[0]?.disclosures ?? [];
    expect([report.sources[0]?.kind, disclosure?.involvement, disclosure?.system]).toEqual([
      'genai',
      answer,
      system,
    ]);
  });

  it('reads several in a list or graph, and shows a conflict', async () => {
    const objects = [
      tdm({ iscc: ISCC_ID, tdm_reservation: 1 }),
      genai({ iscc: ISCC_ID, involvement: 'human' }),
      genai({ iscc: ISCC_ID, involvement: 'ai_generated' }),
    ];
    for (const value of [objects, { '@graph': objects }]) {
      serveObject(value);
      const report = await look();
      expect(report.sources.map(({ kind }) => kind)).toEqual(['tdm', 'genai', 'genai']);
      expect(report.answers.madeByAi).toMatchObject({ answer: 'conflicting', sources: ['2', '3'] });
    }
  });

  it.each([
    [{ $schema: 'http://example.org/tdm-0.8.0.json', '@type': 'TDM', tdm_reservation: 1 }],
    [tdm({ tdm_reservation: 2 })],
    [tdm({ tdm_reservation: '1' })],
    [tdm({})],
    [genai({ involvement: 'robots' })],
    [[null, 1, 'x', []]],
    [{ title: 'a work' }],
  ])('other JSON says nothing: %j', async (value) => {
    serveObject(value as object);
    const report = await look();
    expect(report.sources).toMatchObject([{ kind: 'declaration', counts: false, statements: [] }]);
    expect([statuses(report), report.complete]).toEqual([NOTHING, true]);
  });
});

describe('TDMRep at the address of a declaration', () => {
  it('reads HTTP headers, meta elements and linked data of the page, each as a source', async () => {
    const linked = JSON.stringify(genai({ iscc: ISCC_ID, involvement: 'human' }));
    served.set('/work', {
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'TDM-Reservation': '1',
        'TDM-Policy': 'https://example.org/p.json',
      },
      body: `<html><head><meta name="tdm-reservation" content="0"><script type="application/ld+json">${linked}</script></head></html>`,
    });
    const report = await look();
    expect(report.sources.map(({ kind, signature }) => [kind, signature])).toEqual([
      ['genai', 'none'],
      ['html', 'none'],
      ['http', 'none'],
    ]);
    expect(report.summary['c2pa.data_mining']).toMatchObject({ status: 'conflicting', sources: ['2', '3'] });
    expect(report.answers).toMatchObject({
      mayTrain: { answer: 'onConditions', sources: ['3'] },
      madeByAi: { answer: 'human', sources: ['1'] },
    });
  });

  it.each([
    ['/work', 1, RESERVED],
    ['/', 1, RESERVED],
    ['/w*k', 1, RESERVED],
    ['/work$', 1, RESERVED],
    ['/*.jpg$', 1, NOTHING],
    ['/other', 1, NOTHING],
    ['/wor$', 1, NOTHING],
    ['/w*o*x', 1, NOTHING],
    ['/', 0, ['allowed', 'unspecified', 'unspecified', 'unspecified']],
  ])('reads tdmrep.json with the location %s', async (location, reservation, expected) => {
    serveObject({});
    served.set('/.well-known/tdmrep.json', {
      body: JSON.stringify([{ location, 'tdm-reservation': reservation }, { location: 7 }, null]),
    });
    const report = await look();
    expect(statuses(report)).toEqual(expected);
    if (expected === NOTHING) return;
    expect(report.sources).toMatchObject([{ kind: 'tdmrep', address: `${base}/.well-known/tdmrep.json` }]);
  });

  it('the longest matching location counts', async () => {
    serveObject({});
    const entries = [
      { location: '/', 'tdm-reservation': 1, 'tdm-policy': 'https://example.org/p.json' },
      { location: '/work', 'tdm-reservation': 0 },
    ];
    served.set('/.well-known/tdmrep.json', { body: JSON.stringify(entries) });
    expect((await look()).summary['c2pa.data_mining']?.status).toBe('allowed');
    await look();
    expect(requests.filter((one) => one.endsWith('tdmrep.json'))).toHaveLength(1);
  });

  it.each(['not json', '{}', '[]'])('a file with other content says nothing: %s', async (body) => {
    serveObject({});
    served.set('/.well-known/tdmrep.json', { body });
    expect(await look()).toMatchObject({ complete: true, sources: [{ kind: 'declaration' }] });
  });
});

describe('an address that cannot be read', () => {
  it.each([
    [503, 'status 503'],
    [404, 'status 404'],
  ])('with status %i makes the report incomplete', async (status, problem) => {
    served.set('/work', { status });
    served.set('/.well-known/tdmrep.json', {
      body: JSON.stringify([{ location: '/', 'tdm-reservation': 1 }]),
    });
    const report = await look();
    expect(report.complete).toBe(false);
    // The file of the server counts all the same.
    expect(report.sources).toMatchObject([
      { kind: 'tdmrep', counts: true },
      { kind: 'declaration', counts: false, problem: expect.stringContaining(problem) },
    ]);
    expect(statuses(report)).toEqual(RESERVED);
  });

  it.each(['https://10.0.0.1/work', 'ftp://example.org/work', 'urn:x:work', 'http://192.0.2.1/'])(
    'is not requested unless it is public https: %s',
    async (address) => {
      declare(address);
      const report = await look();
      expect([report.complete, report.sources]).toMatchObject([
        false,
        [{ kind: 'declaration', counts: false, problem: expect.any(String) }],
      ]);
    },
  );

  it('an endless page takes bounded time and memory', async () => {
    served.set('/work', {
      headers: { 'Content-Type': 'text/html' },
      body: `<meta name="tdm-reservation" content="1">${' '.repeat(5_000_000)}`,
    });
    expect(statuses(await look())).toEqual(RESERVED);
  });
});

describe('sourceUrl', () => {
  it('is read like the address of a declaration', async () => {
    declare(`${base}/nothing`);
    served.set('/nothing', { body: '{}' });
    served.set('/page', { headers: { 'TDM-Reservation': '1' }, body: 'x' });
    const report = await look(`?sourceUrl=${encodeURIComponent(`${base}/page`)}`);
    expect(report.sources[0]).toMatchObject({ kind: 'http', place: 'address', counts: true });
    expect(statuses(report)).toEqual(RESERVED);
  });

  it.each(['nothing', 'ftp://example.org/'])('refuses %s', async (sourceUrl) => {
    const { status, body } = await rightsByCode(resolver.url, UNIT, `?sourceUrl=${sourceUrl}`);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('sourceUrl must be')]);
  });
});
