/** Reports of unexpected errors to a Sentry-compatible service, here a local receiver. */
import { expect, test } from 'vitest';
import { route } from '../../src/http/routing/route.js';
import type { ServiceApp } from '../../src/http/routing/service.js';
import { startServer } from '../../src/http/server.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import { errorReports } from '../../src/platform/observe/error-client.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { startReportReceiver } from './support/report-receiver.js';

const about = { service: 'codes', release: '1.2.3', environment: 'production' };

test('reports an error with its stack, service and request', async () => {
  const { dsn, received } = await startReportReceiver();
  const reports = errorReports({ dsn, ...about });
  reports.report(new TypeError('unexpected'), { requestId: 'r-1' });
  await reports.close();
  expect(received).toHaveLength(1);
  const [envelope] = received;
  expect(envelope?.path).toBe('/api/42/envelope/');
  expect(envelope?.auth).toContain('sentry_key=key');
  expect(envelope?.event).toMatchObject({
    release: '1.2.3',
    environment: 'production',
    tags: { service: 'codes', requestId: 'r-1' },
    exception: { values: [{ type: 'TypeError', value: 'unexpected' }] },
  });
  expect(envelope?.event.exception.values[0]?.stacktrace?.frames.length).toBeGreaterThan(0);
});

test('never throws if a report cannot be delivered', async () => {
  const reports = errorReports({ dsn: 'http://key@127.0.0.1:9/1', ...about });
  reports.report(new Error('lost'), {});
  await reports.close();
  const { dsn, received } = await startReportReceiver(500);
  const failing = errorReports({ dsn, ...about });
  failing.report(new Error('refused'), {});
  await failing.close();
  expect(received).toHaveLength(1);
});

test('reports only errors that become a 500', async () => {
  const { dsn, received } = await startReportReceiver();
  const fail = (path: string, handler: () => never) =>
    route({ method: 'GET', path, operationId: path.slice(1), summary: path, responses: {}, handler });
  const app: ServiceApp = {
    name: 'demo',
    title: 'Demo',
    description: 'Fails',
    version: '0',
    routes: [
      fail('/broken', () => {
        throw new Error('internal fault');
      }),
    ],
    errors: {
      contentType: 'text/plain',
      refusal: () => ({ status: 404 }),
      thrown: () => ({ status: 500 }),
    },
    proxies: 0,
    docs: { tags: {} },
    errorReports: errorReports({ dsn, ...about }),
  };
  const log = createLogger('silent');
  const transport = loadTransport('auto', log);
  const server = await startServer(app, { host: '127.0.0.1', port: 0, transport, log });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { Cookie: 'secret=1', traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const response = await fetch(`${server.url}/broken`, { headers });
  expect(response.status).toBe(500);
  expect((await fetch(`${server.url}/unknown`)).status).toBe(404);
  await server.stop();
  expect(received.map(({ event }) => event.exception.values[0]?.value)).toEqual(['internal fault']);
  expect(received[0]?.event.tags.requestId).toBe(response.headers.get('x-request-id'));
  expect(received[0]?.event.tags.traceId).toBe(traceId);
  expect(JSON.stringify(received)).not.toContain('secret');
});
