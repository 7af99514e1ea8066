/** The page of webhooks, and their audit entries. Deliveries are tested in test/store/webhooks.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPage } from '../../src/storage/database/audit-log.js';
import { ADMIN, type Dashboard, startDashboard } from './support/dashboard.js';
import { type Fields, Visitor } from './support/visitor.js';

const WEBHOOKS = '/admin/webhooks/';
const ADDRESS = 'https://hooks.example/isccd?tenant=1';

let dashboard: Dashboard;
let admin: Visitor;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = new Visitor(dashboard.url);
  await admin.login(ADMIN);
});
afterAll(() => dashboard.close());

const posted = (fields: Fields): Promise<Response> => admin.submit(WEBHOOKS, fields);

/** The message after a change. */
async function flash(fields: Fields): Promise<string> {
  const reply = await posted(fields);
  expect([reply.status, reply.headers.get('location')]).toEqual([302, WEBHOOKS]);
  return admin.flash(WEBHOOKS);
}

const change = (action: string, key: number): Fields => [
  ['action', action],
  ['key', String(key)],
];

function addition(url: string, ...types: string[]): Fields {
  return [['action', 'add'], ['url', url], ...types.map((type) => ['type', type] as const)];
}

test('creates a webhook, shows its secret once, disables, enables and deletes it, all audited', async () => {
  const created = await posted(addition(` ${ADDRESS} `, 'manifest.deleted', 'manifest.stored'));
  expect([created.status, created.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const [secret = ''] = /whsec_[A-Za-z0-9+/]{43}=/.exec(await created.text()) ?? [];
  expect(secret).not.toBe('');
  const page = await admin.text(WEBHOOKS);
  expect(page).not.toContain(secret);
  expect(page).toContain(`<td class="id">${ADDRESS}</td><td>manifest.stored, manifest.deleted</td>`);
  // With that of the configuration, whose address is not shown.
  for (const shown of ['2 webhooks<', 'MSTORE_WEBHOOK_URL', 'by the configuration'])
    expect(page).toContain(shown);
  expect(await flash(change('delete', 1))).toBe('Not done: no disabled webhook has the number 1.');
  expect(await flash(change('disable', 1))).toBe('Webhook 1 disabled.');
  expect(await admin.text(WEBHOOKS)).toContain('disabled</span>');
  expect(await flash(change('enable', 1))).toBe('Webhook 1 enabled.');
  await flash(change('disable', 1));
  expect(await flash(change('delete', 1))).toBe('Webhook 1 deleted.');
  expect(await admin.text(WEBHOOKS)).not.toContain(ADDRESS);
  const { records } = await auditPage(dashboard.database.db, { subject: '1' });
  expect(records.map(({ action }) => action)).toEqual([
    'webhook-deleted',
    'webhook-disabled',
    'webhook-enabled',
    'webhook-disabled',
    'webhook-added',
  ]);
  const shared = { actorKind: 'account', actor: ADMIN, origin: '127.0.0.1' };
  for (const record of records) expect(record).toMatchObject(shared);
  expect(records.at(-1)).toMatchObject({ after: { url: ADDRESS } });
  expect(JSON.stringify(records)).not.toContain(secret);
});

test.each([
  ['http://hooks.example/', 'the address must begin with https://'],
  ['ftp://hooks.example/', 'the address must begin with https://'],
  ['hooks.example', 'the address must be an absolute https address'],
  ['https://me:secret@hooks.example/', 'the address must be an absolute https address'],
  ['https://:secret@hooks.example/', 'the address must be an absolute https address'],
  ['https://hooks.example/#', 'the address must be an absolute https address'],
  ['https://127.0.0.1/', '127.0.0.1 is not a public address; for a private receiver set MSTORE_WEBHOOK_URL'],
  ['https://2130706433/', '127.0.0.1 is not a public address'],
  ['https://169.254.169.254/latest', '169.254.169.254 is not a public address'],
  ['https://[::1]/', '::1 is not a public address'],
  ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1 is not a public address'],
])('refuses the address %s', async (url, reason) => {
  expect(await flash(addition(url, 'manifest.stored'))).toContain(`Not done: ${reason}`);
});

test('refuses a long address', async () => {
  const url = `https://hooks.example/${'x'.repeat(2000)}`;
  expect(await flash(addition(url, 'manifest.stored'))).toContain('of at most 2000 characters');
});

test('refuses unknown events, none, a second webhook with the same address, and too many', async () => {
  expect(await flash(addition(ADDRESS, 'manifest.seen'))).toContain('Not done: the event');
  expect(await flash(addition(ADDRESS))).toBe('Not done: choose at least one event.');
  const add = (at: number) => posted(addition(`https://hooks.example/${at}`, 'manifest.stored'));
  for (let at = 0; at < 20; at += 1) expect((await add(at)).status).toBe(200);
  expect((await add(3)).status).toBe(302);
  const reply = addition('https://hooks.example/one-more', 'manifest.stored');
  expect(await flash(reply)).toBe('Not done: there are 20 webhooks; delete one of them first.');
});

test('refuses the webhook of the configuration, unknown numbers and incomplete forms', async () => {
  expect(await flash(change('disable', 999))).toBe('Not done: no webhook has the number 999.');
  expect((await posted(change('disable', 0))).status).toBe(400);
  expect((await posted([['action', 'disable']])).status).toBe(400);
  expect((await posted([['url', ADDRESS]])).status).toBe(400);
});

test('escapes an address', async () => {
  const [first] = await dashboard.database.db
    .selectFrom('webhooks')
    .select('key')
    .where('key', '>', 0)
    .execute();
  const url = 'https://hooks.example/?a="><script>alert(1)</script>';
  await dashboard.database.db
    .updateTable('webhooks')
    .set({ url })
    .where('key', '=', first?.key ?? 0)
    .execute();
  expect(await admin.text(WEBHOOKS)).not.toContain('<script>alert');
});
