/** Unexpected errors at a Sentry-compatible service, which is a local listener here. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { route } from '../../src/http/routing/route.js';
import type { ServiceApp } from '../../src/http/routing/service.js';
import { startServer } from '../../src/http/server.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import { errorReports } from '../../src/observe/error-report.js';
import { createLogger } from '../../src/observe/log.js';

interface Envelope {
  readonly path: string;
  readonly auth: string;
  readonly event: {
    readonly exception: { values: { type: string; value: string; stacktrace?: { frames: object[] } }[] };
    readonly tags: Record<string, string>;
    readonly release: string;
    readonly environment: string;
  };
}

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

async function listener(status = 200): Promise<{ dsn: string; received: Envelope[] }> {
  const received: Envelope[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().split('\n');
    const url = new URL(request.url ?? '', 'http://x');
    received.push({
      path: url.pathname,
      auth: url.search,
      event: JSON.parse(lines[2] ?? '{}'),
    });
    response.statusCode = status;
    response.end('{}');
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { dsn: `http://key@127.0.0.1:${(server.address() as AddressInfo).port}/42`, received };
}

const about = { service: 'codes', release: '1.2.3', environment: 'production' };

test('an error arrives with its stack, its service and its request', async () => {
  const { dsn, received } = await listener();
  const reports = errorReports({ dsn, ...about });
  reports.report(new TypeError('what went wrong'), { requestId: 'r-1' });
  await reports.close();
  expect(received).toHaveLength(1);
  const [envelope] = received;
  expect(envelope?.path).toBe('/api/42/envelope/');
  expect(envelope?.auth).toContain('sentry_key=key');
  expect(envelope?.event).toMatchObject({
    release: '1.2.3',
    environment: 'production',
    tags: { service: 'codes', requestId: 'r-1' },
    exception: { values: [{ type: 'TypeError', value: 'what went wrong' }] },
  });
  expect(envelope?.event.exception.values[0]?.stacktrace?.frames.length).toBeGreaterThan(0);
});

test('nothing is thrown when nobody takes the report', async () => {
  const reports = errorReports({ dsn: 'http://key@127.0.0.1:9/1', ...about });
  reports.report(new Error('lost'), {});
  await reports.close();
  const { dsn, received } = await listener(500);
  const failing = errorReports({ dsn, ...about });
  failing.report(new Error('refused'), {});
  await failing.close();
  expect(received).toHaveLength(1);
});

test('a service reports what it answers with 500, and nothing else', async () => {
  const { dsn, received } = await listener();
  const fail = (path: string, handler: () => never) =>
    route({ method: 'GET', path, operationId: path.slice(1), summary: path, responses: {}, handler });
  const app: ServiceApp = {
    name: 'demo',
    title: 'Demo',
    description: 'Fails',
    version: '0',
    routes: [
      fail('/broken', () => {
        throw new Error('a fault of ours');
      }),
    ],
    errors: {
      contentType: 'text/plain',
      refusal: () => ({ status: 404 }),
      thrown: () => ({ status: 500 }),
    },
    proxies: 0,
    docs: { page: '/docs', json: '/docs/openapi.json', yaml: '/docs/openapi.yaml' },
    errorReports: errorReports({ dsn, ...about }),
  };
  const log = createLogger('silent');
  const transport = loadTransport('auto', log);
  const server = await startServer(app, { host: '127.0.0.1', port: 0, transport, log });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { Cookie: 'secret=1', traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const answer = await fetch(`${server.url}/broken`, { headers });
  expect(answer.status).toBe(500);
  expect((await fetch(`${server.url}/unknown`)).status).toBe(404);
  await server.stop();
  expect(received.map(({ event }) => event.exception.values[0]?.value)).toEqual(['a fault of ours']);
  expect(received[0]?.event.tags.requestId).toBe(answer.headers.get('x-request-id'));
  expect(received[0]?.event.tags.traceId).toBe(traceId);
  expect(JSON.stringify(received)).not.toContain('secret');
});
