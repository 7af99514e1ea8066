/** Routes, errors and headers of the resolver. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../src/http/server.js';
import { RawClient } from '../http/support/raw.js';
import { AUTHORITY, type Gateways, gateways, storeBytes } from './support/gateways.js';
import {
  dataCode,
  queryUrl,
  type RecordedSearch,
  recordedSearch,
  startResolver,
} from './support/resolver.js';

const ISCC_ID = 'ISCC:MAIWHWZA2D7A2MAB';

let server: RunningServer;
let search: RecordedSearch;
let places: Gateways;
beforeAll(async () => {
  expect(AUTHORITY).toContain('CERTIFICATE');
  search = await recordedSearch();
  places = await gateways();
  server = await startResolver({
    RESOLVER_SEARCH_URL: `${search.url}/`,
    RESOLVER_SEARCH_INDEX: 'mine',
    RESOLVER_SEARCH_API_KEY: 's3cret',
    RESOLVER_NUM_PROXIES: '1',
  });
  declare('/v1/manifests/urn:c2pa:1:acme/x');
  return async () => {
    await server.stop();
    await places.close();
    await search.close();
  };
});

/** Adds a gateway address to the index, and a Manifest Store at that address. */
function declare(target: string, isccId = ISCC_ID): void {
  places.kinds.set(target, 'store');
  const metadata = { gateway: `https://127.0.0.1:${places.https}${target}` };
  const hit = { iscc_id: isccId, unit_scores: { DATA_NONE_V0: 0.9 }, metadata };
  search.searchResponse = { status: 200, body: JSON.stringify({ global_matches: [hit] }) };
  search.assets.set(isccId, { status: 200, body: JSON.stringify({ iscc_id: isccId, metadata }) });
}

const get = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init);

describe('a query', () => {
  const match = {
    manifestId: 'urn:c2pa:1:acme/x',
    endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/iscc\/maiwhwza2d7a2mab$/),
    similarityScore: 90,
    isccId: ISCC_ID,
  };

  it('works by GET and POST', async () => {
    const byGet = await fetch(queryUrl(server.url, dataCode(1)));
    expect([byGet.status, await byGet.json()]).toEqual([200, { matches: [match] }]);
    const body = JSON.stringify({ alg: 'io.iscc.v0', value: dataCode(1) });
    const byPost = await get('/v1/matches/byBinding?maxResults=3', { method: 'POST', body });
    expect([byPost.status, await byPost.json()]).toEqual([200, { matches: [match] }]);
    expect(search.seen.at(-1)).toMatchObject({
      target: '/indexes/mine/search?limit=15',
      apiKey: 's3cret',
      body: expect.stringMatching(/^\{"units":\["ISCC:GADQCAI/),
    });
  });

  it('is refused with the reason', async () => {
    const meta = Buffer.concat([Buffer.from([0, 7]), Buffer.alloc(32)]).toString('base64');
    const post = (body: string) => ['/v1/matches/byBinding', { method: 'POST', body }] as const;
    const longQuery = JSON.stringify({ alg: 'io.iscc.v0', value: 'A'.repeat(4097) });
    const alg = 'alg=io.iscc.v0';
    const cases: (readonly [string, RequestInit | undefined, number, string])[] = [
      ['?', undefined, 400, 'Missing parameter: alg'],
      [`?${alg}`, undefined, 400, 'Missing parameter: value'],
      [`?${alg}&value=`, undefined, 400, 'Missing parameter: value'],
      [`?${alg}&value=AA&value=AA`, undefined, 400, 'Parameter given more than once: value'],
      [
        '?alg=com.adobe.trustmark.P&value=AA',
        undefined,
        400,
        'Unsupported alg; this service supports io.iscc.v0',
      ],
      [
        `?alg=${'a'.repeat(65)}&value=AA`,
        undefined,
        400,
        'Unsupported alg; this service supports io.iscc.v0',
      ],
      [`?${alg}&value=A*`, undefined, 400, 'Value is not valid base64'],
      [
        `?${alg}&value=ISCC:EAAW4BQTJSTJSHAI`,
        undefined,
        400,
        'Value is not valid base64, but the text of an ISCC: decode the text of each ISCC-UNIT',
      ],
      [`?${alg}&value=AAAA`, undefined, 400, 'Value is not a valid ISCC-SEQ: '],
      [`?${alg}&value=${encodeURIComponent(meta)}`, undefined, 400, 'Value holds no searchable ISCC-UNIT'],
      [`?${alg}&value=${'A'.repeat(4097)}`, undefined, 414, 'Value is longer than 4096 characters'],
      [`?${alg}&value=AA&maxResults=0`, undefined, 400, 'maxResults must be a positive integer'],
      ['', post(longQuery)[1], 400, 'Value is longer than 4096 characters'],
      ['', post('{')[1], 400, 'Invalid JSON body'],
      ['', post('{"alg":"io.iscc.v0"}')[1], 400, 'Invalid JSON body'],
      ['', { method: 'POST' }, 400, 'Invalid JSON body'],
      ['?maxResults=x', post('{}')[1], 400, 'maxResults must be a positive integer'],
      ['', post(' '.repeat(16_385))[1], 413, 'Request body too large'],
    ];
    for (const [query, init, status, detail] of cases) {
      const response = await get(`/v1/matches/byBinding${query}`, init);
      const body = (await response.json()) as { detail: string };
      expect([query, response.status, Object.keys(body)]).toEqual([query, status, ['detail']]);
      expect(body.detail.startsWith(detail)).toBe(true);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('accepts a body of exactly 16 KB', async () => {
    const body = JSON.stringify({ alg: 'io.iscc.v0', value: dataCode(1) }).padEnd(16_384);
    expect((await get('/v1/matches/byBinding', { method: 'POST', body })).status).toBe(200);
  });
});

describe('a manifest', () => {
  it('is returned unchanged from its endpoint and by its id', async () => {
    const { matches } = (await (await fetch(queryUrl(server.url, dataCode(1)))).json()) as {
      matches: [{ endpoint: string; manifestId: string }];
    };
    const [{ endpoint, manifestId }] = matches;
    for (const url of [
      `${endpoint}/manifests/${manifestId}`,
      `${endpoint}/manifests/${encodeURIComponent(manifestId)}`,
      `${endpoint.replace(/[^/]+$/, (id) => id.toUpperCase())}/manifests/${manifestId}`,
      `${server.url}/v1/manifests/${encodeURIComponent(manifestId)}`,
      `${server.url}/v1/manifests/${manifestId}?returnActiveManifest=true`,
    ]) {
      const response = await fetch(url);
      expect([url, response.status, response.headers.get('content-type')]).toEqual([
        url,
        200,
        'application/c2pa',
      ]);
      expect(Buffer.from(await response.arrayBuffer()).equals(storeBytes())).toBe(true);
      const etag = `"${createHash('sha256').update(storeBytes()).digest('hex')}"`;
      expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
        etag,
        'public, max-age=300',
      ]);
      const again = await fetch(url, { headers: { 'If-None-Match': `W/${etag}` } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('is fetched without the headers of the client', async () => {
    places.seen.length = 0;
    await get('/v1/iscc/maiwhwza2d7a2mab/manifests/urn:c2pa:1:acme%2Fx', {
      headers: { Cookie: 'a=b', Authorization: 'Bearer x', Referer: 'https://a.example/' },
    });
    expect(places.seen).toHaveLength(1);
    expect(Object.keys(places.seen[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'traceparent',
      'user-agent',
    ]);
    expect(places.seen[0]?.headers).toMatchObject({
      accept: 'application/c2pa',
      'accept-encoding': 'identity',
    });
  });

  it.each([
    '/v1/manifests/urn:c2pa:unknown',
    '/v1/manifests/a%00b',
    '/v1/iscc/maiwhwza2d7a2mab/manifests/urn:c2pa:other',
    '/v1/iscc/maiwhwza2d7a2maa/manifests/urn:c2pa:1:acme%2Fx',
    '/v1/iscc/ISCC:MAIWHWZA2D7A2MAB/manifests/urn:c2pa:1:acme%2Fx',
    '/v1/iscc/gadqcaibaeaqcaib/manifests/x',
    '/v1/iscc/short/manifests/x',
    '/v1/iscc/ma%C4%B1whwza2d7a2mab/manifests/x',
  ])('%s returns 404', async (path) => {
    places.seen.length = 0;
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([404, { detail: 'C2PA Manifest not found' }]);
    expect(places.seen).toEqual([]);
  });

  it.each([
    [500, 500],
    [400, 404],
    [404, 404],
    [503, 503],
  ])('when the search service returns %i: %i', async (searchStatus, status) => {
    search.assets.set('ISCC:MAIWHWZA2D7A2MAA', { status: searchStatus, body: '' });
    const response = await get('/v1/iscc/maiwhwza2d7a2maa/manifests/x');
    const detail = status === 404 ? 'C2PA Manifest not found' : 'Search backend unavailable';
    expect([response.status, await response.json()]).toEqual([status, { detail }]);
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '5' : null);
  });
});

describe('an index that does not exist', () => {
  it('counts as empty, with status degraded', async () => {
    search.hasIndex = false;
    const fresh = await startResolver({ RESOLVER_SEARCH_URL: search.url });
    try {
      const found = await fetch(queryUrl(fresh.url, dataCode(1)));
      expect([found.status, await found.json()]).toEqual([200, { matches: [] }]);
      const manifest = await fetch(`${fresh.url}/v1/iscc/maiwhwza2d7a2mab/manifests/x`);
      expect(manifest.status).toBe(404);
      const status = await fetch(`${fresh.url}/v1/services/status`);
      expect(await status.json()).toMatchObject({ status: 'degraded' });
      const ready = await fetch(`${fresh.url}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([200, { search: 'unavailable' }]);
    } finally {
      search.hasIndex = true;
      await fresh.stop();
    }
  });
});

describe('documents', () => {
  it('describe the service', async () => {
    const documents = {
      '/v1/services/supportedAlgorithms': { watermarks: [], fingerprints: [{ alg: 'io.iscc.v0' }] },
      '/v1/services/capabilities': { c2paSpecificationVersion: '2.4.0', supportedCapabilities: [] },
      '/v1/services/status': {
        status: 'ok',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      '/healthz': { status: 'ok' },
      '/readyz': { status: 'ready', sandbox: expect.any(String) },
      '/': {
        title: 'ISCC soft-binding resolver',
        version: expect.any(String),
        docs: '/docs',
        discovery: '/.well-known/c2pa-soft-binding-resolution',
      },
    };
    for (const [path, document] of Object.entries(documents)) {
      const response = await get(path);
      expect([path, response.status, await response.json()]).toEqual([path, 200, document]);
      expect(response.headers.get('content-type')).toBe('application/json');
    }
    const page = await get('/', { headers: { Accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('contain the address that the client sees', async () => {
    const discovery = async (headers: Record<string, string>) =>
      (await get('/.well-known/c2pa-soft-binding-resolution', { headers })).json();
    const document = (base: string) => ({
      apiEndpoint: `${base}/v1`,
      c2paSpecificationVersion: '2.4.0',
      capabilitiesEndpoint: `${base}/v1/services/capabilities`,
      statusEndpoint: `${base}/v1/services/status`,
    });
    expect(await discovery({})).toEqual(document(server.url));
    const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'resolver.example' };
    expect(await discovery(proxied)).toEqual(document('https://resolver.example'));
    const fixed = await startResolver({
      RESOLVER_PUBLIC_URL: 'https://fixed.example/c2pa/',
      RESOLVER_SEARCH_URL: search.url,
    });
    try {
      const response = await fetch(`${fixed.url}/.well-known/c2pa-soft-binding-resolution`, {
        headers: proxied,
      });
      expect(await response.json()).toEqual(document('https://fixed.example/c2pa'));
      const found = (await (await fetch(queryUrl(fixed.url, dataCode(1)))).json()) as {
        matches: [{ endpoint: string }];
      };
      expect(found.matches[0].endpoint).toBe('https://fixed.example/c2pa/v1/iscc/maiwhwza2d7a2mab');
    } finally {
      await fixed.stop();
    }
  });

  it('contain only hosts that the operator allows, or local ones', async () => {
    const statusOf = async (environment: Record<string, string>, host: string) => {
      const resolver = await startResolver({ RESOLVER_SEARCH_URL: search.url, ...environment });
      try {
        const request = http.get(`${resolver.url}/.well-known/c2pa-soft-binding-resolution`, {
          headers: { Host: host },
        });
        const [response] = (await once(request, 'response')) as [http.IncomingMessage];
        return [response.statusCode, await text(response)] as const;
      } finally {
        await resolver.stop();
      }
    };
    const [status, body] = await statusOf({}, 'evil.example');
    expect([status, JSON.parse(body)]).toEqual([
      400,
      {
        detail: 'Invalid Host: the operator can allow it with RESOLVER_PUBLIC_URL or RESOLVER_ALLOWED_HOSTS',
      },
    ]);
    const cases: [Record<string, string>, string, number][] = [
      [{}, 'localhost:1', 200],
      [{}, '192.0.2.1:8030', 200],
      [{}, 'resolver:8030', 200],
      [{ RESOLVER_ALLOWED_HOSTS: 'a.example' }, 'a.example', 200],
      [{ RESOLVER_ALLOWED_HOSTS: 'a.example' }, 'localhost', 200],
      [{ RESOLVER_ALLOWED_HOSTS: 'a.example' }, 'resolver', 400],
      [{ RESOLVER_PUBLIC_URL: 'https://fixed.example' }, 'other.example', 200],
      [{ RESOLVER_NUM_PROXIES: '1' }, 'resolver.example', 200],
    ];
    for (const [environment, host, expected] of cases) {
      expect([host, (await statusOf(environment, host))[0]]).toEqual([host, expected]);
    }
  });

  it('name only allowed hosts behind a proxy that passes on the header of a client', async () => {
    const environment = { RESOLVER_NUM_PROXIES: '1', RESOLVER_ALLOWED_HOSTS: 'good.example' };
    const resolver = await startResolver({ RESOLVER_SEARCH_URL: search.url, ...environment });
    const statusOf = async (headers: Record<string, string>) => {
      const request = http.get(`${resolver.url}/.well-known/c2pa-soft-binding-resolution`, { headers });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    try {
      expect(await statusOf({ Host: 'good.example', 'X-Forwarded-Host': 'evil.example' })).toBe(400);
      expect(await statusOf({ Host: 'evil.example' })).toBe(400);
      expect(await statusOf({ Host: 'good.example' })).toBe(200);
      // The proxy requests the service by its internal name.
      expect(await statusOf({ Host: 'resolver:8030', 'X-Forwarded-Host': 'good.example' })).toBe(200);
    } finally {
      await resolver.stop();
    }
  });

  it('use the operation ids and required members of the C2PA', async () => {
    const { paths, components } = (await (await get('/openapi/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { schemas: Record<string, { required?: string[]; properties: object }> };
    };
    const operation = (path: string, method = 'get') => paths[path]?.[method]?.operationId;
    expect(operation('/v1/matches/byBinding')).toBe('queryByBinding');
    expect(operation('/v1/matches/byBinding', 'post')).toBe('queryByLargeBinding');
    expect(operation('/v1/manifests/{manifestId}')).toBe('getManifestById');
    expect(operation('/v1/services/supportedAlgorithms')).toBe('getSupportedBindings');
    expect(operation('/v1/services/status')).toBe('getServiceStatus');
    expect(operation('/v1/services/capabilities')).toBe('getServiceCapabilities');
    expect(operation('/.well-known/c2pa-soft-binding-resolution')).toBe('getWellKnown');
    const required = (name: string) => components.schemas[`c2pa.${name}`]?.required;
    expect(required('softBindingQueryResult')).toBeUndefined();
    expect(required('serviceStatus')).toEqual(['status']);
    expect(required('wellKnownDiscovery')).toEqual(['apiEndpoint', 'c2paSpecificationVersion']);
    expect(JSON.stringify(components.schemas['c2pa.serviceCapabilities'])).not.toContain('"enum"');
  });

  it('link to each other at the address of the API', async () => {
    const links = (await (await get('/v1')).json()) as Record<string, string>;
    expect((await fetch(links.discovery ?? '')).status).toBe(200);
    expect((await fetch(links.status ?? '')).status).toBe(200);
    expect(await (await get('/v1/')).json()).toEqual(links);
  });

  it('use the schema names of the C2PA in the OpenAPI document', async () => {
    const { components, paths, info } = (await (await get('/openapi/openapi.json')).json()) as {
      components: { schemas: object };
      paths: object;
      info: { description: string };
    };
    expect(Object.keys(components.schemas).sort()).toEqual([
      'Error',
      'c2pa.serviceCapabilities',
      'c2pa.serviceStatus',
      'c2pa.softBindingAlgList',
      'c2pa.softBindingQuery',
      'c2pa.softBindingQueryResult',
      'c2pa.wellKnownDiscovery',
    ]);
    expect(Object.keys(paths)).toContain('/v1/iscc/{isccId}/manifests/{manifestId}');
    expect(info.description).toContain('CC BY 4.0');
    expect(await (await get('/openapi/openapi.yaml')).text()).toContain('c2pa.softBindingQueryResult');
    expect((await get('/docs')).headers.get('content-type')).toContain('text/html');
  });
});

describe('responses', () => {
  const PATHS = [
    ['/v1/matches/byBinding', 'GET, HEAD, POST'],
    ['/v1/manifests/x/y', 'GET, HEAD'],
    ['/v1/iscc/a/manifests/x/y', 'GET, HEAD'],
    ['/v1/services/status', 'GET, HEAD'],
    ['/.well-known/c2pa-soft-binding-resolution', 'GET, HEAD'],
    ['/openapi/openapi.json', 'GET, HEAD'],
  ] as const;

  it.each(PATHS)('to another method on %s list the allowed ones', async (path, allow) => {
    for (const method of ['DELETE', 'PUT', 'PATCH']) {
      const response = await get(path, { method });
      expect([response.status, await response.json()]).toEqual([405, { detail: 'Method not allowed' }]);
      expect(response.headers.get('allow')).toBe(allow);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it.each(['/v1/x/', '/v1/nothing', '/v1/manifests/', '/.well-known/did.json', '/elsewhere'])(
    'to the unknown path %s have CORS headers',
    async (path) => {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([404, { detail: 'Not found' }]);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    },
  );

  it('to HEAD have the headers of GET', async () => {
    await fetch(queryUrl(server.url, dataCode(1)));
    const paths = [
      '/',
      '/v1/services/capabilities',
      '/v1/manifests/urn:c2pa:1:acme%2Fx',
      '/v1/iscc/maiwhwza2d7a2mab/manifests/urn:c2pa:1:acme/x',
      '/v1/matches/byBinding',
      '/v1/manifests/none',
      queryUrl('', dataCode(1)),
    ];
    for (const path of paths) {
      const [byGet, byHead] = [await get(path), await get(path, { method: 'HEAD' })];
      const length = (await byGet.arrayBuffer()).byteLength;
      expect([path, byHead.status, byHead.headers.get('content-length')]).toEqual([
        path,
        byGet.status,
        String(length),
      ]);
      expect(byHead.headers.get('content-type')).toBe(byGet.headers.get('content-type'));
      expect((await byHead.arrayBuffer()).byteLength).toBe(0);
    }
  });

  it('allow every origin', async () => {
    const preflight = await get('/v1/matches/byBinding', {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    for (const headers of [
      preflight.headers,
      (await get('/v1/manifests/x', { method: 'OPTIONS' })).headers,
    ]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, OPTIONS');
      expect(headers.get('access-control-allow-headers')).toBe(
        'Content-Type, Accept, If-None-Match, Authorization, X-API-Key, X-Upload-Filename',
      );
      expect(headers.get('access-control-max-age')).toBe('86400');
      expect(headers.get('access-control-expose-headers')).toBe('ETag, Retry-After');
    }
    const { headers } = await get('/v1/services/status');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });
});

describe('badly framed bodies', () => {
  const POST = 'POST /v1/matches/byBinding HTTP/1.1\r\nHost: a\r\n';
  const GET = 'GET /v1/services/capabilities HTTP/1.1\r\nHost: a\r\n';

  it.each([
    [`${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 411, 'Content-Length required'],
    [`${GET}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 411, 'Content-Length required'],
    [`${POST}Transfer-Encoding: xchunked\r\n\r\n`, 411, 'Content-Length required'],
    [`${POST}Content-Length: 16385\r\n\r\n`, 413, 'Request body too large'],
    [`${GET}Content-Length: 16385\r\n\r\n`, 413, 'Request body too large'],
    [`${POST}Content-Length: 99999999999\r\n\r\n`, 413, 'Request body too large'],
  ])('%j returns %i', async (request, status, detail) => {
    const client = await RawClient.connect(server.port);
    try {
      client.send(request);
      const response = await client.response();
      expect([response?.status, response?.text.trim()]).toEqual([status, JSON.stringify({ detail })]);
      expect(response?.headers['access-control-allow-origin']).toBe('*');
    } finally {
      client.destroy();
    }
  });

  it.each(['+5', '0x5', '5, 6', '-1', 'abc'])('Content-Length: %s is refused', async (length) => {
    const client = await RawClient.connect(server.port);
    try {
      client.send(`${POST}Content-Length: ${length}\r\n\r\n{}`);
      const response = await client.response();
      // The transport's parser may refuse it first, with 400.
      expect([400, 413]).toContain(response?.status ?? 400);
      expect(await client.closes()).toBe(true);
    } finally {
      client.destroy();
    }
  });
});
