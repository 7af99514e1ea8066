/** Which requests are retried, against a server that fails first and records the requests. */
import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CodesClient,
  ConnectionFailed,
  NotFound,
  SearchClient,
  ServerFault,
  ServiceError,
  StoreClient,
  Throttled,
  Unavailable,
} from '../../src/client/index.js';
import { type CannedResponse, type Listener, listener } from './support/listener.js';

const FAST = { retry: { firstPauseMs: 1 } };

let server: Listener | undefined;
afterEach(() => server?.close());

async function listen(...responses: readonly CannedResponse[]): Promise<Listener> {
  server = await listener(...responses);
  return server;
}

it.each(['', '.', '..'])('a request does not leave its path by %j', async (name) => {
  const { url, requests } = await listen([204]);
  await expect(new SearchClient(url, FAST).deleteIndex(name)).rejects.toThrow('cannot be a part of the path');
  expect(requests).toHaveLength(0);
});

describe('an idempotent request', () => {
  it.each<[string, CannedResponse]>([
    ['502', [502, 'bad gateway']],
    ['503', [503]],
    ['504', [504]],
    ['a broken connection', 'reset'],
    ['a throttled request with Retry-After', [429, '{"detail":"slow"}', { 'Retry-After': '0' }]],
    ['a truncated response', 'cut'],
  ])('is retried after %s', async (_, failure) => {
    const { url, requests } = await listen(failure, failure, [200, '[]']);
    expect(await new SearchClient(url, FAST).listIndexes()).toEqual([]);
    expect(requests).toHaveLength(3);
  });

  it('includes DELETE', async () => {
    const { url, requests } = await listen([503], [204]);
    await new SearchClient(url, FAST).deleteIndex('a');
    expect(requests.map(({ line }) => line)).toEqual(['DELETE /indexes/a', 'DELETE /indexes/a']);
  });

  it.each([404, 410])('is done if a repeated DELETE finds nothing: %i', async (status) => {
    const { url, requests } = await listen('reset', [status], [502], [status], [503], [status], [status]);
    const client = new SearchClient(url, FAST);
    await client.deleteIndex('a');
    await client.deleteIndex('a');
    expect(requests).toHaveLength(4);
    // The service refused the first attempt, or there was only one.
    await expect(client.deleteIndex('a')).rejects.toThrow(ServiceError);
    await expect(client.deleteIndex('a')).rejects.toThrow(ServiceError);
  });

  it('includes POST for queries and repeatable adds', async () => {
    const { url, requests } = await listen([503], [200, '{}'], 'reset', [201, '[]']);
    const client = new SearchClient(url, FAST);
    await client.search('a', { units: ['X'] });
    await client.addAssets('a', []);
    expect(requests).toHaveLength(4);
    expect(requests[1]).toMatchObject({ line: 'POST /indexes/a/search', body: '{"units":["X"]}' });
  });

  it('is retried at most `attempts` times', async () => {
    const { url, requests } = await listen([503, 'no']);
    const client = new SearchClient(url, { retry: { firstPauseMs: 1, attempts: 3 } });
    await expect(client.listIndexes()).rejects.toThrow(Unavailable);
    expect(requests).toHaveLength(3);
  });

  it('is not retried after a refusal, or if Retry-After is too long', async () => {
    const late = { 'Retry-After': '3600' };
    const responses = [[404], [429], [429, '', late], [503, '', late], [500]] as const;
    const { url, requests } = await listen(...responses);
    const client = new SearchClient(url, FAST);
    for (const kind of [NotFound, Throttled, Throttled, Unavailable, ServerFault]) {
      await expect(client.getIndex('x')).rejects.toThrow(kind);
    }
    expect(requests).toHaveLength(responses.length);
  });

  it('waits as long as Retry-After says', async () => {
    const { url } = await listen([503, '', { 'Retry-After': '1' }], [200, '[]']);
    const started = performance.now();
    await new SearchClient(url, FAST).listIndexes();
    expect(performance.now() - started).toBeGreaterThan(990);
  });
});

describe('a POST that creates something', () => {
  it.each<[string, CannedResponse]>([
    ['a busy service', [503, '', { 'Retry-After': '0' }]],
    ['a throttling service', [429, '', { 'Retry-After': '0' }]],
    ['a broken connection', 'reset'],
  ])('is not retried after %s', async (_, failure) => {
    const { url, requests } = await listen(failure);
    const bytes = Buffer.from('x');
    await expect(new CodesClient(url, FAST).createIscc(bytes)).rejects.toThrow();
    await expect(new CodesClient(url, FAST).embedMetadata('id', { name: 'x' })).rejects.toThrow();
    await expect(new SearchClient(url, FAST).createIndex('a')).rejects.toThrow();
    await expect(new StoreClient(url, FAST).storeManifest(bytes)).rejects.toThrow();
    expect(requests).toHaveLength(4);
  });

  it('is retried while the connection is refused, as the service cannot have received it', async () => {
    const port = await freePort();
    const client = new CodesClient(`http://127.0.0.1:${port}`, { retry: { firstPauseMs: 100 } });
    const made = client.uploadMedia(Buffer.from('x'));
    const late = net.createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}'));
    });
    setTimeout(() => late.listen(port, '127.0.0.1'), 50);
    expect(await made).toEqual({});
    late.close();
  });

  it('reports whether the service may have received it', async () => {
    const { url } = await listen('reset');
    const failure = await new CodesClient(url).uploadMedia(Buffer.from('x')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionFailed);
    expect(failure).toMatchObject({ mayBeReceived: true });
    const unreachable = new CodesClient(`http://127.0.0.1:${await freePort()}`, { retry: { attempts: 1 } });
    await expect(unreachable.uploadMedia(Buffer.from('x'))).rejects.toMatchObject({ mayBeReceived: false });
  });

  it('is sent once if its body is a stream', async () => {
    const unreachable = new CodesClient(`http://127.0.0.1:${await freePort()}`, {
      retry: { firstPauseMs: 60_000 },
    });
    await expect(unreachable.uploadMedia(Readable.from([Buffer.from('x')]))).rejects.toThrow(
      ConnectionFailed,
    );
  });
});

describe('an abort', () => {
  it('ends the pause before a retry', async () => {
    const { url, requests } = await listen([503]);
    const abort = new AbortController();
    const client = new SearchClient(url, { retry: { firstPauseMs: 60_000, pauseMsMax: 60_000 } });
    const listing = client.listIndexes({ signal: abort.signal });
    setTimeout(() => abort.abort(new Error('aborted by test')), 100);
    await expect(listing).rejects.toThrow('aborted by test');
    expect(requests).toHaveLength(1);
  });
});

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}
