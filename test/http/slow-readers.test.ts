/** Clients that request a large file and read nothing cost little memory and do not delay others. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/serve.js';
import { TRANSPORTS } from '../support/transports.js';

const FILE_BYTES = 30_000_000;
/** The long form uses 1,000. */
const READERS = Number(process.env.ISCCD_TEST_READERS ?? 300);
const RSS_BYTES_MAX = 64 * 1024 * 1024;
/** Shorter than the timeout that closes such connections. */
const WATCH_MS = 5000;

test.skipIf(process.platform !== 'linux').each(TRANSPORTS)(
  `${READERS} clients that read nothing cost less than 64 MiB over %s`,
  async (transport) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-readers-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = {
      CODEWEB_PORT: '0',
      CODEWEB_MEDIA_PATH: folder,
      CODEWEB_LOG_LEVEL: 'warn',
      ISCCD_TRANSPORT: transport,
    };
    const served = await serve(['codes'], { cwd: folder, env });
    onTestFinished(() => served.stop());
    const url = served.urls.codes;
    const file = await upload(url);
    await (await fetch(`${url}${file}`)).arrayBuffer();
    const before = await rssBytes(served.pid);

    const readers = Array.from({ length: READERS }, () => pausedReader(url, file));
    onTestFinished(() => {
      for (const reader of readers) reader.destroy();
    });
    let rssMax = 0;
    const latencies: number[] = [];
    for (const end = performance.now() + WATCH_MS; performance.now() < end; await sleep(50)) {
      const start = performance.now();
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      latencies.push(performance.now() - start);
      rssMax = Math.max(rssMax, await rssBytes(served.pid));
    }
    expect(rssMax - before).toBeLessThan(RSS_BYTES_MAX);
    // The bound is 100 ms on an idle machine; shared ones are slower.
    expect(median(latencies)).toBeLessThan(500);
    // A client that does read is served meanwhile.
    const body = await (await fetch(`${url}${file}`, { signal: AbortSignal.timeout(40_000) })).arrayBuffer();
    expect(body.byteLength).toBe(FILE_BYTES);
  },
  60_000,
);

/** Uploads the file and returns its path. */
async function upload(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/media`, {
    method: 'POST',
    headers: { 'X-Upload-Filename': Buffer.from('large.bin').toString('base64') },
    body: Buffer.alloc(FILE_BYTES, 'x'),
  });
  expect(response.status).toBe(201);
  const { media_id: id } = (await response.json()) as { media_id: string };
  return `/api/v1/media/${id}`;
}

function pausedReader(url: string, file: string): net.Socket {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${file} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

async function rssBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
