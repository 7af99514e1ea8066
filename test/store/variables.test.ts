/** Variables of the store that no other test covers. */
import { createHmac } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { native } from '../../src/native.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { RawClient } from '../http/support/raw.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { HubServer } from '../support/hub-server.js';
import { DECLARED, hubEnvironment, MANIFEST_ID } from './declarations/support.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { startStoreProcess } from './support/process.js';
import { type Place, type StoreClient, startStore } from './support/server.js';

const item = sidecar(DECLARED);
const [binding] = item.expect.indexed ?? [];

let databases: TestDatabases;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
});
afterAll(() => databases.stop());

interface Started {
  readonly store: StoreClient;
  readonly place: Place;
}

async function start(environment: Record<string, string> = {}): Promise<Started> {
  const place = await databases.create();
  const store = await startStore(place, environment);
  onTestFinished(() => store.stop());
  return { store, place };
}

async function opened({ url, dataDir }: Place): Promise<Database> {
  const database = await openDatabase(url, dataDir);
  onTestFinished(() => database.close());
  return database;
}

it('APP_SECRET_KEY keys the hashes of uploaders', async () => {
  const { store, place } = await start({ APP_SECRET_KEY: 'of this test', MSTORE_NUM_PROXIES: '1' });
  await store.upload(bytesOf(item), '', { 'X-Forwarded-For': '::ffff:192.0.2.7' });
  const { db } = await opened(place);
  const { uploader } = await db.selectFrom('manifests').select('uploader').executeTakeFirstOrThrow();
  expect(uploader).toBe(createHmac('sha256', 'of this test').update('192.0.2.7').digest('hex'));
});

it('APP_DEBUG adds the message of unexpected errors to responses', async () => {
  for (const [debug, detail] of [
    ['false', 'Internal error'],
    ['true', 'no such table: feed'],
  ] as const) {
    const { store, place } = await start({ APP_DEBUG: debug });
    const { db } = await opened(place);
    await db.schema.dropTable('feed').execute();
    const { status, body } = await store.query('io.iscc.v0', binding?.value ?? '');
    expect([debug, status, body.detail]).toEqual([debug, 500, detail]);
  }
});

it('APP_ALLOWED_HOSTS replace the host of MSTORE_URL', async () => {
  const { store } = await start({ APP_ALLOWED_HOSTS: 'a.example, B.example' });
  for (const [host, status] of [
    ['a.example', 200],
    ['b.example:8020', 200],
    ['localhost', 200],
    ['127.0.0.1', 200],
    ['store.example', 400],
  ] as const) {
    const client = await RawClient.connect(store.port);
    client.send(`GET /v1/services/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect([host, (await client.response())?.status]).toEqual([host, status]);
    client.destroy();
  }
});

it('MSTORE_TRUST_ANCHORS decide which signers are trusted; without them, none', async () => {
  for (const [environment, trusted] of [
    [{}, 1],
    [{ MSTORE_TRUST_ANCHORS: '' }, 0],
  ] as const) {
    const { store, place } = await start(environment);
    expect((await store.upload(bytesOf(item))).status).toBe(200);
    const { db } = await opened(place);
    expect(await db.selectFrom('manifests').select('trusted').execute()).toEqual([{ trusted }]);
  }
});

it('MSTORE_MATCH_THRESHOLD is the lowest reported score', async () => {
  const units = native.decodeIsccSeq(Buffer.from(binding?.value ?? '', 'base64'));
  const data = Buffer.from(units.find(({ mainType }) => mainType === 3)?.body ?? []);
  // Scores of 75, by rounding, and of 74.
  for (const [distance, score] of [
    [65, 75],
    [66, 74],
  ] as const) {
    const other = Buffer.from(data);
    for (let bit = 0; bit < distance; bit += 1)
      other.writeUInt8(other.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const value = native.encodeSeq([native.encodeUnit(3, 0, 0, 256, other)]).toString('base64');
    for (const threshold of ['', '74', '75', '76']) {
      const { store } = await start({ MSTORE_MATCH_THRESHOLD: threshold });
      await store.upload(bytesOf(item));
      const { body } = await store.query('io.iscc.v0', value);
      const reported = score >= Number(threshold || 75);
      expect([threshold, body.matches]).toEqual([
        threshold,
        reported ? [{ manifestId: MANIFEST_ID, similarityScore: score }] : [],
      ]);
    }
  }
});

it('MSTORE_MAX_UPLOAD is the largest upload', async () => {
  const { length } = bytesOf(item);
  for (const [max, status] of [
    [length, 200],
    [length - 1, 413],
  ] as const) {
    const { store } = await start({ MSTORE_MAX_UPLOAD: String(max) });
    expect((await store.upload(bytesOf(item))).status).toBe(status);
  }
  const { store } = await start({ MSTORE_MAX_UPLOAD: '3000000' });
  // Within the limit, but not a Manifest Store.
  expect((await store.upload(Buffer.alloc(3_000_000))).status).toBe(400);
});

describe('default rates', () => {
  it('are 10 uploads and 120 fetches per minute', async () => {
    const { store } = await start({ MSTORE_RATE_WRITE: '', MSTORE_RATE_READ: '' });
    // Not at the end of a window: the next window would reset the count.
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 15_000) await sleep(left);
    const statuses = async (count: number, send: () => Promise<Response>) => {
      const found = new Map<number, number>();
      for (let n = 0; n < count; n += 1) {
        const { status } = await send();
        found.set(status, (found.get(status) ?? 0) + 1);
      }
      return Object.fromEntries(found);
    };
    expect(await statuses(12, () => store.upload(bytesOf(item)))).toEqual({ 200: 10, 429: 2 });
    expect(await statuses(122, () => store.get(MANIFEST_ID))).toEqual({ 200: 120, 429: 2 });
  }, 120_000);
});

describe('declarations', () => {
  async function hub(): Promise<HubServer> {
    const server = new HubServer();
    onTestFinished(() => server.close());
    return server;
  }

  it.each([
    ['', '001'],
    ['0', '000'],
    ['4095', 'fff'],
  ])('have MSTORE_HUB_ID=%j as %s in their nonces', async (id, digits) => {
    const server = await hub();
    const { store } = await start({ ...hubEnvironment(await server.listen()), MSTORE_HUB_ID: id });
    await store.upload(bytesOf(item));
    const sent = JSON.parse(server.requests[0]?.body ?? '{}') as { nonce?: string };
    expect(sent.nonce).toMatch(new RegExp(`^${digits}[0-9a-f]{29}$`));
  });

  it.each([
    ['0.1', 'pending'],
    ['30', 'declared'],
  ])('wait MSTORE_HUB_TIMEOUT=%s seconds for the hub', async (seconds, status) => {
    const server = await hub();
    const environment = { ...hubEnvironment(await server.listen()), MSTORE_HUB_TIMEOUT: seconds };
    const { store } = await start({ ...environment, MSTORE_RETRY_SECONDS: '86400' });
    server.faults = async () => {
      await sleep(1500);
      return undefined;
    };
    const answer = (await (await store.upload(bytesOf(item))).json()) as { declaration: { status: string } };
    expect(answer.declaration.status).toBe(status);
  });
});

it('MSTORE_HOST, MSTORE_PORT and MSTORE_DATA_DIR set the address and the data folder', async () => {
  const place = await databases.create();
  const first = await startStoreProcess(place, { MSTORE_HOST: '127.0.0.1' });
  expect(new URL(first.url).hostname).toBe('127.0.0.1');
  expect((await first.upload(bytesOf(item))).status).toBe(200);
  expect(await readdir(place.dataDir)).toEqual(expect.arrayContaining(['files', 'store.sqlite']));
  expect((await readdir(path.join(place.dataDir, 'files'))).length).toBe(256);
  // A second process on the same port: the message names the address.
  await expect(
    startStoreProcess(await databases.create(), { MSTORE_PORT: String(first.port) }),
  ).rejects.toThrow(`127.0.0.1:${first.port}`);
  await first.stop();
});
