/** Slow and silent clients. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { overEachTransport } from './support/servers.js';

/** Transports time out after 10 to 32 s; node:http allows a stalled response 20 s. */
const PATIENCE_MS = 40_000;

vi.setConfig({ testTimeout: 2 * PATIENCE_MS });

overEachTransport('timeouts', (context) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isccd-http-'));
  beforeAll(() => {
    context.app.file = path.join(folder, 'big');
    writeFileSync(context.app.file, '');
    truncateSync(context.app.file, 100_000_000);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const closesAfter = async (request: string) => {
    const client = await context.connect();
    client.send(request);
    return client.closes(PATIENCE_MS);
  };

  it.concurrent.each([
    ['the client sends nothing', ''],
    ['a request stays incomplete', 'GET /about HTTP/1.1\r\nHost:'],
    ['a head is unparsable', 'GET /about HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n'],
    ['a connection is idle after a response', 'GET /about HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('closes the connection when %s', async (_, request) => {
    // uWebSockets.js starts its timer with the first byte, because an idle connection costs nothing.
    if (request === '' && context.transport === 'uws') return;
    expect(await closesAfter(request)).toBe(true);
  });

  it.concurrent('aborts a stalled upload', async () => {
    expect(await closesAfter('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhello')).toBe(
      true,
    );
    await until(() => context.app.seen.aborted.includes('/upload ClientDisconnected'));
  });

  it.concurrent('aborts an upload that arrives slower than 16 KiB per second', async () => {
    const client = await context.connect();
    client.send('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
    const drip = setInterval(() => client.send('x'.repeat(100)), 500);
    try {
      expect(await client.closes(PATIENCE_MS)).toBe(true);
    } finally {
      clearInterval(drip);
    }
  });

  it.concurrent('aborts a download that the client does not read', async () => {
    const client = await context.connect();
    client.socket.pause();
    client.send('GET /file HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => context.logLines.some((line) => line.path === '/file'));
  });

  it.concurrent('does not limit the duration of a handler', async () => {
    const client = await context.connect();
    client.send('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await sleep(13_000);
    context.app.release();
    expect(await client.response()).toMatchObject({ status: 200, text: '"slow"' });
  });

  it.concurrent('does not limit the duration of a handler whose body was paused', async () => {
    context.app.lateMs = 13_000;
    const client = await context.connect();
    client.send('POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n');
    client.send(Buffer.alloc(7_500_000));
    await sleep(500);
    // One chunk, larger than the limit of unread bytes.
    client.send(Buffer.alloc(500_000));
    const response = await client.response({ ms: PATIENCE_MS });
    expect(response).toMatchObject({ status: 200, text: '{"bytes":8000000}' });
  });

  it.concurrent('accepts a slow upload while bytes arrive', async () => {
    const client = await context.connect();
    client.send('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n');
    for (let i = 0; i < 13; i += 1) {
      client.send(Buffer.alloc(20_000));
      await sleep(1000);
    }
    client.send(Buffer.alloc(40_000));
    expect(await client.response()).toMatchObject({
      status: 200,
      text: '{"bytes":300000,"declared":300000}',
    });
  });
});

/** Like expect.poll, which does not work in concurrent tests. */
async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('timed out waiting for a condition');
    await sleep(50);
  }
}
