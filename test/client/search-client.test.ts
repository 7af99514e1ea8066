import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalSearch, SearchClient, SearchFailed } from '../../src/client/index.js';

const UNITS = [
  'ISCC:AAD42YWGSRP3HXGYGJXNWMMROWF6QR5SDL3YJSIKRKTLPCPMNIN5EWY',
  'ISCC:IADSLUICCILISV2BQY5XWMNZVA5SSVODX4LLSZPZOFNKGF6F4BJY5CI',
];
const ID = 'ISCC:MAIGBISBQHSEJW52';

let server: Server | undefined;
afterEach(() => server?.close());

/** A server that answers one status and body after the other, and what it was asked. */
async function double(answers: readonly (readonly [number, string])[]) {
  const asked: { line: string; key: unknown; body: string }[] = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    asked.push({ line: `${request.method} ${request.url}`, key: request.headers['x-api-key'], body });
    const [status, text] = answers[asked.length - 1] ?? [500, ''];
    response.writeHead(status).end(text);
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe('SearchClient', () => {
  it('sends what the API takes', async () => {
    const { asked, url } = await double([
      [201, '{"name":"a","assets":0,"size":0}'],
      [200, '{"query":{},"global_matches":[],"chunk_matches":[]}'],
      [204, ''],
    ]);
    const client = new SearchClient(url, { apiKey: 's3cret' });
    expect(await client.createIndex('a')).toEqual({ name: 'a', assets: 0, size: 0 });
    await client.search('a', { units: UNITS }, 7);
    await client.deleteAsset('a', ID);
    expect(asked).toEqual([
      { line: 'POST /indexes', key: 's3cret', body: '{"name":"a"}' },
      { line: 'POST /indexes/a/search?limit=7', key: 's3cret', body: JSON.stringify({ units: UNITS }) },
      { line: `DELETE /indexes/a/assets/${encodeURIComponent(ID)}`, key: 's3cret', body: '' },
    ]);
  });

  it('tells what was refused, without asking again', async () => {
    const { asked, url } = await double([[404, '{"detail":"Index \'x\' not found"}']]);
    const failure = await new SearchClient(url).getIndex('x').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SearchFailed);
    expect(failure).toMatchObject({ status: 404, message: "Index 'x' not found" });
    expect(asked).toHaveLength(1);
  });

  it('asks a busy service again, but not for ever', async () => {
    const { asked, url } = await double([
      [503, ''],
      [200, '[]'],
      [503, ''],
      [503, ''],
      [503, '"no"'],
    ]);
    const client = new SearchClient(url, { retryPausesMs: [1, 1] });
    expect(await client.listIndexes()).toEqual([]);
    await expect(client.listIndexes()).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(5);
  });
});

describe('LocalSearch', () => {
  it('is the same service without a server', async () => {
    const local = await LocalSearch.open('memory://');
    await local.createIndex('a');
    const code = 'ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI';
    const entry = { iscc_id: ID, iscc_code: code, metadata: { name: 'x' } };
    expect(await local.addAssets('a', [entry])).toEqual([{ iscc_id: ID, status: 'created' }]);
    expect(await local.getAsset('a', ID)).toEqual(entry);
    const found = await local.search('a', { iscc_code: code });
    expect(found.global_matches.map((match) => match.iscc_id)).toEqual([ID]);
    await local.deleteAsset('a', ID);
    await expect(local.getAsset('a', ID)).rejects.toMatchObject({ status: 404 });
    expect(await local.listIndexes()).toEqual([{ name: 'a', assets: 0, size: 0 }]);
    await local.close();
    await expect(local.listIndexes()).rejects.toThrow('closed');
  });
});
