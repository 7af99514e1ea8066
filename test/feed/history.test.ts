/** The one rule for followers of a feed: a follower continues only if its last change is in the history of the database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lockFeed, recordChanges, truncateFeed } from '../../src/services/store/feed.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { BEGINNING, History, isSamePoint, type Point } from '../../src/storage/feed/history.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';

describe.each(ENGINES)('the history on %s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());
  beforeEach(async () => {
    const { url, dataDir } = await databases.create();
    database = await openDatabase(url, dataDir);
    return () => database.close();
  });

  const history = () => new History(database.db);
  const newest = () => history().newest();

  /** Takes a number as any writer does, and records a change under it. */
  const record = () =>
    database.db
      .transaction()
      .execute(async (transaction) => recordChanges(transaction, await lockFeed(transaction), [1], 1));

  /** Adds changes with the tags of one history. */
  const add = (from: number, to: number, name: string) =>
    database.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('feed').set({ sequence: to }).execute();
      const all = Array.from({ length: to - from + 1 }, (_, at) => from + at);
      for (let at = 0; at < all.length; at += 5000)
        await transaction
          .insertInto('changes')
          .values(
            all.slice(at, at + 5000).map((sequence) => ({
              ...{ sequence, manifest_key: 1, live: 1 as const },
              tag: `${name} ${sequence}`,
            })),
          )
          .execute();
    });

  const sequences = async () =>
    (await database.db.selectFrom('changes').select('sequence').orderBy('sequence').execute()).map(
      ({ sequence }) => sequence,
    );

  it('begins without changes, and with numbers that have none', async () => {
    expect(await newest()).toEqual(BEGINNING);
    expect(await history().has(BEGINNING)).toBe(true);
    await database.db.transaction().execute((transaction) => lockFeed(transaction, 3));
    expect(await newest()).toEqual(BEGINNING);
    await record();
    const first = await newest();
    expect(first).toEqual({ sequence: 4, tag: expect.stringMatching(/^[0-9a-f-]{32,36}$/) });
    expect(await history().after(BEGINNING, 9)).toMatchObject({
      changes: [first],
      last: first,
      hasMore: false,
    });
    // A number at the end that has no change is nothing new.
    await database.db.transaction().execute((transaction) => lockFeed(transaction));
    expect(await newest()).toEqual(first);
    expect(await history().after(first, 9)).toEqual({ changes: [], last: first, hasMore: false });
  });

  it('returns changes in order, up to a limit', async () => {
    await add(1, 5, 'one');
    const at = (sequence: number): Point => ({ sequence, tag: `one ${sequence}` });
    const found = async (after: Point, limit: number) => {
      const read = await history().after(after, limit);
      return read === 'lost' ? read : [read.changes.map(({ sequence }) => sequence), read.last, read.hasMore];
    };
    expect(await found(BEGINNING, 2)).toEqual([[1, 2], at(2), true]);
    expect(await found(at(2), 9)).toEqual([[3, 4, 5], at(5), false]);
    expect(await found(at(5), 9)).toEqual([[], at(5), false]);
    const some = await history().after(at(4), 9, ['sequence', 'tag']);
    expect(some).toEqual({ changes: [at(5)], last: at(5), hasMore: false });
  });

  it('has lost a point without a tag, unless it is the beginning or nothing has changed', async () => {
    await add(1, 3, 'one');
    const unknown = { sequence: 2, tag: undefined };
    expect(await history().has(unknown)).toBe(false);
    expect(await history().after(unknown, 9)).toBe('lost');
    expect(await history().after({ ...unknown, sequence: -1 }, 9)).toBe('lost');
    await truncateFeed(database.db, 0);
    const end = await newest();
    expect(end).toEqual({ sequence: 3, tag: undefined });
    expect(await history().after(end, 9)).toEqual({ changes: [], last: end, hasMore: false });
    await record();
    expect(await history().after(end, 9)).toBe('lost');
  });

  it('keeps the last changes, and has lost the points before them', async () => {
    const { db } = database;
    await add(1, 25_000, 'tag');
    await db.updateTable('feed').set({ sequence: 25_010 }).execute();
    await truncateFeed(db, 30_000);
    expect((await sequences()).length).toBe(25_000);
    await Promise.all([truncateFeed(db, 20), truncateFeed(db, 100)]);
    const kept = await sequences();
    expect(kept).toEqual(Array.from({ length: 10 }, (_, at) => 24_991 + at));
    const at = (sequence: number) => ({ sequence, tag: `tag ${sequence}` });
    for (const deleted of [at(24_989), at(24_990), BEGINNING]) {
      expect(await history().after(deleted, 5)).toBe('lost');
      expect(await history().hasLost(deleted)).toBe(false);
    }
    expect(await history().after(at(24_991), 100)).toMatchObject({
      changes: kept.slice(1).map((sequence) => ({ sequence })),
      last: at(25_000),
    });
  });

  it('has lost the changes of another history, whatever their numbers', async () => {
    await add(1, 4, 'kept');
    const [before, lost] = [await newest(), { sequence: 6, tag: 'lost 6' }];
    const points = [lost, { ...lost, sequence: 7 }, { sequence: 5, tag: 'lost 5' }];
    for (const last of [4, 5, 6, 7, 8]) {
      if (last > 4) await add(last, last, 'other');
      for (const point of points) {
        expect(await history().after(point, 9)).toBe('lost');
        expect(await history().hasLost(point)).toBe(true);
      }
      const found = await history().after(before, 9);
      expect(found).toMatchObject({ last: await newest(), hasMore: false });
      expect(found).toHaveProperty('changes.length', last - 4);
      expect(await history().hasLost(before)).toBe(false);
    }
    expect(isSamePoint(lost, { ...lost, tag: 'other 6' })).toBe(false);
  });
});
