/** Trust anchors and the list of algorithms: applied to stored manifests at a start and on SIGHUP. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trustListsOf } from '../../src/c2pa/trust-lists.js';
import { native } from '../../src/native.js';
import { ageDetails, VALIDATOR_VERSION } from '../../src/services/store/manifests/rules.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar, TRUST_ANCHORS } from './support/fixtures.js';
import { type StoreProcess, startStoreProcess } from './support/process.js';
import type { Place } from './support/server.js';

const ALG = 'com.example.new.1';
const SETTLE = { timeout: 30_000, interval: 100 };
const LISTED = native.softBindingAlgorithms().map(({ alg, kind }) => ({ alg, type: kind }));

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let place: Place;
  let list: string;
  let anchors: string;
  let store: StoreProcess;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    place = await databases.create();
    [list, anchors] = [path.join(place.dataDir, 'list.json'), path.join(place.dataDir, 'anchors.pem')];
    await writeFile(list, JSON.stringify(LISTED));
    await writeFile(anchors, '');
    store = await start();
  });
  afterAll(async () => {
    await store.stop();
    await databases.stop();
  });

  const start = () =>
    startStoreProcess(place, { MSTORE_ALGORITHM_LIST: list, MSTORE_TRUST_ANCHORS: anchors });
  const reload = () => process.kill(store.pid, 'SIGHUP');
  const found = async (alg: string, value: Buffer) => {
    const { status, body } = await store.query(alg, value.toString('base64'));
    return status === 200 ? (body.matches ?? []).map(({ manifestId }) => manifestId) : status;
  };

  async function signed(value: Buffer, alg: string): Promise<Buffer> {
    const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
    const asset = { title: 'A title', format: 'image/jpeg', assetHash: Buffer.alloc(32, 1) };
    return native.signManifest({
      chainPem,
      keyPem,
      algorithm: 'es256',
      ...asset,
      bindings: [{ alg, value }],
    });
  }

  async function column(name: 'unknown_algorithms' | 'summary', id: string): Promise<string | null> {
    const { db, close } = await openDatabase(place.url, place.dataDir);
    const row = await db
      .selectFrom('manifests')
      .select(name)
      .where('manifest_id', '=', id)
      .executeTakeFirstOrThrow();
    await close();
    return row[name];
  }

  it('finds values of an algorithm before the list has it, and knows its kind afterwards', async () => {
    const value = Buffer.from('a value');
    const response = await store.upload(await signed(value, ALG));
    const { manifestId } = (await response.json()) as { manifestId: string };
    expect(await found(ALG, value)).toEqual([manifestId]);
    expect(await found(ALG, Buffer.from('a valuf'))).toEqual([]);
    expect(await found('com.example.newer.1', value)).toBe(400);
    expect(await store.json('/v1/services/supportedAlgorithms')).toMatchObject({
      watermarks: [],
      fingerprints: [{ alg: ALG }, { alg: 'io.iscc.v0' }],
    });
    expect(await column('unknown_algorithms', manifestId)).toBe(JSON.stringify([ALG]));
    await writeFile(list, JSON.stringify([...LISTED, { alg: ALG, type: 'watermark' }]));
    reload();
    await expect.poll(() => column('unknown_algorithms', manifestId), SETTLE).toBe(null);
    expect(await found(ALG, value)).toEqual([manifestId]);
    expect(await store.json('/v1/services/supportedAlgorithms')).toMatchObject({
      watermarks: [{ alg: ALG }],
      fingerprints: [{ alg: 'io.iscc.v0' }],
    });
  });

  it('keeps the earlier list if the new one is invalid', async () => {
    const value = Buffer.from('a value');
    await writeFile(list, '[{"alg":"io.iscc.v0"}]');
    reload();
    await expect.poll(() => store.output(), SETTLE).toMatch(/can't be used; keeping the earlier ones/);
    expect(await found(ALG, value)).toHaveLength(1);
    await writeFile(list, JSON.stringify([...LISTED, { alg: ALG, type: 'watermark' }]));
  });

  it('ranks trusted signers first as soon as their anchors are known, and no longer after', async () => {
    const trusted = sidecar('ok-es256-iscc4');
    const [binding] = trusted.expect.indexed ?? [];
    const value = Buffer.from(binding?.value ?? '', 'base64');
    const other = await store.upload(await signed(value, 'io.iscc.v0'));
    const { manifestId: earlier } = (await other.json()) as { manifestId: string };
    expect((await store.upload(bytesOf(trusted))).status).toBe(200);
    const id = trusted.expect.manifestId ?? '';
    expect(await found('io.iscc.v0', value)).toEqual([earlier, id]);
    await copyFile(TRUST_ANCHORS, anchors);
    reload();
    await expect.poll(() => found('io.iscc.v0', value), SETTLE).toEqual([id, earlier]);
    await store.stop();
    await writeFile(anchors, '');
    store = await start();
    await expect.poll(() => found('io.iscc.v0', value), SETTLE).toEqual([earlier, id]);
  });

  it('keeps what the manifest says of its asset and signer', async () => {
    const summary = JSON.parse(
      (await column('summary', sidecar('ok-es256-iscc4').expect.manifestId ?? '')) ?? '',
    );
    expect(summary).toMatchObject({ actions: expect.any(Array), title: expect.any(String) });
    expect(summary.signer ?? summary.issuer).toBeTypeOf('string');
  });

  it('finds an update manifest by the binding of its parent', async () => {
    const update = sidecar('ok-update-manifest');
    expect((await store.upload(bytesOf(update))).status).toBe(200);
    const [binding] = update.expect.indexed ?? [];
    const value = Buffer.from(binding?.value ?? '', 'base64');
    expect(value.length).toBeGreaterThan(0);
    expect(await found(binding?.alg ?? '', value)).toContain(update.expect.manifestId);
  });
});

it('names the lists in /readyz once they are more than 90 days old', () => {
  const at = Date.parse('2026-01-01');
  const day = 86_400_000;
  const [signers, timeStampers] = trustListsOf({ trustAnchorsPem: '', trustUpdates: [] });
  const trustLists = [
    { ...signers, date: '2026-01-01' },
    { ...timeStampers, date: '2026-01-02' },
    { name: 'trust-anchors', kind: 'signers', pem: '' },
  ] as const;
  const lists = { algorithmsDate: '2026-01-01', trustLists } as Parameters<typeof ageDetails>[0];
  expect(ageDetails(lists, at + 90 * day)).toEqual({});
  expect(ageDetails(lists, at + 91 * day)).toEqual({
    algorithmList: '2026-01-01',
    trustLists: { 'C2PA-TRUST-LIST': '2026-01-01' },
  });
  expect(ageDetails({ algorithmsDate: undefined, trustLists: [] }, at)).toEqual({});
  expect(native.softBindingListDate()).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(native.softBindingListDate(JSON.stringify(LISTED))).toBeNull();
});

it('the bundled trust list vouches for signers whose certificates it has, and no others', async () => {
  const bundled = trustListsOf({ trustAnchorsPem: '', trustUpdates: [] });
  expect(bundled.map(({ name, kind }) => [name, kind])).toEqual([
    ['C2PA-TRUST-LIST', 'signers'],
    ['C2PA-TSA-TRUST-LIST', 'time-stampers'],
  ]);
  for (const { date } of bundled) expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
  const report = await new native.ManifestValidator(bundled).validate(bytesOf(sidecar('ok-es256-iscc4')));
  expect(report).toMatchObject({ outcome: 'accepted', trusted: false });
});

it('anchors of the operator replace the list of signers, and count next to the other lists', () => {
  const pem = 'PEM';
  const [trustAnchorsPem, date] = ['ANCHORS', '2026-11-29'];
  const updated = (['signers', 'identities'] as const).map((kind) => ({
    ...{ kind, name: kind, pem, date, source: 'file' },
  }));
  const named = (trustAnchors: string, trustUpdates: typeof updated) =>
    trustListsOf({ trustAnchorsPem: trustAnchors, trustUpdates }).map(({ name, kind }) => `${kind} ${name}`);
  expect(named('', updated)).toEqual([
    'time-stampers C2PA-TSA-TRUST-LIST',
    'signers signers',
    'identities identities',
  ]);
  const own = ['signers', 'identities', 'time-stampers'].map((kind) => `${kind} trust-anchors`);
  expect(named(trustAnchorsPem, [])).toEqual([...own, 'time-stampers C2PA-TSA-TRUST-LIST']);
  expect(named(trustAnchorsPem, updated)).toEqual([
    ...own,
    'time-stampers C2PA-TSA-TRUST-LIST',
    'identities identities',
  ]);
});

it('an update of the validator changes the rules', async () => {
  const lock = await readFile(path.resolve(import.meta.dirname, '../../Cargo.lock'), 'utf8');
  expect(/^name = "c2pa"\nversion = "(.+)"$/m.exec(lock)?.[1]).toBe(VALIDATOR_VERSION);
});
