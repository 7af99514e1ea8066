/** Requests with several steps end on the index on which they began, whatever is renamed or switched meanwhile. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { SearchClient } from '../../src/client/search-client.js';
import type { RunningServer } from '../../src/http/server.js';
import { BACKENDS } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { randomAsset } from './support/random-assets.js';
import { startSearch } from './support/search-server.js';

const LINES = 'application/x-ndjson';
/** Lines of a group of an upload. */
const GROUP = 1000;
/** Together more bytes than the sockets between client and server hold. */
const EXPORTED = 1500;
const FILLER = 'x'.repeat(16_000);
/** OpenSearch takes seconds for a group while other tests run. */
const TEST_MS_MAX = 180_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-held-'));
  return () => rm(folder, { recursive: true, force: true });
});

const lines = (first: number, count: number, metadata: object) =>
  Array.from({ length: count }, (_, at) => JSON.stringify({ ...randomAsset(first + at), metadata })).join(
    '\n',
  );

describe.each(BACKENDS)('%s', (backend) => {
  let server: RunningServer;
  let client: SearchClient;
  beforeAll(async () => {
    server = await startSearch(folder, { INDEXSVC_INDEX_URI: indexUri(backend, path.join(folder, backend)) });
    client = new SearchClient(server.url);
    return () => server.stop();
  });
  const assets = async (name: string) => (await client.getIndex(name)).assets;

  test('an upload continues in its index after a rename', { timeout: TEST_MS_MAX }, async () => {
    await client.createIndex('upload');
    await client.createIndex('other');
    const sent = request(`${server.url}/indexes/upload/assets`, {
      method: 'POST',
      headers: { 'Content-Type': LINES },
    });
    const responded = once(sent, 'response');
    sent.write(`${lines(0, GROUP, {})}\n`);
    await expect.poll(() => assets('upload'), { timeout: TEST_MS_MAX }).toBe(GROUP);
    await client.renameIndex('upload', 'uploaded');
    await client.renameIndex('other', 'upload');
    sent.end(`${lines(GROUP, GROUP, {})}\n`);
    const [response] = await responded;
    const reports = (await text(response))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(reports.map(({ created }) => created)).toEqual([GROUP, GROUP]);
    expect([await assets('uploaded'), await assets('upload')]).toEqual([2 * GROUP, 0]);
  });

  test('an export has the assets of its index only, after a rename', { timeout: TEST_MS_MAX }, async () => {
    await client.createIndex('old');
    await client.createIndex('new');
    for (let first = 0; first < EXPORTED; first += 500)
      await client.addLines('old', Buffer.from(lines(first, 500, { of: 'old', FILLER })));
    await client.addLines('new', Buffer.from(lines(0, 500, { of: 'new' })));
    const response = await fetch(`${server.url}/indexes/old/assets`, { headers: { Accept: LINES } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const parts = [(await reader.read()).value ?? new Uint8Array()];
    await client.renameIndex('old', 'archive');
    await client.renameIndex('new', 'old');
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
    const all = Buffer.concat(parts)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(all).toHaveLength(EXPORTED);
    expect(all.every(({ metadata }) => metadata.of === 'old')).toBe(true);
  });
});
