/** A resolver with a search service that the test controls, and gateways on this machine. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RunningServer, startServer } from '../../../src/http/server.js';
import { loadTransport } from '../../../src/http/transport/load-transport.js';
import { readResolverConfig } from '../../../src/platform/config/resolver.js';
import { createLogger } from '../../../src/platform/observe/log.js';
import { Metrics } from '../../../src/platform/observe/metrics.js';
import { type InProcessServices, resolverApp } from '../../../src/services/resolver/app.js';
import { AUTHORITY } from './gateways.js';

export async function startResolver(
  environment: Record<string, string>,
  inProcess: InProcessServices = {},
  dnsServers: readonly string[] = [],
): Promise<RunningServer> {
  const config = readResolverConfig({
    RESOLVER_ENVIRONMENT: 'test',
    RESOLVER_TEST_ALLOW: '127.0.0.1',
    RESOLVER_PROBE_TIMEOUT: '3',
    ...environment,
  });
  const log = createLogger('silent');
  const dns = dnsServers.length === 0 ? {} : { dnsServers };
  const app = await resolverApp(config, inProcess, { ca: AUTHORITY, ...dns });
  return startServer(app, {
    host: '127.0.0.1',
    port: 0,
    transport: loadTransport('auto', log),
    log,
    metrics: new Metrics(),
    servesMetrics: true,
  });
}

/** A search service that returns recorded responses. */
export interface RecordedSearch {
  readonly url: string;
  /** The response to searches. */
  searchResponse: { status: number; body: string };
  /** Status of `/readyz`. */
  ready: number;
  /** Whether the index exists; if not, all requests to it return 404. */
  hasIndex: boolean;
  /** By ISCC-ID. */
  readonly assets: Map<string, { status: number; body: string }>;
  readonly seen: {
    target: string;
    body: string;
    apiKey: string | undefined;
    traceparent: string | undefined;
  }[];
  close(): Promise<void>;
}

export async function recordedSearch(): Promise<RecordedSearch> {
  const state = {
    searchResponse: { status: 200, body: '{"global_matches":[]}' },
    ready: 200,
    hasIndex: true,
    assets: new Map<string, { status: number; body: string }>(),
    seen: [] as RecordedSearch['seen'],
  };
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const target = request.url ?? '';
      const apiKey = request.headers['x-api-key'] as string | undefined;
      const traceparent = request.headers.traceparent as string | undefined;
      state.seen.push({ target, body: Buffer.concat(chunks).toString(), apiKey, traceparent });
      const isccId = /\/assets\/(.*)$/.exec(target)?.[1];
      const { status, body } = target.endsWith('/readyz')
        ? { status: state.ready, body: '{}' }
        : !state.hasIndex
          ? { status: 404, body: '{"detail":"Index not found"}' }
          : isccId === undefined
            ? state.searchResponse
            : (state.assets.get(decodeURIComponent(isccId)) ?? { status: 404, body: '{"detail":"no"}' });
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close });
}

/** An ISCC-SEQ with one Data-Code, in Base64. */
export function dataCode(fill: number): string {
  return Buffer.concat([Buffer.from([0x30, 7]), Buffer.alloc(32, fill)]).toString('base64');
}

export function queryUrl(base: string, value: string, more = ''): string {
  return `${base}/v1/matches/byBinding?alg=io.iscc.v0&value=${encodeURIComponent(value)}${more}`;
}
