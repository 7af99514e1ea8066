/** Sessions in a real database: tokens, their expiry to the millisecond, and the message for the next page. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '../../src/platform/observe/log.js';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { randomToken, SESSION_SECONDS, Sessions } from '../../src/services/dashboard/accounts/sessions.js';
import type { StoreActions } from '../../src/services/dashboard/port.js';
import { type AdminOptions, AdminService } from '../../src/services/dashboard/service.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { PASSWORD, SET_UP } from './support/dashboard.js';

let folder: string;
let database: Database;
let sessions: Sessions;
let account: number;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-sessions-'));
  database = await openDatabase(undefined, folder);
  sessions = new Sessions(database.db);
  await new Accounts(database.db).add('ada', PASSWORD, 'admin', SET_UP);
  account = (await database.db.selectFrom('accounts').select('key').executeTakeFirstOrThrow()).key;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(async () => {
  vi.useRealTimers();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const count = async () => (await database.db.selectFrom('sessions').selectAll().execute()).length;

test('a session has the account and two different tokens of 32 random bytes', async () => {
  const token = await sessions.begin(account);
  const session = await sessions.find(token);
  expect(session).toMatchObject({ username: 'ada', role: 'admin', flash: undefined });
  expect([token, session?.csrf]).toEqual([
    expect.stringMatching(/^[\w-]{43}$/),
    expect.stringMatching(/^[\w-]{43}$/),
  ]);
  expect(new Set([token, session?.csrf, session?.tokenHash, randomToken()]).size).toBe(4);
});

test('a session ends at its last millisecond, and the next one deletes it', async () => {
  const start = Date.now();
  const token = await sessions.begin(account);
  vi.setSystemTime(start + SESSION_SECONDS * 1000 - 1);
  expect(await sessions.find(token)).toBeDefined();
  await sessions.begin(account);
  expect(await count()).toBe(2);
  vi.setSystemTime(start + SESSION_SECONDS * 1000);
  expect(await sessions.find(token)).toBeUndefined();
  await sessions.begin(account);
  expect(await count()).toBe(2);
});

test('only the session of a token ends', async () => {
  const [first, second] = [await sessions.begin(account), await sessions.begin(account)];
  await sessions.end(undefined);
  await sessions.end('unknown');
  expect(await count()).toBe(2);
  await sessions.end(first);
  expect(await sessions.find(first)).toBeUndefined();
  expect(await sessions.find(second)).toBeDefined();
  expect(await sessions.find(undefined)).toBeUndefined();
});

describe('a message', () => {
  test.each([
    { text: 'Stored.', isError: false },
    { text: 'Not done.', isError: true },
    { text: 'Done!', isError: false },
    { text: '', isError: false },
    { text: '', isError: true },
  ])('is kept as it is, until it is cleared: %j', async (message) => {
    const [token, other] = [await sessions.begin(account), await sessions.begin(account)];
    const session = await sessions.find(token);
    if (session === undefined) throw new Error('no session');
    await sessions.setFlash(session, message);
    expect((await sessions.find(token))?.flash).toEqual(message);
    expect((await sessions.find(other))?.flash).toBeUndefined();
    await sessions.setFlash(session, undefined);
    expect((await sessions.find(token))?.flash).toBeUndefined();
  });
});

test('a login with the old password that overlaps a change of the password begins no session', async () => {
  const options = { secretKey: 'x' } as unknown as AdminOptions;
  const service = new AdminService(database, {} as StoreActions, options);
  const context = { before: undefined, origin: '127.0.0.1', log: createLogger('silent') };
  let password = PASSWORD;
  for (let round = 0; round < 4; round += 1) {
    const next = `${PASSWORD} ${round}`;
    const [{ token }] = await Promise.all([
      service.login({ username: 'ada', password }, context),
      service.accounts.changePassword('ada', next, SET_UP),
    ]);
    if (token !== undefined) expect(await sessions.find(token)).toBeUndefined();
    expect(await count()).toBe(0);
    password = next;
  }
  expect((await service.login({ username: 'ada', password }, context)).token).toBeDefined();
});

test('a session that began while the clock was ahead ends when the clock is set right', async () => {
  const now = Date.now();
  vi.setSystemTime(now + 3 * 86_400_000);
  const token = await sessions.begin(account);
  expect(await sessions.find(token)).toBeDefined();
  vi.setSystemTime(now);
  expect(await sessions.find(token)).toBeUndefined();
});
