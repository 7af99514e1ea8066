/** Assets in and out: listing, JSON lines, compressed bodies, bulk deletes. */
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { base32 } from '@scure/base';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { native } from '../../src/native.js';
import { BACKENDS } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { post, rows, startSearch } from './support/search-server.js';

const LINES = 'application/x-ndjson';
/** "{}\n" as a zstd frame: magic, header, one raw block. */
const ZSTD_FRAME = Buffer.from('28b52ffd2003190000 7b7d0a'.replace(' ', ''), 'hex');

let folder: string;
let entries: readonly Entry[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-transfer-'));
  entries = (await rows<Entry>('assets.jsonl')).slice(0, 250);
  return () => rm(folder, { recursive: true, force: true });
});

/** The bytes of an ISCC-ID in hex, which sort by time. */
const numberOf = (id: string) => Buffer.from(base32.decode(id.slice('ISCC:'.length))).toString('hex');
const ndjson = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Each backend over the default transport, and one over the other. */
const SERVERS = [...BACKENDS.map((backend) => [backend, 'auto'] as const), ['memory', 'node'] as const];

describe.each(SERVERS)('%s over %s', (backend, transport) => {
  let server: RunningServer;
  const send = (index: string, body: string | Uint8Array, headers: Record<string, string> = {}, query = '') =>
    fetch(`${server.url}/indexes/${index}/assets${query}`, {
      method: 'POST',
      headers: { 'Content-Type': LINES, ...headers },
      body,
    });
  const reports = async (response: Response) => {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, LINES]);
    const text = await response.text();
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const create = async (name: string) => {
    expect((await post(`${server.url}/indexes`, { name })).status).toBe(201);
    return name;
  };
  const lines = async (index: string) => {
    const response = await fetch(`${server.url}/indexes/${index}/assets`, { headers: { Accept: LINES } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, LINES]);
    return response.text();
  };
  beforeAll(async () => {
    const uri = indexUri(backend, path.join(folder, backend));
    const environment = { INDEXSVC_INDEX_URI: uri, INDEXSVC_MAX_BODY: '2000000' };
    server = await startSearch(folder, environment, transport);
    return () => server.stop();
  });

  test('JSON lines may begin with a byte order mark, in adds and in searches', async () => {
    const index = await create('marked');
    const body = `\ufeff${ndjson(entries.slice(0, 2)).replaceAll('\n', '\r\n')}\r\n`;
    expect(await reports(await send(index, body))).toEqual([
      expect.objectContaining({ created: 2, refused: [] }),
    ]);
    const query = `\ufeff${ndjson([{ iscc_id: entries[0]?.iscc_id }])}`;
    const response = await fetch(`${server.url}/indexes/${index}/searches`, {
      method: 'POST',
      headers: { 'Content-Type': LINES },
      body: query,
    });
    expect(await reports(response)).toEqual([expect.not.objectContaining({ status: expect.anything() })]);
  });

  test('lists every asset once, page by page, and as lines that restore the index', async () => {
    const index = await create('listed');
    await post(`${server.url}/indexes/${index}/assets`, entries);
    const seen: Entry[] = [];
    let pages = 0;
    for (let url: string | undefined = `/indexes/${index}/assets?limit=60`; url !== undefined; pages += 1) {
      const response: Response = await fetch(server.url + url);
      expect(response.status).toBe(200);
      seen.push(...((await response.json()) as Entry[]));
      url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(pages).toBe(Math.ceil(entries.length / 60));
    expect(seen.map(({ iscc_id }) => iscc_id).sort()).toEqual(entries.map(({ iscc_id }) => iscc_id).sort());
    const times = seen.map(({ iscc_id }) => numberOf(iscc_id));
    expect(times).toEqual([...times].sort());
    const all = await lines(index);
    expect(
      all
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(seen);
    const copy = await create('copied');
    const [report] = await reports(await send(copy, all));
    expect(report).toEqual({ lines: 250, created: 250, updated: 0, refused: [] });
    expect(await lines(copy)).toBe(all);
  });

  test('lists nothing for an empty index, and refuses a wrong `after`', async () => {
    const index = await create('empty');
    expect(await (await fetch(`${server.url}/indexes/${index}/assets`)).json()).toEqual([]);
    expect(await lines(index)).toBe('');
    const wrong = await fetch(`${server.url}/indexes/${index}/assets?after=x`);
    expect(wrong.status).toBe(422);
    expect((await fetch(`${server.url}/indexes/none/assets`)).status).toBe(404);
  });

  test('refuses single lines by number and adds the others', async () => {
    const index = await create('refusing');
    const [first, second] = entries as [Entry, Entry];
    const body = `${ndjson([first])}not json\n\n${ndjson([{ iscc_code: first.iscc_code }, { ...second, units: ['x', 'y'] }])}${JSON.stringify(second)}`;
    const [report] = await reports(await send(index, body));
    expect(report).toMatchObject({ lines: 5, created: 2, updated: 0 });
    expect(report.refused.map(({ line }: { line: number }) => line)).toEqual([2, 4, 5]);
    expect(report.refused[2].iscc_id).toBe(second.iscc_id);
    expect((await fetch(`${server.url}/indexes/${index}/assets/${second.iscc_id}`)).status).toBe(200);
    const [again] = await reports(await send(index, body, {}, '?skip=4'));
    expect(again).toMatchObject({ lines: 2, created: 0, updated: 1 });
    expect(again.refused[0].line).toBe(5);
    expect((await send('none', body)).status).toBe(404);
    expect((await send(index, body, {}, '?skip=x')).status).toBe(422);
  });

  test('decodes gzip and zstd, and refuses what is not', async () => {
    const index = await create('coded');
    const body = ndjson(entries);
    const zipped = await reports(await send(index, gzipSync(body), { 'Content-Encoding': 'gzip' }));
    expect(zipped).toMatchObject([{ lines: 250, created: 250 }]);
    const array = gzipSync(JSON.stringify(entries.slice(0, 3)));
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    expect((await send(index, array, headers)).status).toBe(201);
    const zstd = await reports(await send(index, ZSTD_FRAME, { 'Content-Encoding': 'zstd' }));
    expect(zstd).toMatchObject([{ lines: 1, created: 0, refused: [{ line: 1 }] }]);
    const cut = await reports(
      await send(index, gzipSync(body).subarray(0, -20), { 'Content-Encoding': 'gzip' }),
    );
    expect(cut.at(-1)).toMatchObject({ status: 400 });
    const notZstd = await reports(await send(index, body, { 'Content-Encoding': 'zstd' }));
    expect(notZstd).toMatchObject([{ line: 1, status: 400 }]);
    expect((await send(index, body, { 'Content-Encoding': 'br' })).status).toBe(415);
    const bomb = gzipSync(Buffer.alloc(3_000_000, ' '));
    expect((await send(index, bomb, headers)).status).toBe(413);
  });

  test('reports each group while the body is still arriving', async () => {
    const index = await create('arriving');
    const code = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';
    const line = (number: number) =>
      ndjson([{ iscc_id: native.isccId(0, 1_000_000 + number, 1), iscc_code: code }]);
    const group = (start: number) => Array.from({ length: 1000 }, (_, at) => line(start + at)).join('');
    const url = new URL(`${server.url}/indexes/${index}/assets`);
    const request = http.request(url, { method: 'POST', headers: { 'Content-Type': LINES } });
    request.write(group(0));
    const response = await new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve));
    const iterator = response[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await iterator.next()).value));
    expect(await next()).toMatchObject({ created: 1000 });
    const found = await fetch(`${server.url}/indexes/${index}`);
    expect(await found.json()).toMatchObject({ assets: 1000 });
    request.end(group(1000));
    expect(await next()).toMatchObject({ created: 1000 });
    expect((await iterator.next()).done).toBe(true);
  });

  test('ends the report at a line that is too long, and keeps what it confirmed', async () => {
    const index = await create('long');
    const [first] = entries as [Entry];
    const body = `${ndjson([first])}${'x'.repeat(2_000_001)}`;
    const all = await reports(await send(index, body));
    expect(all).toMatchObject([{ line: 2, status: 413 }]);
  });

  test('deletes a list of assets', async () => {
    const index = await create('deleting');
    await post(`${server.url}/indexes/${index}/assets`, entries.slice(0, 3));
    const ids = entries.slice(0, 4).map(({ iscc_id }) => iscc_id);
    const remove = (body: unknown) =>
      fetch(`${server.url}/indexes/${index}/assets`, {
        method: 'DELETE',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const removed = await remove(ids);
    expect(removed.status).toBe(200);
    expect(await removed.json()).toEqual([
      ...ids.slice(0, 3).map((iscc_id) => ({ iscc_id, status: 'deleted' })),
      { iscc_id: ids[3], status: 'not_found' },
    ]);
    expect(await lines(index)).toBe('');
    expect((await remove(['x'])).status).toBe(422);
    expect((await remove({})).status).toBe(422);
    expect(await (await remove([])).json()).toEqual([]);
  });

  test('the client adds, lists and deletes in the same way', async () => {
    const index = await create('client');
    const client = new SearchClient(server.url);
    const added = await client.addLines(index, Buffer.from(`${ndjson(entries.slice(0, 5))}x\n`));
    expect(added).toMatchObject({ lines: 6, created: 5, updated: 0, refused: [{ line: 6 }] });
    const first = await client.assetLines(index, undefined, 3);
    const rest = await client.assetLines(index, first.next, 3);
    expect(rest.next).toBeUndefined();
    expect(first.lines.toString() + rest.lines.toString()).toBe(await lines(index));
    const [one] = entries as [Entry];
    expect(await client.deleteAssets(index, [one.iscc_id])).toEqual([
      { iscc_id: one.iscc_id, status: 'deleted' },
    ]);
  });
});
