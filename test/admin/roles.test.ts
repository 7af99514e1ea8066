/** Every route of the dashboard with every role. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { includes } from '../../src/services/dashboard/accounts/roles.js';
import { ROLES, type Role } from '../../src/storage/database/tables.js';
import { ADMIN, type Dashboard, PASSWORD, SET_UP, startDashboard } from './support/dashboard.js';
import { seed } from './support/seed.js';
import { type Fields, Visitor } from './support/visitor.js';

const ACCOUNTS = '/admin/accounts/';
const LIST = '/admin/manifests/';

let dashboard: Dashboard;
let keys: number[];
const visitors = new Map<Role, Visitor>();
beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await seed(dashboard.database.db, [{}, {}, { isDeleted: true }]);
  for (const role of ROLES) {
    await dashboard.accounts.add(`one-${role}`, PASSWORD, role, SET_UP);
    visitors.set(role, await loggedIn(`one-${role}`));
  }
});
afterAll(() => dashboard.close());

async function loggedIn(name: string): Promise<Visitor> {
  const visitor = new Visitor(dashboard.url);
  expect((await visitor.login(name)).status).toBe(302);
  return visitor;
}

function visitor(role: Role): Visitor {
  return visitors.get(role) ?? new Visitor(dashboard.url);
}

/** An address of a route. */
function address(path: string): string {
  return path.replace('{key}', String(keys[0])).replace(/\{\w+\.\.\.\}/, 'nothing/');
}

describe('each route', () => {
  test.each([...ROLES])('lets %s in if its role suffices', async (role) => {
    for (const { method, path, access } of dashboard.routes) {
      if (access === 'public' || path === '/admin/logout/') continue;
      const one = visitor(role);
      const csrf = await one.csrf('/admin/');
      const reply =
        method === 'GET' ? await one.get(address(path)) : await one.post(address(path), [['csrf', csrf]]);
      const seen = [role, method, path, reply.status === 403];
      expect(seen).toEqual([role, method, path, !includes(role, access)]);
      expect(reply.headers.get('location') ?? '').not.toContain('/admin/login/');
      expect(reply.status).toBeLessThan(500);
    }
  });

  test('redirects to the login without a session, unless it is public', async () => {
    const stranger = new Visitor(dashboard.url);
    for (const { method, path, access } of dashboard.routes) {
      const reply = method === 'GET' ? await stranger.get(address(path)) : await stranger.post(path, []);
      const isSent = reply.headers.get('location')?.startsWith('/admin/login/') ?? false;
      expect([method, path, isSent]).toEqual([method, path, access !== 'public']);
    }
  });

  test('with a form requires its token', async () => {
    for (const { method, path, access } of dashboard.routes) {
      if (method !== 'POST' || access === 'public') continue;
      expect([path, (await visitor('admin').post(path, [['csrf', 'x']])).status]).toEqual([path, 403]);
    }
  });
});

describe('actions', () => {
  test.each([
    ['retry', 'operator'],
    ['delete', 'deleter'],
    ['restore', 'deleter'],
    ['release', 'deleter'],
  ] as const)('%s needs the role %s', async (action, needed) => {
    for (const role of ROLES) {
      const one = visitor(role);
      const fields: Fields = [
        ['csrf', await one.csrf('/admin/')],
        ['action', action],
        ['key', `${keys[1]}`],
      ];
      const { status } = await one.post(LIST, fields);
      expect([action, role, status]).toEqual([action, role, includes(role, needed) ? 200 : 403]);
      const question = await one.get(`${LIST}confirm/?action=${action}&key=${keys[1]}`);
      expect([action, role, question.status]).toEqual([action, role, includes(role, needed) ? 200 : 403]);
      const isOffered = (await one.text(LIST)).includes(`<option value="${action}">`);
      expect([action, role, isOffered]).toEqual([action, role, includes(role, needed)]);
    }
  });
});

test('admins also manage webhooks, as the page of accounts says', async () => {
  expect(await visitor('admin').text(ACCOUNTS)).toContain('upload tokens and webhooks');
});

describe('the page of accounts', () => {
  async function change(fields: Fields): Promise<string> {
    const admin = visitor('admin');
    const reply = await admin.submit(ACCOUNTS, fields);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, ACCOUNTS]);
    return admin.flash(ACCOUNTS);
  }
  const named = (action: string, more: Fields = []): Fields => [
    ['action', action],
    ['username', 'Vera'],
    ...more,
  ];

  test('creates, changes, disables and enables accounts', async () => {
    const added = named('add', [
      ['password', PASSWORD],
      ['role', 'viewer'],
    ]);
    expect(await change(added)).toBe('Account vera created.');
    const vera = await loggedIn('vera');
    expect((await vera.get(ACCOUNTS)).status).toBe(403);
    expect(await change(named('role', [['role', 'admin']]))).toBe('Account vera has the role admin.');
    expect((await vera.get(ACCOUNTS)).status).toBe(200);
    expect(await change(named('disable'))).toBe('Account vera disabled, its sessions ended.');
    expect((await vera.get('/admin/')).status).toBe(302);
    expect(await change(named('enable'))).toBe('Account vera enabled.');
    expect(await change(named('password', [['password', 'another-Good-1-for-her']]))).toContain('changed');
    expect((await vera.login('vera', 'another-Good-1-for-her')).status).toBe(302);
  });

  test.each([
    [named('add', [['password', 'short']]), 'Not done: the password must have at least 12 characters.'],
    [
      [
        ['action', 'add'],
        ['username', 'a b'],
      ],
      'Not done: a user name must have 1 to 64 characters',
    ],
    [
      [
        ['action', 'unlock'],
        ['username', 'ghost'],
      ],
      'Not done: no account has this name.',
    ],
    [
      [
        ['action', 'disable'],
        ['username', 'One-Admin'],
      ],
      'Not done: you cannot change the role of your own account, or disable it.',
    ],
  ] as [Fields, string][])('refuses %j', async (fields, text) => {
    expect(await change(fields)).toContain(text);
  });

  test('refuses forms without an action or a role', async () => {
    const admin = visitor('admin');
    const csrf = await admin.csrf(ACCOUNTS);
    for (const action of ['', 'explode', 'role']) {
      const reply = await admin.post(ACCOUNTS, [
        ['csrf', csrf],
        ['action', action],
        ['username', ADMIN],
      ]);
      expect([action, reply.status]).toEqual([action, 400]);
    }
  });
});
