/** The dashboard in a complete store, as `isccd serve store` builds it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { type Place, type StoreClient, startStore } from '../store/support/server.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { OPERATOR, PASSWORD, SET_UP } from './support/dashboard.js';
import { type Fields, Visitor } from './support/visitor.js';

const LIST = '/admin/manifests/';

let databases: TestDatabases;
let place: Place;
let store: StoreClient;
let visitor: Visitor;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
  place = await databases.create();
  store = await startStore(place, { MSTORE_RATE_LOGIN: '2/h' });
  const database = await openDatabase(place.url, place.dataDir);
  await new Accounts(database.db).add(OPERATOR, PASSWORD, 'deleter', SET_UP);
  await database.close();
  visitor = new Visitor(store.url);
  expect((await visitor.login()).status).toBe(302);
});
afterAll(async () => {
  await store?.stop();
  await databases?.stop();
});

async function act(action: string, key: string): Promise<void> {
  const csrf = await visitor.csrf(LIST);
  const fields: Fields = [
    ['csrf', csrf],
    ['action', action],
    ['key', key],
    ['confirmed', 'yes'],
  ];
  expect((await visitor.post(LIST, fields)).status).toBe(302);
}

test('lists an uploaded manifest, deletes it and releases its id', async () => {
  const [item] = acceptedSidecars();
  if (item === undefined) throw new Error('there are no sidecars');
  const { manifestId = '' } = item.expect;
  expect((await store.upload(bytesOf(item))).status).toBe(200);
  const list = await visitor.text(LIST);
  const [, key = ''] = /href="\/admin\/manifests\/(\d+)\/"/.exec(list) ?? [];
  expect(list).toContain(manifestId);

  const detail = await visitor.text(`${LIST}${key}/`);
  for (const { alg } of item.expect.indexed ?? []) expect(detail).toContain(`<code>${alg}</code>`);
  const [, path = ''] = /href="(\/v1\/manifests\/[^"]+)"/.exec(detail) ?? [];
  const bytes = await fetch(store.url + path);
  expect(Buffer.from(await bytes.arrayBuffer()).equals(bytesOf(item))).toBe(true);

  await act('delete', key);
  expect(await visitor.text(LIST)).toContain('1 manifest deleted.');
  expect((await store.get(manifestId)).status).toBe(410);
  expect((await store.upload(bytesOf(item))).status).toBe(409);
  await act('release', key);
  expect(await visitor.text(LIST)).toContain('1 manifest released.');
  expect((await store.get(manifestId)).status).toBe(404);
  const database = await openDatabase(place.url, place.dataDir);
  expect(await database.db.selectFrom('declarations').selectAll().execute()).toEqual([]);
  await database.close();
  expect((await store.upload(bytesOf(item))).status).toBe(200);
});

test('sends no CORS headers', async () => {
  const headers = { Origin: 'https://example.org', 'Access-Control-Request-Method': 'PUT' };
  for (const path of ['/admin/', '/admin/login/', LIST, '/admin/logout/', '/admin/nothing/']) {
    for (const method of ['GET', 'PUT', 'OPTIONS']) {
      const answer = await fetch(store.url + path, { method, headers, redirect: 'manual' });
      const seen = [method, path, answer.headers.get('access-control-allow-origin')];
      expect(seen).toEqual([method, path, null]);
      expect(answer.headers.get('access-control-allow-methods')).toBe(null);
    }
  }
});

test('sends Referrer-Policy once', async () => {
  for (const path of ['/admin/login/', '/admin/', '/admin/static/style.css'])
    expect((await fetch(store.url + path, { redirect: 'manual' })).headers.get('referrer-policy')).toBe(
      'same-origin',
    );
});

test('limits logins as configured', async () => {
  const hasty = new Visitor(store.url);
  expect((await hasty.login(OPERATOR, 'wrong')).status).toBe(200);
  expect((await hasty.login()).status).toBe(429);
});

test('is not in the OpenAPI document', async () => {
  const { paths } = (await store.json('/openapi/openapi.json')) as { paths: Record<string, unknown> };
  expect(Object.keys(paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
});
