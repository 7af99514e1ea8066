/** The changes that processes follow: the oldest are forgotten, and who needed them reads everything anew. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/open.js';
import { changesAfter, lastChange, truncateFeed } from '../../src/store/feed.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, type Sidecar, takenSidecars } from './support/fixtures.js';
import { type Place, type StoreClient, startStore } from './support/server.js';

const [one, two, three] = takenSidecars().filter(({ expect }) =>
  expect.indexed?.some(({ alg }) => alg === 'io.iscc.v0'),
) as [Sidecar, Sidecar, Sidecar];

describe.each(ENGINES)('changes on %s', (engine) => {
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

  it('are forgotten but for the last ones, and whoever asks for them is told so', async () => {
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
    // Not every number is a change.
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

  it('are not needed by a process that has followed, and another finds the same without them', async () => {
    const [near, far] = [await startStore(place), await startStore(place)];
    const found = async (store: StoreClient, { expect: { manifestId, indexed = [] } }: Sidecar) => {
      const [binding] = indexed;
      const { status, body } = await store.query(binding?.alg ?? '', binding?.value ?? '');
      expect(status).toBe(200);
      return body.matches?.some((match) => match.manifestId === manifestId);
    };
    const both = async (item: Sidecar) => [await found(near, item), await found(far, item)];
    await near.upload(bytesOf(one));
    expect(await both(one)).toEqual([true, true]);
    // The one far away does not see one go and another come.
    await near.upload(bytesOf(two));
    await near.remove(one.expect.manifestId ?? '');
    expect(await found(near, two)).toBe(true);
    await truncateFeed(database.db, 0);
    expect(await sequences()).toEqual([]);
    expect(await both(one)).toEqual([false, false]);
    expect(await both(two)).toEqual([true, true]);
    // And goes on from there.
    await near.upload(bytesOf(three));
    expect(await both(three)).toEqual([true, true]);
    await far.remove(two.expect.manifestId ?? '');
    expect(await both(two)).toEqual([false, false]);
    await near.stop();
    await far.stop();
  });
});
