/** The store over HTTP: parameters, errors, CORS, hosts, limits, documents. */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { TRANSPORTS } from '../support/transports.js';
import { bytesOf, sidecar, vectors } from './support/fixtures.js';
import { OPERATOR_TOKEN, STORE_URL, type StoreClient, startStore } from './support/server.js';

const item = sidecar('ok-es256-iscc4');
const id = item.expect.manifestId ?? '';
const manifestPath = `/v1/manifests/${encodeURIComponent(id)}`;
const query = '/v1/matches/byBinding';

let databases: TestDatabases;
let store: StoreClient;
const start = async (environment: Record<string, string> = {}) =>
  startStore(await databases.create(), environment);
beforeAll(async () => {
  databases = await testDatabases('sqlite');
  store = await start();
  expect((await store.upload(bytesOf(item))).status).toBe(200);
});
afterAll(async () => {
  await store.stop();
  await databases.stop();
});

/** Sends a body with any method; `fetch` does not for GET. */
function statusOf(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, method, path, headers: { ...headers, 'Content-Length': body.length } };
    const sent = request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function detail(path: string, init: RequestInit = {}): Promise<[status: number, detail: unknown]> {
  const response = await fetch(store.url + path, init);
  return [response.status, ((await response.json()) as { detail?: unknown }).detail];
}

describe('an upload', () => {
  const post = (headers: Record<string, string>, search = '', body: string | Buffer = bytesOf(item)) =>
    detail(`/v1/manifests${search}`, { method: 'POST', headers, body });
  const type = { 'Content-Type': 'application/c2pa' };

  it.each([
    ['application/c2pa', 200],
    ['APPLICATION/C2PA; charset=x', 200],
    ['application/octet-stream', 415],
    ['application/c2pa-x', 415],
    ['', 415],
  ])('of type %j returns %i', async (contentType, status) => {
    const [got, text] = await post({ 'Content-Type': contentType });
    expect(got).toBe(status);
    if (status === 415) expect(text).toBe('Content-Type must be application/c2pa');
  });

  it.each(['true', 'FALSE', '1', '0'])('accepts declare=%s', async (declare) => {
    expect((await post(type, `?declare=${declare}`))[0]).toBe(200);
  });

  it.each(['yes', '', '2', 'true&declare=true'])('refuses declare=%s', async (declare) => {
    expect(await post(type, `?declare=${declare}`)).toEqual([400, 'declare must be true or false']);
  });

  it('without a body is refused as unreadable, of another type with 415', async () => {
    const empty = await store.upload(Buffer.of());
    expect([empty.status, await empty.json()]).toEqual([
      400,
      { detail: expect.stringMatching(/^Manifest Store refused: /), code: 'manifest.unreadable' },
    ]);
    expect((await post({ 'Content-Type': 'text/plain' }, '', ''))[0]).toBe(415);
  });

  it('above the limit is refused', async () => {
    const large = await store.upload(Buffer.alloc(2_097_153));
    expect([large.status, await large.json()]).toEqual([413, { detail: 'Request body too large' }]);
    expect(large.headers.get('access-control-allow-origin')).toBe('*');
    expect((await store.upload(Buffer.alloc(2_097_152))).status).toBe(400);
  });
});

describe('a fetch', () => {
  it('returns 304 if If-None-Match matches', async () => {
    const etag = (await store.get(id)).headers.get('etag') ?? '';
    for (const [header, status] of [
      [etag, 304],
      [`W/${etag}`, 304],
      [`"x", ${etag}`, 304],
      ['*', 304],
      ['"x"', 200],
    ] as const) {
      const response = await store.get(id, { 'If-None-Match': header });
      expect([header, response.status]).toEqual([header, status]);
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      if (status === 304) expect(await response.text()).toBe('');
    }
  });

  it('has a HEAD with the same headers', async () => {
    for (const path of [manifestPath, '/v1/services/capabilities', '/v1/manifests/unknown', '/docs']) {
      const get = await fetch(store.url + path);
      const head = await fetch(store.url + path, { method: 'HEAD' });
      expect([path, head.status, await head.text()]).toEqual([path, get.status, '']);
      for (const name of [
        'content-length',
        'content-type',
        'etag',
        'cache-control',
        'access-control-allow-origin',
      ]) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
      }
    }
  });

  it.each(['unknown', 'a%0Ab', 'a%E2%80%8Bb', 'x'.repeat(256), 'a/b%2Fc', '%20%20'])(
    'of the invalid id %s returns 404',
    async (wrong) => {
      expect(await detail(`/v1/manifests/${wrong}`)).toEqual([404, 'Manifest not found']);
    },
  );

  it('accepts the id raw and percent-encoded, and ignores returnActiveManifest', async () => {
    for (const path of [`/v1/manifests/${id}`, `${manifestPath}?returnActiveManifest=true`]) {
      expect([path, (await fetch(store.url + path)).status]).toEqual([path, 200]);
    }
  });
});

describe('a query', () => {
  const [binding] = item.expect.indexed ?? [];
  const value = binding?.value ?? '';
  const get = (parameters: Record<string, string>) => detail(`${query}?${new URLSearchParams(parameters)}`);
  const post = (body: string | Buffer, search = '') => detail(query + search, { method: 'POST', body });

  it('gives the same result by GET and by POST', async () => {
    const parameters = new URLSearchParams({ alg: 'io.iscc.v0', value });
    const got = await store.json(`${query}?${parameters}`);
    expect(got).toEqual((await store.query('io.iscc.v0', value)).body);
    expect(got).toMatchObject({ matches: [{ manifestId: id, similarityScore: 100 }] });
  });

  it.each(
    vectors<{ cases: { name: string; value: string; bytesHex: string | null }[] }>('base64-query').cases,
  )('decodes a value that is $name', async ({ value: text, bytesHex }) => {
    const [status, message] = await post(JSON.stringify({ alg: 'com.adobe.trustmark.P', value: text }));
    expect([status, message]).toEqual(
      bytesHex === null ? [400, 'Value is not valid base64'] : [200, undefined],
    );
  });

  it.each(vectors<{ invalid: { base64?: string; hex?: string }[] }>('iscc-seq').invalid)(
    'refuses the sequence %j',
    async ({ base64, hex }) => {
      const bad = base64 ?? Buffer.from(hex ?? '', 'hex').toString('base64');
      const [status, message] = await get({ alg: 'io.iscc.v0', value: bad });
      expect([status, typeof message]).toEqual([400, 'string']);
    },
  );

  it.each([
    [{}, 'Missing parameter: alg'],
    [{ alg: 'io.iscc.v0' }, 'Missing parameter: value'],
    [{ alg: 'io.iscc.v0', value: '' }, 'Missing parameter: value'],
    [{ alg: '', value }, 'Missing parameter: alg'],
    [{ alg: 'no.such.alg', value }, 'Unknown soft binding algorithm: no.such.alg'],
    [{ alg: 'IO.ISCC.V0', value }, 'Unknown soft binding algorithm: IO.ISCC.V0'],
    [{ alg: 'io.iscc.v0', value: '!!!' }, 'Value is not valid base64'],
    [
      { alg: 'io.iscc.v0', value: 'ISCC:EAAW4BQTJSTJSHAI' },
      'Value is not valid base64, but the text of an ISCC: decode the text of each ISCC-UNIT after "ISCC:" from base32, ' +
        'and send the bytes as base64',
    ],
    [{ alg: 'io.iscc.v0', value, maxResults: '0' }, 'maxResults must be a positive integer'],
    [{ alg: 'io.iscc.v0', value, maxResults: '1.5' }, 'maxResults must be a positive integer'],
    [{ alg: 'io.iscc.v0', value, maxResults: '-1' }, 'maxResults must be a positive integer'],
  ] as [Record<string, string>, string][])('%j: %s', async (parameters, message) => {
    expect(await get(parameters)).toEqual([400, message]);
  });

  it.each(['', '{', '[]', 'null', '{"alg":1,"value":"x"}', '{"alg":"io.iscc.v0"}'])(
    'refuses the body %s',
    async (body) => {
      expect(await post(body)).toEqual([400, 'Invalid JSON body']);
    },
  );

  it('refuses a body above 64 KB', async () => {
    expect(await post(' '.repeat(65_537))).toEqual([413, 'Request body too large']);
  });

  it('refuses a value above 4096 characters by GET with 414, and takes it by POST', async () => {
    const parameters = { alg: 'com.digimarc.validate.1', value: 'A'.repeat(4100) };
    expect(await get(parameters)).toEqual([414, 'Value is longer than 4096 characters; send it with POST']);
    expect((await get({ ...parameters, value: 'A'.repeat(4096) }))[0]).toBe(200);
    expect((await post(JSON.stringify(parameters)))[0]).toBe(200);
  });

  it('for an algorithm without bindings returns an empty list', async () => {
    const { status, body } = await store.query('com.digimarc.validate.1', 'AAAA');
    expect([status, body]).toEqual([200, { matches: [] }]);
  });
});

describe('documents', () => {
  it('have the form of the resolution API', async () => {
    expect(await store.json('/v1/services/capabilities')).toEqual({
      c2paSpecificationVersion: '2.4.0',
      supportedCapabilities: ['storeManifests', 'storeBindings'],
    });
    expect(await store.json('/.well-known/c2pa-soft-binding-resolution')).toEqual({
      apiEndpoint: `${STORE_URL}/v1`,
      c2paSpecificationVersion: '2.4.0',
      capabilitiesEndpoint: `${STORE_URL}/v1/services/capabilities`,
      statusEndpoint: `${STORE_URL}/v1/services/status`,
    });
    expect(await store.json('/v1/services/status')).toEqual({
      status: 'ok',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(await store.json('/healthz')).toEqual({ status: 'ok' });
    expect(await detail('/.well-known/did.json')).toEqual([404, 'Not found']);
    expect(await store.json('/')).toMatchObject({ docs: '/docs' });
    const page = await fetch(`${store.url}/`, { headers: { Accept: 'text/html' } });
    expect(await page.text()).toMatch(/^<!doctype html>/);
  });

  it('describe the API, with the C2PA schemas and their licence', async () => {
    const document = (await store.json('/openapi/openapi.json')) as {
      info: { description: string };
      paths: Record<string, Record<string, { responses: object }>>;
      components: { schemas: object };
    };
    expect(document.info.description).toContain('CC BY 4.0');
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        'c2pa.softBindingQuery',
        'c2pa.softBindingQueryResult',
        'c2pa.softBindingAlgList',
        'c2pa.serviceStatus',
        'c2pa.serviceCapabilities',
        'c2pa.wellKnownDiscovery',
      ]),
    );
    expect(Object.keys(document.paths['/v1/manifests/{manifestId}'] ?? {})).toEqual(['get', 'delete']);
    expect(Object.keys(document.paths['/v1/manifests']?.post?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '409', '413', '415', '429', '500']),
    );
    const yaml = await fetch(`${store.url}/openapi/openapi.yaml`);
    expect(yaml.headers.get('content-type')).toMatch(/yaml/);
  });
});

describe('other paths and methods', () => {
  it.each([
    '/v1/x/',
    '/v1/nothing',
    '/.well-known/nothing',
    '/nothing',
    '/v1/matches/byContent',
    '/v1/manifests/',
  ])('%s returns 404', async (path) => {
    expect(await detail(path)).toEqual([404, 'Not found']);
  });

  it.each([
    ['PUT', '/v1/manifests', 'GET, HEAD, POST'],
    ['POST', manifestPath, 'DELETE, GET, HEAD'],
    ['DELETE', query, 'GET, HEAD, POST'],
    ['POST', '/v1/services/status', 'GET, HEAD'],
    ['PATCH', '/.well-known/did.json', 'GET, HEAD'],
  ])('%s %s returns 405', async (method, path, allow) => {
    const response = await fetch(store.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.json()).toEqual({ detail: 'Method not allowed' });
  });
});

describe('CORS', () => {
  it.each(['/v1/manifests', manifestPath, query, '/v1/services/status', '/openapi/openapi.json'])(
    'is open for %s',
    async (path) => {
      const preflight = await fetch(store.url + path, {
        method: 'OPTIONS',
        headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect(preflight.status).toBe(204);
      expect(Object.fromEntries(preflight.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
        'access-control-allow-headers':
          'Content-Type, Accept, If-None-Match, Authorization, X-API-Key, X-Upload-Filename',
        'access-control-max-age': '86400',
        'access-control-expose-headers': 'ETag, Link, Retry-After',
      });
    },
  );

  it('covers all errors except those of deletes', async () => {
    for (const [method, path] of [
      ['GET', '/v1/manifests/unknown'],
      ['GET', '/nothing'],
      ['PUT', '/v1/manifests'],
      ['POST', '/v1/manifests'],
      ['GET', query],
    ] as const) {
      const { headers } = await fetch(store.url + path, { method });
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
    }
    const deletion = await fetch(store.url + manifestPath, { method: 'DELETE' });
    expect([deletion.status, deletion.headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });
});

describe('deletes', () => {
  it('with If-Match delete only the bytes that it names', async () => {
    const other = await startStore(await databases.create());
    await other.upload(bytesOf(item));
    const tag = (await other.get(id)).headers.get('etag') ?? '';
    const remove = (match: string) => other.remove(id, OPERATOR_TOKEN, { 'If-Match': match });
    for (const match of ['"x"', `W/${tag}`, tag.slice(1, -1), '']) {
      const refused = await remove(match);
      expect([match, refused.status]).toEqual([match, 412]);
      expect(await refused.json()).toEqual({ detail: expect.stringContaining('omit If-Match') });
    }
    expect((await other.get(id)).status).toBe(200);
    expect((await remove(`"x", ${tag}`)).status).toBe(204);
    await other.upload(bytesOf(sidecar('ok-es384')));
    const otherId = sidecar('ok-es384').expect.manifestId ?? '';
    expect((await other.remove(otherId, OPERATOR_TOKEN, { 'If-Match': '*' })).status).toBe(204);
    await other.stop();
  });

  it('are refused if no token is configured', async () => {
    const closed = await start({ MSTORE_OPERATOR_TOKEN_SHA256: '' });
    expect((await closed.remove(id)).status).toBe(401);
    await closed.stop();
  });

  it.each(TRANSPORTS)('accept a token with non-ASCII characters, hashed as UTF-8 (%s)', async (transport) => {
    const token = 'tökén';
    const sha256 = createHash('sha256').update(token).digest('hex');
    const environment = { MSTORE_OPERATOR_TOKEN_SHA256: sha256 };
    const other = await startStore(await databases.create(), environment, transport);
    const Authorization = Buffer.from(`Bearer ${token}`).toString('latin1');
    const path = `${other.url}/v1/manifests/urn:c2pa:00000000-0000-4000-8000-000000000000`;
    expect((await fetch(path, { method: 'DELETE', headers: { Authorization } })).status).toBe(404);
    await other.stop();
  });

  it.each(['GET', 'DELETE'])('and fetches refuse bodies above 64 KiB (%s)', async (method) => {
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
    const status = (bytes: number) =>
      statusOf(store.port, method, '/v1/manifests/unknown', headers, Buffer.alloc(bytes));
    expect(await status(65_536)).toBe(404);
    expect(await status(65_537)).toBe(413);
  });

  it.each([`Basic ${OPERATOR_TOKEN}`, 'Bearer', '', `Bearer x${OPERATOR_TOKEN}`, 'Bearer é'])(
    'are refused with %j',
    async (authorization) => {
      const headers = { Authorization: Buffer.from(authorization).toString('latin1') };
      expect((await detail(manifestPath, { method: 'DELETE', headers }))[0]).toBe(401);
    },
  );
});

describe('limits', () => {
  it('count uploads and deletes together, and fetches and queries, per client and window', async () => {
    const slow = await start({
      MSTORE_RATE_WRITE: '2/d',
      MSTORE_RATE_READ: '3/d',
      MSTORE_NUM_PROXIES: '1',
      MSTORE_UNTHROTTLED: '10.0.0.9',
    });
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const status = async (response: Promise<Response>) => (await response).status;
    const upload = (address: string) =>
      status(slow.upload(bytesOf(item), '', { ...from(address), 'Content-Type': 'text/plain' }));
    const read = (address: string) => status(slow.get('unknown', from(address)));
    // Refused requests count too.
    expect([await upload('1.2.3.4'), await upload('1.2.3.4'), await upload('::ffff:1.2.3.4')]).toEqual([
      415, 415, 429,
    ]);
    expect([await read('2001:db8::1'), await read('2001:db8::2'), await read('2001:db8:0:0:ff::')]).toEqual([
      404, 404, 404,
    ]);
    const refused = await slow.get('unknown', from('2001:db8::9'));
    expect([refused.status, await refused.json()]).toEqual([429, { detail: 'Rate limit exceeded' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(await read('2001:db8:0:1::1')).toBe(404);
    expect(await upload('5.6.7.8')).toBe(415);
    for (let n = 0; n < 10; n += 1) expect(await upload('10.0.0.9')).toBe(415);
    for (let n = 0; n < 10; n += 1) {
      expect((await fetch(`${slow.url}/v1/services/status`, { headers: from('2001:db8::1') })).status).toBe(
        200,
      );
    }
    await slow.stop();
  });
});
