/** Requests at the edge of HTTP/1.1's grammar, byte by byte. What each transport does by itself stands in its own file. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { overEachTransport } from './support/servers.js';

const HOST = 'Host: x\r\n';
const NEXT = `GET /about HTTP/1.1\r\n${HOST}\r\n`;
const SMUGGLED = `DELETE /thing/smuggled HTTP/1.1\r\n${HOST}\r\n`;

const post = (headers: string, body: string) => `POST /upload HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = '5\r\nhello\r\n0\r\n\r\n';

/** Refused with 400 where the layer sees the request; the parser of the transport may also just close. */
const REFUSED: readonly (readonly [name: string, request: string])[] = [
  ['two equal Content-Lengths', post('Content-Length: 5\r\nContent-Length: 5\r\n', 'hello')],
  ['two different Content-Lengths', post('Content-Length: 5\r\nContent-Length: 6\r\n', 'hello!')],
  ['a list of Content-Lengths', post('Content-Length: 5, 5\r\n', 'hello')],
  ['a Content-Length with sign', post('Content-Length: +5\r\n', 'hello')],
  ['a negative Content-Length', post('Content-Length: -5\r\n', 'hello')],
  ['a hexadecimal Content-Length', post('Content-Length: 0x5\r\n', 'hello')],
  ['a Content-Length with a fraction', post('Content-Length: 5.0\r\n', 'hello')],
  ['an empty Content-Length', post('Content-Length:\r\n', 'hello')],
  ['a Content-Length of 20 digits', post('Content-Length: 99999999999999999999\r\n', 'hello')],
  [
    'Content-Length with Transfer-Encoding',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', chunked),
  ],
  [
    'Transfer-Encoding with Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', chunked),
  ],
  ['Transfer-Encoding: xchunked', post('Transfer-Encoding: xchunked\r\n', chunked)],
  ['Transfer-Encoding: identity', post('Transfer-Encoding: identity\r\n', chunked)],
  ['Transfer-Encoding: gzip, chunked', post('Transfer-Encoding: gzip, chunked\r\n', chunked)],
  ['two Transfer-Encodings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', chunked)],
  ['two Hosts', `GET /about HTTP/1.1\r\n${HOST}Host: y\r\n\r\n`],
  ['an empty Host', 'GET /about HTTP/1.1\r\nHost:\r\n\r\n'],
  ['a Host that is none', 'GET /about HTTP/1.1\r\nHost: a/b<c>\r\n\r\n'],
  ['a fragment in the path', `GET /about#b HTTP/1.1\r\n${HOST}\r\n`],
  ['bytes above 127 in the path', `GET /\xc3\xa4 HTTP/1.1\r\n${HOST}\r\n`],
];

/** uWebSockets.js waits for more and closes after about 10 s; node:http refuses at once. Neither ever calls a handler. */
const SILENT_OR_REFUSED: readonly (readonly [name: string, request: string])[] = [
  ['NUL in a header value', `GET /about HTTP/1.1\r\n${HOST}X-A: b\0c\r\n\r\n`],
  ['NUL in a header name', `GET /about HTTP/1.1\r\n${HOST}X-\0A: b\r\n\r\n`],
  ['NUL in the path', `GET /a\0b HTTP/1.1\r\n${HOST}\r\n`],
  ['a control character in a header', `GET /about HTTP/1.1\r\n${HOST}X-A: b\x01c\r\n\r\n`],
  ['a bare CR in a header', `GET /about HTTP/1.1\r\n${HOST}X-A: b\rc\r\n\r\n`],
  ['bare LF after each line', 'GET /about HTTP/1.1\nHost: x\n\n'],
  ['bare LF after a header', 'GET /about HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n'],
  ['a space before the colon', post('Content-Length : 5\r\n', 'hello')],
  ['HTTP/2.0', `GET /about HTTP/2.0\r\n${HOST}\r\n`],
  ['no request at all', 'hello\r\n\r\n'],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['an unknown method', `FOO /about HTTP/1.1\r\n${HOST}\r\n`],
  ['a method in lower case', `get /about HTTP/1.1\r\n${HOST}\r\n`],
  ['no Host', 'GET /about HTTP/1.1\r\nX-A: b\r\n\r\n'],
];

overEachTransport('framing', (context) => {
  it.each(REFUSED)('refuses %s and closes', async (_, request) => {
    const before = context.app.seen.handled.length;
    const client = await context.connect();
    client.send(request);
    const answer = await client.answer();
    if (answer !== undefined) expect(answer.status).toBe(400);
    expect(await client.closes()).toBe(true);
    expect(client.rest).toBe('');
    expect(context.app.seen.handled.length).toBe(before);
  });

  it.each(REFUSED)('takes nothing behind %s for a request', async (_, request) => {
    const client = await context.connect();
    client.send(request + SMUGGLED + SMUGGLED);
    const answer = await client.answer();
    if (answer !== undefined) expect(answer.status).toBe(400);
    expect(await client.closes()).toBe(true);
    expect(context.app.seen.handled).not.toContain('DELETE /thing/smuggled');
  });

  it.each(SILENT_OR_REFUSED)('never hands %s to a handler', async (_, request) => {
    const before = context.app.seen.handled.length;
    const client = await context.connect();
    client.send(request);
    await sleep(40);
    client.send(SMUGGLED);
    const answer = await client.answer({ ms: 60 }).catch(() => 'none' as const);
    if (answer !== undefined && answer !== 'none') expect(answer.status).toBe(400);
    if (context.transport === 'node') expect(await client.closes()).toBe(true);
    expect(context.app.seen.handled.length).toBe(before);
    client.destroy();
  });

  it.each([
    ['spaces', `GET /about HTTP/1.1\r\n${HOST}X-A: b\r\n  c\r\n\r\n`],
    ['a tab', `GET /about HTTP/1.1\r\n${HOST}X-A: b\r\n\tTransfer-Encoding: chunked\r\n\r\n`],
  ])('refuses a header that is folded with %s, or does not answer at all', async (_, request) => {
    const client = await context.connect();
    client.send(request);
    const answer = await client.answer({ ms: 60 }).catch(() => undefined);
    expect(answer?.status).toBe(context.transport === 'node' ? 400 : undefined);
    client.destroy();
  });

  it('answers HTTP/1.0 or ignores it, as the transport can', async () => {
    const client = await context.connect();
    client.send('GET /about HTTP/1.0\r\n\r\n');
    const answer = await client.answer({ ms: 100 }).catch(() => undefined);
    expect(answer?.status).toBe(context.transport === 'node' ? 200 : undefined);
    client.destroy();
  });

  it('takes 48 headers', async () => {
    const lines = Array.from({ length: 47 }, (_, i) => `X-${i}: y\r\n`).join('');
    const client = await context.connect();
    client.send(`GET /about HTTP/1.1\r\n${HOST}${lines}\r\n`);
    expect(await client.answer()).toMatchObject({ status: 200 });
  });

  it('reads a request line that is split anywhere', async () => {
    const request = `GET /hello/split?times=2 HTTP/1.1\r\n${HOST}X-Greeting: hi there\r\n\r\n`;
    const client = await context.connect();
    for (let at = 1; at < request.length; at += 1) {
      await client.sendParts([request.slice(0, at), request.slice(at)]);
      const answer = await client.answer();
      expect([at, answer?.status]).toEqual([at, 200]);
      expect(JSON.parse(answer?.text ?? '')).toMatchObject({
        name: 'split',
        times: 2,
        'x-greeting': 'hi there',
      });
    }
  });

  it('reads a request that comes byte by byte', async () => {
    const client = await context.connect();
    await client.sendParts([...NEXT]);
    expect(await client.answer()).toMatchObject({ status: 200 });
  });

  it('reads a chunked body that is split anywhere', async () => {
    const request = post('Transfer-Encoding: chunked\r\n', chunked) + NEXT;
    for (let at = 1; at < request.length; at += 3) {
      const client = await context.connect();
      await client.sendParts([request.slice(0, at), request.slice(at)]);
      const first = await client.answer();
      expect([at, first?.status, first?.text]).toEqual([at, 200, '{"bytes":5,"declared":null}']);
      client.destroy();
    }
  });

  it('breaks off at a chunk size that is none', async () => {
    const { aborted } = context.app.seen;
    const client = await context.connect();
    client.send(post('Transfer-Encoding: chunked\r\n', 'zz\r\nhello\r\n0\r\n\r\n'));
    expect((await client.answer())?.status).not.toBe(200);
    expect(await client.closes()).toBe(true);
    await expect.poll(() => aborted.splice(0)).toContain('/upload ClientDisconnected');
  });

  it('drops trailers', async () => {
    const client = await context.connect();
    client.send(post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\nX-Trailer: a\r\n\r\n'));
    expect(await client.answer()).toMatchObject({ status: 200, text: '{"bytes":5,"declared":null}' });
    client.send(NEXT);
    const next = await client.answer({ ms: 60 }).catch(() => undefined);
    // uWebSockets.js takes a trailer for the next request, can't read it, and falls silent.
    expect(next?.status).toBe(context.transport === 'node' ? 200 : undefined);
  });

  it('answers pipelined requests in their order', async () => {
    const client = await context.connect();
    const names = ['a', 'b', 'c', 'd'];
    client.send(names.map((name) => `GET /hello/${name} HTTP/1.1\r\n${HOST}\r\n`).join(''));
    for (const name of names) expect(JSON.parse((await client.answer())?.text ?? '')).toMatchObject({ name });
  });

  it('answers what is pipelined behind a body', async () => {
    const client = await context.connect();
    client.send(post('Content-Length: 5\r\n', 'hello') + NEXT);
    expect(await client.answer()).toMatchObject({ status: 200, text: '{"bytes":5,"declared":5}' });
    expect(await client.answer()).toMatchObject({ status: 200 });
  });

  it('never mixes up answers behind one that takes time', async () => {
    const client = await context.connect();
    client.send(`GET /async HTTP/1.1\r\n${HOST}\r\n${NEXT}`);
    const first = await client.answer();
    // uWebSockets.js breaks such a connection off; a client may repeat its requests on another one.
    if (context.transport === 'uws') expect(first).toBeUndefined();
    else {
      expect(first).toMatchObject({ status: 200, text: '{"address":"127.0.0.1"}' });
      expect(JSON.parse((await client.answer())?.text ?? '')).toHaveProperty('origin');
    }
  });

  it('answers HEAD without a body, and the next request after it', async () => {
    const client = await context.connect();
    client.send(`HEAD /tagged HTTP/1.1\r\n${HOST}\r\n${NEXT}`);
    expect(await client.answer({ head: true })).toMatchObject({
      status: 200,
      headers: { 'content-length': '8' },
    });
    expect(await client.answer()).toMatchObject({ status: 200 });
    client.send(`HEAD /file HTTP/1.1\r\n${HOST}\r\n`);
    expect(await client.answer({ head: true })).toMatchObject({ status: 404 });
    client.send(NEXT);
    expect(await client.answer()).toMatchObject({ status: 200 });
  });

  it('sends no body and no length with 204 and 304', async () => {
    const client = await context.connect();
    client.send(`DELETE /thing/1 HTTP/1.1\r\n${HOST}\r\n`);
    const gone = await client.answer();
    expect([gone?.status, gone?.headers['content-length'], gone?.headers['transfer-encoding']]).toEqual([
      204,
      undefined,
      undefined,
    ]);
    client.send(`GET /tagged HTTP/1.1\r\n${HOST}If-None-Match: *\r\n\r\n`);
    const same = await client.answer();
    expect([same?.status, same?.headers['content-length'], same?.headers['transfer-encoding']]).toEqual([
      304,
      undefined,
      undefined,
    ]);
    client.send(NEXT);
    expect(await client.answer()).toMatchObject({ status: 200 });
  });

  it('closes when the client asks for it', async () => {
    const client = await context.connect();
    client.send(`GET /about HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    expect(await client.answer()).toMatchObject({ status: 200 });
    expect(await client.closes()).toBe(true);
  });

  it('reads header values as UTF-8, without white space around them', async () => {
    const client = await context.connect();
    client.send(`GET /about HTTP/1.1\r\n${HOST}User-Agent: \t a \xc3\xa4 b \t\r\n\r\n`);
    expect(JSON.parse((await client.answer())?.text ?? '')).toMatchObject({ agent: 'a ä b' });
    client.send(`GET /about HTTP/1.1\r\n${HOST}User-Agent: a\xffb\r\n\r\n`);
    expect(JSON.parse((await client.answer())?.text ?? '')).toMatchObject({ agent: 'a\ufffdb' });
  });

  it('tells a handler that its client is gone', async () => {
    const client = await context.connect();
    client.send(`GET /slow HTTP/1.1\r\n${HOST}\r\n`);
    await expect.poll(() => context.app.seen.handled).toContain('GET /slow');
    client.destroy();
    await expect.poll(() => context.app.seen.aborted).toContain('/slow');
    context.app.release();
  });
});
