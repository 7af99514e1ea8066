/** Every service reports its unexpected errors, with the service's name. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { startCodes } from '../codes/support/server.js';
import { dataCode, queryUrl, recordedSearch, startResolver } from '../resolver/support/resolver.js';
import { post, startSearch } from '../search/support/search-server.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { startStore } from '../store/support/server.js';
import { type ReportReceiver, startReportReceiver } from './support/report-receiver.js';

/** Expects one report of this service for a response with status 500. */
async function expectReport(
  { received }: ReportReceiver,
  service: string,
  response: Response,
): Promise<void> {
  expect(response.status).toBe(500);
  await vi.waitFor(() => expect(received).toHaveLength(1), 5000);
  const requestId = response.headers.get('x-request-id');
  expect(received[0]?.event.tags).toMatchObject({ service, requestId });
  expect(received[0]?.event.exception.values[0]?.value).not.toBe('');
}

test('codes', async () => {
  const receiver = await startReportReceiver();
  const server = await startCodes({ config: { errorTrackingDsn: receiver.dsn } });
  onTestFinished(() => server.close());
  await rm(path.join(server.folder, 'files'), { recursive: true });
  const headers = { 'X-Upload-Filename': Buffer.from('a.bin').toString('base64') };
  const response = await fetch(`${server.url}/api/v1/media`, { method: 'POST', headers, body: 'x' });
  await expectReport(receiver, 'codes', response);
});

test('search', async () => {
  const receiver = await startReportReceiver();
  const folder = await temporaryFolder();
  const server = await startSearch(folder, { INDEXSVC_ERROR_TRACKING_DSN: receiver.dsn });
  onTestFinished(() => server.stop());
  // A file where the index needs a folder.
  await writeFile(path.join(folder, 'search', 'lost'), '');
  await expectReport(receiver, 'search', await post(`${server.url}/indexes`, { name: 'lost' }));
});

test('store', async () => {
  const receiver = await startReportReceiver();
  const dataDir = await temporaryFolder();
  const environment = { MSTORE_ERROR_TRACKING_DSN: receiver.dsn };
  const store = await startStore({ dataDir, url: undefined }, environment);
  onTestFinished(() => store.stop());
  await rm(path.join(dataDir, 'drafts'), { recursive: true });
  const [manifest] = acceptedSidecars();
  if (manifest === undefined) throw new Error('no sidecar');
  await expectReport(receiver, 'store', await store.upload(bytesOf(manifest)));
});

test('resolver', async () => {
  const receiver = await startReportReceiver();
  const search = await recordedSearch();
  onTestFinished(() => search.close());
  search.searchResponse = { status: 200, body: 'not JSON' };
  const server = await startResolver({
    RESOLVER_SEARCH_URL: search.url,
    RESOLVER_ERROR_TRACKING_DSN: receiver.dsn,
  });
  onTestFinished(() => server.stop());
  await expectReport(receiver, 'resolver', await fetch(queryUrl(server.url, dataCode(1))));
});
