import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry, SearchResult } from '../../src/client/search-api.js';
import type { RunningServer } from '../../src/http/server.js';
import { native } from '../../src/native.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { searchApp } from '../../src/services/search/app.js';
import { BACKENDS, has, indexFolder } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { post, rows, startSearch } from './support/search-server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
  return () => rm(folder, { recursive: true, force: true });
});

/** Two recorded assets without similar units. */
const [entry, other] = (await rows<Entry>('assets.jsonl')).filter(({ units }) => units?.length === 4) as [
  Entry,
  Entry,
];

describe.each(BACKENDS)('%s', (backend) => {
  let server: RunningServer;
  let index: string;
  const start = () =>
    startSearch(folder, { INDEXSVC_INDEX_URI: indexUri(backend, path.join(folder, backend)) });
  const search = async (body: object) => {
    const response = await post(`${index}/search`, body);
    const { global_matches } = (await response.json()) as SearchResult;
    return global_matches.map(({ iscc_id }) => iscc_id);
  };
  beforeAll(async () => {
    server = await start();
    index = `${server.url}/indexes/ds`;
    expect((await post(`${server.url}/indexes`, { name: 'ds' })).status).toBe(201);
    return () => server.stop();
  });

  test('returns the headers of GET for HEAD', async () => {
    await post(`${index}/assets`, [entry]);
    const paths = ['/', '/healthz', '/readyz', '/docs', '/status', '/indexes', '/indexes/ds'];
    paths.push('/openapi/openapi.json', '/openapi/openapi.yaml', `/indexes/ds/assets/${entry.iscc_id}`);
    paths.push(`/indexes/ds/search?iscc_code=${entry.iscc_code}`, '/indexes/none');
    for (const path of paths) {
      const [head, get] = await Promise.all([
        fetch(server.url + path, { method: 'HEAD' }),
        fetch(server.url + path),
      ]);
      const seen = (response: Response) => [
        path,
        response.status,
        response.headers.get('content-type'),
        response.headers.get('content-length'),
      ];
      expect(seen(head)).toEqual(seen(get));
      expect(await head.text()).toBe('');
      await get.arrayBuffer();
    }
  });

  test('returns metadata byte for byte', async () => {
    const metadata = '{ "b": 1.50, "a": [ 1e3 , -0.0, 12345678901234567890 ],\t"\\u00e9": "\\/", "b": null }';
    const text = JSON.stringify([{ ...entry, metadata: 0 }]).replace(
      '"metadata":0',
      `"metadata":${metadata}`,
    );
    const headers = { 'Content-Type': 'application/json' };
    const added = await fetch(`${index}/assets`, { method: 'POST', headers, body: text });
    expect(added.status).toBe(201);
    expect(await (await fetch(`${index}/assets/${entry.iscc_id}`)).text()).toContain(metadata);
    const found = await post(`${index}/search`, { iscc_code: entry.iscc_code });
    expect(await found.text()).toContain(metadata);
  });

  test('replaces all units of an asset', async () => {
    const { iscc_code, units } = other;
    const query = { units: entry.units };
    await post(`${index}/assets`, [entry]);
    expect(await search(query)).toContain(entry.iscc_id);
    const replaced = await post(`${index}/assets`, [{ iscc_id: entry.iscc_id, iscc_code, units }]);
    expect(await replaced.json()).toEqual([{ iscc_id: entry.iscc_id, status: 'updated' }]);
    expect(await search(query)).not.toContain(entry.iscc_id);
    expect(await search({ iscc_code, units })).toContain(entry.iscc_id);
    expect((await fetch(`${index}/assets/${entry.iscc_id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await search({ iscc_code, units })).not.toContain(entry.iscc_id);
    expect((await fetch(`${index}/assets/${entry.iscc_id}`, { method: 'DELETE' })).status).toBe(404);
  });

  test('merges simprints by type; null removes one', async () => {
    const list = (fill: number) => [
      { simprint: Buffer.alloc(8, fill).toString('base64url'), offset: 0, size: 1 },
    ];
    const update = async (simprints?: object) => {
      const { iscc_code, units } = other;
      const body = [{ iscc_id: other.iscc_id, iscc_code, units, ...(simprints && { simprints }) }];
      expect((await post(`${index}/assets`, body)).status).toBe(201);
      const stored = (await (await fetch(`${index}/assets/${other.iscc_id}`)).json()) as Entry;
      return stored.simprints;
    };
    const [a, b, c] = [list(1), list(2), list(3)];
    expect(await update({ CONTENT_TEXT_V0: a, SEMANTIC_TEXT_V0: b })).toEqual({
      CONTENT_TEXT_V0: a,
      SEMANTIC_TEXT_V0: b,
    });
    expect(await update({ SEMANTIC_TEXT_V0: c })).toEqual({ CONTENT_TEXT_V0: a, SEMANTIC_TEXT_V0: c });
    expect(await update()).toEqual({ CONTENT_TEXT_V0: a, SEMANTIC_TEXT_V0: c });
    expect(await update({ CONTENT_TEXT_V0: null })).toEqual({ SEMANTIC_TEXT_V0: c });
    expect(await update({ SEMANTIC_TEXT_V0: null, CONTENT_TEXT_V0: null })).toBeUndefined();
    await fetch(`${index}/assets/${other.iscc_id}`, { method: 'DELETE' });
  });

  test('accepts another realm once all its assets are deleted', async () => {
    const [url, id] = [`${server.url}/indexes/realms`, (realm: number) => native.isccId(realm, 1_000_000, 1)];
    const add = async (realm: number) => {
      const { iscc_code } = entry;
      return (await post(`${url}/assets`, [{ iscc_id: id(realm), iscc_code }])).status;
    };
    await post(`${server.url}/indexes`, { name: 'realms' });
    expect([await add(0), await add(1)]).toEqual([201, 400]);
    await fetch(`${url}/assets/${id(0)}`, { method: 'DELETE' });
    if (!has(backend, 'another realm')) {
      expect([await add(1), await add(0)]).toEqual([400, 201]);
      return;
    }
    expect([await add(1), await add(0)]).toEqual([201, 400]);
    expect((await fetch(`${url}/assets/${id(1)}`)).status).toBe(200);
    if (has(backend, 'persistence')) {
      await server.stop();
      server = await start();
      index = `${server.url}/indexes/ds`;
      const found = await post(`${server.url}/indexes/realms/search`, { iscc_code: entry.iscc_code });
      expect(((await found.json()) as SearchResult).global_matches).toMatchObject([{ iscc_id: id(1) }]);
    }
  });

  test('adds a batch completely or not at all', async () => {
    const bad = { ...other, units: ['ISCC:GARBAGE', 'ISCC:GARBAGE'] };
    expect((await post(`${index}/assets`, [entry, bad])).status).toBe(400);
    expect((await fetch(`${index}/assets/${entry.iscc_id}`)).status).toBe(404);
    expect(await search({ iscc_code: entry.iscc_code })).not.toContain(entry.iscc_id);
  });

  test.runIf(has(backend, 'folder'))('refuses a second process', async () => {
    await expect(start()).rejects.toThrow(/in use by another process/);
  });

  test.runIf(has(backend, 'folder'))('is not ready while its folder is missing', async () => {
    const ready = async () => {
      const response = await fetch(`${server.url}/readyz`);
      return [response.status, await response.json()];
    };
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    const place = indexFolder(backend, folder);
    await rename(place, path.join(folder, 'moved'));
    expect(await ready()).toEqual([503, { status: 'not_ready', reason: 'list_indexes_failed' }]);
    await rename(path.join(folder, 'moved'), place);
    expect(await ready()).toEqual([200, { status: 'ready' }]);
  });

  test.runIf(backend === 'lmdb' || backend === 'usearch')(
    'acknowledges nothing while its folder is missing or another one',
    async () => {
      const place = indexFolder(backend, folder);
      const isWithout = async () => {
        const statuses: number[] = [];
        const created = await post(`${server.url}/indexes`, { name: 'new' });
        const removed = await fetch(`${index}/assets/${other.iscc_id}`, { method: 'DELETE' });
        const added = await post(`${index}/assets`, [{ ...other, metadata: {} }]);
        for (const { status } of [created, removed, added]) statuses.push(status);
        expect(added.headers.get('retry-after')).toBe('60');
        expect(await added.json()).toEqual({ detail: expect.stringContaining('was removed or replaced') });
        expect(statuses).toEqual([503, 503, 503]);
        expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
        expect((await fetch(index)).status).toBe(200);
      };
      await rename(place, path.join(folder, 'moved'));
      await isWithout();
      await mkdir(place);
      await isWithout();
      await rm(place, { recursive: true });
      await rename(path.join(folder, 'moved'), place);
      // The files of one index.
      await rename(path.join(place, 'ds'), path.join(folder, 'moved'));
      expect((await post(`${index}/assets`, [other])).status).toBe(503);
      const ready = await (await fetch(`${server.url}/readyz`)).json();
      expect(ready).toMatchObject({ failing: { ds: 'its files were removed' } });
      await rename(path.join(folder, 'moved'), path.join(place, 'ds'));
      expect((await post(`${index}/assets`, [other])).status).toBe(201);
      expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' });
    },
  );

  test.runIf(has(backend, 'persistence'))('keeps additions and deletions over a restart', async () => {
    await post(`${index}/assets`, [entry, other]);
    await fetch(`${index}/assets/${other.iscc_id}`, { method: 'DELETE' });
    await server.stop();
    server = await start();
    index = `${server.url}/indexes/ds`;
    expect(await (await fetch(index)).json()).toMatchObject({ name: 'ds', assets: 1 });
    expect(await search({ units: entry.units })).toContain(entry.iscc_id);
    expect(await search({ units: other.units })).not.toContain(other.iscc_id);
  });
});

describe('requests', () => {
  let server: RunningServer;
  const key = { 'X-API-Key': 's3cret' };
  beforeAll(async () => {
    server = await startSearch(folder, {
      INDEXSVC_INDEX_URI: 'memory://',
      INDEXSVC_API_SECRET: 's3cret',
      INDEXSVC_MAX_BODY: '2048',
    });
    return () => server.stop();
  });

  test('without the key are refused on every route below /indexes', async () => {
    const app = await searchApp(readVariables(searchVariables, { INDEXSVC_INDEX_URI: 'memory://' }), folder);
    await app.close?.();
    const closed = app.routes.filter(({ path }) => path.startsWith('/indexes'));
    expect(closed.length).toBe(22);
    for (const { method, path } of closed) {
      const target = path.replace('{name}', 'a1').replace('{iscc_id}', entry.iscc_id);
      for (const sent of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
        const refused = await fetch(server.url + target, { method: sent });
        expect([sent, path, refused.status]).toEqual([sent, path, 401]);
      }
    }
  });

  test('with a wrong key are refused; probes and documentation need none', async () => {
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

  test('with a body above the limit are refused', async () => {
    const refused = await post(`${server.url}/indexes`, { name: 'x'.repeat(4000) }, key);
    expect(refused.status).toBe(413);
  });

  test('that exceed the limit while they arrive are refused before their end', async () => {
    // The body never ends, so only a server that does not wait for the end can respond.
    const body = new ReadableStream({
      async pull(controller) {
        await pause(1);
        controller.enqueue(new Uint8Array(256).fill(32));
      },
    });
    const headers = { ...key, 'Content-Type': 'application/json' };
    const refused = await fetch(`${server.url}/indexes`, { method: 'POST', headers, body, duplex: 'half' });
    expect(refused.status).toBe(413);
    expect(await refused.json()).toEqual({ detail: expect.stringContaining('INDEXSVC_MAX_BODY') });
  });

  test('with an invalid limit are refused', async () => {
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

  test('with unknown members in a search are refused; an empty query keeps its own error', async () => {
    const search = async (body: object) => {
      const response = await post(`${server.url}/indexes/a1/search`, body, key);
      return [response.status, ((await response.json()) as { detail: unknown }).detail];
    };
    const issue = {
      type: 'extra_forbidden',
      loc: ['body', 'filter'],
      msg: 'Extra inputs are not permitted',
      input: { a: 1 },
    };
    expect(await search({ iscc_code: entry.iscc_code, filter: { a: 1 } })).toEqual([422, [issue]]);
    const empty = "Query must have 'iscc_code', 'units', or 'simprints' for search";
    expect(await search({ filter: { a: 1 } })).toEqual([400, empty]);
  });

  test('with unknown query parameters are refused', async () => {
    const asset = `/indexes/a1/assets/${entry.iscc_id}`;
    for (const [method, target] of [
      ['GET', '/indexes?offset=1'],
      ['GET', '/indexes/a1?offset=1'],
      ['GET', `${asset}?offset=1`],
      ['DELETE', `${asset}?offset=1`],
      ['DELETE', '/indexes/a1?offset=1'],
      ['GET', `/indexes/a1/search?iscc_code=${entry.iscc_code}&offset=1`],
      ['POST', '/indexes/a1/search?offset=1'],
      ['POST', '/indexes/a1/assets?offset=1'],
      ['POST', '/indexes?offset=1'],
    ] as const) {
      const body = method === 'POST' ? '{}' : null;
      const refused = await fetch(server.url + target, { method, headers: key, body });
      const issue = {
        type: 'extra_forbidden',
        loc: ['query', 'offset'],
        msg: 'Extra inputs are not permitted',
        input: '1',
      };
      expect([target, refused.status, await refused.json()]).toEqual([target, 422, { detail: [issue] }]);
    }
  });

  test('without iscc_code are refused, as the OpenAPI document says', async () => {
    const refused = await fetch(`${server.url}/indexes/a1/search`, { headers: key });
    const issue = { type: 'missing', loc: ['query', 'iscc_code'], msg: 'Field required', input: null };
    expect([refused.status, await refused.json()]).toEqual([422, { detail: [issue] }]);
    const document = (await (await fetch(`${server.url}/openapi/openapi.json`)).json()) as {
      paths: Record<string, { get: { parameters: { name: string; required: boolean }[] } }>;
    };
    const parameters = document.paths['/indexes/{name}/search']?.get.parameters ?? [];
    expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'name',
      'iscc_code',
    ]);
  });

  test.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['application/vnd.api+json', 201],
    ['application/jsonx', 422],
    ['application/x-ndjson', 422],
    ['text/plain', 422],
  ])('with the content type %s return %i', async (type, status) => {
    const name = `t${type.replace(/[^a-z]/g, '')}`.slice(0, 32);
    const headers = { ...key, 'Content-Type': type };
    const init = { method: 'POST', headers, body: JSON.stringify({ name }) };
    expect((await fetch(`${server.url}/indexes`, init)).status).toBe(status);
  });

  test('with the wrong method or a final slash get 405 or a redirect', async () => {
    const put = await fetch(`${server.url}/indexes`, { method: 'PUT', headers: key });
    expect([put.status, put.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')]);
    const slash = await fetch(`${server.url}/indexes/`, { headers: key, redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([307, '/indexes']);
    const query = 'iscc_code=ISCC:KACX&limit=3';
    const search = await fetch(`${server.url}/indexes/main/search/?${query}`, { redirect: 'manual' });
    expect(search.headers.get('location')).toBe(`/indexes/main/search?${query}`);
    expect((await fetch(`${server.url}//example.org/`, { redirect: 'manual' })).status).toBe(404);
  });
});

describe('a 422', () => {
  test('echoes at most 4096 characters of the request', async () => {
    const server = await startSearch(folder, { INDEXSVC_INDEX_URI: 'memory://' });
    try {
      const long = 'x'.repeat(1_000_000);
      const url = `${server.url}/indexes`;
      const texts = await Promise.all([
        fetch(url, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: long }),
        post(url, { name: long }),
        post(`${url}/a/assets`, [{ iscc_id: long, iscc_code: long, units: [long] }]),
        post(`${url}/a/search`, { iscc_code: long, [long]: long }),
        fetch(`${url}?${'y'.repeat(5000)}=1&${'z'.repeat(5000)}=1`),
      ]);
      for (const response of texts) {
        expect(response.status).toBe(422);
        expect((await response.text()).length).toBeLessThan(4096 + 1024);
      }
    } finally {
      await server.stop();
    }
  });
});
