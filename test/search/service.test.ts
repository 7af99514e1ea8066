import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry, SearchResult } from '../../src/client/search-api.js';
import type { RunningServer } from '../../src/http/server.js';
import { BACKENDS, indexUri, post, rows, startSearch } from './support/search-server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-search-'));
  return () => rm(folder, { recursive: true, force: true });
});

/** Two recorded assets with nothing in common. */
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

  test('answers HEAD as GET, without the body', async () => {
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

  test('gives metadata back byte for byte', async () => {
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

  test('replaces all rows of an asset at once', async () => {
    const { iscc_code, units } = other;
    const query = backend === 'memory' ? { iscc_code: entry.iscc_code } : { units: entry.units };
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

  test('adds a batch whole or not at all', async () => {
    const bad = { ...other, units: ['ISCC:GARBAGE', 'ISCC:GARBAGE'] };
    expect((await post(`${index}/assets`, [entry, bad])).status).toBe(400);
    expect((await fetch(`${index}/assets/${entry.iscc_id}`)).status).toBe(404);
    expect(await search({ iscc_code: entry.iscc_code })).not.toContain(entry.iscc_id);
  });

  if (backend === 'memory') return;

  test('is refused to a second process', async () => {
    await expect(start()).rejects.toThrow(/in use by another process/);
  });

  test('is not ready while its folder is gone', async () => {
    const ready = async () => {
      const response = await fetch(`${server.url}/readyz`);
      return [response.status, await response.json()];
    };
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    await rename(path.join(folder, backend), path.join(folder, 'gone'));
    expect(await ready()).toEqual([503, { status: 'not_ready', reason: 'list_indexes_failed' }]);
    await rename(path.join(folder, 'gone'), path.join(folder, backend));
    expect(await ready()).toEqual([200, { status: 'ready' }]);
  });

  test('has what was added, replaced and deleted after a restart', async () => {
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

  test('that get too large while they arrive are refused before their end', async () => {
    // It has no end: an answer comes only from who does not wait for one.
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
    const query = 'iscc_code=ISCC:KACX&limit=3';
    const search = await fetch(`${server.url}/indexes/main/search/?${query}`, { redirect: 'manual' });
    expect(search.headers.get('location')).toBe(`/indexes/main/search?${query}`);
    expect((await fetch(`${server.url}//example.org/`, { redirect: 'manual' })).status).toBe(404);
  });
});
