/** What is sent again and what is not, against a listener that fails first and counts. */
import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CodesClient,
  ConnectionFailed,
  NotFound,
  SearchClient,
  ServerFault,
  StoreClient,
  Throttled,
  Unavailable,
} from '../../src/client/index.js';
import { type Answer, type Listener, listener } from './support/listener.js';

const FAST = { retry: { firstPauseMs: 1 } };

let server: Listener | undefined;
afterEach(() => server?.close());

async function listen(...answers: readonly Answer[]): Promise<Listener> {
  server = await listener(...answers);
  return server;
}

describe('a request that may be sent again', () => {
  it.each<[string, Answer]>([
    ['502', [502, 'bad gateway']],
    ['503', [503]],
    ['504', [504]],
    ['a broken connection', 'reset'],
    ['a throttled one that says until when', [429, '{"detail":"slow"}', { 'Retry-After': '0' }]],
    ['an answer that breaks off', 'cut'],
  ])('is, after %s', async (_, failure) => {
    const { url, asked } = await listen(failure, failure, [200, '[]']);
    expect(await new SearchClient(url, FAST).listIndexes()).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  it('includes deleting', async () => {
    const { url, asked } = await listen([503], [204]);
    await new SearchClient(url, FAST).deleteIndex('a');
    expect(asked.map(({ line }) => line)).toEqual(['DELETE /indexes/a', 'DELETE /indexes/a']);
  });

  it('includes a POST that only asks, or that does the same twice', async () => {
    const { url, asked } = await listen([503], [200, '{}'], 'reset', [201, '[]']);
    const client = new SearchClient(url, FAST);
    await client.search('a', { units: ['X'] });
    await client.addAssets('a', []);
    expect(asked).toHaveLength(4);
    expect(asked[1]).toMatchObject({ line: 'POST /indexes/a/search', body: '{"units":["X"]}' });
  });

  it('is not sent for ever', async () => {
    const { url, asked } = await listen([503, 'no']);
    const client = new SearchClient(url, { retry: { firstPauseMs: 1, attempts: 3 } });
    await expect(client.listIndexes()).rejects.toThrow(Unavailable);
    expect(asked).toHaveLength(3);
  });

  it('is not if the service said no, or asks for too long a pause', async () => {
    const late = { 'Retry-After': '3600' };
    const answers = [[404], [429], [429, '', late], [503, '', late], [500]] as const;
    const { url, asked } = await listen(...answers);
    const client = new SearchClient(url, FAST);
    for (const kind of [NotFound, Throttled, Throttled, Unavailable, ServerFault]) {
      await expect(client.getIndex('x')).rejects.toThrow(kind);
    }
    expect(asked).toHaveLength(answers.length);
  });

  it('waits as long as the service says', async () => {
    const { url } = await listen([503, '', { 'Retry-After': '1' }], [200, '[]']);
    const started = performance.now();
    await new SearchClient(url, FAST).listIndexes();
    expect(performance.now() - started).toBeGreaterThan(990);
  });
});

describe('a POST that makes something', () => {
  it.each<[string, Answer]>([
    ['a busy service', [503, '', { 'Retry-After': '0' }]],
    ['a throttling one', [429, '', { 'Retry-After': '0' }]],
    ['a broken connection', 'reset'],
  ])('is not sent again after %s', async (_, failure) => {
    const { url, asked } = await listen(failure);
    const bytes = Buffer.from('x');
    await expect(new CodesClient(url, FAST).createIscc(bytes)).rejects.toThrow();
    await expect(new CodesClient(url, FAST).embedMetadata('id', { name: 'x' })).rejects.toThrow();
    await expect(new SearchClient(url, FAST).createIndex('a')).rejects.toThrow();
    await expect(new StoreClient(url, FAST).storeManifest(bytes)).rejects.toThrow();
    expect(asked).toHaveLength(4);
  });

  it('is sent again while nobody listens, for then nobody has got it', async () => {
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

  it('says that it may have been received', async () => {
    const { url } = await listen('reset');
    const failure = await new CodesClient(url).uploadMedia(Buffer.from('x')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionFailed);
    expect(failure).toMatchObject({ mayBeReceived: true });
    const nobody = new CodesClient(`http://127.0.0.1:${await freePort()}`, { retry: { attempts: 1 } });
    await expect(nobody.uploadMedia(Buffer.from('x'))).rejects.toMatchObject({ mayBeReceived: false });
  });

  it('is sent once if it comes from a stream', async () => {
    const nobody = new CodesClient(`http://127.0.0.1:${await freePort()}`, {
      retry: { firstPauseMs: 60_000 },
    });
    await expect(nobody.uploadMedia(Readable.from([Buffer.from('x')]))).rejects.toThrow(ConnectionFailed);
  });
});

describe('an abort', () => {
  it('ends the pause between two tries', async () => {
    const { url, asked } = await listen([503]);
    const abort = new AbortController();
    const client = new SearchClient(url, { retry: { firstPauseMs: 60_000, pauseMsMax: 60_000 } });
    const listing = client.listIndexes({ signal: abort.signal });
    setTimeout(() => abort.abort(new Error('enough')), 100);
    await expect(listing).rejects.toThrow('enough');
    expect(asked).toHaveLength(1);
  });
});

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}
