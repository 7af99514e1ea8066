/** The outbox of webhooks on both databases: what is due, and who sends it, also after a clock was set right. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { Outbox } from '../../src/storage/outbox/outbox.js';
import { outboxOf } from '../../src/storage/outbox/tables.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';

const LEASE_MS = 20_000;
const HOUR_MS = 3_600_000;
const NOW = 1_800_000_000_000;

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  let webhook: number;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url, dataDir } = await databases.create();
    database = await openDatabase(url, dataDir);
    const row = { url: 'https://example.org', types: '', nonce: 'one', created_at: NOW };
    const added = database.db.insertInto('webhooks').values(row).returning('key');
    webhook = (await added.executeTakeFirstOrThrow()).key;
  });
  afterAll(async () => {
    await database?.close();
    await databases?.stop();
  });

  const outbox = () => new Outbox(outboxOf(database.db), webhook, LEASE_MS);

  async function event(next_at: number, attempts: number): Promise<number> {
    const row = { webhook, event_id: randomUUID(), type: 'manifest.stored', body: '{}', at: NOW };
    const added = database.db
      .insertInto('webhook_events')
      .values({ ...row, next_at, attempts })
      .returning('key');
    return (await added.executeTakeFirstOrThrow()).key;
  }

  test('an event waits for its time, but not longer than its pause', async () => {
    const due = [
      await event(NOW, 0),
      // Written before the clock was set back.
      await event(NOW + HOUR_MS, 0),
      await event(NOW + HOUR_MS, 3),
      await event(NOW + 5 * HOUR_MS, 40),
    ];
    await event(NOW + 5_000, 1);
    await event(NOW + HOUR_MS, 40);
    await event(NOW + 600_000, 8);
    expect((await outbox().due(NOW, 100)).map(({ key }) => key)).toEqual(due);
  });

  test('a lease ends, also if it was taken while the clock was ahead', async () => {
    const [ahead, right] = [outbox(), outbox()];
    expect(await ahead.lease(NOW)).toBe(true);
    expect(await right.lease(NOW + 1)).toBe(false);
    expect(await ahead.lease(NOW + HOUR_MS)).toBe(true);
    expect(await right.lease(NOW + LEASE_MS)).toBe(true);
    expect(await ahead.lease(NOW + LEASE_MS + 1)).toBe(false);
  });
});
