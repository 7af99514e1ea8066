/** Content codings: negotiation, and the headers that depend on them. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acceptedEncoding } from '../../src/http/reply/compression.js';
import { TEXT } from './support/demo.js';
import { overEachTransport } from './support/servers.js';

overEachTransport('compression', (context) => {
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const client = await context.connect();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`);
    const response = await client.response({ head: method === 'HEAD' });
    if (response === undefined) throw new Error('no response');
    return response;
  };

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('encodes text, JSON and large bodies with %s', async (encoding, decode) => {
    const headers = { 'Accept-Encoding': encoding };
    const text = await get('/text/long', headers);
    expect([text.status, text.headers['content-encoding'], text.headers.vary]).toEqual([
      ...[200, encoding, 'Accept-Encoding'],
    ]);
    expect(Number(text.headers['content-length'])).toBe(text.body.length);
    expect(text.body.length).toBeLessThan(TEXT.length / 10);
    expect(decode(text.body).toString()).toBe(TEXT);
    const large = await get('/large', headers);
    expect(decode(large.body).length).toBe(3_000_002);
  });

  it('sends the original without Accept-Encoding, but varies by it', async () => {
    const { headers, text } = await get('/text/long');
    expect([headers['content-encoding'], headers.vary, headers.etag]).toEqual([
      ...[undefined, 'Accept-Encoding', '"t1"'],
    ]);
    expect(text).toBe(TEXT);
  });

  it.each(['short', 'image', 'secret'])('never encodes %s bodies', async (kind) => {
    const { headers } = await get(`/text/${kind}`, { 'Accept-Encoding': 'gzip' });
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
  });

  it('weakens the entity tag, which still matches If-None-Match', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const { etag = '' } = (await get('/text/long', headers)).headers;
    expect(etag).toBe('W/"t1"');
    const same = await get('/text/long', { ...headers, 'If-None-Match': etag });
    expect([same.status, same.headers.etag, same.headers.vary]).toEqual([304, etag, 'Accept-Encoding']);
    expect(same.headers['content-encoding']).toBeUndefined();
  });

  it('responds to HEAD with the headers of GET', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const [byGet, byHead] = [await get('/text/long', headers), await get('/text/long', headers, 'HEAD')];
    for (const name of ['content-length', 'content-encoding', 'vary', 'etag']) {
      expect([name, byHead.headers[name]]).toEqual([name, byGet.headers[name]]);
    }
  });

  it('encodes fixed files, but not their ranges', async () => {
    const path = '/docs/swagger-ui.css';
    const plain = await get(path);
    const encoded = await get(path, { 'Accept-Encoding': 'gzip' });
    expect(gunzipSync(encoded.body).equals(plain.body)).toBe(true);
    expect(encoded.headers.etag).toBe(`W/${plain.headers.etag}`);
    const again = await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': encoded.headers.etag ?? '' });
    expect(again.status).toBe(304);
    const range = await get(path, { 'Accept-Encoding': 'gzip', Range: 'bytes=0-99' });
    expect([range.status, range.headers['content-encoding']]).toEqual([206, undefined]);
    expect(range.body.equals(plain.body.subarray(0, 100))).toBe(true);
  });
});

describe('acceptedEncoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=banana', undefined],
    ['br;q=0, *;q=0', undefined],
    ['gzip ; q=0.5', 'gzip'],
  ])('for %j is %s', (header, expected) => {
    expect(acceptedEncoding(header)).toBe(expected);
  });
});
