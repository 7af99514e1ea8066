/** Locks after failed logins. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCKING_FAILURE, LoginFailures } from '../../src/services/dashboard/accounts/login-failures.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { ADMIN, type Dashboard, PASSWORD, READER, SET_UP, startDashboard } from './support/dashboard.js';
import { Visitor } from './support/visitor.js';

describe('a user name', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  /** Status and message of a login. */
  async function attempt(name: string, password: string): Promise<[number, string]> {
    const reply = await new Visitor(dashboard.url).login(name, password);
    return [reply.status, /role="alert">([^<]*)</.exec(await reply.text())?.[1] ?? ''];
  }

  test('is locked after five failures, whether an account has it or not', async () => {
    for (const name of [READER, 'nothing-of-this-name']) {
      for (let failures = 1; failures <= LOCKING_FAILURE; failures += 1) {
        expect(await attempt(name, 'wrong')).toEqual([
          200,
          'The user name, the password or the code is wrong.',
        ]);
      }
      const [status, text] = await attempt(name, PASSWORD);
      expect([name, status]).toEqual([name, 429]);
      expect(text).toMatch(
        /^Too many failed logins with this user name\. Please wait \d+ s and try again\.$/,
      );
    }
    const { db } = dashboard.database;
    const rows = await db.selectFrom('login_failures').select('subject').execute();
    expect(JSON.stringify(rows)).not.toContain('nothing-of-this-name');
    const counted = await db.selectFrom('failed_logins').selectAll().orderBy('account').execute();
    expect(counted).toMatchObject([
      { account: '', failures: LOCKING_FAILURE, refused: 1 },
      { account: READER, failures: LOCKING_FAILURE, refused: 1 },
    ]);
    const logged = dashboard.logLines.filter(({ account }) => account === READER);
    expect(logged).toHaveLength(LOCKING_FAILURE + 1);
  });

  test('is unlocked by an admin', async () => {
    expect(
      (await dashboard.accounts.list()).find(({ username }) => username === READER)?.lockedUntil,
    ).toBeGreaterThan(0);
    await dashboard.accounts.unlock(READER, SET_UP);
    expect((await attempt(READER, PASSWORD))[0]).toBe(302);
  });

  test('is not locked for browsers from which its account has logged in', async () => {
    const known = new Visitor(dashboard.url);
    await known.login(READER);
    const other = new Visitor(dashboard.url);
    await other.login(ADMIN);
    for (let failures = 1; failures <= LOCKING_FAILURE; failures += 1) await attempt(READER, 'wrong');
    expect((await attempt(READER, PASSWORD))[0]).toBe(429);
    // The cookie of another account, or a forged one, is of no use.
    expect((await other.login(READER)).status).toBe(429);
    const cookie = known.cookies.get('isccd_browser') ?? '';
    for (const forged of [cookie.replace(/.$/, '_'), cookie.slice(0, 32), `${'0'.repeat(32)}.x`, '']) {
      other.cookies.set('isccd_browser', forged === cookie ? cookie.replace(/.$/, '-') : forged);
      expect([forged, (await other.login(READER)).status]).toEqual([forged, 429]);
    }
    expect((await known.login(READER)).status).toBe(302);
    expect(known.cookies.get('isccd_browser')).toBe(cookie);
    // It has a counter of its own, which locks only this browser.
    await dashboard.accounts.unlock(READER, SET_UP);
    for (let failures = 1; failures <= LOCKING_FAILURE; failures += 1) await known.login(READER, 'wrong');
    expect((await known.login(READER)).status).toBe(429);
    expect((await attempt(READER, PASSWORD))[0]).toBe(302);
    await dashboard.accounts.unlock(READER, SET_UP);
    expect((await known.login(READER)).status).toBe(302);
  });

  test('starts again after a successful login', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let failures = 1; failures < LOCKING_FAILURE; failures += 1) await attempt(READER, 'wrong');
      expect((await attempt(READER, PASSWORD))[0]).toBe(302);
    }
  });
});

describe.each(ENGINES)('failures on %s', (engine) => {
  let databases: TestDatabases;
  let first: Database;
  let second: Database;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url, dataDir } = await databases.create();
    first = await openDatabase(url, dataDir);
    second = await openDatabase(url, dataDir);
  });
  afterAll(async () => {
    await first?.close();
    await second?.close();
    await databases?.stop();
  });

  async function unlock(subject: string): Promise<void> {
    const open = first.db.updateTable('login_failures').set({ locked_until: 0 });
    await open.where('subject', '=', subject).returning('subject').execute();
  }

  test('lock no longer than an hour if a clock was ahead', async () => {
    const failures = new LoginFailures(first.db, 'secret');
    const year = 365 * 24 * 60 * 60_000;
    const ahead = {
      subject: 'ahead',
      failures: 9,
      locked_until: Date.now() + year,
      failed_at: Date.now() + year,
    };
    await first.db.insertInto('login_failures').values(ahead).execute();
    expect(await failures.begin('ahead')).toEqual({ failures: 10, lockMs: 16 * 60_000 });
    expect(await failures.begin('ahead')).toEqual({ waitMs: expect.any(Number) });
  });

  test('count over all processes, and each lock is twice as long up to an hour', async () => {
    const processes = [first, second].map(({ db }) => new LoginFailures(db, 'secret'));
    const locks: number[] = [];
    for (let failures = 1; failures <= 14; failures += 1) {
      const counted = await processes[failures % 2]?.begin('olga');
      expect(counted).toMatchObject({ failures });
      if (counted === undefined || 'waitMs' in counted) throw new Error('locked');
      locks.push(counted.lockMs / 1000);
      if (counted.lockMs > 0) {
        const refused = (await processes[0]?.begin('olga')) ?? {};
        expect('waitMs' in refused && refused.waitMs).toBeGreaterThan(0);
        await unlock('olga');
      }
    }
    expect(locks).toEqual([0, 0, 0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  });

  test('limit parallel attempts', async () => {
    const failures = new LoginFailures(first.db, 'secret');
    const attempts = await Promise.all(Array.from({ length: 12 }, () => failures.begin('paul')));
    expect(attempts.filter((one) => 'failures' in one)).toHaveLength(LOCKING_FAILURE);
  });

  test('are forgotten after a day', async () => {
    const failures = new LoginFailures(first.db, 'secret');
    for (let at = 0; at < 4; at += 1) await failures.begin('rita');
    const yesterday = Date.now() - 25 * 3600 * 1000;
    const age = first.db.updateTable('login_failures').set({ failed_at: yesterday });
    await age.where('subject', '=', 'rita').returning('subject').execute();
    expect(await failures.begin('rita')).toEqual({ failures: 1, lockMs: 0 });
  });
});
