import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { largestBody } from '../../src/http/routing/route.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import { NoBinary } from '../../src/http/transport/uws-binding.js';
import { HAS_UWS, TRANSPORTS, transportOf } from '../support/transports.js';
import { demo } from './support/demo.js';
import { RawClient } from './support/raw.js';
import { overEachTransport, serve } from './support/servers.js';

const GET_SLOW = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n';
const GET_ABOUT = 'GET /about HTTP/1.1\r\nHost: x\r\n\r\n';

const isRefused = (port: number) =>
  RawClient.connect(port).then(
    (client) => {
      client.destroy();
      return false;
    },
    () => true,
  );

describe.each(TRANSPORTS)('stop over %s', (transport) => {
  const load = () => transportOf(transport);

  it('completes requests in flight and closes their connections', async () => {
    let closed = false;
    const close = async () => {
      closed = true;
    };
    const app = demo({ close });
    const server = await serve(app, load());
    const [busy, idle] = await Promise.all([RawClient.connect(server.port), RawClient.connect(server.port)]);
    idle.send(GET_ABOUT);
    expect(await idle.response()).toMatchObject({ status: 200 });
    busy.send(GET_SLOW);
    await expect.poll(() => app.seen.handled).toContain('GET /slow');
    const stopping = server.stop();
    await sleep(50);
    expect(closed).toBe(false);
    await expect(RawClient.connect(server.port)).rejects.toThrow();
    app.release();
    expect(await busy.response()).toMatchObject({
      status: 200,
      text: '"slow"',
      headers: { connection: 'close' },
    });
    expect(await busy.closes()).toBe(true);
    expect(await idle.closes()).toBe(true);
    await stopping;
    expect(closed).toBe(true);
  });

  it('serves requests on open connections while it drains, and closes each', async () => {
    const server = await serve(demo(), load(), [], { drainMs: 5000 });
    const [used, idle] = await Promise.all([RawClient.connect(server.port), RawClient.connect(server.port)]);
    for (const client of [used, idle]) {
      client.send(GET_ABOUT);
      expect(await client.response()).toMatchObject({ status: 200 });
    }
    const stopping = server.stop();
    await expect.poll(() => isRefused(server.port)).toBe(true);
    used.send(GET_ABOUT);
    expect(await used.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await used.closes()).toBe(true);
    await stopping;
    expect(await idle.closes()).toBe(true);
  });

  it('completes large responses', async () => {
    const app = demo();
    const server = await serve(app, load());
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await sleep(50);
    const stopping = server.stop();
    client.socket.resume();
    expect((await client.response())?.body.length).toBe(3_000_002);
    await stopping;
  });

  it('aborts requests after 10 s', async () => {
    const app = demo();
    const lines: Record<string, unknown>[] = [];
    const server = await serve(app, load(), lines);
    const client = await RawClient.connect(server.port);
    client.send(GET_SLOW);
    await expect.poll(() => app.seen.handled).toContain('GET /slow');
    const start = Date.now();
    await Promise.all([server.stop(), server.stop()]);
    expect(Date.now() - start).toBeGreaterThan(9_500);
    expect(Date.now() - start).toBeLessThan(12_000);
    expect(await client.closes()).toBe(true);
    expect(lines.map(({ msg }) => msg)).toContain('aborting requests that were still in flight after 10 s');
  });

  it('names the address it cannot listen on', async () => {
    const server = await serve(demo(), load());
    const unparsable = () => ({ status: 400, headers: [], body: '' });
    const other = load().listen('127.0.0.1', server.port, () => {}, unparsable, false);
    await expect(other).rejects.toThrow(`cannot listen on 127.0.0.1:${server.port}`);
    await server.stop();
  });
});

overEachTransport('probes and addresses', (context) => {
  const json = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${context.server.url}${path}`, { headers });
    return [response.status, await response.json()];
  };

  it('serves /healthz', async () => {
    expect(await json('/healthz')).toEqual([200, { status: 'ok' }]);
    expect((await fetch(`${context.server.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
  });

  it('returns 404 for /readyz if the service has no readiness', async () => {
    expect((await fetch(`${context.server.url}/readyz`)).status).toBe(404);
  });

  it('trusts no proxy by default', async () => {
    const headers = {
      'X-Forwarded-For': '1.2.3.4',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'evil',
    };
    const origin = `http://127.0.0.1:${context.server.port}`;
    expect(await json('/about', headers)).toEqual([
      200,
      expect.objectContaining({ address: '127.0.0.1', origin }),
    ]);
    expect(await json('/async', headers)).toEqual([200, { address: '127.0.0.1' }]);
  });
});

overEachTransport(
  'behind a proxy',
  (context) => {
    it('takes address and origin from X-Forwarded-*', async () => {
      const headers = {
        'X-Forwarded-For': '9.9.9.9, 1.2.3.4',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'a.example',
      };
      const response = await fetch(`${context.server.url}/about`, { headers });
      expect(await response.json()).toMatchObject({ address: '1.2.3.4', origin: 'https://a.example' });
    });

    it('reports why the service is not ready', async () => {
      const response = await fetch(`${context.server.url}/readyz`);
      expect([response.status, await response.json()]).toEqual([
        503,
        { status: 'not_ready', reason: 'index_not_initialized' },
      ]);
    });
  },
  () =>
    demo({
      proxies: 1,
      readiness: () => 'index_not_initialized',
      responseHeaders: { 'Referrer-Policy': 'same-origin' },
    }),
);

describe('loadTransport', () => {
  const silent = pino({ level: 'silent' });

  it('loads the requested transport', () => {
    expect(loadTransport('node', silent).name).toBe('node');
    if (HAS_UWS) expect(loadTransport('uws', silent).name).toBe('uws');
    else expect(() => loadTransport('uws', silent)).toThrow(/there is no binary for|its binary needs glibc/);
    expect(loadTransport('auto', silent).name).toBe(HAS_UWS ? 'uws' : 'node');
  });

  it.skipIf(!HAS_UWS)(
    'chooses node:http for bodies too large for uWebSockets.js, unless uws is forced',
    () => {
      const largest = (bytesMax: number) => largestBody([{}, { body: { kind: 'stream', bytesMax } }]);
      expect(loadTransport('auto', silent, largest(1024 ** 3)).name).toBe('uws');
      expect(loadTransport('auto', silent, largest(5_000_000_000)).name).toBe('node');
      expect(loadTransport('uws', silent, largest(5_000_000_000)).name).toBe('uws');
    },
  );

  it('falls back to node:http, with a warning if a binary exists but does not load, unless uws is forced', () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const load = () => {
      throw new Error('no such binary\nsecond line');
    };
    const reason = 'uWebSockets.js: no such binary';
    expect(loadTransport('auto', log, 0, load)).toMatchObject({ name: 'node', reason });
    expect(lines).toEqual([expect.objectContaining({ reason, msg: expect.stringContaining('node:http') })]);
    const none = () => {
      throw new NoBinary('none for this version');
    };
    expect(loadTransport('auto', log, 0, none).name).toBe('node');
    expect(lines).toHaveLength(1);
    expect(() => loadTransport('uws', log, 0, load)).toThrow(/^ISCCD_TRANSPORT=uws .*no such binary\)$/);
  });
});
