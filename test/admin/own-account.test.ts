/** The page of the own account: password, sessions and second factor, on both engines. */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SecondFactors } from '../../src/services/dashboard/accounts/second-factor.js';
import { auditPage } from '../../src/storage/database/audit-log.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { ADMIN, type Dashboard, PASSWORD, SET_UP, startDashboard } from './support/dashboard.js';
import { type Fields, Visitor } from './support/visitor.js';

const OWN = '/admin/account/';
const NEW_PASSWORD = 'another-Good-1-for-it';
const STEP_MS = 30_000;

describe.each(ENGINES)('the own account on %s', (engine) => {
  let databases: TestDatabases;
  let dashboard: Dashboard;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url } = await databases.create();
    dashboard = await startDashboard({ databaseUrl: url });
  });
  afterAll(async () => {
    vi.useRealTimers();
    await dashboard?.close();
    await databases?.stop();
  });

  /** Creates an account and logs it in from some browsers. */
  async function browsers(name: string, count: number): Promise<Visitor[]> {
    await dashboard.accounts.add(name, PASSWORD, 'viewer', SET_UP);
    const visitors: Visitor[] = [];
    for (let at = 1; at <= count; at += 1) {
      const visitor = new Visitor(dashboard.url, { 'User-Agent': `browser <${at}> of ${name}` });
      expect((await visitor.login(name)).status).toBe(302);
      visitors.push(visitor);
    }
    return visitors;
  }

  async function change(visitor: Visitor, action: string, fields: Fields = []): Promise<string> {
    const reply = await visitor.submit(OWN, [['action', action], ...fields]);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, OWN]);
    return visitor.flash(OWN);
  }

  const isIn = async (visitor: Visitor | undefined) => (await visitor?.get('/admin/'))?.status === 200;

  async function actions(subject: string): Promise<string[]> {
    const { records } = await auditPage(dashboard.database.db, { subject });
    return records.map(({ action }) => action);
  }

  test('changes its password, which needs the current one and ends other sessions', async () => {
    const [first, second] = (await browsers('paul', 2)) as [Visitor, Visitor];
    const wanted = (current: string, password: string) =>
      change(first, 'password', [
        ['current', current],
        ['password', password],
      ]);
    expect(await wanted('wrong', NEW_PASSWORD)).toBe('Not done: the current password is wrong.');
    expect(await wanted(PASSWORD, 'short')).toContain('Not done: the password must have at least 12');
    expect(await isIn(second)).toBe(true);
    expect(await wanted(PASSWORD, NEW_PASSWORD)).toContain('Your password is changed.');
    expect([await isIn(first), await isIn(second)]).toEqual([true, false]);
    expect((await second.login('paul')).status).toBe(200);
    expect((await second.login('paul', NEW_PASSWORD)).status).toBe(302);
    expect((await actions('paul')).filter((action) => action === 'account-password')).toHaveLength(1);
  });

  test('locks after five wrong passwords, whatever is tried in between', async () => {
    const [visitor] = (await browsers('lena', 1)) as [Visitor];
    for (let tries = 1; tries <= 3; tries += 1) await change(visitor, 'start-factor', [['current', 'wrong']]);
    expect(await change(visitor, 'confirm-factor', [['code', '123456']])).toContain('no second factor');
    await change(visitor, 'password', [['password', NEW_PASSWORD]]);
    const locked = await change(visitor, 'start-factor', [['current', PASSWORD]]);
    expect(locked).toMatch(/^Not done: too many wrong passwords or codes; wait \d+ s and try again\.$/);
    await dashboard.accounts.unlock('lena', SET_UP);
    expect(await change(visitor, 'start-factor', [['current', PASSWORD]])).toContain('Add the secret below');
  });

  test('lists its sessions and ends one, or all others', async () => {
    const [first, second, third] = (await browsers('sara', 3)) as [Visitor, Visitor, Visitor];
    const [stranger] = (await browsers('tom', 1)) as [Visitor];
    const page = await first.text(OWN);
    expect(page).toContain('3 sessions');
    for (const at of [1, 2, 3])
      expect(page).toContain(`<td>127.0.0.1</td><td>browser &lt;${at}&gt; of sara</td>`);
    expect(page).not.toContain('of tom');
    expect(page.match(/name="session"/g)).toHaveLength(2);
    // The newest is shown first: its button ends the third browser's session.
    const hash = /name="session" value="([0-9a-f]{64})"/.exec(page)?.[1] ?? '';
    // A session of another account can't be ended.
    expect(await change(stranger, 'end-session', [['session', hash]])).toBe('0 sessions ended.');
    expect(await change(first, 'end-session', [['session', hash]])).toBe('1 session ended.');
    expect([await isIn(first), await isIn(second), await isIn(third)]).toEqual([true, true, false]);
    expect(await change(second, 'end-others')).toBe('1 session ended.');
    expect([await isIn(first), await isIn(second), await isIn(stranger)]).toEqual([false, true, true]);
    expect((await actions('sara')).slice(0, 2)).toEqual(['sessions-ended', 'sessions-ended']);
    const csrf = await second.csrf(OWN);
    for (const action of ['', 'explode', 'end-session'])
      expect(
        (
          await second.post(OWN, [
            ['csrf', csrf],
            ['action', action],
          ])
        ).status,
      ).toBe(400);
  });

  test('is ended by an admin', async () => {
    const [visitor] = (await browsers('vera', 1)) as [Visitor];
    const admin = new Visitor(dashboard.url);
    await admin.login(ADMIN);
    expect(await admin.text('/admin/accounts/')).toContain('aria-label="End sessions vera"');
    await admin.submit('/admin/accounts/', [
      ['action', 'end-sessions'],
      ['username', 'vera'],
    ]);
    expect(await admin.flash('/admin/accounts/')).toBe('Sessions of vera ended.');
    expect([await isIn(visitor), await isIn(admin)]).toEqual([false, true]);
    expect((await actions('vera'))[0]).toBe('sessions-ended');
  });

  test('gets a second factor, which each login needs, until it is removed', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const [visitor] = (await browsers('fay', 1)) as [Visitor];
    expect(await change(visitor, 'start-factor', [['current', 'wrong']])).toContain('password is wrong');
    await change(visitor, 'start-factor', [['current', PASSWORD]]);
    const page = await visitor.text(OWN);
    const [, secret = ''] = /Secret: <code>([A-Z2-7 ]+)</.exec(page) ?? [];
    const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
    expect(secret.replaceAll(' ', '')).toMatch(/^[A-Z2-7]{32}$/);
    const uri = /href="(otpauth:[^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(new URL(uri).searchParams.get('secret')).toBe(secret.replaceAll(' ', ''));
    expect(decodeURIComponent(uri)).toContain('fay');
    expect(page).toMatch(/<div class="qr" role="img"[^>]*><svg viewBox=/);
    // It does not count before it is confirmed.
    const other = new Visitor(dashboard.url);
    expect((await other.login('fay')).status).toBe(302);
    const wrong = totp.generate({ timestamp: Date.now() + 10 * STEP_MS });
    expect(await change(visitor, 'confirm-factor', [['code', wrong]])).toContain('the code is wrong');
    const code = totp.generate();
    expect(await change(visitor, 'confirm-factor', [['code', code]])).toContain('Second factor added.');
    expect(await visitor.text(OWN)).not.toContain(secret);
    const { db } = dashboard.database;
    const rows = await db.selectFrom('accounts').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret.replaceAll(' ', ''));

    // A code is accepted once, and only with the password.
    const login = (given: string, password = PASSWORD) => other.login('fay', password, '', given);
    expect((await login('')).status).toBe(200);
    expect((await login(code)).status).toBe(200);
    vi.setSystemTime(Date.now() + STEP_MS);
    const next = totp.generate();
    expect((await login(next, 'wrong')).status).toBe(200);
    expect((await login(`${next.slice(0, 3)} ${next.slice(3)}`)).status).toBe(302);
    expect((await login(next)).status).toBe(200);
    // Two logins at the same time with one code: one of them.
    vi.setSystemTime(Date.now() + STEP_MS);
    const both = [new Visitor(dashboard.url), new Visitor(dashboard.url)];
    const replies = await Promise.all(both.map((one) => one.login('fay', PASSWORD, '', totp.generate())));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 302]);

    vi.setSystemTime(Date.now() + STEP_MS);
    const removal = (given: string): Fields => [
      ['current', PASSWORD],
      ['code', given],
    ];
    expect(await change(visitor, 'remove-factor', removal(next))).toContain('the code is wrong');
    expect(await change(visitor, 'remove-factor', removal(totp.generate()))).toBe('Second factor removed.');
    expect((await login('')).status).toBe(302);
    expect((await actions('fay')).filter((action) => action.startsWith('second-factor'))).toEqual([
      'second-factor-removed',
      'second-factor-added',
    ]);
    vi.useRealTimers();
  });

  test('loses the second factor by the command', async () => {
    const [visitor] = (await browsers('gus', 1)) as [Visitor];
    await change(visitor, 'start-factor', [['current', PASSWORD]]);
    expect(await change(visitor, 'cancel-factor')).toBe('No second factor was added.');
    await expect(dashboard.accounts.removeSecondFactor('gus', SET_UP)).rejects.toThrow('no second factor');
    await change(visitor, 'start-factor', [['current', PASSWORD]]);
    const [, secret = ''] = /Secret: <code>([A-Z2-7 ]+)</.exec(await visitor.text(OWN)) ?? [];
    const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
    await change(visitor, 'confirm-factor', [['code', totp.generate()]]);
    expect((await visitor.login('gus')).status).toBe(200);
    expect((await dashboard.accounts.list()).find(({ username }) => username === 'gus')).toMatchObject({
      hasSecondFactor: true,
      sessions: 1,
    });
    await dashboard.accounts.removeSecondFactor('gus', SET_UP);
    expect((await visitor.login('gus')).status).toBe(302);
  });
});

test('codes of the step before and after are accepted, others are not', () => {
  const factors = new SecondFactors('secret', 'https://store.example.org');
  const nonce = factors.newNonce();
  const totp = new TOTP({ secret: Secret.fromBase32(factors.enrolment(nonce, 'olga').secret) });
  const now = Date.now();
  const current = Math.floor(now / STEP_MS);
  vi.useFakeTimers({ toFake: ['Date'], now });
  const accepted = [-3, -2, -1, 0, 1, 2, 3].map((steps) =>
    factors.step(nonce, totp.generate({ timestamp: now + steps * STEP_MS }), null),
  );
  vi.useRealTimers();
  expect(accepted.map((step) => step && step - current)).toEqual([
    undefined,
    undefined,
    -1,
    0,
    1,
    undefined,
    undefined,
  ]);
  for (const code of ['', '12345', '1234567', 'abcdef', '-12345', '１２３４５６'])
    expect(factors.step(nonce, code, null)).toBeUndefined();
  expect(new SecondFactors('other', '').enrolment(nonce, 'olga').secret).not.toBe(
    factors.enrolment(nonce, 'olga').secret,
  );
});
