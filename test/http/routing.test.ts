import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/routing/route.js';
import { Router } from '../../src/http/routing/router.js';
import { overEachTransport } from './support/servers.js';

overEachTransport('routing', (context) => {
  const get = (path: string, init?: RequestInit) => fetch(`${context.server.url}${path}`, init);

  it('passes validated parts to the handler', async () => {
    const response = await get('/hello/J%C3%BCrgen?loud=true&times=3', { headers: { 'X-Greeting': 'Hi' } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ name: 'Jürgen', loud: true, times: 3, 'x-greeting': 'Hi' });
  });

  it('keeps an encoded slash inside its segment', async () => {
    expect(await (await get('/hello/a%2Fb')).json()).toMatchObject({ name: 'a/b' });
  });

  it('returns 400 with every violation of query and headers', async () => {
    const response = await get('/hello/a?loud=banana&times=0', { headers: { 'X-Greeting': 'x' } });
    expect(response.status).toBe(400);
    expect(await response.text()).toBe('refused: invalid query.loud query.times headers.x-greeting');
  });

  it('parses a repeated parameter as a list', async () => {
    expect((await get('/hello/a?loud=true&loud=false')).status).toBe(400);
  });

  it.each([
    '/nowhere',
    '/hello',
    '/hello/',
    '/hello/a/b',
    '/hello/a/',
    '/hello/123',
    '/hello/%ff',
    '/hello/%',
    '//about',
  ])('returns 404 for %s', async (path) => {
    const response = await get(path);
    expect([response.status, await response.text()]).toEqual([404, 'refused: not-found']);
  });

  it('returns 405 with the allowed methods', async () => {
    const response = await get('/about', { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await get('/thing/1')).headers.get('allow')).toBe('DELETE');
  });

  it('responds to HEAD like GET, without the body', async () => {
    const [head, full] = [await get('/tagged', { method: 'HEAD' }), await get('/tagged')];
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(full.headers.get('content-length'));
    expect(await head.text()).toBe('');
    expect((await get('/nowhere', { method: 'HEAD' })).status).toBe(404);
    expect((await get('/json', { method: 'HEAD' })).status).toBe(405);
  });

  it('lists the methods for OPTIONS', async () => {
    const response = await get('/about', { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it('gives every response its own id and forbids sniffing', async () => {
    const responses = await Promise.all(['/about', '/about', '/nowhere', '/async'].map((path) => get(path)));
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(4);
    for (const { headers } of responses) expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(await (await get('/hello/a')).json()).toHaveProperty('id', expect.stringMatching(/^[\w-]+$/));
  });

  it('hides the details of an unexpected error and logs them with the request id', async () => {
    const response = await get('/broken');
    const id = response.headers.get('x-request-id');
    expect([response.status, await response.text()]).toEqual([500, `internal error ${id}`]);
    const line = context.logLines.find(
      ({ msg, requestId }) => msg === 'unexpected error' && requestId === id,
    );
    expect(line).toMatchObject({ err: { message: 'secret detail' } });
  });

  it('rejects header values with line breaks', async () => {
    const response = await get('/inject');
    expect([response.status, response.headers.get('x-injected')]).toEqual([500, null]);
  });

  it('sends several lines of a header', async () => {
    expect((await get('/cookies')).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('returns 304 if If-None-Match matches', async () => {
    const hit = await get('/tagged', { headers: { 'If-None-Match': '"v0", W/"v1"' } });
    expect([hit.status, hit.headers.get('etag'), hit.headers.get('cache-control'), await hit.text()]).toEqual(
      [304, '"v1"', 'public', ''],
    );
    expect((await get('/tagged', { headers: { 'If-None-Match': '"v2"' } })).status).toBe(200);
  });

  it('writes one log line per request', async () => {
    const response = await get('/hello/a?loud=true');
    const body = await response.text();
    const requestId = response.headers.get('x-request-id');
    const lines = context.logLines.filter((line) => line.requestId === requestId);
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: '/hello/a',
        status: 200,
        bytes: body.length,
        ms: expect.any(Number),
      }),
    ]);
  });
});

describe('Router', () => {
  const row = (method: Route['method'], path: string) => ({ method, path }) as Route;

  it('prefers literal segments and backtracks if they do not match', () => {
    const router = new Router([row('GET', '/a/{x}/c'), row('GET', '/a/b/d'), row('POST', '/a/{y}/c')]);
    expect(router.match('/a/b/c')?.values).toEqual(['b']);
    expect(router.match('/a/b/d')?.values).toEqual([]);
    expect(router.match('/a/b/c')?.methods.get('POST')?.parameterNames).toEqual(['y']);
    expect(router.match('/a/b')).toBeUndefined();
  });

  it('finds literal paths in any encoding', () => {
    expect(new Router([row('GET', '/a/b')]).match('/%61/b')).toBeDefined();
  });

  it('matches the rest of a path with a {name...} parameter', () => {
    const router = new Router([row('GET', '/a/{x...}'), row('GET', '/a/b'), row('GET', '/c/{x}/d/{y...}')]);
    expect(router.match('/a/b')?.values).toEqual([]);
    expect(router.match('/a/b/c%2Fd/')?.values).toEqual(['b/c/d/']);
    expect(router.match('/a/urn:c2pa:1')?.values).toEqual(['urn:c2pa:1']);
    expect(router.match('/c/1/d/e/f')?.values).toEqual(['1', 'e/f']);
    for (const path of ['/a', '/a/', '/c/1/d/', '/a/%ff']) expect(router.match(path)).toBeUndefined();
  });

  it('throws for two routes with the same method and path', () => {
    expect(() => new Router([row('GET', '/a/{x}'), row('GET', '/a/{y}')])).toThrow(/two routes for GET/);
  });
});
