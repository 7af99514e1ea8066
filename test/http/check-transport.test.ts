/** The self-check that decides at start whether uWebSockets.js is used. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { checkTransport, stopsWhenPaused } from '../../src/http/transport/check-transport.js';
import { provenTransport } from '../../src/http/transport/load-transport.js';
import { nodeTransport } from '../../src/http/transport/node.js';
import type { Exchange, Transport } from '../../src/http/transport/transport.js';
import { NoBinary } from '../../src/http/transport/uws-binding.js';
import { HAS_UWS, TRANSPORTS, transportOf } from '../support/transports.js';

/** Whether the system's glibc is older than that of the builds of uWebSockets.js 20.57. */
const glibc = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header
  .glibcVersionRuntime;
const IS_OLD_UWS = process.platform === 'linux' && Number(glibc?.split('.')[1]) < 38;

const silent = pino({ level: 'silent' });

/** node:http with a fault, under the name of uWebSockets.js. */
function faulty(fault: (exchange: Exchange) => Exchange): Transport {
  return {
    ...nodeTransport,
    name: 'uws',
    listen: (host, port, onExchange, ...others) =>
      nodeTransport.listen(host, port, (exchange) => onExchange(fault(exchange)), ...others),
  };
}

/** The same exchange except for some parts. */
const withParts = (exchange: Exchange, parts: Partial<Exchange>): Exchange =>
  new Proxy(exchange, {
    get: (target, key) => {
      const value = Reflect.get(key in parts ? parts : target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** Ignores Content-Length and HEAD, and loses bytes. */
const FAULTS: readonly (readonly [name: string, transport: Transport])[] = [
  [
    'HEAD',
    faulty((exchange) =>
      withParts(exchange, {
        respondWithoutBody: (head) => exchange.refuse({ ...head, status: 200, close: true }, 'body'),
      }),
    ),
  ],
  [
    'a request line in three packets',
    faulty((exchange) =>
      exchange.head.path === '/split'
        ? withParts(exchange, { respond: (head) => exchange.refuse({ ...head, status: 505 }, '') })
        : exchange,
    ),
  ],
  [
    'a chunked body in two packets',
    faulty((exchange) =>
      withParts(exchange, {
        readBody: (onBytes) => exchange.readBody((bytes, last) => onBytes(bytes.subarray(1), last)),
      }),
    ),
  ],
];

describe('the self-check', () => {
  it.each(TRANSPORTS)('accepts %s', async (name) => {
    await checkTransport(transportOf(name));
  });

  it.each(FAULTS)('names what a build fails at: %s', async (name, transport) => {
    await expect(checkTransport(transport)).rejects.toThrow(name);
  });
});

/** node:http that delivers a body also while it is paused, under the name of uWebSockets.js. */
const unpaused = faulty((exchange) => withParts(exchange, { pause: () => undefined }));

describe('the check of a paused body', () => {
  it.each(TRANSPORTS)('knows whether %s stops', async (name) => {
    // The build for Node.js 20 that works with older versions of glibc stops; version 20.57 does not.
    if (name === 'node') expect(await stopsWhenPaused(transportOf(name))).toBe(true);
    else expect(await stopsWhenPaused(transportOf(name))).toBe(IS_OLD_UWS);
  });

  it('finds a build that reads on, which then serves small bodies only', async () => {
    expect(await stopsWhenPaused(unpaused)).toBe(false);
    const load = () => unpaused;
    expect((await provenTransport('auto', silent, 16 * 1024 ** 2, load)).name).toBe('uws');
    const large = await provenTransport('auto', silent, 1024 ** 3, load);
    expect([large.name, large.reason]).toEqual(['node', expect.stringContaining('more than 16 MiB')]);
    expect((await provenTransport('uws', silent, 1024 ** 3, load)).name).toBe('uws');
  });
});

describe('provenTransport', () => {
  it('uses uWebSockets.js if it exists, else says why not', async () => {
    const { name, reason } = await provenTransport('auto', silent);
    expect(name).toBe(HAS_UWS ? 'uws' : 'node');
    if (HAS_UWS) expect(reason).toBeUndefined();
    else expect(reason).toMatch(/^uWebSockets\.js: (there is no binary for|its binary needs glibc)/);
  });

  it('uses node:http with a warning if the self-check fails, unless uws is forced', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const [[, broken]] = FAULTS as [(typeof FAULTS)[0]];
    const { name, reason } = await provenTransport('auto', log, 0, () => broken);
    expect([name, reason]).toEqual(['node', 'uWebSockets.js: the self-check failed: HEAD']);
    expect(lines).toEqual([
      expect.objectContaining({ reason, msg: 'uWebSockets.js fails, using node:http' }),
    ]);
    await expect(provenTransport('uws', log, 0, () => broken)).rejects.toThrow(
      'ISCCD_TRANSPORT=uws does not work here (uWebSockets.js: the self-check failed: HEAD)',
    );
  });

  it('checks a binary once for all services of a process', async () => {
    let checks = 0;
    const counted: Transport = {
      ...nodeTransport,
      name: 'uws',
      listen: (...args) => {
        checks += 1;
        return nodeTransport.listen(...args);
      },
    };
    const load = () => counted;
    for (const _ of ['codes', 'search']) expect(await provenTransport('auto', silent, 0, load)).toBe(counted);
    expect(checks).toBe(1);
  });

  it('has no reason if node:http is configured, and does not check it', async () => {
    const load = () => {
      throw new NoBinary('not to be loaded');
    };
    expect(await provenTransport('node', silent, 0, load)).toBe(nodeTransport);
  });
});
