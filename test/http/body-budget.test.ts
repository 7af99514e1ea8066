/** All request bodies that are kept whole share one budget of memory. */
import { expect, it, onTestFinished } from 'vitest';
import { BodyBudget } from '../../src/http/request/body-budget.js';
import { wholeBody } from '../../src/http/request/streamed.js';
import { json } from '../../src/http/routing/replies.js';
import { route } from '../../src/http/routing/route.js';
import { startServer } from '../../src/http/server.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { TRANSPORTS, transportOf } from '../support/transports.js';
import { demo } from './support/demo.js';
import { RawClient } from './support/raw.js';

const MIB = 1024 * 1024;

it('leaves room for other clients, and lets the only body be as large as it likes', () => {
  const budget = new BodyBudget(10 * MIB);
  const only = budget.open('192.0.2.1');
  expect(only.grow(30 * MIB)).toBe(true);
  expect(budget.open('192.0.2.2').grow(MIB)).toBe(false);
  only.close();
  const first = [4, 1, 1].map((mib) => budget.open('192.0.2.1').grow(mib * MIB));
  expect(first).toEqual([true, true, false]);
  const second = budget.open('192.0.2.2');
  expect([second.grow(5 * MIB), budget.bytes]).toEqual([true, 10 * MIB]);
  expect(budget.open('192.0.2.3').grow(MIB)).toBe(false);
  second.close();
  second.close();
  expect(budget.bytes).toBe(5 * MIB);
  expect(budget.open('192.0.2.3').grow(MIB)).toBe(true);
});

it('counts the addresses of an IPv6 network as one client, and small bodies not at all', () => {
  const budget = new BodyBudget(10 * MIB);
  expect(budget.open('2001:db8::1').grow(5 * MIB)).toBe(true);
  expect(budget.open('2001:db8::2').grow(MIB)).toBe(false);
  expect(budget.open('2001:db8::2').grow(MIB / 4)).toBe(true);
  expect(budget.open('2001:db8:0:1::1').grow(MIB)).toBe(true);
  expect(budget.bytes).toBe(6 * MIB);
});

/** The layer collects the body, or the handler does. */
const LARGE = {
  collected: route({
    method: 'POST',
    path: '/large',
    operationId: 'large',
    summary: 'Keeps the body',
    tags: [],
    body: { kind: 'bytes', bytesMax: 4 * MIB },
    responses: {},
    handler: ({ body }) => json({ bytes: body.length }),
  }),
  streamed: route({
    method: 'POST',
    path: '/large',
    operationId: 'large',
    summary: 'Keeps the body',
    tags: [],
    body: { kind: 'stream', bytesMax: 4 * MIB },
    responses: {},
    handler: async ({ body }) => json({ bytes: (await wholeBody(body, 4 * MIB)).length }),
  }),
};

it.each(
  TRANSPORTS.flatMap((name) => (['collected', 'streamed'] as const).map((kind) => [name, kind] as const)),
)('a body without room gets 503 before it is sent, until others are done (%s, %s)', async (name, kind) => {
  const bodies = new BodyBudget(2 * MIB);
  const app = demo();
  const log = createLogger('silent');
  const server = await startServer(
    { ...app, routes: [LARGE[kind]], proxies: 1 },
    { host: '127.0.0.1', port: 0, transport: transportOf(name), log, bodies },
  );
  onTestFinished(() => server.stop());
  const post = async (address: string, body: Uint8Array | ReadableStream) => {
    const headers = { 'X-Forwarded-For': address };
    const response = await fetch(`${server.url}/large`, {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    } as RequestInit);
    await response.text();
    return [response.status, response.headers.get('retry-after')];
  };
  const slow = await RawClient.connect(server.port);
  onTestFinished(() => slow.destroy());
  slow.send(
    `POST /large HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: ${MIB}\r\n\r\nx`,
  );
  await expect.poll(() => bodies.bytes).toBe(MIB);

  // Half is the most that one client may have while it is not alone.
  expect(await post('192.0.2.1', Buffer.alloc(MIB / 2))).toEqual([503, '5']);
  expect(await post('192.0.2.1', Buffer.alloc(MIB / 8))).toEqual([200, null]);
  expect(await post('192.0.2.2', Buffer.alloc(MIB))).toEqual([200, null]);
  expect(await post('192.0.2.2', Buffer.alloc(2 * MIB))).toEqual([503, '5']);
  // Without a declared length, the bytes count as they arrive.
  const chunked = () => new Blob([Buffer.alloc(2 * MIB)]).stream();
  expect(await post('192.0.2.2', chunked())).toEqual([503, '5']);

  slow.destroy();
  await expect.poll(() => bodies.bytes).toBe(0);
  expect(await post('192.0.2.2', chunked())).toEqual([200, null]);
  expect(await post('192.0.2.2', Buffer.alloc(4 * MIB))).toEqual([200, null]);
  await expect.poll(() => bodies.bytes).toBe(0);
});
