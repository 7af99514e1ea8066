/** Manifests as JSON and their thumbnails, on both databases. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreClient as Client, type ManifestDetails } from '../../src/client/store-client.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type Place, STORE_URL, type StoreClient, startStore } from './support/server.js';

const plain = sidecar('ok-es256-iscc4');
const pictured = sidecar('third-party-c2pa-rs-jpeg');
const edited = sidecar('crate-png-edit');
type Details = ManifestDetails & {
  readonly validation_results: { readonly activeManifest: { success: object[]; failure: object[] } };
};

const JSON_ONLY = { Accept: 'application/json' };

const idOf = ({ expect: { manifestId = '' } }: typeof plain) => manifestId;

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let store: StoreClient;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    store = await startStore(place);
    for (const item of [plain, pictured, edited]) {
      expect((await store.upload(bytesOf(item))).status).toBe(200);
    }
  });
  afterAll(async () => {
    await store.stop();
    await databases.stop();
  });

  it('returns the summary of a manifest to clients that prefer JSON', async () => {
    const response = await store.get(idOf(plain), JSON_ONLY);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(response.headers.get('vary')).toContain('Accept');
    const bytes = bytesOf(plain);
    const body = (await response.json()) as { storedAt: string };
    expect(body).toEqual({
      manifestId: idOf(plain),
      manifestUrl: `${STORE_URL}/v1/manifests/${encodeURIComponent(idOf(plain))}`,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      size: bytes.length,
      storedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      trusted: true,
      trustList: 'trust-anchors',
      declaration: { status: 'disabled' },
      title: 'Fixture',
      signer: 'Trusted ES256 signer',
      issuer: 'ISCC Public Test Signer',
      claimGenerator: 'iscc study fixture maker 1.0',
      actions: [
        {
          action: 'c2pa.created',
          digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture',
        },
      ],
      ingredients: [],
      training: {},
    });
    expect(Math.abs(Date.parse(body.storedAt) - Date.now())).toBeLessThan(3_600_000);
  });

  it('names ingredients and the thumbnail', async () => {
    expect(await (await store.get(idOf(edited), JSON_ONLY)).json()).toMatchObject({
      actions: [{ action: 'c2pa.opened' }],
      ingredients: [{ title: 'parent', format: 'image/png', relationship: 'parentOf' }],
    });
    const address = `${STORE_URL}/v1/manifests/${encodeURIComponent(idOf(pictured))}/thumbnail`;
    // The second response has it from memory.
    for (const _ of [1, 2]) {
      const summary = await (await store.get(idOf(pictured), JSON_ONLY)).json();
      expect(summary).toMatchObject({ time: '2024-08-06T21:53:37+00:00', thumbnailUrl: address });
    }
  });

  it.each([
    ['application/json', 'application/json'],
    ['application/json, */*;q=0.1', 'application/json'],
    ['application/json, text/plain, */*', 'application/c2pa'],
    ['application/c2pa, application/json', 'application/c2pa'],
    ['application/json;q=0', 'application/c2pa'],
    ['text/html', 'application/c2pa'],
    ['', 'application/c2pa'],
  ])('for Accept: %s returns %s', async (accept, type) => {
    const response = await store.get(idOf(plain), { Accept: accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    if (type === 'application/c2pa')
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytesOf(plain));
  });

  const detailed = async (id: string, query = '?detailed=1', headers: Record<string, string> = JSON_ONLY) =>
    fetch(`${store.url}/v1/manifests/${encodeURIComponent(id)}${query}`, { headers });

  it('returns all that a manifest store contains with detailed', async () => {
    const response = await detailed(idOf(edited));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const body = (await response.json()) as Details;
    const labels = Object.keys(body.manifests);
    expect([body.active_manifest, labels.length]).toEqual([idOf(edited), 2]);
    expect(labels).toEqual(labels.toSorted());
    const active = body.manifests[idOf(edited)];
    expect(
      active?.assertion_store['c2pa.actions.v2'] ?? active?.assertion_store['c2pa.actions'],
    ).toMatchObject({
      actions: [{ action: 'c2pa.opened' }],
    });
    expect(active?.signature).toMatchObject({ alg: 'es256' });
    // The asset is not here, so its hash does not count.
    expect(body.validation_state).toBe('Trusted');
    expect(body.validation_results.activeManifest.failure).toEqual([]);
    expect(body.validation_results.activeManifest.success.length).toBeGreaterThan(0);
    const client = new Client(store.url);
    expect(await client.getManifestDetails(idOf(edited))).toEqual(body);
  });

  it('gives the details the same entity tag each time', async () => {
    const tags = await Promise.all(
      [1, 2, 3, 4].map(async () => (await detailed(idOf(edited))).headers.get('etag')),
    );
    expect(new Set(tags).size).toBe(1);
    const summary = (await store.get(idOf(edited), JSON_ONLY)).headers.get('etag');
    expect(tags[0]).not.toBe(summary);
    const conditional = { ...JSON_ONLY, 'If-None-Match': tags[0] ?? '' };
    expect((await detailed(idOf(edited), '?detailed=true', conditional)).status).toBe(304);
    expect((await detailed(idOf(edited), '?detailed=0', conditional)).status).toBe(200);
  });

  it('returns the bytes with detailed to clients that do not prefer JSON', async () => {
    const response = await detailed(idOf(plain), '?detailed=1', {});
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytesOf(plain));
  });

  it('refuses other values of detailed, and unknown ids', async () => {
    const refused = await detailed(idOf(plain), '?detailed=yes');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { detail: 'detailed must be true or false' },
    ]);
    expect((await detailed('unknown')).status).toBe(404);
  });

  it('returns 304 for the entity tag of the same form only', async () => {
    const json = (await store.get(idOf(plain), JSON_ONLY)).headers.get('etag') ?? '';
    const bytes = (await store.get(idOf(plain))).headers.get('etag') ?? '';
    for (const [accept, tag, status] of [
      ['application/json', json, 304],
      ['application/json', bytes, 200],
      ['*/*', bytes, 304],
      ['*/*', json, 200],
    ] as const) {
      const response = await store.get(idOf(plain), { Accept: accept, 'If-None-Match': tag });
      expect([accept, response.status]).toEqual([accept, status]);
    }
  });

  it('describes a manifest that an earlier version has stored without a summary', async () => {
    const { db, close } = await openDatabase(place.url, place.dataDir);
    await db
      .updateTable('manifests')
      .set({ summary: null })
      .where('manifest_id', '=', idOf(edited))
      .execute();
    await close();
    const summary = await (await store.get(idOf(edited), JSON_ONLY)).json();
    expect(summary).toMatchObject({ title: 'crate-png-edit', signer: 'Trusted ES256 signer' });
  });

  it('sends the thumbnail with an entity tag', async () => {
    const address = `${store.url}/v1/manifests/${encodeURIComponent(idOf(pictured))}/thumbnail`;
    const response = await fetch(address);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const picture = Buffer.from(await response.arrayBuffer());
    expect(bytesOf(pictured).includes(picture)).toBe(true);
    const etag = response.headers.get('etag') ?? '';
    expect((await fetch(address, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    const head = await fetch(address, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(picture.length));
  });

  it('returns 404 without a thumbnail and for unknown ids', async () => {
    const thumbnail = (id: string) => fetch(`${store.url}/v1/manifests/${encodeURIComponent(id)}/thumbnail`);
    const without = await thumbnail(idOf(plain));
    expect([without.status, await without.json()]).toEqual([
      404,
      { detail: 'The manifest has no thumbnail' },
    ]);
    expect((await thumbnail('unknown')).status).toBe(404);
    expect((await store.get('unknown', JSON_ONLY)).status).toBe(404);
  });

  it('names the lists that vouch for the signer, the time-stamper and the identity', async () => {
    const fixture = (name: string) =>
      readFileSync(path.join(import.meta.dirname, '../fixtures/c2pa/trust', name));
    const roots = ['signers.pem', 'time-stampers.pem', 'identities.pem'].map((name) => fixture(name));
    const anchored = await databases.create();
    const anchors = path.join(anchored.dataDir, 'anchors.pem');
    writeFileSync(anchors, Buffer.concat(roots));
    const strict = await startStore(anchored, { MSTORE_TRUST_ANCHORS: anchors });
    const facts = async (name: string) => {
      const uploaded = await strict.upload(fixture(name));
      expect(uploaded.status).toBe(200);
      const { manifestId } = (await uploaded.json()) as { manifestId: string };
      return (await strict.get(manifestId, JSON_ONLY)).json();
    };
    const list = 'trust-anchors';
    // Its signer has expired since the time-stamp.
    const stamped = await facts('expired-stamped.c2pa');
    expect(stamped).toMatchObject({ trusted: true, trustList: list, timeStampList: list });
    expect(stamped).not.toHaveProperty('identityList');
    const identified = await facts('identity.c2pa');
    expect(identified).toMatchObject({ trusted: false, identityList: list });
    expect(identified).not.toHaveProperty('trustList');
    expect(identified).not.toHaveProperty('timeStampList');
    await strict.stop();
  });

  it('returns 410 after a delete', async () => {
    expect((await store.remove(idOf(edited))).status).toBe(204);
    expect((await store.get(idOf(edited), JSON_ONLY)).status).toBe(410);
    expect((await detailed(idOf(edited))).status).toBe(410);
  });
});
