/** Upload tokens of publishers: uploads, lists, deletes, and rules for tokens, on both databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UploadTokens } from '../../src/services/store/tokens/upload-tokens.js';
import { auditPage } from '../../src/storage/database/audit-log.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { acceptedSidecars, bytesOf, sidecar } from './support/fixtures.js';
import { OPERATOR_TOKEN, type Place, STORE_URL, type StoreClient, startStore } from './support/server.js';

const [first, second, third, fourth] = acceptedSidecars()
  .slice(0, 4)
  .map((item) => ({
    bytes: bytesOf(item),
    id: item.expect.manifestId ?? '',
  }));
if (!first || !second || !third || !fourth) throw new Error('too few sidecars');

interface Listed {
  readonly key: number;
  readonly manifestId: string;
  readonly publisher?: string;
}

const ACTOR = { kind: 'command', name: 'tester' } as const;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let database: Database;
  let tokens: UploadTokens;
  let store: StoreClient;
  let ana: string;
  let ben: string;

  const list = (query: string, headers: Record<string, string>) =>
    fetch(`${store.url}/v1/manifests${query}`, { headers });
  const listed = async (query: string, headers: Record<string, string>) => {
    const response = await list(query, headers);
    expect(response.status).toBe(200);
    return (await response.json()) as Listed[];
  };

  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    store = await startStore(place);
    database = await openDatabase(place.url, place.dataDir);
    tokens = new UploadTokens(database.db);
    ana = (await tokens.create({ publisher: 'Ana' }, ACTOR)).token;
    ben = (await tokens.create({ publisher: 'ben', scopes: ['store:manifests', 'read:manifests'] }, ACTOR))
      .token;
    expect((await store.upload(first.bytes, '', bearer(ana))).status).toBe(200);
    expect((await store.upload(second.bytes, '', bearer(ana))).status).toBe(200);
    expect((await store.upload(third.bytes, '', bearer(ben))).status).toBe(200);
    expect((await store.upload(fourth.bytes)).status).toBe(200);
  });
  afterAll(async () => {
    await database.close();
    await store.stop();
    await databases.stop();
  });

  it('lists the manifests of a publisher to its tokens, and all to the operator', async () => {
    expect((await listed('', bearer(ana))).map(({ manifestId }) => manifestId)).toEqual([
      first.id,
      second.id,
    ]);
    expect(await listed('', bearer(ben))).toMatchObject([{ manifestId: third.id, publisher: 'ben' }]);
    const all = await listed('', bearer(OPERATOR_TOKEN));
    expect(all.map(({ publisher }) => publisher)).toEqual(['ana', 'ana', 'ben', undefined]);
    expect(all[0]).toMatchObject({
      trusted: true,
      size: first.bytes.length,
      declaration: { status: 'disabled' },
    });
  });

  it('lists page by page', async () => {
    const headers = bearer(OPERATOR_TOKEN);
    const ids: string[] = [];
    let next: string | undefined = '?limit=3';
    const sizes: number[] = [];
    while (next !== undefined) {
      const response = await list(next, headers);
      const page = (await response.json()) as Listed[];
      sizes.push(page.length);
      ids.push(...page.map(({ manifestId }) => manifestId));
      // A proxy serves the store below the path of its public address.
      const { pathname } = new URL(STORE_URL);
      const link = new RegExp(`^<${pathname}/v1/manifests(\\?after=\\d+&limit=3)>; rel="next"$`);
      next = link.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect([sizes, ids]).toEqual([
      [3, 1],
      [first.id, second.id, third.id, fourth.id],
    ]);
  });

  it('lists as JSON lines', async () => {
    const headers = { ...bearer(OPERATOR_TOKEN), Accept: 'application/x-ndjson' };
    const lines = async (query: string) => {
      const response = await list(query, headers);
      expect(response.headers.get('content-type')).toBe('application/x-ndjson');
      const text = await response.text();
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Listed);
    };
    const all = await lines('');
    expect(all).toEqual(await listed('', bearer(OPERATOR_TOKEN)));
    expect(await lines(`?after=${all[2]?.key}`)).toEqual(all.slice(3));
    expect(await lines('?limit=2')).toEqual(all.slice(0, 2));
  });

  it.each([
    ['?limit=0', 'limit must be an integer from 1 to 1000'],
    ['?limit=1001', 'limit must be an integer from 1 to 1000'],
    ['?limit=x', 'limit must be an integer from 1 to 1000'],
    ['?after=-1', 'after must be the key of a manifest: an integer from 0 on'],
  ])('refuses %s', async (query, detail) => {
    const response = await list(query, bearer(ana));
    expect([response.status, await response.json()]).toEqual([400, { detail }]);
  });

  it('refuses lists without a valid token or the scope', async () => {
    for (const headers of [{}, bearer('isccd_unknown'), bearer('x'), { Authorization: 'Basic eDp5' }]) {
      const response = await list('', headers);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
    const { token } = await tokens.create({ publisher: 'writer', scopes: ['store:manifests'] }, ACTOR);
    const response = await list('', bearer(token));
    expect([response.status, await response.json()]).toEqual([
      403,
      { detail: 'The upload token lacks the scope read:manifests' },
    ]);
  });

  it('refuses uploads with an invalid upload token, and ignores credentials of other systems', async () => {
    expect((await store.upload(first.bytes, '', bearer('isccd_unknown'))).status).toBe(401);
    const { token } = await tokens.create({ publisher: 'reader', scopes: ['read:manifests'] }, ACTOR);
    expect((await store.upload(first.bytes, '', bearer(token))).status).toBe(403);
    for (const Authorization of ['Bearer other', 'Basic eDp5', `Bearer ${OPERATOR_TOKEN}`]) {
      expect((await store.upload(first.bytes, '', { Authorization })).status).toBe(200);
    }
  });

  it('deletes manifests of the same publisher only, and with the scope', async () => {
    const remove = async (id: string, token: string) => (await store.remove(id, token)).status;
    expect(await remove(third.id, ben)).toBe(403);
    expect(await remove(third.id, ana)).toBe(403);
    expect(await remove(fourth.id, ana)).toBe(403);
    expect(await remove(second.id, 'isccd_unknown')).toBe(401);
    expect(await remove(second.id, ana)).toBe(204);
    expect((await listed('', bearer(ana))).map(({ manifestId }) => manifestId)).toEqual([first.id]);
  });

  it('accepts two valid tokens of a publisher at once, and refuses revoked and expired ones', async () => {
    const old = await tokens.create({ publisher: 'rotating' }, ACTOR);
    const fresh = await tokens.create({ publisher: 'rotating' }, ACTOR);
    await expect(tokens.create({ publisher: 'rotating' }, ACTOR)).rejects.toThrow(
      'rotating has 2 valid tokens; revoke one of them first',
    );
    for (const { token } of [old, fresh]) expect((await list('', bearer(token))).status).toBe(200);
    await tokens.revoke(old.key, ACTOR);
    expect((await list('', bearer(old.token))).status).toBe(401);
    expect((await list('', bearer(fresh.token))).status).toBe(200);
    expect(await tokens.create({ publisher: 'rotating' }, ACTOR)).toMatchObject({ publisher: 'rotating' });
    const past = new UploadTokens(database.db, () => Date.now() - 10_000);
    const expired = await past.create({ publisher: 'brief', expiresAt: Date.now() - 5000 }, ACTOR);
    expect((await list('', bearer(expired.token))).status).toBe(401);
    expect((await tokens.list()).find(({ key }) => key === old.key)).toMatchObject({
      publisher: 'rotating',
      revokedAt: expect.any(Number),
      usedAt: expect.any(Number),
    });
    const audit = database.db.selectFrom('audit').select('action').where('subject', '=', 'rotating');
    expect((await audit.orderBy('key').execute()).map(({ action }) => action)).toEqual([
      ...['token-added', 'token-added', 'token-revoked', 'token-added'],
    ]);
  });

  it('creates at most two tokens of a publisher by concurrent commands', async () => {
    const created = await Promise.allSettled(
      [1, 2, 3, 4].map(() => tokens.create({ publisher: 'hurried' }, ACTOR)),
    );
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  it('keeps only hashes', async () => {
    const rows = JSON.stringify(await database.db.selectFrom('upload_tokens').selectAll().execute());
    expect(rows).not.toContain(ana);
    expect(rows).not.toContain('isccd_');
  });

  it.each([
    [{ publisher: 'with space' }, /must have 1 to 64 letters/],
    [{ publisher: '' }, /must have 1 to 64 letters/],
    [{ publisher: 'a', scopes: ['everything'] }, /the scope "everything" must be one of store:manifests/],
    [{ publisher: 'a', scopes: [] }, /a token must have a scope/],
    [{ publisher: 'a', expiresAt: 1 }, /must be in the future/],
  ])('refuses the token %j', async (token, message) => {
    await expect(tokens.create(token, ACTOR)).rejects.toThrow(message);
  });

  it('gives bytes that a stranger uploaded to the first publisher that uploads them', async () => {
    const fifth = acceptedSidecars()[4];
    if (fifth === undefined) throw new Error('too few sidecars');
    const upload = async (headers: Record<string, string>) =>
      (await (await store.upload(bytesOf(fifth), '', headers)).json()) as Record<string, unknown>;
    const id = fifth.expect.manifestId ?? '';
    const anonymous = await upload({});
    expect(anonymous).toMatchObject({ manifestId: id, bindings: { indexed: expect.any(Number) } });
    expect(anonymous.owned).toBeUndefined();
    expect(await upload(bearer(ben))).toEqual({ ...anonymous, owned: true });
    expect((await listed('', bearer(ben))).map(({ manifestId }) => manifestId)).toContain(id);
    const { records } = await auditPage(database.db, { action: 'manifest-claimed' });
    expect(records).toMatchObject([
      { actorKind: 'token', actor: 'ben', subject: id, after: { publisher: 'ben' } },
    ]);
    // Another publisher learns that they are not its own.
    expect(await upload(bearer(ana))).toEqual({ ...anonymous, owned: false });
    expect((await store.remove(id, ana)).status).toBe(403);
  });

  it('says which soft bindings are indexed, also of bytes that are stored already', async () => {
    const item = sidecar('ok-unlisted-alg');
    const answers = [await store.upload(bytesOf(item)), await store.upload(bytesOf(item))];
    const [once, again] = await Promise.all(answers.map((answer) => answer.json()));
    expect(once).toMatchObject({ bindings: { indexed: 3, skipped: [] } });
    expect(again).toEqual(once);
    const many = await (await store.upload(bytesOf(sidecar('ok-100-blocks-unlisted')))).json();
    const reason = 'alg not on the list, and the manifest has 64 other soft bindings';
    const skipped = Array.from({ length: 37 }, () => ({ alg: 'com.example.unlisted.1', reason }));
    expect(many).toMatchObject({ bindings: { indexed: 64, skipped } });
  });
});

describe('MSTORE_UPLOAD_TOKENS=required', () => {
  it('refuses anonymous uploads; fetches and queries stay open', async () => {
    const databases = await testDatabases('sqlite');
    const place = await databases.create();
    const store = await startStore(place, { MSTORE_UPLOAD_TOKENS: 'required' });
    const { bytes, id } = first;
    const anonymous = await store.upload(bytes);
    expect([anonymous.status, await anonymous.json()]).toEqual([
      401,
      { detail: 'Invalid or missing upload token' },
    ]);
    expect((await store.upload(bytes, '', { Authorization: 'Basic eDp5' })).status).toBe(401);
    const { db, close } = await openDatabase(place.url, place.dataDir);
    const { token } = await new UploadTokens(db).create({ publisher: 'agency' }, ACTOR);
    await close();
    expect((await store.upload(bytes, '', bearer(token))).status).toBe(200);
    expect((await store.get(id)).status).toBe(200);
    await store.stop();
    await databases.stop();
  });
});

describe.each(ENGINES)('MSTORE_TRUSTED_DISPLACES on %s', (engine) => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());

  // The same id, signed by different signers.
  const a = sidecar('ok-conflict-a');
  const b = sidecar('ok-conflict-b');
  const id = a.expect.manifestId ?? '';

  it('is off: the first upload keeps the id', async () => {
    const store = await startStore(await databases.create());
    expect((await store.upload(bytesOf(a))).status).toBe(200);
    expect((await store.upload(bytesOf(b))).status).toBe(409);
    await store.stop();
  });

  it('gives the id of an untrusted manifest to a trusted one', async () => {
    const place = await databases.create();
    const on = { MSTORE_TRUSTED_DISPLACES: '1' };
    const before = await startStore(place, { ...on, MSTORE_TRUST_ANCHORS: '' });
    expect((await before.upload(bytesOf(a))).status).toBe(200);
    // Without anchors no signer is trusted: the first upload keeps the id.
    expect((await before.upload(bytesOf(b))).status).toBe(409);
    await before.stop();
    const { db, close } = await openDatabase(place.url, place.dataDir);
    const row = await db.selectFrom('manifests').selectAll().executeTakeFirstOrThrow();
    // As if only the second signer were trusted.
    const rules = await db.selectFrom('installation').select('rules').executeTakeFirstOrThrow();
    const trusting = await startStore(place, on);
    await expect
      .poll(async () => (await db.selectFrom('installation').select('rules').executeTakeFirstOrThrow()).rules)
      .not.toBe(rules.rules);
    await expect
      .poll(
        async () => (await db.selectFrom('manifests').select('trusted').executeTakeFirstOrThrow()).trusted,
      )
      .toBe(1);
    expect((await trusting.upload(bytesOf(b))).status).toBe(409);
    await db.updateTable('manifests').set({ trusted: 0 }).execute();
    const displacing = await trusting.upload(bytesOf(b));
    expect(displacing.status).toBe(200);
    expect(Buffer.from(await (await trusting.get(id)).arrayBuffer())).toEqual(bytesOf(b));
    const rows = await db.selectFrom('manifests').selectAll().orderBy('key').execute();
    expect(rows).toMatchObject([
      { key: row.key, live: 0, manifest_id: `${id}\t(displaced ${row.key})`, displaced_by: rows[1]?.key },
      { live: 1, manifest_id: id, trusted: 1, displaced_by: null },
    ]);
    const audit = await db
      .selectFrom('audit')
      .selectAll()
      .where('action', '=', 'manifest-displaced')
      .execute();
    expect(audit).toMatchObject([{ actor_kind: 'store', subject: id }]);
    // The displaced bytes do not return, and the bindings of the new manifest are found.
    expect((await trusting.upload(bytesOf(a))).status).toBe(409);
    const [binding] = b.expect.indexed ?? [];
    const { body } = await trusting.query(binding?.alg ?? '', binding?.value ?? '');
    expect(body.matches?.filter(({ manifestId }) => manifestId === id)).toHaveLength(1);
    await trusting.stop();
    await close();
  });
});
