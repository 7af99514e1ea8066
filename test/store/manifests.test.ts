/** Uploads, fetches, deletes and releases over HTTP, on both databases. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_DECLARER } from '../../src/services/store/declarer.js';
import { Manifests, type ManifestToStore } from '../../src/services/store/manifests/manifests.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { acceptedReport, acceptedSidecars, bytesOf, SIDECARS, sidecar } from './support/fixtures.js';
import { type Place, STORE_URL, type StoreClient, startStore } from './support/server.js';

/** Any manifest without bindings. */
function manifestToStore(number: number): ManifestToStore {
  const manifestId = `urn:c2pa:test-${number}`;
  const uploadedAt = Date.now();
  const manifestUrl = `${STORE_URL}/v1/manifests/${manifestId}`;
  const facts = { manifestId, manifestUrl, uploadedAt, bindings: [] };
  return {
    manifestId,
    sha256: sha256(Buffer.from(manifestId)),
    size: 1,
    uploadedAt,
    uploader: 'x',
    report: acceptedReport(manifestId, true, []),
    declaration: NO_DECLARER.initial(facts, false),
  };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let store: StoreClient;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    store = await startStore(place);
  });
  afterAll(async () => {
    await store.stop();
    await databases.stop();
  });

  it.each(SIDECARS.map((item) => [item.name, item] as const))(
    'accepts or refuses %s as expected',
    async (_, item) => {
      const { status, code, acceptableCodes = [], manifestId } = item.expect;
      const response = await store.upload(bytesOf(item), '?declare=false');
      const answer = (await response.json()) as { manifestId?: string; detail?: string; code?: string };
      // Two sidecars share an id on purpose: the second is refused.
      if (item.name === 'ok-conflict-b') {
        expect([response.status, answer.detail]).toEqual([
          409,
          'Manifest ID is already in use by a different manifest',
        ]);
        return;
      }
      expect([status].flat()).toContain(response.status);
      if (response.status === 400) {
        expect([code, ...acceptableCodes]).toContain(answer.code);
        expect(answer.detail).toMatch(/^Manifest Store refused: ./);
      } else if (manifestId !== undefined) expect(answer.manifestId).toBe(manifestId);
    },
  );

  it('serves uploads unchanged', async () => {
    for (const item of acceptedSidecars()) {
      const bytes = bytesOf(item);
      const response = await store.get(item.expect.manifestId ?? '');
      expect([item.name, response.status]).toEqual([item.name, 200]);
      expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(sha256(bytes));
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/c2pa',
        etag: `"${sha256(bytes)}"`,
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      });
    }
  });

  it('finds each manifest by each of its bindings with score 100, and stores whether the signer is trusted', async () => {
    for (const { name, expect: wanted } of acceptedSidecars()) {
      for (const { alg, value } of wanted.indexed ?? []) {
        const { body } = await store.query(alg, value);
        const match = body.matches?.find(({ manifestId }) => manifestId === wanted.manifestId);
        expect([name, alg, match?.similarityScore]).toEqual([name, alg, 100]);
      }
    }
    const { db, close } = await openDatabase(place.url, place.dataDir);
    const rows = await db.selectFrom('manifests').select(['manifest_id', 'trusted', 'uploader']).execute();
    await close();
    const trusted = new Map(rows.map((row) => [row.manifest_id, row.trusted === 1]));
    for (const { name, expect: wanted } of acceptedSidecars()) {
      expect([name, trusted.get(wanted.manifestId ?? '')]).toEqual([name, wanted.trusted]);
    }
    for (const { uploader } of rows) expect(uploader).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lists the algorithms of its bindings, by kind', async () => {
    const { watermarks, fingerprints } = (await store.json('/v1/services/supportedAlgorithms')) as {
      watermarks: { alg: string }[];
      fingerprints: { alg: string }[];
    };
    const listed = [...watermarks, ...fingerprints].map(({ alg }) => alg);
    const indexed = acceptedSidecars().flatMap((item) => item.expect.indexed ?? []);
    expect(new Set(listed)).toEqual(new Set(['io.iscc.v0', ...indexed.map(({ alg }) => alg)]));
    expect(watermarks).toContainEqual({ alg: 'com.adobe.trustmark.P' });
    expect(fingerprints).toContainEqual({ alg: 'com.adobe.icn.dense' });
    for (const list of [watermarks, fingerprints]) {
      expect(list).toEqual([...list].sort((a, b) => (a.alg < b.alg ? -1 : 1)));
    }
  });

  it('gives a second upload the same response as the first', async () => {
    const item = sidecar('ok-es256-iscc4');
    const answers = [];
    for (const query of ['', '?declare=true', '?declare=FALSE&returnReceipt=x']) {
      const response = await store.upload(bytesOf(item), query);
      expect(response.status).toBe(200);
      answers.push(await response.json());
    }
    const id = item.expect.manifestId ?? '';
    const expected = {
      manifestId: id,
      manifestUrl: `${STORE_URL}/v1/manifests/${encodeURIComponent(id)}`,
      declaration: { status: 'disabled' },
      bindings: { indexed: item.expect.indexed?.length, skipped: [] },
    };
    expect(answers).toEqual([expected, expected, expected]);
  });

  it('accepts one of several concurrent uploads with the same id', async () => {
    const fresh = await databases.create();
    const raced = await startStore(fresh);
    const uploads = [...Array(12).keys()].map((n) =>
      bytesOf(sidecar(n % 2 ? 'ok-conflict-a' : 'ok-conflict-b')),
    );
    const answers = await Promise.all(
      uploads.map(async (bytes) => ({ bytes, status: (await raced.upload(bytes)).status })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(6);
    expect(new Set(won.map(({ bytes }) => sha256(bytes))).size).toBe(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(6);
    const stored = await raced.get(sidecar('ok-conflict-a').expect.manifestId ?? '');
    expect(stored.headers.get('etag')).toBe(`"${sha256(won[0]?.bytes ?? Buffer.of())}"`);
    await raced.stop();
  });

  describe('a deleted manifest', () => {
    const item = sidecar('ok-c2pa-eku');
    const id = item.expect.manifestId ?? '';
    const [binding] = item.expect.indexed ?? [];
    const found = async () => {
      const { body } = await store.query(binding?.alg ?? '', binding?.value ?? '');
      return body.matches?.some(({ manifestId }) => manifestId === id);
    };

    it('requires the right token', async () => {
      for (const token of ['wrong', '']) {
        const refused = await store.remove(id, token);
        expect([refused.status, await refused.json(), refused.headers.get('www-authenticate')]).toEqual([
          401,
          { detail: 'Invalid or missing operator token' },
          'Bearer',
        ]);
        expect(refused.headers.get('access-control-allow-origin')).toBeNull();
      }
      expect((await store.get(id)).status).toBe(200);
      expect((await store.remove('urn:c2pa:unknown')).status).toBe(404);
    });

    it('is missing from fetches and queries, and its id is refused until released', async () => {
      expect(await found()).toBe(true);
      const deleted = await store.remove(id);
      expect([deleted.status, await deleted.text()]).toEqual([204, '']);
      const gone = await store.get(id);
      expect([gone.status, await gone.json()]).toEqual([410, { detail: 'Manifest was deleted' }]);
      expect((await store.remove(id)).status).toBe(410);
      expect(await found()).toBe(false);
      const again = await store.upload(bytesOf(item));
      expect([again.status, await again.json()]).toEqual([
        409,
        { detail: 'Manifest ID belongs to a deleted manifest' },
      ]);
    });
  });

  it('returns 404 for a manifest without its file, until its bytes are uploaded again', async () => {
    const item = sidecar('ok-ed25519');
    const digest = sha256(bytesOf(item));
    await rm(path.join(place.dataDir, 'files', digest.slice(0, 2), `${digest}.c2pa`));
    const response = await store.get(item.expect.manifestId ?? '');
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Manifest not found' }]);
    expect((await store.upload(bytesOf(item))).status).toBe(200);
    const again = await store.get(item.expect.manifestId ?? '');
    expect(Buffer.from(await again.arrayBuffer()).equals(bytesOf(item))).toBe(true);
  });

  it('lists manifests in the order in which they become visible', async () => {
    const { db, close } = await openDatabase(place.url, place.dataDir);
    const first = new Manifests(db);
    const second = new Manifests(db);
    const [a, b] = [manifestToStore(1), manifestToStore(2)];
    let goOn = () => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let hasKey = () => {};
    const atCommit = new Promise<void>((resolve) => {
      hasKey = resolve;
    });
    const keys: (number | undefined)[] = [];
    const slow = first.insert(a, async () => {
      hasKey();
      await paused;
      return true;
    });
    await atCommit;
    // It must not get a key and be listed before the first one is, which has a lower key.
    const quick = second.insert(b, async () => true);
    const stored = [slow.then((key) => keys.push(key)), quick.then((key) => keys.push(key))];
    for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
    expect(keys).toEqual([]);
    goOn();
    await Promise.all(stored);
    expect(keys).toEqual([...keys].sort((one, other) => Number(one) - Number(other)));
    await close();
  });

  it('keeps all data over a restart', async () => {
    await store.stop();
    store = await startStore(place);
    const item = sidecar('ok-es256-iscc4');
    const [binding] = item.expect.indexed ?? [];
    const { body } = await store.query(binding?.alg ?? '', binding?.value ?? '');
    expect(body.matches?.map(({ manifestId }) => manifestId)).toContain(item.expect.manifestId);
    expect((await store.get(sidecar('ok-c2pa-eku').expect.manifestId ?? '')).status).toBe(410);
  });
});
