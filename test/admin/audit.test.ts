/** The audit log: entries, page, exports and the refusal of changes. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordAudit, STORE_ITSELF } from '../../src/storage/database/audit.js';
import {
  type AuditRecord,
  auditLines,
  auditPage,
  auditRecords,
} from '../../src/storage/database/audit-log.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { ADMIN, type Dashboard, OPERATOR, PASSWORD, SET_UP, startDashboard } from './support/dashboard.js';
import { seed } from './support/seed.js';
import { Visitor } from './support/visitor.js';

const LIST = '/admin/manifests/';
const AUDIT = '/admin/audit/';

describe.each(ENGINES)('the audit log on %s', (engine) => {
  let databases: TestDatabases;
  let database: Database;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const { url, dataDir } = await databases.create();
    database = await openDatabase(url, dataDir);
    const entries = Array.from({ length: 2300 }, (_, at) => ({
      action: 'manifest-deleted' as const,
      subject: at === 7 ? '=1+1' : `urn:${at}`,
      before: { state: 'live', note: 'a "b", c' },
    }));
    await recordAudit(database.db, { kind: 'account', name: 'olga', origin: '203.0.113.9' }, entries);
    await recordAudit(database.db, STORE_ITSELF, [{ action: 'manifest-released', subject: 'urn:1' }]);
  });
  afterAll(async () => {
    await database?.close();
    await databases?.stop();
  });

  test('refuses updates and deletes', async () => {
    const { db } = database;
    const refusal = /the audit log is append-only/;
    await expect(db.updateTable('audit').set({ actor: 'x' }).execute()).rejects.toThrow(refusal);
    await expect(db.deleteFrom('audit').where('key', '=', 1).execute()).rejects.toThrow(refusal);
    expect((await auditPage(db, { subject: 'urn:1' })).records).toHaveLength(2);
  });

  test('drops the entry of a transaction that is rolled back', async () => {
    const failed = database.db.transaction().execute(async (transaction) => {
      await recordAudit(transaction, STORE_ITSELF, [{ action: 'manifest-deleted', subject: 'urn:rolled' }]);
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    expect((await auditPage(database.db, { subject: 'urn:rolled' })).records).toEqual([]);
  });

  test('is read in pages, newest first, and by filters', async () => {
    const { db } = database;
    const first = await auditPage(db, {});
    expect([first.records.length, first.records[0]?.action]).toEqual([100, 'manifest-released']);
    const second = await auditPage(db, {}, first.older);
    expect(second.records[0]?.key).toBe((first.older ?? 0) - 1);
    expect((await auditPage(db, { actor: 'olga', action: 'manifest-released' })).records).toEqual([]);
    expect((await auditPage(db, { from: Date.now() + 60_000 })).records).toEqual([]);
    expect((await auditPage(db, { to: Date.now() + 60_000 })).records).toHaveLength(100);
  });

  test('is exported completely, in order', async () => {
    const exported: AuditRecord[] = [];
    for await (const line of auditLines(auditRecords(database.db, {}), 'ndjson'))
      exported.push(JSON.parse(line));
    expect(exported).toHaveLength(2301);
    expect(exported.map(({ key }) => key)).toEqual(exported.map((_, at) => at + 1));
    const rows: string[] = [];
    for await (const row of auditLines(auditRecords(database.db, {}), 'csv')) rows.push(row);
    expect(rows[0]).toBe('key,at,actorKind,actor,origin,action,subject,before,after\r\n');
    expect(rows[8]).toMatch(
      /^8,[^,]+,account,olga,203\.0\.113\.9,manifest-deleted,'=1\+1,"\{""state"":""live"",""note"":""a \\""b\\"", c""\}",\r\n$/,
    );
  });
});

describe('the dashboard', () => {
  let dashboard: Dashboard;
  let admin: Visitor;
  let keys: number[];
  beforeAll(async () => {
    dashboard = await startDashboard({ proxies: 1 });
    keys = await seed(dashboard.database.db, [{ id: 'urn:one' }, { id: 'urn:two', status: 'failed' }]);
    admin = new Visitor(dashboard.url, { 'X-Forwarded-For': '203.0.113.7' });
    await admin.login(ADMIN);
  });
  afterAll(() => dashboard.close());

  async function latest(): Promise<AuditRecord | undefined> {
    return (await auditPage(dashboard.database.db, {})).records[0];
  }

  async function act(action: string, key: number | undefined): Promise<void> {
    const csrf = await admin.csrf(LIST);
    await admin.post(LIST, [
      ['csrf', csrf],
      ['action', action],
      ['key', `${key}`],
      ['confirmed', 'yes'],
    ]);
  }

  test('counts failed logins in one row per account, and shows it', async () => {
    const { db } = dashboard.database;
    const before = (await auditPage(db, {})).records.length;
    const visitor = new Visitor(dashboard.url, { 'X-Forwarded-For': '203.0.113.8' });
    for (const name of ['Olga', 'olga', 'one-password-in-the-wrong-field', 'another-one', OPERATOR])
      await visitor.login(name, 'wrong');
    const counted = await db.selectFrom('failed_logins').selectAll().orderBy('account').execute();
    expect(counted).toMatchObject([
      { account: '', failures: 2, refused: 0, origin: expect.stringMatching(/^client [0-9a-f]{16}$/) },
      { account: OPERATOR, failures: 3, refused: 0, origin: counted[0]?.origin },
    ]);
    expect((await auditPage(db, {})).records).toHaveLength(before);
    const page = await admin.text(AUDIT);
    expect(page).toMatch(/<th scope="row">olga<\/th><td class="number">3<\/td>/);
    expect(page).toMatch(/<th scope="row">unknown names<\/th><td class="number">2<\/td>/);
    expect(page + JSON.stringify(counted)).not.toContain('wrong-field');
  });

  test('enters the failures of a day at the first login after it', async () => {
    const { db } = dashboard.database;
    const day = 86_400_000;
    await db.deleteFrom('failed_logins').execute();
    await new Visitor(dashboard.url).login('ghost', 'wrong');
    await new Visitor(dashboard.url).login(OPERATOR, 'wrong');
    const yesterday = { day: sql<number>`day - ${day}`, first_at: sql<number>`first_at - ${day}` };
    await db.updateTable('failed_logins').set(yesterday).execute();
    await new Visitor(dashboard.url).login(OPERATOR, 'wrong');
    const { records } = await auditPage(db, { action: 'login-failed' });
    expect(records).toMatchObject([
      {
        actorKind: 'account',
        actor: OPERATOR,
        subject: OPERATOR,
        origin: expect.stringMatching(/^client /),
        after: { failures: 1, refused: 0, from: expect.any(Number), to: expect.any(Number) },
      },
      { actor: null, subject: null, after: { failures: 1 } },
    ]);
    const rows = await db.selectFrom('failed_logins').selectAll().execute();
    expect(rows).toMatchObject([{ account: OPERATOR, failures: 1 }]);
  });

  test('enters logins, with the failures before them, and log-outs', async () => {
    const visitor = new Visitor(dashboard.url, { 'X-Forwarded-For': '203.0.113.8' });
    await dashboard.accounts.unlock(OPERATOR, SET_UP);
    await visitor.login(OPERATOR, 'wrong');
    await visitor.login(OPERATOR, PASSWORD);
    const login = { action: 'login', actor: OPERATOR, before: { lastLogin: null, failures: 1 } };
    expect(await latest()).toMatchObject({ ...login, origin: '203.0.113.8' });
    await visitor.post('/admin/logout/', [['csrf', await visitor.csrf('/admin/')]]);
    expect(await latest()).toMatchObject({ action: 'logout', actor: OPERATOR });
  });

  test('enters deletes, releases and retries with the state before and after', async () => {
    const by = { actorKind: 'account', actor: ADMIN, origin: '203.0.113.7' };
    await act('delete', keys[0]);
    expect(await latest()).toMatchObject({
      ...by,
      action: 'manifest-deleted',
      subject: 'urn:one',
      before: { state: 'live', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      after: { state: 'deleted' },
    });
    await act('release', keys[0]);
    expect(await latest()).toMatchObject({ ...by, action: 'manifest-released', subject: 'urn:one' });
    await act('retry', keys[1]);
    expect(await latest()).toMatchObject({ action: 'declaration-retried', before: { status: 'failed' } });
  });

  test('shows the kind of an actor that is not an account', async () => {
    const { db } = dashboard.database;
    for (const kind of ['token', 'command', 'store'] as const) {
      const entry = { action: 'manifest-deleted', subject: `urn:by-${kind}` } as const;
      await recordAudit(db, { kind, name: 'agency' }, [entry]);
      await recordAudit(db, { kind }, [entry]);
    }
    const text = await admin.text(AUDIT);
    for (const name of ['agency (upload token)', 'agency (command)', 'agency (store)', 'operator token'])
      expect(text).toContain(`<td>${name}</td>`);
  });

  test('enters changes of accounts, without passwords', async () => {
    const { accounts, database } = dashboard;
    await accounts.add('vera', PASSWORD, 'viewer', SET_UP);
    await accounts.setRole('vera', 'operator', SET_UP);
    expect(await latest()).toMatchObject({
      action: 'account-role',
      actorKind: 'command',
      before: { role: 'viewer' },
      after: { role: 'operator' },
    });
    await accounts.setDisabled('vera', true, SET_UP);
    await accounts.changePassword('vera', 'another-Good-1-for-her', SET_UP);
    const { records } = await auditPage(database.db, { subject: 'vera' });
    expect(records.map(({ action }) => action)).toEqual([
      'account-password',
      'account-disabled',
      'account-role',
      'account-added',
    ]);
    expect(JSON.stringify(records)).not.toMatch(/battery|argon|another-Good/);
    await expect(accounts.setRole('ghost', 'admin', SET_UP)).rejects.toThrow('no account has this name');
  });

  test('lists the manifests whose verdict changed, with links from the overview for admins', async () => {
    const subject = 'urn:c2pa:rejudged';
    const verdict = {
      before: { trusted: true },
      after: { trusted: false, code: 'signingCredential.expired' },
    };
    const { db } = dashboard.database;
    await recordAudit(db, STORE_ITSELF, [{ action: 'manifest-rejudged', subject, ...verdict }]);
    const list = `${AUDIT}?action=manifest-rejudged`;
    expect(await admin.text('/admin/')).toContain(
      `<a href="${list}">Verdict changed in 30 days</a></dt><dd>1<`,
    );
    const page = await admin.text(list);
    expect(page).toContain('<a href="/admin/manifests/?q=urn%3Ac2pa%3Arejudged">urn:c2pa:rejudged</a>');
    expect(page).toContain('code: signingCredential.expired');
    const operator = new Visitor(dashboard.url);
    await operator.login(OPERATOR);
    expect(await operator.text('/admin/')).toContain('<dt>Verdict changed in 30 days</dt><dd>1<');
  });

  test('shows the log to admins, with filters', async () => {
    const page = await admin.text(`${AUDIT}?action=manifest-deleted&subject=urn%3Aone`);
    expect(page).toContain('203.0.113.7');
    expect(page).toContain(
      'href="/admin/audit/export/?action=manifest-deleted&amp;subject=urn%3Aone&amp;format=csv"',
    );
    expect(page.match(/<tr><td>/g)).toHaveLength(1);
    expect(await admin.text(`${AUDIT}?to=2020-01-01`)).toContain('No entry matches.');
    for (const search of ['?from=x&to=2026-02-31&below=-1&action=y', '?actor=a%00b']) {
      expect((await admin.get(AUDIT + search)).status).toBe(200);
    }
  });

  test('shows times as times; exports have milliseconds', async () => {
    await new Visitor(dashboard.url).login(OPERATOR);
    const page = await admin.text(`${AUDIT}?action=login&subject=${OPERATOR}`);
    expect(page).toMatch(
      /<td>lastLogin: <time datetime="20\d\d-[^"]+Z">20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC<\/time><br><\/td>/,
    );
    expect(page).not.toMatch(/\d{13}/);
    const exported = await admin.text(`${AUDIT}export/?action=login&subject=${OPERATOR}`);
    expect(exported).toMatch(/"lastLogin":\d{13}\b/);
  });

  test('exports the log, and enters the export', async () => {
    const reply = await admin.get(`${AUDIT}export/?format=csv&actor=${ADMIN}`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    expect(await reply.text()).toContain(`,account,${ADMIN},203.0.113.7,manifest-deleted,urn:one,`);
    expect(await latest()).toMatchObject({ action: 'audit-exported', after: { actor: ADMIN } });
    const lines = (await admin.text(`${AUDIT}export/`)).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ action: 'audit-exported' });
  });
});
