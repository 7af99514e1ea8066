/** The change feed: old changes are deleted, and a process that needed them reloads its index. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { truncateFeed } from '../../src/services/store/feed.js';
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
