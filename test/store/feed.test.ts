/** The change feed: old changes are deleted, and a process that needed them reloads its index. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  changesAfter,
  lockFeed,
  newestPoint,
  recordChanges,
  truncateFeed,
} from '../../src/services/store/feed.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
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
      tag: `tag ${at + 1}`,
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
    const at = (sequence: number) => ({ sequence, tag: `tag ${sequence}` });
    const end = { sequence: 25_010, tag: 'tag 25000' };
    expect(await changesAfter(db, at(24_989), 5)).toBe('truncated');
    // Without the change itself, nothing says that the database has the same history.
    expect(await changesAfter(db, at(24_990), 5)).toBe('truncated');
    expect(await changesAfter(db, { sequence: 24_990, tag: undefined }, 5)).toEqual({
      changes: all.slice(24_990, 24_995),
      upTo: at(24_995),
    });
    expect(await changesAfter(db, at(24_995), 100)).toEqual({ changes: all.slice(24_995), upTo: end });
    expect(await changesAfter(db, { ...end, sequence: 25_005 }, 5)).toEqual({ changes: [], upTo: end });
    expect(await changesAfter(db, end, 5)).toEqual({ changes: [], upTo: end });
    await truncateFeed(db, 0);
    expect(await sequences()).toEqual([]);
    expect(await changesAfter(db, { ...end, sequence: 25_009 }, 5)).toBe('truncated');
    const empty = { sequence: 25_010, tag: undefined };
    expect(await newestPoint(db)).toEqual(empty);
    expect(await changesAfter(db, empty, 5)).toEqual({ changes: [], upTo: empty });
  });

  it('reports changes of another history as truncated, whatever their numbers', async () => {
    const { db } = database;
    const add = (from: number, to: number, history: string) =>
      db.transaction().execute(async (transaction) => {
        await transaction.updateTable('feed').set({ sequence: to }).execute();
        for (let sequence = from; sequence <= to; sequence += 1)
          await transaction
            .insertInto('changes')
            .values({ sequence, manifest_key: 1, live: 1, tag: `${history} ${sequence}` })
            .execute();
      });
    await add(1, 4, 'kept');
    const [before, lost] = [await newestPoint(db), { sequence: 6, tag: 'lost 6' }];
    // The number 7 has no change in the lost history.
    const points = [lost, { ...lost, sequence: 7 }, { sequence: 5, tag: 'lost 5' }];
    for (const last of [4, 5, 6, 7, 8]) {
      if (last > 4) await add(last, last, 'other');
      for (const point of points) expect(await changesAfter(db, point, 9)).toBe('truncated');
      const found = await changesAfter(db, before, 9);
      expect(found).toMatchObject({ upTo: await newestPoint(db) });
      expect(found).toHaveProperty('changes.length', last - 4);
    }
    // Programs of earlier versions do not write tags.
    await db
      .transaction()
      .execute(async (transaction) => recordChanges(transaction, await lockFeed(transaction), [1], 1));
    const { tag } = await newestPoint(db);
    expect(tag).toMatch(/^[0-9a-f-]{32,36}$/);
    expect(await changesAfter(db, { sequence: 8, tag: 'other 8' }, 9)).toMatchObject({
      upTo: { sequence: 9, tag },
    });
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
