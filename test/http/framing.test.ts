/** Malformed and unusual HTTP/1.1 requests, byte by byte. The file of each transport lists its own behaviour. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  chunked,
  HOST,
  NEXT,
  post,
  REFUSED,
  SILENT_OR_REFUSED,
  SMUGGLED,
  UNKNOWN_METHODS,
} from './support/malformed.js';
import type { RawClient, RawResponse } from './support/raw.js';
import { overEachTransport } from './support/servers.js';

/** How long to wait for a response that must not come. */
const SILENCE_MS = 60;

overEachTransport('framing', (context) => {
  /** The response over node:http. Builds of uWebSockets.js refuse with a status of their own, or say nothing: `undefined`. */
  const responseOverNode = (client: RawClient): Promise<RawResponse | undefined> =>
    context.transport === 'node'
      ? client.response()
      : client.response({ ms: SILENCE_MS }).catch(() => undefined);

  it.each(REFUSED)('refuses %s and closes', async (_, request) => {
    const before = context.app.seen.handled.length;
    const client = await context.connect();
    client.send(request);
    const response = await client.response();
    if (response !== undefined) expect(response.status).toBe(400);
    expect(await client.closes()).toBe(true);
    // A build of uWebSockets.js adds its own response to that of the layer.
    expect(client.rest).toMatch(/^(HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n[^\r]*)?$/);
    expect(context.app.seen.handled.length).toBe(before);
  });

  it.each(REFUSED)('never parses bytes after %s as a request', async (_, request) => {
    const client = await context.connect();
    client.send(request + SMUGGLED + SMUGGLED);
    const response = await client.response();
    if (response !== undefined) expect(response.status).toBe(400);
    expect(await client.closes()).toBe(true);
    expect(context.app.seen.handled).not.toContain('DELETE /thing/smuggled');
  });

  it('never parses bytes after a huge Content-Length as a request', async () => {
    const client = await context.connect();
    client.send(post('Content-Length: 99999999999999999999\r\n', 'hello') + SMUGGLED + SMUGGLED);
    expect(await client.response()).toMatchObject({ status: 413 });
    expect(await client.closes()).toBe(true);
    expect(context.app.seen.handled).not.toContain('DELETE /thing/smuggled');
  });

  it('returns 417 for an unknown expectation and closes', async () => {
    const before = context.app.seen.handled.length;
    const client = await context.connect();
    client.send(post('Expect: 200-maybe\r\nContent-Length: 5\r\n', 'hello'));
    expect(await client.response()).toMatchObject({ status: 417 });
    expect(await client.closes()).toBe(true);
    expect(context.app.seen.handled.length).toBe(before);
  });

  it.each(['TRACE', 'PATCH'])('returns 405 with Allow for %s', async (method) => {
    const client = await context.connect();
    client.send(`${method} /about HTTP/1.1\r\n${HOST}\r\n`);
    const response = await client.response();
    expect([response?.status, response?.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('refuses an empty header name over node:http; uWebSockets.js ignores it and all later headers', async () => {
    const client = await context.connect();
    client.send(`GET /about HTTP/1.1\r\n${HOST}: b\r\nUser-Agent: hidden\r\n\r\n`);
    const response = await client.response();
    expect(response?.status).toBe(context.transport === 'node' ? 400 : 200);
    expect(response?.text).not.toContain('hidden');
  });

  it.each(SILENT_OR_REFUSED)('never passes %s to a handler', async (_, request) => {
    const before = context.app.seen.handled.length;
    const client = await context.connect();
    client.send(request);
    await sleep(40);
    client.send(SMUGGLED);
    const response = await client.response({ ms: SILENCE_MS }).catch(() => 'none' as const);
    if (response !== undefined && response !== 'none')
      expect(context.transport === 'node' ? [400] : [400, 505]).toContain(response.status);
    if (context.transport === 'node') expect(await client.closes()).toBe(true);
    expect(context.app.seen.handled.length).toBe(before);
    client.destroy();
  });

  it.each(UNKNOWN_METHODS)('never passes %s to a handler', async (_, request) => {
    const before = context.app.seen.handled.length;
    const client = await context.connect();
    client.send(request);
    const response = await client.response({ ms: SILENCE_MS }).catch(() => undefined);
    expect(context.transport === 'node' ? [400] : [405, undefined]).toContain(response?.status);
    expect(context.app.seen.handled.length).toBe(before);
    client.destroy();
  });

  it.each([
    ['spaces', `GET /about HTTP/1.1\r\n${HOST}X-A: b\r\n  c\r\n\r\n`],
    ['a tab', `GET /about HTTP/1.1\r\n${HOST}X-A: b\r\n\tTransfer-Encoding: chunked\r\n\r\n`],
  ])('refuses a header folded with %s, or does not respond', async (_, request) => {
    const client = await context.connect();
    client.send(request);
    const response = await responseOverNode(client);
    expect(context.transport === 'node' ? [400] : [400, undefined]).toContain(response?.status);
    client.destroy();
  });

  it('supports HTTP/1.0 only over node:http', async () => {
    const client = await context.connect();
    client.send('GET /about HTTP/1.0\r\n\r\n');
    const response = await responseOverNode(client);
    expect(context.transport === 'node' ? [200] : [505, undefined]).toContain(response?.status);
    client.destroy();
  });

  it('accepts 48 headers', async () => {
    const lines = Array.from({ length: 47 }, (_, i) => `X-${i}: y\r\n`).join('');
    const client = await context.connect();
    client.send(`GET /about HTTP/1.1\r\n${HOST}${lines}\r\n`);
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it.each([
    ['a URL', `GET /about?${'a'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`, 414],
    ['headers', `GET /about HTTP/1.1\r\n${HOST}Cookie: a=${'b'.repeat(100_000)}\r\n\r\n`, 431],
  ])('refuses %s above 64 KiB over node:http', async (_, request, status) => {
    const client = await context.connect();
    client.send(request);
    const response = await responseOverNode(client);
    // Builds of uWebSockets.js refuse it, or read a head of any size that arrives at once and close the connection otherwise.
    if (context.transport === 'node') {
      expect(response?.status).toBe(status);
      if (status === 414) expect(response?.text).toBe('refused: target-too-long');
      expect(await client.closes()).toBe(true);
    } else if (response !== undefined) expect([200, 431]).toContain(response.status);
    client.destroy();
  });

  it('reads a request that is split at any byte', async () => {
    const request = `GET /hello/split?times=2 HTTP/1.1\r\n${HOST}X-Greeting: hi there\r\n\r\n`;
    const client = await context.connect();
    for (let at = 1; at < request.length; at += 1) {
      await client.sendParts([request.slice(0, at), request.slice(at)]);
      const response = await client.response();
      expect([at, response?.status]).toEqual([at, 200]);
      expect(JSON.parse(response?.text ?? '')).toMatchObject({
        name: 'split',
        times: 2,
        'x-greeting': 'hi there',
      });
    }
  });

  it('reads a request that arrives byte by byte', async () => {
    const client = await context.connect();
    await client.sendParts([...NEXT]);
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it('reads a chunked body that is split at any byte', async () => {
    const request = post('Transfer-Encoding: chunked\r\n', chunked) + NEXT;
    for (let at = 1; at < request.length; at += 3) {
      const client = await context.connect();
      await client.sendParts([request.slice(0, at), request.slice(at)]);
      const first = await client.response();
      expect([at, first?.status, first?.text]).toEqual([at, 200, '{"bytes":5,"declared":null}']);
      client.destroy();
    }
  });

  it('aborts the body at an invalid chunk size', async () => {
    const { aborted } = context.app.seen;
    const client = await context.connect();
    client.send(post('Transfer-Encoding: chunked\r\n', 'zz\r\nhello\r\n0\r\n\r\n'));
    expect((await client.response())?.status).not.toBe(200);
    expect(await client.closes()).toBe(true);
    await expect.poll(() => aborted.splice(0)).toContain('/upload ClientDisconnected');
  });

  it('drops trailers over node:http; uWebSockets.js closes the connection', async () => {
    const client = await context.connect();
    client.send(post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\nX-Trailer: a\r\n\r\n'));
    const response = await client.response();
    // uWebSockets.js parses a trailer as the next request. One build then sends 505 instead of the response.
    if (context.transport === 'node' || response?.status !== 505)
      expect(response).toMatchObject({ status: 200, text: '{"bytes":5,"declared":null}' });
    client.send(NEXT);
    const next = await responseOverNode(client);
    expect(context.transport === 'node' ? [200] : [505, undefined]).toContain(next?.status);
  });

  it('responds to pipelined requests in order', async () => {
    const client = await context.connect();
    const names = ['a', 'b', 'c', 'd'];
    client.send(names.map((name) => `GET /hello/${name} HTTP/1.1\r\n${HOST}\r\n`).join(''));
    for (const name of names)
      expect(JSON.parse((await client.response())?.text ?? '')).toMatchObject({ name });
  });

  it('responds to a request pipelined after a body', async () => {
    const client = await context.connect();
    client.send(post('Content-Length: 5\r\n', 'hello') + NEXT);
    expect(await client.response()).toMatchObject({ status: 200, text: '{"bytes":5,"declared":5}' });
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it('never mixes up responses after an asynchronous one', async () => {
    const client = await context.connect();
    client.send(`GET /async HTTP/1.1\r\n${HOST}\r\n${NEXT}`);
    const first = await client.response();
    // uWebSockets.js closes such a connection; a client may repeat its requests on another one.
    if (context.transport === 'uws') expect(first).toBeUndefined();
    else {
      expect(first).toMatchObject({ status: 200, text: '{"address":"127.0.0.1"}' });
      expect(JSON.parse((await client.response())?.text ?? '')).toHaveProperty('origin');
    }
  });

  it('responds to HEAD without a body, and to the request after it', async () => {
    const client = await context.connect();
    client.send(`HEAD /tagged HTTP/1.1\r\n${HOST}\r\n${NEXT}`);
    expect(await client.response({ head: true })).toMatchObject({
      status: 200,
      headers: { 'content-length': '8' },
    });
    expect(await client.response()).toMatchObject({ status: 200 });
    client.send(`HEAD /file HTTP/1.1\r\n${HOST}\r\n`);
    expect(await client.response({ head: true })).toMatchObject({ status: 404 });
    client.send(NEXT);
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it('sends no body and no length with 204 and 304', async () => {
    const client = await context.connect();
    client.send(`DELETE /thing/1 HTTP/1.1\r\n${HOST}\r\n`);
    const gone = await client.response();
    expect([gone?.status, gone?.headers['content-length'], gone?.headers['transfer-encoding']]).toEqual([
      204,
      undefined,
      undefined,
    ]);
    client.send(`GET /tagged HTTP/1.1\r\n${HOST}If-None-Match: *\r\n\r\n`);
    const same = await client.response();
    expect([same?.status, same?.headers['content-length'], same?.headers['transfer-encoding']]).toEqual([
      304,
      undefined,
      undefined,
    ]);
    client.send(NEXT);
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it('closes the connection for Connection: close', async () => {
    const client = await context.connect();
    client.send(`GET /about HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    expect(await client.response()).toMatchObject({ status: 200 });
    expect(await client.closes()).toBe(true);
  });

  it('decodes header values as UTF-8 and trims white space', async () => {
    const client = await context.connect();
    client.send(`GET /about HTTP/1.1\r\n${HOST}User-Agent: \t a \xc3\xa4 b \t\r\n\r\n`);
    expect(JSON.parse((await client.response())?.text ?? '')).toMatchObject({ agent: 'a ä b' });
    client.send(`GET /about HTTP/1.1\r\n${HOST}User-Agent: a\xffb\r\n\r\n`);
    expect(JSON.parse((await client.response())?.text ?? '')).toMatchObject({ agent: 'a\ufffdb' });
  });

  it('reports a disconnected client to the handler', async () => {
    const client = await context.connect();
    client.send(`GET /slow HTTP/1.1\r\n${HOST}\r\n`);
    await expect.poll(() => context.app.seen.handled).toContain('GET /slow');
    client.destroy();
    await expect.poll(() => context.app.seen.aborted).toContain('/slow');
    context.app.release();
  });
});
