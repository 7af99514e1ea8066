/** Rules for upload tokens, on both sides of each border. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES, TokenRefused, UploadTokens } from '../../src/services/store/tokens/upload-tokens.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';

const ACTOR = { kind: 'command', name: 'tester' } as const;
const MINUTE_MS = 60_000;

let databases: TestDatabases;
let database: Database;
let now: number;
let tokens: UploadTokens;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
  const { url, dataDir } = await databases.create();
  database = await openDatabase(url, dataDir);
});
beforeEach(async () => {
  await database.db.deleteFrom('upload_tokens').execute();
  now = 1_800_000_000_000;
  tokens = new UploadTokens(database.db, () => now);
});
afterAll(async () => {
  await database.close();
  await databases.stop();
});

it('a token is returned once, with its rights; the list and a check return the rest', async () => {
  const expiresAt = now + 1;
  const { token, ...known } = await tokens.create({ publisher: 'Ana@Example.org', expiresAt }, ACTOR);
  expect(token).toMatch(/^isccd_[\w-]{43}$/);
  expect(known).toEqual({
    key: expect.any(Number),
    publisher: 'ana@example.org',
    scopes: SCOPES,
    createdAt: now,
    expiresAt,
    revokedAt: undefined,
    usedAt: undefined,
  });
  expect(await tokens.list()).toEqual([known]);
  expect(await tokens.verify(token)).toEqual(known);
});

it('the scopes are in their own order, whatever the order of the request', async () => {
  const scopes = ['delete:manifests', 'store:manifests', 'delete:manifests'];
  const { token } = await tokens.create({ publisher: 'a', scopes }, ACTOR);
  expect((await tokens.verify(token))?.scopes).toEqual(['store:manifests', 'delete:manifests']);
});

it('a token expires at its time', async () => {
  const { token } = await tokens.create({ publisher: 'a', expiresAt: now + 1000 }, ACTOR);
  now += 999;
  expect(await tokens.verify(token)).toBeDefined();
  now += 1;
  expect(await tokens.verify(token)).toBeUndefined();
  await expect(tokens.create({ publisher: 'a', expiresAt: now }, ACTOR)).rejects.toThrow(
    new TokenRefused('the expiry must be in the future'),
  );
});

it('a use is noted once a minute', async () => {
  const { token } = await tokens.create({ publisher: 'a' }, ACTOR);
  const used = async () => {
    await tokens.verify(token);
    return (await tokens.list())[0]?.usedAt;
  };
  const first = now;
  expect(await used()).toBe(first);
  now = first + MINUTE_MS;
  expect(await used()).toBe(first);
  now += 1;
  expect(await used()).toBe(first + MINUTE_MS + 1);
});

it('texts that are not tokens are refused', async () => {
  const { token } = await tokens.create({ publisher: 'a' }, ACTOR);
  for (const text of [
    '',
    'isccd_',
    token.slice('isccd_'.length),
    ` ${token}`,
    `${token} `,
    token.toUpperCase(),
  ])
    expect(await tokens.verify(text)).toBeUndefined();
});

it('two valid tokens of a publisher are the most; expired and revoked ones do not count', async () => {
  const brief = await tokens.create({ publisher: 'a', expiresAt: now + 10 }, ACTOR);
  const { key } = await tokens.create({ publisher: 'A' }, ACTOR);
  await tokens.create({ publisher: 'b' }, ACTOR);
  const refusal = new TokenRefused('a has 2 valid tokens; revoke one of them first');
  await expect(tokens.create({ publisher: 'a' }, ACTOR)).rejects.toThrow(refusal);
  now += 10;
  const third = await tokens.create({ publisher: 'a' }, ACTOR);
  await expect(tokens.create({ publisher: 'a' }, ACTOR)).rejects.toThrow(refusal);
  await tokens.revoke(key, ACTOR);
  await tokens.create({ publisher: 'a' }, ACTOR);
  expect((await tokens.list()).map(({ publisher }) => publisher)).toEqual(['a', 'a', 'a', 'a', 'b']);
  expect((await tokens.list()).slice(0, 3).map((token) => token.key)).toEqual([brief.key, key, third.key]);
});

it('a revocation is final, and repeating it changes nothing', async () => {
  const { key, token } = await tokens.create({ publisher: 'a' }, ACTOR);
  const other = await tokens.create({ publisher: 'a' }, ACTOR);
  const before = await database.db.selectFrom('audit').selectAll().execute();
  expect(await tokens.revoke(key, ACTOR)).toMatchObject({ key, publisher: 'a', revokedAt: now });
  expect(await tokens.verify(token)).toBeUndefined();
  expect(await tokens.verify(other.token)).toBeDefined();
  now += 5;
  expect((await tokens.revoke(key, ACTOR)).revokedAt).toBe(now - 5);
  const entries = await database.db.selectFrom('audit').selectAll().orderBy('key').execute();
  expect(entries.slice(before.length)).toMatchObject([{ action: 'token-revoked', subject: 'a' }]);
  expect(JSON.stringify(entries)).not.toContain(token);
  await expect(tokens.revoke(-1, ACTOR)).rejects.toThrow(new TokenRefused('no token has the number -1'));
});

it('the audit log has what was created', async () => {
  const expiresAt = now + 1;
  const { key } = await tokens.create({ publisher: 'audited', scopes: ['read:manifests'], expiresAt }, ACTOR);
  const entries = await database.db
    .selectFrom('audit')
    .selectAll()
    .where('subject', '=', 'audited')
    .execute();
  expect(entries).toHaveLength(1);
  expect(entries[0]?.action).toBe('token-added');
  expect(JSON.parse(String(entries[0]?.state_after))).toEqual({
    token: key,
    scopes: 'read:manifests',
    expiresAt,
  });
});

describe('a publisher', () => {
  const create = (publisher: string) =>
    tokens.create({ publisher }, ACTOR).then(({ publisher: name }) => name);

  it.each(['a', '0', 'a.b_c@d-e', 'x'.repeat(64)])('may be named %s', async (name) => {
    expect(await create(name)).toBe(name);
  });

  it.each(['', 'x'.repeat(65), '.a', '-a', '@a', '_a', 'a b', 'a\n', 'ä', 'a/b'])(
    'may not be named %j',
    async (name) => {
      const rule = 'must have 1 to 64 letters, digits and . _ @ -, and begin with a letter or digit';
      await expect(create(name)).rejects.toThrow(
        new TokenRefused(`the publisher ${JSON.stringify(name)} ${rule}`),
      );
    },
  );
});

it.each([
  [
    ['read:manifests', 'all'],
    'the scope "all" must be one of store:manifests, store:bindings, read:manifests, delete:manifests',
  ],
  [[], 'a token must have a scope: store:manifests, store:bindings, read:manifests, delete:manifests'],
])('the scopes %j are refused', async (scopes, message) => {
  await expect(tokens.create({ publisher: 'a', scopes }, ACTOR)).rejects.toThrow(new TokenRefused(message));
});
