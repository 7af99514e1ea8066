/** Soft bindings with a text value: indexed under both readings, counted once, indexed again after an upgrade. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INDEX_VERSION } from '../../src/services/store/manifests/judgement.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type Place, type StoreClient, startStore } from './support/server.js';

const item = sidecar('ok-text-value');
const id = item.expect.manifestId ?? '';
/** Strict Base64, so both readings are indexed. */
const ENCODED = { alg: 'com.adobe.trustmark.Q', text: 'MipYWVpZWVo=' };
/** Not Base64. */
const PLAIN = { alg: 'com.adobe.trustmark.P', text: '2*1101010' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let store: StoreClient;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    store = await startStore(place);
    expect((await store.upload(bytesOf(item))).status).toBe(200);
  });
  afterAll(async () => {
    await store.stop();
    await databases.stop();
  });

  const found = async (alg: string, value: string) =>
    ((await store.query(alg, value)).body.matches ?? []).map(({ manifestId }) => manifestId);

  async function rows() {
    const { db, close } = await openDatabase(place.url, place.dataDir);
    const manifest = await db
      .selectFrom('manifests')
      .select(['binding_count', 'index_version'])
      .executeTakeFirstOrThrow();
    const counts = await db.selectFrom('binding_counts').selectAll().orderBy('alg').execute();
    await close();
    return { manifest, counts: counts.map(({ alg, bindings }) => [alg, bindings]) };
  }
  const COUNTED_ONCE = {
    manifest: { binding_count: 2, index_version: INDEX_VERSION },
    counts: [
      [PLAIN.alg, 1],
      [ENCODED.alg, 1],
    ],
  };

  it('finds the manifest by the UTF-8 bytes of the text and by the decoded bytes', async () => {
    expect(await found(ENCODED.alg, ENCODED.text)).toEqual([id]);
    expect(await found(ENCODED.alg, base64(ENCODED.text))).toEqual([id]);
    expect(await found(PLAIN.alg, base64(PLAIN.text))).toEqual([id]);
  });

  it('counts each binding once', async () => {
    expect(await rows()).toEqual(COUNTED_ONCE);
  });

  it('indexes manifests of an earlier version again at start', async () => {
    await store.stop();
    const { db, close } = await openDatabase(place.url, place.dataDir);
    await db.deleteFrom('bindings').where('alternate', '=', 1).execute();
    await db.updateTable('manifests').set({ index_version: 0 }).execute();
    await close();
    store = await startStore(place);
    await expect.poll(() => found(ENCODED.alg, base64(ENCODED.text))).toEqual([id]);
    expect(await found(ENCODED.alg, ENCODED.text)).toEqual([id]);
    expect(await rows()).toEqual(COUNTED_ONCE);
  });

  it('removes both readings with the manifest', async () => {
    expect((await store.remove(id)).status).toBe(204);
    expect(await found(ENCODED.alg, ENCODED.text)).toEqual([]);
    expect(await found(ENCODED.alg, base64(ENCODED.text))).toEqual([]);
    const { counts } = await rows();
    expect(counts.map(([, count]) => count)).toEqual([0, 0]);
  });
});
