import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { overEachTransport } from './support/servers.js';

/** Level of log lines about what is wrong. */
const WARN = 40;

overEachTransport('downloads', (context) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isccd-http-'));
  const content = randomBytes(700_001);
  const file = (name: string) => path.join(folder, name);
  const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${context.server.url}${url}`, { method, headers });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  beforeAll(() => {
    context.app.file = file('content');
    writeFileSync(context.app.file, content);
    writeFileSync(file('empty'), '');
    writeFileSync(file('big'), '');
    truncateSync(file('big'), 300_000_000);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('sends the whole file', async () => {
    const response = await get('/file');
    expect((await bytesOf(response)).equals(content)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': '700001',
      'content-type': 'application/octet-stream',
      'accept-ranges': 'bytes',
      'content-disposition': 'attachment; filename="plain.bin"',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
  });

  it('responds to HEAD with the length', async () => {
    const response = await get('/file', { Range: 'bytes=0-9' }, 'HEAD');
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '700001']);
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-', 0, 700_001],
    ['bytes=100-199', 100, 200],
    ['bytes=699999-', 699_999, 700_001],
    ['bytes=-5', 699_996, 700_001],
    ['bytes=-9999999', 0, 700_001],
    ['bytes=0-99999999999', 0, 700_001],
    ['Bytes=256000-600000', 256_000, 600_001],
  ])('returns the range %s', async (range, start, end) => {
    const response = await get('/file', { Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/700001`);
    expect((await bytesOf(response)).equals(content.subarray(start, end))).toBe(true);
  });

  it.each(['bytes=700001-', 'bytes=-0', 'bytes=999999999999999999999-'])(
    'returns 416 for %s',
    async (range) => {
      const response = await get('/file', { Range: range });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */700001']);
      expect(await response.text()).toBe('refused: range-unsatisfiable');
    },
  );

  it.each(['bytes=5-2', 'bytes=', 'bytes=-', 'bytes=a-b', 'lines=0-1', 'bytes=0-1,5-6', 'bytes 0-1'])(
    'sends the whole file for %s',
    async (range) => {
      const response = await get('/file', { Range: range });
      expect([response.status, (await bytesOf(response)).length]).toEqual([200, 700_001]);
    },
  );

  it('supports conditional requests', async () => {
    const etag = (await get('/file', {}, 'HEAD')).headers.get('etag') ?? '';
    expect((await get('/file', { 'If-None-Match': `"x", ${etag}` })).status).toBe(304);
    expect((await get('/file', { 'If-None-Match': '*' }, 'HEAD')).status).toBe(304);
    expect((await get('/file', { 'If-None-Match': '"x"' })).status).toBe(200);
    expect((await get('/file', { 'If-Match': `"x", ${etag}` })).status).toBe(200);
    expect((await get('/file', { 'If-Match': '*', 'If-None-Match': etag })).status).toBe(304);
    for (const other of ['"x"', `W/${etag}`, '']) {
      const refused = await get('/file', { 'If-Match': other, 'If-None-Match': etag, Range: 'bytes=0-1' });
      expect([refused.status, await refused.text()]).toEqual([412, 'refused: precondition-failed']);
    }
    expect((await get('/file', { 'If-Match': '"x"' }, 'HEAD')).status).toBe(412);
    expect((await get('/file', { 'If-Range': etag, Range: 'bytes=0-1' })).status).toBe(206);
    expect((await get('/file', { 'If-Range': '"x"', Range: 'bytes=0-1' })).status).toBe(200);
    expect(
      (await get('/file', { 'If-Range': 'Sat, 21 Nov 2026 05:10:46 GMT', Range: 'bytes=0-1' })).status,
    ).toBe(200);
  });

  it('sends an empty file', async () => {
    context.app.file = file('empty');
    const response = await get('/file');
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '0',
      '',
    ]);
    expect((await get('/file', { Range: 'bytes=0-' })).status).toBe(416);
    context.app.file = file('content');
  });

  it('returns 404 if the file is missing', async () => {
    context.app.file = file('missing');
    expect((await get('/file')).status).toBe(404);
    context.app.file = file('content');
  });

  it('completes a file that is deleted meanwhile', async () => {
    context.app.file = file('deleted');
    writeFileSync(context.app.file, Buffer.alloc(20_000_000, 'd'));
    const client = await context.connect();
    client.send('GET /file HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => client.socket.once('data', resolve));
    client.socket.pause();
    unlinkSync(context.app.file);
    context.app.file = file('content');
    await sleep(50);
    client.socket.resume();
    const response = await client.response({ ms: 50_000 });
    expect(response?.body.equals(Buffer.alloc(20_000_000, 'd'))).toBe(true);
  });

  it('closes the connection if a file is truncated meanwhile', async () => {
    context.app.file = file('cut');
    writeFileSync(context.app.file, Buffer.alloc(30_000_000));
    const client = await context.connect();
    client.send('GET /file HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => client.socket.once('data', resolve));
    client.socket.pause();
    await sleep(50);
    truncateSync(context.app.file, 1_000_000);
    context.app.file = file('content');
    client.socket.resume();
    expect(await client.response()).toBeUndefined();
  });

  it('buffers little for clients that do not read', async () => {
    context.app.file = file('big');
    const clients = await Promise.all(Array.from({ length: 4 }, () => context.connect()));
    const before = process.memoryUsage().rss;
    for (const client of clients) {
      client.socket.pause();
      client.send('GET /file HTTP/1.1\r\nHost: x\r\n\r\n');
    }
    await sleep(500);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    for (const client of clients) client.destroy();
    context.app.file = file('content');
  });

  it('keeps memory bounded while a large file is sent', async () => {
    context.app.file = file('big');
    const before = process.memoryUsage().rss;
    let rssMax = 0;
    let bytes = 0;
    const response = await get('/file');
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      rssMax = Math.max(rssMax, process.memoryUsage().rss);
    }
    expect(bytes).toBe(300_000_000);
    // Client and server share this process.
    expect(rssMax - before).toBeLessThan(150 * 1024 * 1024);
    context.app.file = file('content');
  });

  it.each([
    ['grün "x".jpg', `attachment; filename="gr_n _x_.jpg"; filename*=UTF-8''gr%C3%BCn%20%22x%22.jpg`],
    ['a%41.txt', `attachment; filename="a_41.txt"; filename*=UTF-8''a%2541.txt`],
  ])('names the download %j', async (name, expected) => {
    const response = await get('/file', { 'X-Name': Buffer.from(name).toString('latin1') });
    expect(response.headers.get('content-disposition')).toBe(expected);
  });

  it('replaces an invalid content type', async () => {
    const response = await get('/file', { 'X-Type': Buffer.from('text/plain; a=äb').toString('latin1') });
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
  });

  it.each([
    ['known', '13', null],
    ['unknown', null, 'chunked'],
  ])('sends a stream of %s length', async (kind, length, coding) => {
    const response = await get(`/stream/${kind}`);
    expect([response.headers.get('content-length'), response.headers.get('transfer-encoding')]).toEqual([
      length,
      coding,
    ]);
    expect(await response.text()).toBe('one two three');
    const head = await get(`/stream/${kind}`, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, length]);
  });

  it('closes the connection if a stream fails, and logs the reason', async () => {
    const client = await context.connect();
    client.send('GET /stream/broken HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await client.response()).toBeUndefined();
    const isLogged = () =>
      context.logLines.some(({ err }) => (err as Error)?.message === 'the source failed');
    await expect.poll(isLogged).toBe(true);
  });

  it('sends large JSON in pieces', async () => {
    expect((await (await get('/large')).text()).length).toBe(3_000_002);
  });

  it('keeps the connection open after each kind of response', async () => {
    const client = await context.connect();
    for (const url of ['/file', '/stream/known', '/stream/unknown', '/large', '/file']) {
      client.send(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(await client.response()).toMatchObject({ status: 200 });
    }
  });

  it('notices a client that disconnects during a download', async () => {
    context.app.file = file('big');
    const lines = context.logLines.length;
    const client = await context.connect();
    client.send('GET /file HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => client.socket.once('data', resolve));
    client.destroy();
    await expect.poll(() => context.logLines.length).toBe(lines + 1);
    context.app.file = file('content');
  });

  it('does not count a client that leaves a streamed response as a failure', async () => {
    const lines = context.logLines.length;
    const client = await context.connect();
    client.send('GET /stream/endless HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => client.socket.once('data', resolve));
    client.destroy();
    const logged = () => context.logLines.slice(lines);
    await expect.poll(() => logged().some((line) => line.path === '/stream/endless')).toBe(true);
    expect(logged().filter(({ level }) => Number(level) >= WARN)).toEqual([]);
  });
});
