/** The OCSP responses that a store keeps. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../src/platform/observe/log.js';
import { ocspResponses } from '../../src/services/store/validation/revocation.js';

const KEPT_MAX = 1000;

it(`are at most ${KEPT_MAX}: the oldest goes first`, async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.end('response');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const responses = ocspResponses({ log: createLogger('silent'), allowed: new Set(['127.0.0.1']) });
  onTestFinished(() => responses.close());
  const fetch = (path: string) => responses.fetch([`http://127.0.0.1:${port}${path}`]);
  for (let at = 0; at < KEPT_MAX; at += 1) expect(await fetch(`/${at}`)).toHaveLength(1);
  await fetch('/0');
  expect(asked).toHaveLength(KEPT_MAX);
  await fetch('/new');
  await fetch('/1');
  expect(asked.slice(KEPT_MAX)).toEqual(['/new']);
  await fetch('/0');
  expect(asked.slice(KEPT_MAX)).toEqual(['/new', '/0']);
});

it('are kept for an hour, and failures for a minute, whatever the wall clock does', async () => {
  let [status, asked, now] = [200, 0, 5_000];
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status).end('response');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    vi.useRealTimers();
  });
  const { port } = server.address() as AddressInfo;
  const allowed = new Set(['127.0.0.1']);
  const responses = ocspResponses({ log: createLogger('silent'), allowed, now: () => now });
  onTestFinished(() => responses.close());
  const fetch = async () => (await responses.fetch([`http://127.0.0.1:${port}/`])).length;
  expect([await fetch(), asked]).toEqual([1, 1]);
  now += 3_599_999;
  expect([await fetch(), asked]).toEqual([1, 1]);
  for (const days of [-400, 400]) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 });
    expect([await fetch(), asked]).toEqual([1, 1]);
    vi.useRealTimers();
  }
  now += 1;
  status = 500;
  expect([await fetch(), asked]).toEqual([0, 2]);
  status = 200;
  now += 59_999;
  expect([await fetch(), asked]).toEqual([0, 2]);
  now += 1;
  expect([await fetch(), asked]).toEqual([1, 3]);
});
