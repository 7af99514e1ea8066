/**
 * All services in a container of 512 MB, while each route that takes a large body gets many at once: what does not fit is
 * 503 with `Retry-After`, and the process lives. Where the kernel allows no container, its memory is measured.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch as fetchFrom } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { filenameHeader, noise } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { RawClient } from '../http/support/raw.js';
import { randomAsset } from '../search/support/random-assets.js';
import { post } from '../search/support/search-server.js';
import { QUIET, servicePorts } from '../support/all-services.js';
import { type ServedProcess, serve } from '../support/serve.js';
import { torture } from '../support/torture.js';
import { TRANSPORTS } from '../support/transports.js';
import { container } from './support/container.js';
import { errorLines, peakMb, REFUSALS } from './support/probe.js';

const { cases, report, size } = torture('memory');
const CONTAINER_BYTES = 512 * 1024 ** 2;
const AT_ONCE = 6;
/** Just below the limit of a body in such a container. */
const BODY_BYTES = 16_700_000;
const SLOW_UPLOADS = 500;
const SLOW_BYTES = 40_000;
const SLOW_MB_MAX = 100;
/** Of the listening process, with the pages of programs and libraries, which the container does not count. */
const MAIN_MB_MAX = 600;
const HEALTH_SECONDS_MAX = 15;
const INDEX = 'memory';

type Urls = ServedProcess['urls'];
interface LargeRequest {
  readonly name: string;
  readonly url: (urls: Urls) => string;
  readonly type: string;
  readonly body: () => Uint8Array<ArrayBuffer>;
}

const lines = (line: string, bytes: number) =>
  new Uint8Array(Buffer.alloc(Math.floor(bytes / line.length) * line.length, line));
/** A JSON array with one item many times. */
const list = (item: string) => {
  const bytes = lines(`${item},`, BODY_BYTES);
  bytes[0] = '['.charCodeAt(0);
  bytes[bytes.length - 1] = ']'.charCodeAt(0);
  return bytes;
};
const asset = JSON.stringify(randomAsset(1));
const JSON_TYPE = 'application/json';
const ANY_TYPE = 'application/octet-stream';

/** Addresses of this machine, which count as clients of their own. */
const CLIENTS = ['127.0.0.1', '127.0.0.2'].map((localAddress) => new Agent({ localAddress }));

/** Each route with a body that may be large. */
const REQUESTS: readonly LargeRequest[] = [
  {
    name: 'assets',
    url: ({ search }) => `${search}/indexes/${INDEX}/assets`,
    type: JSON_TYPE,
    body: () => list(` ${asset}`),
  },
  {
    name: 'lines',
    url: ({ search }) => `${search}/indexes/${INDEX}/assets`,
    type: 'application/x-ndjson',
    body: () => lines(`${asset}\n`, BODY_BYTES),
  },
  {
    name: 'search',
    url: ({ search }) => `${search}/indexes/${INDEX}/search`,
    type: JSON_TYPE,
    body: () => list(' "x"'),
  },
  {
    name: 'searches',
    url: ({ search }) => `${search}/indexes/${INDEX}/searches`,
    type: JSON_TYPE,
    body: () => list(' {"a":1}'),
  },
  {
    name: 'manifests',
    url: ({ store }) => `${store}/v1/manifests`,
    type: 'application/c2pa',
    body: () => noise(2_000_000),
  },
  {
    name: 'byContent',
    url: ({ resolver }) => `${resolver}/v1/matches/byContent`,
    type: ANY_TYPE,
    body: () => noise(BODY_BYTES),
  },
  {
    name: 'check',
    url: ({ resolver }) => `${resolver}/check`,
    type: ANY_TYPE,
    body: () => noise(BODY_BYTES),
  },
  {
    name: 'codes',
    url: ({ codes }) => `${codes}/api/v1/iscc`,
    type: ANY_TYPE,
    body: () => noise(BODY_BYTES),
  },
  {
    name: 'media',
    url: ({ codes }) => `${codes}/api/v1/media`,
    type: ANY_TYPE,
    body: () => noise(BODY_BYTES),
  },
];

/** What is wrong with the responses to many of the same request at once; 503 asks to come again. */
async function flood({ name, url, type, body }: LargeRequest, urls: Urls, counts: Record<number, number>) {
  const bytes = body();
  const headers = { 'Content-Type': type, ...filenameHeader('a.bin') };
  const send = async (_: unknown, at: number) => {
    const dispatcher = CLIENTS[at % CLIENTS.length] as Agent;
    const response = await fetchFrom(url(urls), { method: 'POST', headers, body: bytes, dispatcher }).catch(
      // The service may respond and close before it has read the body.
      (error: unknown) => String((error as Error).cause ?? error),
    );
    if (typeof response === 'string')
      return /EPIPE|ECONNRESET|closed/.test(response) ? [] : [`${name}: ${response}`];
    const text = await response.text().catch(() => '');
    const { status } = response;
    counts[status] = (counts[status] ?? 0) + 1;
    const isRight =
      status < 300 ||
      REFUSALS.includes(status) ||
      status === 429 ||
      (status === 503 && response.headers.has('retry-after'));
    return isRight ? [] : [`${name}: ${status} ${text.slice(0, 200)}`];
  };
  return (await Promise.all(Array.from({ length: AT_ONCE }, send))).flat();
}

/** Uploads that stop after a few bytes. Resolves to the megabytes that they cost. */
async function slowUploads(server: ServedProcess): Promise<number> {
  const before = await residentMb(server.pid);
  const port = Number(new URL(server.urls.codes).port);
  const clients = await Promise.all(Array.from({ length: SLOW_UPLOADS }, () => RawClient.connect(port)));
  const head =
    'POST /api/v1/media HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\n';
  for (const client of clients) client.send(Buffer.concat([Buffer.from(head), Buffer.alloc(SLOW_BYTES)]));
  let most = 0;
  for (let at = 0; at < 30; at += 1) {
    await sleep(100);
    most = Math.max(most, await residentMb(server.pid));
  }
  for (const client of clients) client.destroy();
  return most - before;
}

test.skipIf(process.platform !== 'linux').each(TRANSPORTS)(
  `${size} rounds of bodies in 512 MB over %s`,
  { timeout: 120_000 + size * 120_000 },
  async (transport) => {
    const box = container(CONTAINER_BYTES);
    const folder = await temporaryFolder();
    const env = {
      ...(await servicePorts()),
      ISCCD_DATA_DIR: folder,
      ISCCD_TRANSPORT: transport,
      ...QUIET,
      MSTORE_LOG_LEVEL: 'warn',
      // Where there is no container, the process must behave as in one.
      ...(box === undefined && {
        ISCCD_BODY_MEMORY: String(CONTAINER_BYTES / 16),
        INDEXSVC_MAX_BODY: String(CONTAINER_BYTES / 32),
      }),
      RESOLVER_BY_CONTENT: 'true',
    };
    const server = await serve(SERVICE_NAMES, { cwd: folder, env, under: box?.under ?? [] });
    onTestFinished(async () => {
      await server.kill();
      await expect.poll(() => box?.remove(), { timeout: 20_000 }).toBeUndefined();
    });
    expect((await post(`${server.urls.search}/indexes`, { name: INDEX })).status).toBe(201);

    const faults: string[] = [];
    const counts: Record<number, number> = {};
    let health = 0;
    let rounds = 0;
    const slow = await slowUploads(server);
    for (const _ of cases(1 / TRANSPORTS.length)) {
      for (const request of REQUESTS) {
        let isDone = false;
        const flooded = flood(request, server.urls, counts).finally(() => {
          isDone = true;
        });
        while (!isDone) {
          const start = performance.now();
          for (const name of SERVICE_NAMES)
            expect((await fetch(`${server.urls[name]}/healthz`)).status).toBe(200);
          health = Math.max(health, (performance.now() - start) / 1000);
          await Promise.race([flooded, sleep(200)]);
        }
        faults.push(...(await flooded));
        expect([request.name, server.exitCode()]).toEqual([request.name, null]);
      }
      rounds += 1;
    }
    expect(faults).toEqual([]);
    expect(counts[503]).toBeGreaterThan(0);
    expect(slow).toBeLessThan(SLOW_MB_MAX);
    expect(health).toBeLessThan(HEALTH_SECONDS_MAX);
    expect(errorLines(server)).toEqual([]);
    const memory = await peakMb(server.pid);
    expect(memory).toBeLessThan(MAIN_MB_MAX);
    const kills = box === undefined ? 'no container' : `${box.killed()} workers ended`;
    const worst = `${transport}: main process ${memory} MB, 500 slow uploads ${slow} MB, /healthz ${health.toFixed(1)} s, ${kills}`;
    report({ tried: rounds, survived: rounds, worst });
  },
);

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}
