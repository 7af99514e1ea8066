import { afterEach, describe, expect, it } from 'vitest';
import { NotFound, SearchClient } from '../../src/client/index.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { type CannedResponse, type Listener, listener } from './support/listener.js';

const UNITS = [
  'ISCC:AAD42YWGSRP3HXGYGJXNWMMROWF6QR5SDL3YJSIKRKTLPCPMNIN5EWY',
  'ISCC:IADSLUICCILISV2BQY5XWMNZVA5SSVODX4LLSZPZOFNKGF6F4BJY5CI',
];
const ID = 'ISCC:MAIGBISBQHSEJW52';

let server: Listener | undefined;
afterEach(() => server?.close());

async function listen(...responses: readonly CannedResponse[]): Promise<Listener> {
  server = await listener(...responses);
  return server;
}

describe('SearchClient', () => {
  it('sends the requests of the API', async () => {
    const { requests, url } = await listen(
      [201, '{"name":"a","assets":0,"size":0}'],
      [200, '{"query":{},"global_matches":[],"chunk_matches":[]}'],
      [204, ''],
    );
    const client = new SearchClient(`${url}/`, { apiKey: 's3cret' });
    expect(await client.createIndex('a')).toEqual({ name: 'a', assets: 0, size: 0 });
    await client.search('a', { units: UNITS }, 7);
    await client.deleteAsset('a', ID);
    expect(requests.map(({ line, headers, body }) => [line, headers['x-api-key'], body])).toEqual([
      ['POST /indexes', 's3cret', '{"name":"a"}'],
      ['POST /indexes/a/search?limit=7', 's3cret', JSON.stringify({ units: UNITS })],
      [`DELETE /indexes/a/assets/${encodeURIComponent(ID)}`, 's3cret', ''],
    ]);
  });

  it('throws the error of a refusal, without a retry', async () => {
    const headers = { 'X-Request-Id': 'r-1' };
    const { requests, url } = await listen([404, '{"detail":"Index \'x\' not found"}', headers]);
    const failure = await new SearchClient(url).getIndex('x').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotFound);
    expect(failure).toMatchObject({
      name: 'NotFound',
      status: 404,
      code: 'http.404',
      message: "Index 'x' not found",
      body: { detail: "Index 'x' not found" },
      requestId: 'r-1',
    });
    expect(requests).toHaveLength(1);
  });
});

describe('InProcessSearch', () => {
  it('has the same operations without a server', async () => {
    const local = await InProcessSearch.open('memory://');
    await local.createIndex('a');
    const code = 'ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI';
    const entry = { iscc_id: ID, iscc_code: code, metadata: { name: 'x' } };
    expect(await local.addAssets('a', [entry])).toEqual([{ iscc_id: ID, status: 'created' }]);
    expect(await local.getAsset('a', ID)).toEqual(entry);
    const found = await local.search('a', { iscc_code: code });
    expect(found.global_matches.map((match) => match.iscc_id)).toEqual([ID]);
    await local.deleteAsset('a', ID);
    await expect(local.getAsset('a', ID)).rejects.toThrow(NotFound);
    expect(await local.listIndexes()).toMatchObject([{ name: 'a', assets: 0, size: 0 }]);
    await local.close();
    await expect(local.listIndexes()).rejects.toThrow('closed');
  });
});
