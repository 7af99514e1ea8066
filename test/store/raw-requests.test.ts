/** Requests over raw sockets that client libraries do not send: lengths, encodings, slow and oversized bodies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../http/support/raw.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { TRANSPORTS } from '../support/transports.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type StoreClient, startStore } from './support/server.js';

const body = bytesOf(sidecar('ok-es256-iscc4'));

describe.each(TRANSPORTS)('over %s', (transport) => {
  let databases: TestDatabases;
  let store: StoreClient;
  const clients: RawClient[] = [];
  beforeAll(async () => {
    databases = await testDatabases('sqlite');
    store = await startStore(await databases.create(), {}, transport);
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await store.stop();
    await databases.stop();
  });

  const connect = async () => {
    const client = await RawClient.connect(store.port);
    clients.push(client);
    return client;
  };
  const head = (lines: readonly string[], path = '/v1/manifests') =>
    `${[`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/c2pa', ...lines].join('\r\n')}\r\n\r\n`;
  const refused = async (lines: readonly string[], status: number, detail: string) => {
    const client = await connect();
    client.send(head(lines));
    const answer = await client.response();
    expect([answer?.status, JSON.parse(answer?.text ?? 'null')]).toEqual([status, { detail }]);
    expect(answer?.headers['access-control-allow-origin']).toBe('*');
    return client;
  };

  const status = 'GET /v1/services/status HTTP/1.1\r\nHost: localhost\r\n\r\n';

  it.each(['+5', '-5', '0x5', '5.0', '1e3', 'five', '5,5', '5 5', '"5"', ''])(
    'refuses Content-Length: %s',
    async (length) => {
      const client = await refused([`Content-Length: ${length}`], 400, 'Invalid Content-Length');
      expect(await client.closes()).toBe(true);
    },
  );

  it('refuses a Content-Length of non-ASCII digits', async () => {
    const client = await connect();
    client.send(Buffer.from(head(['Content-Length: ٥']), 'utf8'));
    expect((await client.response())?.status).toBe(400);
    expect(await client.closes()).toBe(true);
  });

  // HTTP allows whitespace around a value, but a transport may be stricter.
  it.each(['5 ', '5\t', ' \t5  '])('reads Content-Length: "%s" as 5 bytes, or refuses it', async (length) => {
    const client = await connect();
    client.send(`${head([`Content-Length: ${length}`])}hello`);
    const answer = await client.response();
    expect(answer?.status).toBe(400);
    if (answer?.text.includes('manifest.unreadable')) {
      client.send(status);
      expect(await client.response()).toMatchObject({ status: 200 });
    } else expect(await client.closes()).toBe(true);
  });

  it.each([
    ['two lengths', ['Content-Length: 5', 'Content-Length: 5']],
    ['length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['an unknown coding', ['Transfer-Encoding: gzip']],
    ['a coding that hides chunks', ['Transfer-Encoding: xchunked']],
  ])('refuses %s, and does not read the following bytes as a request', async (_, lines) => {
    const client = await connect();
    client.send(head(lines) + status);
    const answer = await client.response();
    expect(answer?.status ?? 400).toBe(400);
    expect(await client.closes()).toBe(true);
    expect(client.rest).not.toContain(' 200 ');
  });

  it('refuses an oversized body by its length, before reading it', async () => {
    await refused(['Content-Length: 2097153'], 413, 'Request body too large');
    await refused(['Content-Length: 999999999999999'], 413, 'Request body too large');
  });

  it('refuses an oversized chunked body while it arrives', async () => {
    const client = await connect();
    client.send(head(['Transfer-Encoding: chunked']));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 40; sent += 1) client.send(chunk);
    expect((await client.response())?.status).toBe(413);
  });

  it('accepts a chunked body and a slow body', async () => {
    const chunked = await connect();
    chunked.send(head(['Transfer-Encoding: chunked'], '/v1/manifests?declare=false'));
    for (let at = 0; at < body.length; at += 500) {
      const piece = body.subarray(at, at + 500);
      chunked.send(
        Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
      );
      await sleep(1);
    }
    chunked.send('0\r\n\r\n');
    expect((await chunked.response())?.status).toBe(200);
    const slow = await connect();
    slow.send(head([`Content-Length: ${body.length}`]));
    for (let at = 0; at < body.length; at += Math.ceil(body.length / 20)) {
      slow.send(body.subarray(at, at + Math.ceil(body.length / 20)));
      await sleep(20);
    }
    expect((await slow.response())?.status).toBe(200);
  });

  it('refuses other hosts', async () => {
    for (const host of ['evil.example', 'store.example.evil.example', '']) {
      const client = await connect();
      client.send(`GET /v1/services/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect((await client.response())?.status ?? 400).toBe(400);
    }
    for (const host of ['store.example', 'STORE.example:1234', 'localhost', '127.0.0.1:80']) {
      const client = await connect();
      client.send(`GET /v1/services/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([host, (await client.response())?.status]).toEqual([host, 200]);
    }
  });
});
