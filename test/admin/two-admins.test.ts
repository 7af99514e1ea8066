/** Admins that change each other's accounts at the same time, through two processes of the store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import type { Actor } from '../../src/storage/database/audit.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { PASSWORD, SET_UP } from './support/dashboard.js';

const ATTEMPTS = 10;
const actor = (name: string): Actor => ({ kind: 'account', name });

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let opened: Database[];
  let accounts: readonly [Accounts, Accounts];
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url, dataDir } = await databases.create();
    const first = await openDatabase(url, dataDir);
    // Two connections to SQLite in one thread would wait for each other.
    const second = engine === 'sqlite' ? first : await openDatabase(url, dataDir);
    opened = [...new Set([first, second])];
    accounts = [new Accounts(first.db), new Accounts(second.db)];
    for (const name of ['ana', 'eve']) await accounts[0].add(name, PASSWORD, 'admin', SET_UP);
  });
  afterAll(async () => {
    for (const one of opened ?? []) await one.close();
    await databases?.stop();
  });

  async function reset(): Promise<void> {
    for (const name of ['ana', 'eve']) {
      await accounts[0].setDisabled(name, false, SET_UP);
      await accounts[0].setRole(name, 'admin', SET_UP);
    }
  }

  test.each([
    ['disable', (one: Accounts, name: string, by: Actor) => one.setDisabled(name, true, by)],
    ['demote', (one: Accounts, name: string, by: Actor) => one.setRole(name, 'viewer', by)],
  ] as const)('one admin remains if two %s each other', async (_, work) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await reset();
      const ended = await Promise.allSettled([
        work(accounts[0], 'eve', actor('ana')),
        work(accounts[1], 'ana', actor('eve')),
      ]);
      const refused = ended.filter(({ status }) => status === 'rejected');
      expect(refused).toMatchObject([{ reason: { code: 'NO_LONGER_ADMIN' } }]);
      const left = (await accounts[0].list()).filter(
        ({ role, isDisabled }) => role === 'admin' && !isDisabled,
      );
      expect(left).toHaveLength(1);
    }
  });
});
