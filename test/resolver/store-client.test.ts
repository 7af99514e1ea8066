/** What a resolver makes of the responses of its store. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorForm, RepositoryBusy, RepositoryFailed } from '../../src/resolver/errors.js';
import { StoreClient } from '../../src/resolver/store-client.js';

let status = 200;
let server: Server;
let client: StoreClient;
beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(status).end('bytes'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new StoreClient({ url: 'https://store.example', address, timeoutMs: 10_000 });
});
afterAll(async () => {
  await client.close();
  server.close();
});

describe('a manifest of the store', () => {
  const read = (given: number) => {
    status = given;
    return client.read('urn:c2pa:1');
  };

  it('is read, or missing', async () => {
    expect(await read(200)).toEqual(Buffer.from('bytes'));
    expect(await read(404)).toBeUndefined();
  });

  it.each([429, 503])('is asked for again later after a %d', async (given) => {
    const error: unknown = await read(given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RepositoryBusy);
    // A look-up of rights reports such a manifest as unavailable and goes on with the others.
    expect(error).toBeInstanceOf(RepositoryFailed);
    expect(errorForm.thrown(error, 'id')).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  });

  it('fails with the store', async () => {
    await expect(read(500)).rejects.toBeInstanceOf(RepositoryFailed);
  });
});
