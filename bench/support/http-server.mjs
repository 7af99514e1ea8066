/**
 * One of the servers that `http.ts` compares, in a separate process. Usage: node http-server.mjs KIND.
 * Sends its port to the parent process, and its CPU time on every message.
 */
import { createServer } from 'node:http';
import { z } from 'zod';

const KINDS = {
  'bare uWebSockets.js': bareUws,
  'bare node:http': bareNode,
  'routed over uws': () => routed('uws', 'silent'),
  'routed and logged over uws': () => routed('uws', 'info'),
  'routed over node': () => routed('node', 'silent'),
  'routed and logged over node': () => routed('node', 'info'),
};

async function bareUws() {
  const { loadBinding } = await import('../../dist/http/transport/uws-binding.js');
  const uws = loadBinding();
  return new Promise((resolve) => {
    const app = uws.App().any('/*', (response) => response.end('{}'));
    app.listen('127.0.0.1', 0, (socket) => resolve(uws.us_socket_local_port(socket)));
  });
}

function bareNode() {
  const server = createServer((_, response) => response.end('{}'));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

async function routed(transport, level) {
  const { startServer } = await import('../../dist/http/server.js');
  const { loadTransport } = await import('../../dist/http/transport/load-transport.js');
  const { createLogger } = await import('../../dist/platform/observe/log.js');
  const log = createLogger(level);
  const options = { host: '127.0.0.1', port: 0, transport: loadTransport(transport, log), log };
  return (await startServer(service, options)).port;
}

/** One route with validated path and query and a JSON response of about 200 bytes. */
const service = {
  name: 'bench',
  title: 'Bench',
  description: '',
  version: '0',
  proxies: 0,
  docs: { page: '/docs', json: '/openapi.json', yaml: '/openapi.yaml' },
  errors: {
    contentType: 'text/plain',
    refusal: ({ kind }) => ({ status: 400, body: { kind: 'text', text: kind } }),
    thrown: () => ({ status: 500 }),
  },
  routes: [
    {
      method: 'GET',
      path: '/api/v1/items/{id}',
      operationId: 'item',
      summary: 'An item',
      params: z.object({ id: z.string().regex(/^[a-z]+$/) }),
      query: z.object({ limit: z.coerce.number().int().min(1).max(100).optional() }),
      responses: {},
      handler: ({ params, query }) => ({
        status: 200,
        body: {
          kind: 'json',
          value: {
            id: params.id,
            limit: query.limit ?? 10,
            units: ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)],
          },
        },
      }),
    },
  ],
};

process.on('message', () => process.send(process.cpuUsage()));
process.on('disconnect', () => process.exit());
process.send(await KINDS[process.argv[2]]());
