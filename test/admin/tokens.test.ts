/** The page of upload tokens, and the audit entries of tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UploadTokens } from '../../src/services/store/tokens/upload-tokens.js';
import { auditPage } from '../../src/storage/database/audit-log.js';
import { ADMIN, type Dashboard, startDashboard } from './support/dashboard.js';
import { type Fields, Visitor } from './support/visitor.js';

const TOKENS = '/admin/tokens/';

let dashboard: Dashboard;
let admin: Visitor;
beforeAll(async () => {
  dashboard = await startDashboard();
  admin = new Visitor(dashboard.url);
  await admin.login(ADMIN);
});
afterAll(() => dashboard.close());

const posted = (fields: Fields): Promise<Response> => admin.submit(TOKENS, fields);

/** The message after a change. */
async function flash(fields: Fields): Promise<string> {
  const reply = await posted(fields);
  expect([reply.status, reply.headers.get('location')]).toEqual([302, TOKENS]);
  return admin.flash(TOKENS);
}

function isValid(token: string): Promise<boolean> {
  return new UploadTokens(dashboard.database.db).verify(token).then((found) => found !== undefined);
}

test('creates a token, shows it once, and revokes it, all audited', async () => {
  const created = await posted([
    ['action', 'add'],
    ['publisher', ' Agency '],
    ['scope', 'store:manifests'],
    ['scope', 'read:manifests'],
    ['days', '30'],
  ]);
  expect([created.status, created.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const [token = ''] = /isccd_[\w-]{43}/.exec(await created.text()) ?? [];
  const page = await admin.text(TOKENS);
  expect(await isValid(token)).toBe(true);
  expect(page).not.toContain(token);
  for (const shown of ['<td>agency</td>', 'store:manifests, read:manifests', '1 token<', 'never used'])
    expect(page).toContain(shown);
  const [known] = await new UploadTokens(dashboard.database.db).list();
  const days = ((known?.expiresAt ?? 0) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);

  const revocation: Fields = [
    ['action', 'revoke'],
    ['key', String(known?.key)],
  ];
  expect(await flash(revocation)).toBe(`Token ${known?.key} of agency revoked.`);
  expect(await isValid(token)).toBe(false);
  expect(await admin.text(TOKENS)).toContain('revoked</span>');
  const { records } = await auditPage(dashboard.database.db, { subject: 'agency' });
  const shared = { actorKind: 'account', actor: ADMIN, origin: '127.0.0.1' };
  expect(records).toMatchObject([
    { ...shared, action: 'token-revoked' },
    { ...shared, action: 'token-added', after: { scopes: 'store:manifests read:manifests' } },
  ]);
  expect(JSON.stringify(records)).not.toContain(token);
});

test.each([
  [[['publisher', 'a b']], 'the publisher &quot;a b&quot; must have 1 to 64 letters'],
  [
    [
      ['publisher', 'x'],
      ['days', '0'],
    ],
    'the days must be a number from 1 to 99999',
  ],
  [
    [
      ['publisher', 'x'],
      ['days', 'soon'],
    ],
    'the days must be a number from 1 to 99999',
  ],
  [
    [
      ['publisher', 'x'],
      ['scope', 'all'],
    ],
    'the scope &quot;all&quot; must be one of',
  ],
  [[['publisher', 'x']], 'a token must have a scope'],
] as [Fields, string][])('refuses %j', async (fields, text) => {
  const scoped = fields.some(([name]) => name === 'scope') || text.includes('must have a scope');
  const all: Fields = [
    ['action', 'add'],
    ...fields,
    ...(scoped ? [] : [['scope', 'read:manifests'] as const]),
  ];
  expect(await flash(all)).toContain(`Not done: ${text}`);
});

test('refuses unknown numbers and forms without an action', async () => {
  const revocation: Fields = [['action', 'revoke']];
  expect(await flash([...revocation, ['key', '999']])).toBe('Not done: no token has the number 999.');
  expect((await posted(revocation)).status).toBe(400);
  expect((await posted([['publisher', 'x']])).status).toBe(400);
});
