/** `POST` and `PUT /v1/bindings`: tokens, queries, deletes and restores, validation, audit and declaration, on both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { native } from '../../src/native.js';
import { UploadTokens } from '../../src/services/store/tokens/upload-tokens.js';
import { verifyStore } from '../../src/services/store/verify.js';
import { auditPage } from '../../src/storage/database/audit-log.js';
import { outdateLive } from '../../src/storage/database/live-manifests.js';
import { type Database, openDatabase } from '../../src/storage/database/open.js';
import { isccd } from '../support/command.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { freshBinding, freshManifest } from './support/fresh-manifest.js';
import {
  OPERATOR_TOKEN,
  type Place,
  type StoreClient,
  startStore,
  storeEnvironment,
} from './support/server.js';

const ACTOR = { kind: 'command', name: 'tester' } as const;
const ISCC = 'io.iscc.v0';
const WATERMARK = 'com.adobe.trustmark.P';
/** In the form of the list, but not on it. */
const UNLISTED = 'org.example.watermark.1';
const VALUE = Buffer.from('value of a watermark').toString('base64');
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const plain = sidecar('ok-no-soft-binding');
const plainId = plain.expect.manifestId ?? '';

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let database: Database;
  let store: StoreClient;
  let ana: string;
  let ben: string;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases?.stop());
  beforeEach(async () => {
    place = await databases.create();
    database = await openDatabase(place.url, place.dataDir);
    const tokens = new UploadTokens(database.db);
    ana = (await tokens.create({ publisher: 'ana' }, ACTOR)).token;
    ben = (await tokens.create({ publisher: 'ben' }, ACTOR)).token;
    store = await startStore(place);
    return async () => {
      await store.stop();
      await database.close();
    };
  });

  const send = (method: 'POST' | 'PUT', body: unknown, token: string | undefined, query = '') =>
    fetch(`${store.url}/v1/bindings${query}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token === undefined ? {} : bearer(token)) },
      body: JSON.stringify(body),
    });
  const status = async (...request: Parameters<typeof send>) => (await send(...request)).status;

  async function uploaded(bytes: Uint8Array, token = ana): Promise<string> {
    const response = await store.upload(bytes, '', bearer(token));
    expect(response.status).toBe(200);
    return ((await response.json()) as { manifestId: string }).manifestId;
  }

  async function found(alg = WATERMARK, value = VALUE): Promise<string[]> {
    const { body } = await store.query(alg, value);
    return (body.matches ?? []).map(({ manifestId }) => manifestId);
  }

  async function expectConsistent(): Promise<void> {
    const problems: string[] = [];
    await verifyStore(
      place,
      (where, rule) => problems.push(`${where}: ${rule}`),
      () => {},
    );
    expect(problems).toEqual([]);
  }

  it('binds a value to a manifest of the publisher, and moves it to another one', async () => {
    const first = await uploaded(await freshManifest());
    const second = await uploaded(await freshManifest());
    const body = { manifestId: first, alg: WATERMARK, bindingValue: VALUE };
    expect(await status('PUT', body, ana)).toBe(404);
    const response = await send('POST', body, ana);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await found()).toEqual([first]);
    // The same again changes nothing.
    expect(await status('POST', body, ana)).toBe(204);
    await expectConsistent();

    expect(await status('PUT', { ...body, manifestId: second }, ana)).toBe(204);
    expect(await found()).toEqual([second]);
    expect(await status('PUT', { ...body, manifestId: second }, ana)).toBe(204);
    expect(await found()).toEqual([second]);
    await expectConsistent();

    const { records } = await auditPage(database.db, {});
    const entries = records.filter(({ action }) => action.startsWith('binding-'));
    const valueSha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(entries.reverse()).toMatchObject([
      { action: 'binding-added', actor: 'ana', subject: first, after: { alg: WATERMARK, valueSha256 } },
      {
        action: 'binding-moved',
        subject: first,
        before: { manifestId: first },
        after: { manifestId: second, alg: WATERMARK, valueSha256 },
      },
    ]);
  });

  it('needs a token with the scope, and the manifest of its publisher', async () => {
    const manifestId = await uploaded(await freshManifest());
    const body = { manifestId, alg: WATERMARK, bindingValue: VALUE };
    const tokens = new UploadTokens(database.db);
    const { token: uploads } = await tokens.create(
      { publisher: 'cid', scopes: ['store:manifests', 'delete:manifests'] },
      ACTOR,
    );
    expect(await status('POST', body, undefined)).toBe(401);
    expect(await status('POST', body, 'isccd_wrong')).toBe(401);
    expect(await status('POST', body, uploads)).toBe(403);
    expect(await status('POST', body, ben)).toBe(403);
    expect(await found()).toEqual([]);
    expect(await status('POST', body, OPERATOR_TOKEN)).toBe(204);
    expect(await found()).toEqual([manifestId]);
    const other = await uploaded(await freshManifest(), ben);
    // It is bound to a manifest of another publisher.
    expect(await status('PUT', { ...body, manifestId: other }, ben)).toBe(403);
    expect(await status('PUT', { ...body, manifestId: other }, OPERATOR_TOKEN)).toBe(204);
    expect(await found()).toEqual([other]);
  });

  it('refuses what breaks a rule, and names it', async () => {
    const manifestId = await uploaded(await freshManifest());
    const refused = async (body: unknown, token = ana) => {
      const response = await send('POST', body, token);
      return [response.status, ((await response.json()) as { detail: string }).detail];
    };
    const body = { manifestId, alg: WATERMARK, bindingValue: VALUE };
    expect(await refused({ ...body, alg: undefined })).toEqual([
      400,
      'alg is required, because bindingValue is not an ISCC in text form',
    ]);
    expect(await refused({ ...body, alg: 'none' })).toEqual([
      400,
      expect.stringContaining('alg must have the form'),
    ]);
    expect(await refused({ ...body, bindingValue: 'no base64!' })).toEqual([
      400,
      'bindingValue is not valid base64',
    ]);
    expect(await refused({ ...body, bindingValue: 7 })).toEqual([400, 'bindingValue must be a text']);
    expect(await refused({ ...body, alg: ISCC })).toEqual([400, expect.stringContaining('bindingValue')]);
    expect(await refused({ ...body, manifestId: 'urn:c2pa:none' })).toEqual([404, 'Manifest not found']);
    expect((await store.remove(manifestId)).status).toBe(204);
    expect(await refused(body)).toEqual([410, 'Manifest was deleted']);
  });

  it('counts added bindings with those of the file', async () => {
    const manifestId = await uploaded(bytesOf(sidecar('ok-64-blocks')));
    const full = await send('POST', { manifestId, alg: WATERMARK, bindingValue: VALUE }, ana);
    expect([full.status, await full.json()]).toEqual([
      400,
      { detail: expect.stringContaining('A manifest can have 64 bindings') },
    ]);
    const other = await uploaded(await freshManifest());
    for (let at = 1; at < 8; at += 1) {
      const bindingValue = freshBinding().toString('base64');
      expect(await status('POST', { manifestId: other, alg: ISCC, bindingValue }, ana)).toBe(204);
    }
    const ninth = { manifestId: other, alg: ISCC, bindingValue: freshBinding().toString('base64') };
    expect(await status('POST', ninth, ana)).toBe(400);
    await expectConsistent();
  });

  it('takes ISCCs as text, and algorithms that are not on the list yet', async () => {
    const manifestId = await uploaded(bytesOf(plain));
    const unit = native.encodeUnit(4, 0, 0, 256, Buffer.alloc(32, 9));
    expect(await status('POST', { manifestId, bindingValue: unit }, ana)).toBe(204);
    expect(await found(ISCC, native.encodeSeq([unit]).toString('base64'))).toEqual([manifestId]);
    expect(await status('POST', { manifestId, alg: UNLISTED, bindingValue: VALUE }, ana)).toBe(204);
    expect(await found(UNLISTED)).toEqual([manifestId]);
    const supported = (await store.json('/v1/services/supportedAlgorithms')) as { fingerprints: object[] };
    expect(supported.fingerprints).toContainEqual({ alg: UNLISTED });
  });

  it('a delete takes added bindings away, and a restore brings them back', async () => {
    const manifestId = await uploaded(await freshManifest());
    await send('POST', { manifestId, alg: WATERMARK, bindingValue: VALUE }, ana);
    expect((await store.remove(manifestId)).status).toBe(204);
    expect(await found()).toEqual([]);
    await expectConsistent();
    await isccd(['store', 'restore', manifestId], { env: storeEnvironment(place) });
    expect(await found()).toEqual([manifestId]);
    await expectConsistent();
    // Still one that was added: it can be moved.
    const other = await uploaded(await freshManifest());
    expect(await status('PUT', { manifestId: other, alg: WATERMARK, bindingValue: VALUE }, ana)).toBe(204);
    expect(await found()).toEqual([other]);
  });

  it('validation and a restart keep added bindings', async () => {
    const manifestId = await uploaded(await freshManifest());
    await send('POST', { manifestId, alg: WATERMARK, bindingValue: VALUE }, ana);
    await store.stop();
    await outdateLive(database.db);
    store = await startStore(place);
    const outdated = () =>
      database.db.selectFrom('manifests').select('key').where('index_version', '=', 0).execute();
    await expect.poll(outdated).toEqual([]);
    expect(await found()).toEqual([manifestId]);
    const row = await database.db.selectFrom('manifests').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ binding_count: 2, unit_count: 2 });
    await expectConsistent();
  });

  it('another process finds an added binding at once', async () => {
    const other = await startStore(place);
    onTestFinished(() => other.stop());
    const manifestId = await uploaded(await freshManifest());
    await send('POST', { manifestId, alg: WATERMARK, bindingValue: VALUE }, ana);
    const { body } = await other.query(WATERMARK, VALUE);
    expect(body.matches?.map((match) => match.manifestId)).toEqual([manifestId]);
  });

  it('concurrent requests add a value once', async () => {
    const manifestId = await uploaded(await freshManifest());
    const body = { manifestId, alg: WATERMARK, bindingValue: VALUE };
    const all = await Promise.all(Array.from({ length: 8 }, () => status('POST', body, ana)));
    expect(new Set(all)).toEqual(new Set([204]));
    expect(
      await database.db.selectFrom('bindings').select('alg').where('added', 'is not', null).execute(),
    ).toEqual([{ alg: WATERMARK }]);
    await expectConsistent();
  });
});

it('the fixture names no binding', () => {
  expect([plainId, plain.expect.indexed ?? []]).toEqual([expect.stringContaining(':'), []]);
});
