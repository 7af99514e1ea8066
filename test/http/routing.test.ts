import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/routing/route.js';
import { Router } from '../../src/http/routing/router.js';
import { overEachTransport } from './support/servers.js';

overEachTransport('routing', (context) => {
  const get = (path: string, init?: RequestInit) => fetch(`${context.server.url}${path}`, init);

  it('hands validated parts to the handler', async () => {
    const answer = await get('/hello/J%C3%BCrgen?loud=true&times=3', { headers: { 'X-Greeting': 'Hi' } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ name: 'Jürgen', loud: true, times: 3, 'x-greeting': 'Hi' });
  });

  it('keeps an encoded slash inside its segment', async () => {
    expect(await (await get('/hello/a%2Fb')).json()).toMatchObject({ name: 'a/b' });
  });

  it('answers 400 with every violation of query and headers', async () => {
    const answer = await get('/hello/a?loud=banana&times=0', { headers: { 'X-Greeting': 'x' } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toBe('refused: invalid query.loud query.times headers.x-greeting');
  });

  it('takes a repeated parameter for a list', async () => {
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
  ])('answers 404 for %s', async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([404, 'refused: not-found']);
  });

  it('answers 405 with the methods that there are', async () => {
    const answer = await get('/about', { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await get('/thing/1')).headers.get('allow')).toBe('DELETE');
  });

  it('answers HEAD like GET, without the body', async () => {
    const [head, full] = [await get('/tagged', { method: 'HEAD' }), await get('/tagged')];
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(full.headers.get('content-length'));
    expect(await head.text()).toBe('');
    expect((await get('/nowhere', { method: 'HEAD' })).status).toBe(404);
    expect((await get('/json', { method: 'HEAD' })).status).toBe(405);
  });

  it('names the methods for OPTIONS', async () => {
    const answer = await get('/about', { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it('gives every answer an id of its own and forbids sniffing', async () => {
    const answers = await Promise.all(['/about', '/about', '/nowhere', '/async'].map((path) => get(path)));
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(4);
    for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(await (await get('/hello/a')).json()).toHaveProperty('id', expect.stringMatching(/^[\w-]+$/));
  });

  it('hides what went wrong inside, and logs it with the request id', async () => {
    const answer = await get('/broken');
    const id = answer.headers.get('x-request-id');
    expect([answer.status, await answer.text()]).toEqual([500, `internal error ${id}`]);
    const line = context.logLines.find(
      ({ msg, requestId }) => msg === 'unexpected error' && requestId === id,
    );
    expect(line).toMatchObject({ err: { message: 'secret detail' } });
  });

  it('never lets a header value end its line', async () => {
    const answer = await get('/inject');
    expect([answer.status, answer.headers.get('x-injected')]).toEqual([500, null]);
  });

  it('sends several lines of one header', async () => {
    expect((await get('/cookies')).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('answers 304 to who has the version', async () => {
    const hit = await get('/tagged', { headers: { 'If-None-Match': '"v0", W/"v1"' } });
    expect([hit.status, hit.headers.get('etag'), hit.headers.get('cache-control'), await hit.text()]).toEqual(
      [304, '"v1"', 'public', ''],
    );
    expect((await get('/tagged', { headers: { 'If-None-Match': '"v2"' } })).status).toBe(200);
  });

  it('writes one log line per request', async () => {
    const answer = await get('/hello/a?loud=true');
    const body = await answer.text();
    const requestId = answer.headers.get('x-request-id');
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

  it('prefers literal segments and goes back when they lead nowhere', () => {
    const router = new Router([row('GET', '/a/{x}/c'), row('GET', '/a/b/d'), row('POST', '/a/{y}/c')]);
    expect(router.match('/a/b/c')?.values).toEqual(['b']);
    expect(router.match('/a/b/d')?.values).toEqual([]);
    expect(router.match('/a/b/c')?.methods.get('POST')?.parameterNames).toEqual(['y']);
    expect(router.match('/a/b')).toBeUndefined();
  });

  it('finds literal paths in any encoding', () => {
    expect(new Router([row('GET', '/a/b')]).match('/%61/b')).toBeDefined();
  });

  it('gives the rest of a path to a parameter with dots', () => {
    const router = new Router([row('GET', '/a/{x...}'), row('GET', '/a/b'), row('GET', '/c/{x}/d/{y...}')]);
    expect(router.match('/a/b')?.values).toEqual([]);
    expect(router.match('/a/b/c%2Fd/')?.values).toEqual(['b/c/d/']);
    expect(router.match('/a/urn:c2pa:1')?.values).toEqual(['urn:c2pa:1']);
    expect(router.match('/c/1/d/e/f')?.values).toEqual(['1', 'e/f']);
    for (const path of ['/a', '/a/', '/c/1/d/', '/a/%ff']) expect(router.match(path)).toBeUndefined();
  });

  it('refuses two routes for one method and path', () => {
    expect(() => new Router([row('GET', '/a/{x}'), row('GET', '/a/{y}')])).toThrow(/two routes for GET/);
  });
});
