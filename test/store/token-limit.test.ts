/** Deletes have a limit of their own, which neither strangers nor uploads exhaust. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { UploadTokens } from '../../src/services/store/tokens/upload-tokens.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { OPERATOR_TOKEN, startStore } from './support/server.js';

const UNKNOWN = 'urn:c2pa:00000000-0000-4000-8000-000000000000';

let databases: TestDatabases;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
});
afterAll(() => databases.stop());

async function start() {
  const place = await databases.create();
  const store = await startStore(place, { MSTORE_RATE_WRITE: '2/d', MSTORE_NUM_PROXIES: '1' });
  onTestFinished(() => store.stop());
  const remove = async (token: string | undefined, address = '192.0.2.1') => {
    const headers = {
      'X-Forwarded-For': address,
      Authorization: token === undefined ? '' : `Bearer ${token}`,
    };
    return (await store.remove(UNKNOWN, token, headers)).status;
  };
  return { place, store, remove };
}

async function publisherToken({
  url,
  dataDir,
}: Awaited<ReturnType<TestDatabases['create']>>): Promise<string> {
  const { db, close } = await openDatabase(url, dataDir);
  onTestFinished(close);
  return (await new UploadTokens(db).create({ publisher: 'a' }, { kind: 'command', name: 'test' })).token;
}

it('the operator deletes however many uploads and deletes there were', async () => {
  const { store, remove } = await start();
  const upload = () => store.upload(bytesOf(sidecar('ok-ed25519')), '', { 'X-Forwarded-For': '192.0.2.1' });
  expect([(await upload()).status, (await upload()).status, (await upload()).status]).toEqual([
    200, 200, 429,
  ]);
  for (let at = 0; at < 5; at += 1) expect(await remove(OPERATOR_TOKEN)).toBe(404);
});

it('wrong tokens are 401, then 429, but never the right one of the operator', async () => {
  const { place, store, remove } = await start();
  const token = await publisherToken(place);
  expect([await remove('wrong'), await remove(undefined), await remove('wrong')]).toEqual([401, 401, 429]);
  // The operator may have the same address as strangers, e.g. behind a proxy that the store does not know.
  expect(await remove(OPERATOR_TOKEN)).toBe(404);
  // Tokens of publishers are looked up in the database, which strangers must not keep busy.
  expect(await remove(token)).toBe(429);
  expect(await remove(token, '192.0.2.2')).toBe(404);
  const response = await store.remove(UNKNOWN, 'wrong', { 'X-Forwarded-For': '192.0.2.1' });
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  const upload = await store.upload(bytesOf(sidecar('ok-ed25519')), '', { 'X-Forwarded-For': '192.0.2.1' });
  expect(upload.status).toBe(200);
});

it('a publisher has the rate of uploads for deletes, too', async () => {
  const { place, remove } = await start();
  const token = await publisherToken(place);
  expect([await remove(token), await remove(token), await remove(token)]).toEqual([404, 404, 429]);
});
