/** Complete responses with a status of success that do not come from a service of isccd. */
import { afterEach, expect, it } from 'vitest';
import {
  CodesClient,
  ConnectionFailed,
  InvalidResponse,
  SearchClient,
  ServiceError,
  StoreClient,
} from '../../src/client/index.js';
import { type CannedResponse, type Listener, listener } from './support/listener.js';

const FAST = { retry: { firstPauseMs: 1 } };
const PAGE = '<!doctype html>\n<title>Sign in</title>';
const HTML = { 'Content-Type': 'text/html', 'X-Request-Id': 'r-1' };
const LINES = { 'Content-Type': 'application/x-ndjson' };

let server: Listener | undefined;
afterEach(() => server?.close());

const search = (url: string) => new SearchClient(url, FAST);

it.each<[string, CannedResponse, (url: string) => Promise<unknown>, string]>([
  [
    'a page',
    [200, PAGE, HTML],
    (url) => search(url).listIndexes(),
    'must be JSON, but it is <!doctype html>',
  ],
  ['no body', [200, ''], (url) => search(url).listIndexes(), 'must be JSON, but it is empty'],
  ['half of an object', [200, '{"name":'], (url) => search(url).getIndex('a'), 'must be JSON'],
  ['a JSON string', [200, '"ok"'], (url) => search(url).liveness(), 'must be JSON, but it is "ok"'],
  ['a page as query result', [200, PAGE], (url) => search(url).search('a', {}), 'must be JSON'],
  [
    'a page after an upload',
    [201, PAGE],
    (url) => new CodesClient(url, FAST).createIscc(new Blob(['x'])),
    'JSON',
  ],
  ['a page after a deletion', [200, PAGE], (url) => search(url).deleteIndex('a'), 'must be empty'],
  [
    'a page instead of a deleted manifest',
    [200, PAGE],
    (url) => new StoreClient(url, FAST).deleteManifest('a'),
    'empty',
  ],
  [
    'a page instead of assets',
    [200, PAGE, HTML],
    (url) => search(url).assetLines('a', undefined, 9),
    'lines of JSON',
  ],
  ['a page as report', [201, PAGE, HTML], (url) => search(url).addLines('a', Buffer.of()), 'lines of JSON'],
  [
    'half of a report',
    [201, '{"lines":1', LINES],
    (url) => search(url).addLines('a', Buffer.of()),
    'lines of JSON',
  ],
])('%s is an InvalidResponse, without a retry', async (_, response, call, rule) => {
  server = await listener(response);
  const failure = await call(server.url).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidResponse);
  expect(failure).toMatchObject({
    name: 'InvalidResponse',
    message: expect.stringContaining(rule),
    status: response[0],
    body: response[1],
  });
  expect(server.requests).toHaveLength(1);
});

it('an InvalidResponse has what identifies the response, and is no other error', async () => {
  server = await listener([200, PAGE, HTML]);
  const failure = await search(server.url)
    .listIndexes()
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ contentType: 'text/html', requestId: 'r-1' });
  expect(failure).not.toBeInstanceOf(ServiceError);
  expect(failure).not.toBeInstanceOf(ConnectionFailed);
  expect(String(failure)).toContain(
    `${server.url}/indexes: the body of the response with status 200 must be JSON`,
  );
});

it('the message has no control characters of the response', async () => {
  server = await listener([200, 'a\u001b[31m\r\nb']);
  await expect(search(server.url).listIndexes()).rejects.toThrow('but it is a [31m b;');
});

it('the report of added lines may end with the failure of the request', async () => {
  const report = '{"lines":1,"created":1,"updated":0,"refused":[]}\n{"status":507,"detail":"disk full"}\n';
  server = await listener([201, report, LINES]);
  await expect(search(server.url).addLines('a', Buffer.of())).rejects.toMatchObject({
    name: 'Unavailable',
    message: 'disk full',
  });
  expect(server.requests).toHaveLength(1);
});
