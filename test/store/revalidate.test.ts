/** Trust in stored manifests is judged again: when a certificate expires, and by `isccd store revalidate`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { native } from '../../src/native.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { build } from '../faults/support/preload.js';
import { isccd } from '../support/command.js';
import { ENGINES, testDatabases } from '../support/databases.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type StoreProcess, startStoreProcess } from './support/process.js';
import { type Place, storeEnvironment } from './support/server.js';

const TEST_MS_MAX = 120_000;
/** The store looks for expired certificates every ten seconds. */
const SETTLE = { timeout: 60_000, interval: 200 };
/** The certificates of the fixtures expire with the year 2049. */
const SHIFT_SECONDS = 25 * 365 * 86_400;

const trusted = sidecar('ok-es256-iscc4');
const trustedId = trusted.expect.manifestId ?? '';
const [binding] = trusted.expect.indexed ?? [];
const value = Buffer.from(binding?.value ?? '', 'base64');

/** Uploads a manifest by an untrusted signer and then one by a trusted signer, with the same binding. */
async function uploadBoth(store: StoreProcess): Promise<string> {
  const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
  const asset = { title: 'A title', format: 'image/jpeg', assetHash: Buffer.alloc(32, 1) };
  const bindings = [{ alg: 'io.iscc.v0', value }];
  const bytes = await native.signManifest({ chainPem, keyPem, algorithm: 'es256', ...asset, bindings });
  const response = await store.upload(bytes);
  expect((await store.upload(bytesOf(trusted))).status).toBe(200);
  return ((await response.json()) as { manifestId: string }).manifestId;
}

async function ranking(store: StoreProcess): Promise<string[]> {
  const { body } = await store.query('io.iscc.v0', value.toString('base64'));
  return (body.matches ?? []).map(({ manifestId }) => manifestId);
}

async function isTrusted(store: StoreProcess): Promise<boolean> {
  const response = await store.get(trustedId, { Accept: 'application/json' });
  return ((await response.json()) as { trusted: boolean }).trusted;
}

describe.skipIf(process.platform !== 'linux')('a certificate that expires', () => {
  it('ends the trust in its manifests while the store runs', { timeout: TEST_MS_MAX }, async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'isccd-revalidate-'));
    const shift = path.join(dataDir, 'shift');
    const store = await startStoreProcess(
      { dataDir, url: undefined },
      // The processes that judge read the shift, too, which is a file outside of their sandbox.
      { LD_PRELOAD: build('shift-clock.c', dataDir), CLOCK_SHIFT: shift, ISCCD_SANDBOX: 'off' },
    );
    onTestFinished(async () => {
      await store.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const untrustedId = await uploadBoth(store);
    expect([await ranking(store), await isTrusted(store)]).toEqual([[trustedId, untrustedId], true]);
    await writeFile(shift, String(SHIFT_SECONDS));
    await expect.poll(() => ranking(store), SETTLE).toEqual([untrustedId, trustedId]);
    expect(await isTrusted(store)).toBe(false);
    const after = { trusted: false, code: 'signingCredential.expired' };
    expect(await rejudged({ dataDir, url: undefined })).toEqual([
      { subject: trustedId, actorKind: 'store', before: { trusted: true }, after },
    ]);
  });
});

describe.each(ENGINES)('isccd store revalidate on %s', (engine) => {
  it(
    'validates all manifests of a running store, and shows the progress',
    async () => {
      const databases = await testDatabases(engine);
      onTestFinished(() => databases.stop());
      const place = await databases.create();
      const store = await startStoreProcess(place);
      onTestFinished(() => store.stop());
      const untrustedId = await uploadBoth(store);
      await forgetTrust(place);
      const env = storeEnvironment(place);
      // Two names of one command.
      const command = engine === 'sqlite' ? ['store', 'verify', '--rejudge'] : ['store', 'revalidate'];
      const { code, stdout, stderr } = await isccd([...command, '--json'], { env });
      expect([code, JSON.parse(stdout)]).toEqual([0, { manifests: 2, trusted: 1, changed: 1, isDone: true }]);
      expect(stderr).toContain('2 of 2 manifests validated');
      expect(await ranking(store)).toEqual([trustedId, untrustedId]);
      expect(await rejudged(place)).toEqual([
        { subject: trustedId, actorKind: 'store', before: { trusted: false }, after: { trusted: true } },
      ]);
      const checked = await isccd(['store', 'verify', '--json'], { env });
      expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([
        0,
        { counts: { store: { manifests: 2 } }, problems: [] },
      ]);
    },
    TEST_MS_MAX,
  );
});

/** Entries of the audit log about changed verdicts. */
async function rejudged(place: Place): Promise<object[]> {
  const { stdout } = await isccd(['store', 'audit', '--action', 'manifest-rejudged', '--json'], {
    env: storeEnvironment(place),
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { subject, actorKind, before, after } = JSON.parse(line) as Record<string, unknown>;
    return { subject, actorKind, before, after };
  });
}

/** As if the trust anchor had not been known. */
async function forgetTrust({ url, dataDir }: Place): Promise<void> {
  const { db, close } = await openDatabase(url, dataDir);
  await db.updateTable('manifests').set({ trusted: 0 }).execute();
  await close();
}
