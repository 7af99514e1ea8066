/** Receipts: issued by the store, verified offline by the command. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { didDocument, didOf } from '../../src/platform/signing/did-web.js';
import { isSignedBy, signJson } from '../../src/platform/signing/iscc-sig.js';
import { canonicalize } from '../../src/platform/signing/jcs.js';
import { generateSecretKey, SigningKey, verifySignature } from '../../src/platform/signing/key.js';
import type { Receipt } from '../../src/services/store/receipts.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { MAIN } from '../support/serve.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { STORE_URL, type StoreClient, startStore } from './support/server.js';

const SECRET = generateSecretKey();
const KEY = SigningKey.parse(SECRET).publicKey;
const DID = didDocument(didOf(STORE_URL), KEY);
const item = sidecar('ok-es256-iscc4');
const id = item.expect.manifestId ?? '';

let databases: TestDatabases;
let store: StoreClient;
let folder: string;
let receipt: Receipt;
const receiptOf = (manifestId: string) =>
  fetch(`${store.url}/v1/manifests/${encodeURIComponent(manifestId)}/receipt`);

beforeAll(async () => {
  databases = await testDatabases('sqlite');
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-receipts-'));
  store = await startStore(await databases.create(), { MSTORE_SECKEY: SECRET });
  const uploaded = await store.upload(bytesOf(item), '?returnReceipt=true');
  ({ receipt } = (await uploaded.json()) as { receipt: Receipt });
});
afterAll(async () => {
  await store.stop();
  await databases.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a receipt', () => {
  it('names what was stored when, signed by the key of the store', () => {
    expect(receipt).toMatchObject({
      type: 'IsccdStoreReceipt',
      manifestId: id,
      manifestUrl: `${STORE_URL}/v1/manifests/${encodeURIComponent(id)}`,
      sha256: createHash('sha256').update(bytesOf(item)).digest('hex'),
      size: bytesOf(item).length,
      signature: { controller: 'did:web:store.example', pubkey: KEY },
    });
    expect(isSignedBy(receipt, KEY)).toBe(true);
  });

  it('is the same each time, and only returned on request', async () => {
    expect(await (await receiptOf(id)).json()).toEqual(receipt);
    const again = await store.upload(bytesOf(item), '?returnReceipt=1');
    expect(await again.json()).toMatchObject({ receipt });
    for (const query of ['', '?returnReceipt=false', '?returnReceipt=x']) {
      expect(await (await store.upload(bytesOf(item), query)).json()).not.toHaveProperty('receipt');
    }
  });

  it('does not exist for unknown manifests, nor without a key', async () => {
    expect((await receiptOf('unknown')).status).toBe(404);
    const keyless = await startStore(await databases.create());
    const uploaded = await keyless.upload(bytesOf(item), '?returnReceipt=true');
    expect([uploaded.status, await uploaded.json()]).toEqual([
      200,
      expect.not.objectContaining({ receipt: {} }),
    ]);
    const response = await fetch(`${keyless.url}/v1/manifests/${encodeURIComponent(id)}/receipt`);
    expect([response.status, await response.json()]).toEqual([
      404,
      { detail: 'The store issues no receipts: it has no key (MSTORE_SECKEY)' },
    ]);
    await keyless.stop();
  });
});

describe('the form of the C2PA', () => {
  const place = (manifestId: string, at = store) =>
    `${at.url}/v1/manifests/${encodeURIComponent(manifestId)}/receipts`;
  const verified = async (body: unknown, manifestId = id) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(place(manifestId), { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('has the members of the definition', async () => {
    const response = await fetch(place(id));
    expect([response.status, await response.json()]).toEqual([200, { ...receipt, verified: true }]);
    const { publicKey, value, alg } = receipt.anchor.proof;
    expect(receipt).toMatchObject({
      '@context': { receipt: 'https://c2pa.org/ns/manifest-receipt#' },
      '@type': 'org.c2pa.manifest-receipt',
      repository: { uri: STORE_URL, manifestId: id },
      anchor: { uri: `${STORE_URL}/v1/manifests/${encodeURIComponent(id)}/receipts` },
    });
    const { type, manifestId, manifestUrl, sha256, size, storedAt } = receipt;
    const statement = canonicalize({ type, manifestId, manifestUrl, sha256, size, storedAt });
    const signature = Buffer.from(value, 'base64url');
    expect([alg, verifySignature(signature, Buffer.from(statement), publicKey)]).toEqual(['Ed25519', true]);
  });

  it('a receipt of the store is verified, also one of an earlier version', async () => {
    expect(await verified(receipt)).toEqual({ status: 200, body: { ...receipt, verified: true } });
    // A client sends what it got.
    expect((await verified({ ...receipt, verified: true })).body.verified).toBe(true);
    const { type, manifestId, manifestUrl, sha256, size, storedAt } = receipt;
    const content = { type, manifestId, manifestUrl, sha256, size, storedAt };
    const earlier = signJson(content, SigningKey.parse(SECRET), 'did:web:store.example');
    expect((await verified(earlier)).body).toEqual({ ...earlier, verified: true });
  });

  it('others are not, and the response says why', async () => {
    const other = new SigningKey(Buffer.alloc(32, 3));
    const { signature: _, ...content } = receipt;
    const key = SigningKey.parse(SECRET);
    const cases: readonly (readonly [object, string])[] = [
      [{ ...receipt, size: receipt.size + 1 }, 'the signature is not valid, or not by the key of this store'],
      [{ ...receipt, manifestId: 'other' }, 'the receipt is of another manifest'],
      [{ ...receipt, repository: null }, 'the receipt is of another manifest'],
      [signJson(content, other), 'the signature is not valid, or not by the key of this store'],
      [
        signJson({ ...content, sha256: '0'.repeat(64) }, key),
        'the store has other bytes than the receipt names',
      ],
    ];
    for (const [given, error] of cases) {
      expect(await verified(given)).toEqual({ status: 200, body: { ...given, verified: false, error } });
    }
  });

  it.each([['x'], [[]], [{}], [{ '@type': 'another' }], [{ type: 'another' }]])(
    'refuses what is not a receipt: %j',
    async (body) => {
      const refused = await verified(body);
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        expect.stringContaining('the body must be a receipt'),
      ]);
    },
  );

  it('does not exist for unknown and deleted manifests, nor without a key', async () => {
    expect((await verified(receipt, 'unknown')).status).toBe(404);
    const keyless = await startStore(await databases.create());
    await keyless.upload(bytesOf(item));
    expect((await fetch(place(id, keyless))).status).toBe(404);
    await keyless.stop();
    const gone = await startStore(await databases.create(), { MSTORE_SECKEY: SECRET });
    await gone.upload(bytesOf(item));
    await gone.remove(id);
    expect((await fetch(place(id, gone))).status).toBe(410);
    await gone.stop();
  });
});

describe('isccd store verify-receipt', () => {
  const file = async (name: string, content: string | Uint8Array) => {
    await writeFile(path.join(folder, name), content);
    return name;
  };
  const verify = async (content: unknown, ...args: string[]) => {
    const name = await file('receipt.json', JSON.stringify(content));
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
      execFile(
        process.execPath,
        [MAIN, 'store', 'verify-receipt', name, ...args],
        { cwd: folder },
        (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      ),
    );
  };

  it('accepts a receipt with the key or the DID document, and names what it verified', async () => {
    const byKey = await verify(receipt, '--key', KEY);
    expect([byKey.code, byKey.stdout]).toEqual([0, expect.stringContaining('signature  valid, by did:web:')]);
    expect(byKey.stdout).toContain('not compared, see --manifest');
    // As `GET …/receipts` has it.
    expect((await verify({ ...receipt, verified: true }, '--key', KEY)).code).toBe(0);
    const did = await file('did.json', JSON.stringify(DID));
    const manifest = await file('manifest.c2pa', bytesOf(item));
    const byDid = await verify({ manifestId: id, receipt }, '--did', did, '--manifest', manifest, '--json');
    expect([byDid.code, JSON.parse(byDid.stdout)]).toEqual([
      0,
      {
        manifestId: id,
        sha256: receipt.sha256,
        size: receipt.size,
        storedAt: receipt.storedAt,
        signedBy: 'did:web:store.example',
        key: KEY,
        isManifestCompared: true,
        log: { leafIndex: 0, treeSize: 1 },
      },
    ]);
  });

  it('refuses changed receipts, other keys and other bytes', async () => {
    const other = SigningKey.parse(generateSecretKey()).publicKey;
    const did = await file('other.json', JSON.stringify(didDocument('did:web:other.example', KEY)));
    const manifest = await file('other.c2pa', bytesOf(sidecar('ok-ed25519')));
    const { proof } = receipt.signature;
    const reversed = `z${[...proof.slice(1)].reverse().join('')}`;
    for (const [content, args, message] of [
      [{ ...receipt, storedAt: '2020-01-01T00:00:00.000Z' }, ['--key', KEY], 'the receipt was changed'],
      [{ ...receipt, added: 1 }, ['--key', KEY], 'the receipt was changed'],
      [{ ...receipt, signature: { ...receipt.signature, proof: reversed } }, ['--key', KEY], 'was changed'],
      [{ ...receipt, signature: { ...receipt.signature, proof: 1 } }, ['--key', KEY], 'was changed'],
      [receipt, ['--key', other], 'which is not the given key'],
      [receipt, ['--did', did], 'which is not the given key'],
      [receipt, ['--key', KEY, '--manifest', manifest], 'is not what the receipt names'],
      [receipt, ['--key', 'z1'], '--key must be an Ed25519 public key'],
      [receipt, [], 'with either --key or --did'],
      [{ a: 1 }, ['--key', KEY], 'is not a receipt'],
    ] as const) {
      const { code, stdout, stderr } = await verify(content, ...args);
      expect([message, code, stdout, stderr]).toEqual([message, 1, '', expect.stringContaining(message)]);
    }
  });
});
