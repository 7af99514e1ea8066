/** The change feed: old changes are deleted, and a process that needed them reloads its index. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/open.js';
import { changesAfter, lastChange, truncateFeed } from '../../src/store/feed.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { acceptedSidecars, bytesOf, type Sidecar } from './support/fixtures.js';
import { type Place, type StoreClient, startStore } from './support/server.js';

const [one, two, three] = acceptedSidecars().filter(({ expect }) =>
  expect.indexed?.some(({ alg }) => alg === 'io.iscc.v0'),
) as [Sidecar, Sidecar, Sidecar];

describe.each(ENGINES)('the feed on %s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let database: Database;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());
  beforeEach(async () => {
    place = await databases.create();
    database = await openDatabase(place.url, place.dataDir);
    return () => database.close();
  });

  const sequences = async () =>
    (await database.db.selectFrom('changes').select('sequence').orderBy('sequence').execute()).map(
      ({ sequence }) => sequence,
    );

  it('keeps the last changes, and reports reads before them as truncated', async () => {
    const { db } = database;
    const all = Array.from({ length: 25_000 }, (_, at) => ({
      sequence: at + 1,
      manifest_key: 1,
      live: 1 as const,
    }));
    for (let at = 0; at < all.length; at += 5000) {
      await db
        .insertInto('changes')
        .values(all.slice(at, at + 5000))
        .execute();
    }
    // Not every sequence number has a change.
    await db.updateTable('feed').set({ sequence: 25_010 }).execute();
    await truncateFeed(db, 30_000);
    expect((await sequences()).length).toBe(25_000);
    await Promise.all([truncateFeed(db, 20), truncateFeed(db, 100)]);
    expect(await sequences()).toEqual(all.slice(-10).map(({ sequence }) => sequence));
    expect(await changesAfter(db, 24_989, 5)).toBe('truncated');
    expect(await changesAfter(db, 24_990, 5)).toEqual({
      changes: all.slice(24_990, 24_995),
      upTo: 24_995,
    });
    expect(await changesAfter(db, 24_995, 100)).toEqual({ changes: all.slice(24_995), upTo: 25_010 });
    expect(await changesAfter(db, 25_005, 5)).toEqual({ changes: [], upTo: 25_010 });
    expect(await changesAfter(db, 25_010, 5)).toEqual({ changes: [], upTo: 25_010 });
    await truncateFeed(db, 0);
    expect(await sequences()).toEqual([]);
    expect(await changesAfter(db, 25_009, 5)).toBe('truncated');
    expect(await changesAfter(db, await lastChange(db), 5)).toEqual({ changes: [], upTo: 25_010 });
  });

  it('serves a current process; one that is behind the truncation reloads and finds the same', async () => {
    const [current, behind] = [await startStore(place), await startStore(place)];
    const found = async (store: StoreClient, { expect: { manifestId, indexed = [] } }: Sidecar) => {
      const [binding] = indexed;
      const { status, body } = await store.query(binding?.alg ?? '', binding?.value ?? '');
      expect(status).toBe(200);
      return body.matches?.some((match) => match.manifestId === manifestId);
    };
    const both = async (item: Sidecar) => [await found(current, item), await found(behind, item)];
    await current.upload(bytesOf(one));
    expect(await both(one)).toEqual([true, true]);
    // The second process reads no changes while one manifest is deleted and another stored.
    await current.upload(bytesOf(two));
    await current.remove(one.expect.manifestId ?? '');
    expect(await found(current, two)).toBe(true);
    await truncateFeed(database.db, 0);
    expect(await sequences()).toEqual([]);
    expect(await both(one)).toEqual([false, false]);
    expect(await both(two)).toEqual([true, true]);
    // It continues from there.
    await current.upload(bytesOf(three));
    expect(await both(three)).toEqual([true, true]);
    await behind.remove(two.expect.manifestId ?? '');
    expect(await both(two)).toEqual([false, false]);
    await current.stop();
    await behind.stop();
  });
});
