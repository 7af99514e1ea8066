/** Receipts: issued by the store, verified offline by the command. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { didDocument, didOf } from '../../src/platform/signing/did-web.js';
import { isSignedBy } from '../../src/platform/signing/iscc-sig.js';
import { generateSecretKey, SigningKey } from '../../src/platform/signing/key.js';
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
