/** What a resolver makes of the responses of its store. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  errorForm,
  RepositoryBusy,
  RepositoryFailed,
  StoreUnavailable,
} from '../../src/services/resolver/errors.js';
import { StoreClient } from '../../src/services/resolver/store-client.js';
import { freePort } from '../deploy/support/running.js';
import { dataCode, queryUrl, recordedSearch, startResolver } from './support/resolver.js';

const STORE_URL = 'https://store.example';
/** A manifest that the store serves in all its states. */
const HEALTHY = 'urn:c2pa:healthy';

let status = 200;
let server: Server;
let address: string;
let client: StoreClient;
beforeAll(async () => {
  server = createServer(({ url = '' }, response) =>
    response.writeHead(url.endsWith('healthy') ? 200 : status).end('bytes'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new StoreClient({ url: STORE_URL, address, timeoutMs: 10_000 });
});
afterAll(async () => {
  await client.close();
  server.close();
});

it('remembers for 30 s that the store has a manifest, but not that one is missing', async () => {
  let now = 5_000;
  const own = new StoreClient({ url: STORE_URL, address, timeoutMs: 10_000, now: () => now });
  onTestFinished(() => own.close());
  const has = (given: number) => {
    status = given;
    return own.has('urn:c2pa:clock');
  };
  expect(await has(404)).toBe(false);
  expect(await has(200)).toBe(true);
  now += 29_999;
  expect(await has(404)).toBe(true);
  now += 1;
  expect(await has(404)).toBe(false);
  expect(await has(200)).toBe(true);
});

describe('a manifest of the store', () => {
  const read = (given: number) => {
    status = given;
    return client.read('urn:c2pa:1');
  };
  const failure = (given: number) => read(given).catch((thrown: unknown) => thrown);

  it('is read, or missing', async () => {
    expect(await read(200)).toEqual(Buffer.from('bytes'));
    expect(await read(404)).toBeUndefined();
  });

  it.each([
    [429, 'Manifest repository busy'],
    [500, 'Manifest store unavailable'],
    [503, 'Manifest store unavailable'],
  ])('is requested again later after a %d', async (given, detail) => {
    const error = await failure(given);
    // A look-up of rights reports such a manifest as unavailable and goes on with the others.
    expect(error).toBeInstanceOf(RepositoryFailed);
    const { status, headers, body } = errorForm.thrown(error, 'id');
    expect([status, headers?.['Retry-After']]).toEqual([503, '5']);
    expect(JSON.stringify(body)).toContain(detail);
    await expect(client.has('urn:c2pa:1')).rejects.toThrow((error as Error).message);
  });

  it('fails with the reason: rate limits only if the store names them', async () => {
    expect(await failure(429)).toBeInstanceOf(RepositoryBusy);
    expect(await failure(429)).toMatchObject({ message: expect.stringContaining('MSTORE_UNTHROTTLED') });
    expect(await failure(503)).toBeInstanceOf(StoreUnavailable);
    expect(await failure(503)).toMatchObject({ message: 'the store responded with status 503' });
  });
});

describe('a resolver that has just started', () => {
  /** Declares manifests at addresses of the store, and sends requests to a resolver that reads them at `at`. */
  async function responses(at: string, manifestIds: readonly string[]) {
    const search = await recordedSearch();
    const hits = manifestIds.map((id, position) => ({
      iscc_id: `ISCC:MAIWHWZA2D7A2MA${'BC'[position]}`,
      types: { DATA_NONE_V0: 0.9 },
      metadata: { gateway: `${STORE_URL}/v1/manifests/${id}` },
    }));
    search.searchResponse = { status: 200, body: JSON.stringify({ global_matches: hits }) };
    const resolver = await startResolver({
      RESOLVER_SEARCH_URL: search.url,
      RESOLVER_STORE_URL: STORE_URL,
      RESOLVER_STORE_ADDRESS: at,
    });
    const get = async (url: string) => {
      const response = await fetch(url);
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        body: await response.json().catch(() => undefined),
      };
    };
    try {
      return {
        query: await get(queryUrl(resolver.url, dataCode(1))),
        byId: await get(`${resolver.url}/v1/manifests/urn:c2pa:1`),
        state: await get(`${resolver.url}/v1/services/status`),
      };
    } finally {
      await resolver.stop();
      await search.close();
    }
  }
  const UNAVAILABLE = { status: 503, retryAfter: '5', body: { detail: 'Manifest store unavailable' } };

  it('reports an unreachable store, instead of no match', async () => {
    const { query, byId, state } = await responses(`http://127.0.0.1:${await freePort()}`, ['urn:c2pa:1']);
    expect(query).toEqual(UNAVAILABLE);
    expect(byId).toEqual(UNAVAILABLE);
    expect(state.body).toMatchObject({ status: 'degraded' });
  });

  it('reports a store without its database, instead of no match', async () => {
    status = 503;
    const { query, byId, state } = await responses(address, ['urn:c2pa:1']);
    expect(query).toEqual(UNAVAILABLE);
    expect(byId).toEqual(UNAVAILABLE);
    expect(state.body).toMatchObject({ status: 'degraded' });
  });

  it('returns the matches that are confirmed', async () => {
    status = 503;
    const { query } = await responses(address, ['urn:c2pa:1', HEALTHY]);
    expect(query).toMatchObject({ status: 200, body: { matches: [{ manifestId: HEALTHY }] } });
  });

  it('finds nothing if the store has nothing', async () => {
    status = 404;
    const { query, byId, state } = await responses(address, ['urn:c2pa:1']);
    expect(query).toMatchObject({ status: 200, body: { matches: [] } });
    expect(byId.status).toBe(404);
    expect(state.body).toMatchObject({ status: 'ok' });
  });
});
