/** A session that ends while its pages are open: nothing is done, the login says so and returns to the page. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, type Dashboard, PASSWORD, startDashboard } from './support/dashboard.js';
import { seed } from './support/seed.js';
import { type Fields, Visitor } from './support/visitor.js';

const AUDIT = '/admin/audit/';
const LIST = '/admin/manifests/';
const UNDONE = 'Your session has ended, so nothing was done.';

let dashboard: Dashboard;
let key: number;
beforeAll(async () => {
  dashboard = await startDashboard();
  [key = 0] = await seed(dashboard.database.db, [{}]);
});
afterAll(() => dashboard.close());

async function admin(): Promise<Visitor> {
  const visitor = new Visitor(dashboard.url);
  await visitor.login(ADMIN);
  return visitor;
}

/** The page that a redirect leads to: the address of the login, and the one after it. */
function addresses(reply: Response): [login: string, next: string] {
  const location = reply.headers.get('location') ?? '';
  const { pathname, searchParams } = new URL(location, dashboard.url);
  expect([reply.status, pathname]).toEqual([302, '/admin/login/']);
  return [location, searchParams.get('next') ?? ''];
}

test.each([
  [`${AUDIT}?actor=ada&action=login&from=2026-01-02`, `${AUDIT}?actor=ada&action=login&from=2026-01-02`],
  [`${AUDIT}export/?actor=ada&action=login&format=csv`, `${AUDIT}?actor=ada&action=login`],
  [`${LIST}?q=x&page=2`, `${LIST}?q=x&page=2`],
  [`${LIST}confirm/?q=x&action=delete&key=1&key=2`, `${LIST}confirm/?q=x&action=delete&key=1&key=2`],
  [`${LIST}confirm/?action=delete&all=yes`, `${LIST}confirm/?action=delete&all=yes`],
])('%s returns after the login', async (address, next) => {
  const [login, after] = addresses(await new Visitor(dashboard.url).get(address));
  expect(after).toBe(next);
  expect(await new Visitor(dashboard.url).text(login)).not.toContain(UNDONE);
});

test('the links of exports leave it to the response whether it is a file', async () => {
  const page = await (await admin()).text(AUDIT);
  expect(page).toMatch(/href="\/admin\/audit\/export\/\?format=csv">/);
});

test('a confirmed action is not done, and the login says so and returns to the question', async () => {
  const visitor = await admin();
  const question = `${LIST}confirm/?deleted=no&action=delete&key=${key}`;
  const fields: Fields = [
    ['csrf', await visitor.csrf(LIST)],
    ['action', 'delete'],
    ['key', String(key)],
    ['confirmed', 'yes'],
  ];
  visitor.cookies.delete('isccd_session');
  const [login, next] = addresses(
    await visitor.post(LIST, fields, { Referer: `${dashboard.url}${question}` }),
  );
  expect(next).toBe(question);
  expect(await visitor.text(login)).toContain(UNDONE);
  const reply = await visitor.login(ADMIN, PASSWORD, next);
  expect(await visitor.text(reply.headers.get('location') ?? '')).toContain('Delete 1 manifest<');
});

test.each(['https://example.org/admin/manifests/', 'x', '/admin/', 'http://127.0.0.1:1/admin/tokens/'])(
  'a form of %s returns to the overview',
  async (Referer) => {
    const reply = await new Visitor(dashboard.url).post(LIST, [['action', 'delete']], { Referer });
    expect(addresses(reply)[1]).toBe('/admin/');
  },
);

test('an admin changes the own password only on the page of the own account', async () => {
  const visitor = await admin();
  await visitor.submit('/admin/accounts/', [
    ['action', 'password'],
    ['username', 'Ada'],
    ['password', `${PASSWORD} 2`],
  ]);
  expect(await visitor.flash('/admin/accounts/')).toContain('on the page of your account');
  expect((await visitor.login(ADMIN, PASSWORD)).status).toBe(302);
});
