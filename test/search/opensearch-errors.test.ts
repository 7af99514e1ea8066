/** Error responses of OpenSearch: which ones another node gets, and which ones become 503 or 500. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Client } from '../../src/services/search/opensearch/client.js';
import { errorOf, OpenSearchError, partError } from '../../src/services/search/opensearch/errors.js';
import { parseLocation } from '../../src/services/search/opensearch/location.js';
import { StorageUnavailable } from '../../src/storage/data/unavailable.js';

/** What the first node responds with: status, type of the error. The second one responds with `{}`. */
let refusal: readonly [number, string];
const asked: string[] = [];
const servers: Server[] = [];
let location: string;

beforeAll(async () => {
  const ports: number[] = [];
  for (const name of ['first', 'second']) {
    const server = createServer((_request, response) => {
      asked.push(name);
      const [status, type] = name === 'first' ? refusal : [200, undefined];
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(type === undefined ? {} : { error: { type, reason: 'why' }, status }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    ports.push((server.address() as AddressInfo).port);
  }
  location = `opensearch+http://${ports.map((port) => `127.0.0.1:${port}`)}/test`;
});
beforeEach(() => void asked.splice(0));
afterAll(() => servers.forEach((server) => void server.close()));

const AWAY = [
  [500, 'node_not_connected_exception'],
  [500, 'node_disconnected_exception'],
  [500, 'node_closed_exception'],
  [500, 'connect_transport_exception'],
  [500, 'receive_timeout_transport_exception'],
  [503, 'cluster_manager_not_discovered_exception'],
  [503, 'cluster_block_exception'],
  [503, 'unavailable_shards_exception'],
  [429, 'circuit_breaking_exception'],
] as const;

async function sent(isRead: boolean, onUnavailable = () => {}): Promise<unknown> {
  const client = new Client({
    location: parseLocation(location),
    apiKey: undefined,
    onUnavailable,
  });
  try {
    return await client.send({ method: isRead ? 'GET' : 'PUT', path: '/x', isRead }).catch((error) => error);
  } finally {
    await client.close();
  }
}

test.each(AWAY)('%d %s: reads go to the next node', async (...error) => {
  refusal = error;
  expect(await sent(true)).toEqual({});
  expect(asked).toEqual(['first', 'second']);
});

test.each(AWAY)('%d %s: writes are unavailable, and not repeated', async (...error) => {
  refusal = error;
  expect(await sent(false)).toBeInstanceOf(StorageUnavailable);
  expect(asked).toEqual(['first']);
});

test.each(AWAY)('%d %s: a part of a response is unavailable', (status, type) => {
  expect(partError({ type, reason: 'why' }, status)).toBeInstanceOf(StorageUnavailable);
});

test('a search whose shards are away is unavailable, whatever the outer error says', () => {
  const cause = { type: 'node_not_connected_exception', reason: '[node1] not connected' };
  const outer = { type: 'search_phase_execution_exception', reason: 'all shards failed' };
  const text = (root: object) => JSON.stringify({ error: { ...outer, root_cause: [root] }, status: 500 });
  expect(errorOf(500, text(cause))).toMatchObject({ isAway: true, type: cause.type });
  const fault = { type: 'query_shard_exception', reason: 'no such field' };
  expect(errorOf(500, text(fault))).toMatchObject({ isAway: false, type: fault.type });
});

test('the index of a request was deleted meanwhile', async () => {
  refusal = [404, 'index_not_found_exception'];
  expect(await sent(true)).toBeInstanceOf(StorageUnavailable);
  expect(asked).toEqual(['first']);
});

const BLOCKED = [
  [403, 'cluster_block_exception'],
  [429, 'cluster_block_exception'],
  [400, 'index_closed_exception'],
] as const;

test.each(BLOCKED)('%d %s: unavailable, although the node is healthy', async (...error) => {
  refusal = error;
  for (const isRead of [true, false]) {
    const onUnavailable = vi.fn();
    expect(await sent(isRead, onUnavailable)).toMatchObject({
      name: 'StorageUnavailable',
      cause: { status: error[0], message: expect.stringContaining('why') },
    });
    expect(onUnavailable).not.toHaveBeenCalled();
  }
  expect(asked).toEqual(['first', 'first']);
  expect(partError({ type: error[1], reason: 'why' })).toBeInstanceOf(StorageUnavailable);
});

test('a short request fails while a long one still waits', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const silentLocation = parseLocation(`opensearch+http://127.0.0.1:${port}/test`);
  const client = new Client({ location: silentLocation, apiKey: undefined, onUnavailable: () => {} });
  let isWaiting = true;
  // More than may run at a time: short requests do not wait for them.
  const long = Array.from({ length: 100 }, () => client.ask('/x/_search', {}).catch(() => {}));
  void Promise.race(long).then(() => {
    isWaiting = false;
  });
  const startMs = performance.now();
  await expect(client.get('/x', { isShort: true })).rejects.toBeInstanceOf(StorageUnavailable);
  expect(performance.now() - startMs).toBeLessThan(10_000);
  expect(isWaiting).toBe(true);
  await client.close();
  silent.closeAllConnections();
  silent.close();
}, 20_000);

test.each([
  [400, 'parsing_exception'],
  [500, 'null_pointer_exception'],
] as const)('%d %s: a fault, which no other node gets', async (...error) => {
  refusal = error;
  const failure = await sent(true);
  expect(failure).toBeInstanceOf(OpenSearchError);
  expect(failure).toMatchObject({ status: error[0], type: error[1] });
  expect(asked).toEqual(['first']);
});
