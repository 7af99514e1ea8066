/** Revoked signers: OCSP responses that manifests contain, and those of responders. */
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../src/storage/database/open.js';
import { openSqliteCopy } from '../../src/storage/database/sqlite.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { ocspSigner, type Responder, type Signer, startResponder } from './support/ocsp.js';
import { type StoreClient, startStore } from './support/server.js';

const REVOKED = 'signingCredential.ocsp.revoked';

let store: StoreClient;
const newId = () => `urn:c2pa:${randomUUID()}`;

async function start(environment: Record<string, string>, allowed?: ReadonlySet<string>): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'isccd-revocation-'));
  store = await startStore({ dataDir, url: undefined }, environment, 'auto', { allowed });
}

/** Status and code of an upload; whether the signer is trusted if it was stored. */
async function upload(bytes: Buffer, id: string) {
  const response = await store.upload(bytes);
  if (response.status !== 200) return [response.status, ((await response.json()) as { code: string }).code];
  const summary = (await (await store.get(id, { Accept: 'application/json' })).json()) as {
    trusted: boolean;
  };
  return [200, summary.trusted];
}

describe('an OCSP response in a manifest', () => {
  let signer: Signer;
  beforeAll(async () => {
    signer = await ocspSigner();
  }, INSTALL_MAX_MS);
  afterEach(() => store.stop());

  it('does not affect a manifest whose signer is good', async () => {
    await start({ MSTORE_TRUST_ANCHORS: signer.anchors });
    for (const stapled of ['good', undefined] as const) {
      const id = newId();
      expect(await upload(await signer.sign(id, stapled), id)).toEqual([200, true]);
    }
  });

  it('refuses a manifest whose signer is revoked', async () => {
    await start({ MSTORE_TRUST_ANCHORS: signer.anchors });
    const id = newId();
    expect(await upload(await signer.sign(id, 'revoked'), id)).toEqual([400, REVOKED]);
    expect((await store.get(id)).status).toBe(404);
  });

  it('does not count if no trust anchor vouches for the responder', async () => {
    await start({});
    const id = newId();
    expect(await upload(await signer.sign(id, 'revoked'), id)).toEqual([200, false]);
  });
});

describe('an OCSP responder', () => {
  let responder: Responder;
  let signer: Signer;
  const allowed = new Set(['127.0.0.1']);
  beforeAll(async () => {
    responder = await startResponder();
    signer = await ocspSigner(responder.url);
  }, INSTALL_MAX_MS);
  afterEach(async () => {
    await store.stop();
    responder.requests = 0;
    responder.der = undefined;
  });
  afterAll(() => responder.close());
  const fetching = () => ({ MSTORE_TRUST_ANCHORS: signer.anchors, MSTORE_OCSP_FETCH: '1' });
  const signed = async () => {
    const id = newId();
    return [await signer.sign(id), id] as const;
  };

  it('is not asked by default', async () => {
    await start({ MSTORE_TRUST_ANCHORS: signer.anchors }, allowed);
    responder.der = await signer.response('revoked');
    expect(await upload(...(await signed()))).toEqual([200, true]);
    expect(responder.requests).toBe(0);
  });

  it('refuses revoked signers with MSTORE_OCSP_FETCH, asked once for all manifests of a signer', async () => {
    await start(fetching(), allowed);
    responder.der = await signer.response('revoked');
    expect(await upload(...(await signed()))).toEqual([400, REVOKED]);
    expect(await upload(...(await signed()))).toEqual([400, REVOKED]);
    expect(responder.requests).toBe(1);
  });

  it('is asked again when its response gets too old', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'isccd-revocation-'));
    const startAgain = () => startStore({ dataDir, url: undefined }, fetching(), 'auto', { allowed });
    store = await startAgain();
    responder.der = await signer.response('good');
    const ids = [newId(), newId()] as const;
    expect(await upload(await signer.sign(ids[0]), ids[0])).toEqual([200, true]);
    expect(await upload(await signer.sign(ids[1], 'good'), ids[1])).toEqual([200, true]);
    await store.stop();
    const file = path.join(dataDir, DATABASE_FILE);
    const db = openSqliteCopy(file);
    const rows = await db.selectFrom('manifests').select('certificate_expires').execute();
    // The responses are valid for a day, the certificate for 30 days.
    const [HOUR, now] = [3_600_000, Date.now()];
    for (const { certificate_expires: until } of rows) {
      expect(until).toBeGreaterThan(now + 23 * HOUR);
      expect(until).toBeLessThan(now + 25 * HOUR);
    }
    expect(rows).toHaveLength(2);
    await db
      .updateTable('manifests')
      .set({ certificate_expires: now - 1 })
      .execute();
    await db.destroy();
    responder.der = await signer.response('revoked');
    store = await startAgain();
    const trusted = async (id: string) => {
      const response = await store.get(id, { Accept: 'application/json' });
      return ((await response.json()) as { trusted: boolean }).trusted;
    };
    await expect.poll(() => trusted(ids[0])).toBe(false);
  });

  it('does not affect good signers', async () => {
    await start(fetching(), allowed);
    responder.der = await signer.response('good');
    expect(await upload(...(await signed()))).toEqual([200, true]);
    expect(responder.requests).toBe(1);
  });

  it('does not count if it fails or the authority has not certified it', async () => {
    await start(fetching(), allowed);
    for (const der of [undefined, Buffer.from('no response'), await signer.response('revoked', 'foreign')]) {
      await store.stop();
      await start(fetching(), allowed);
      responder.der = der;
      expect(await upload(...(await signed()))).toEqual([200, true]);
    }
    expect(responder.requests).toBe(3);
  });

  it('is not asked about untrusted signers', async () => {
    await start({ MSTORE_OCSP_FETCH: '1' }, allowed);
    responder.der = await signer.response('revoked');
    expect(await upload(...(await signed()))).toEqual([200, false]);
    expect(responder.requests).toBe(0);
  });

  it('is not asked at an address that is not public', async () => {
    await start(fetching());
    responder.der = await signer.response('revoked');
    expect(await upload(...(await signed()))).toEqual([200, true]);
    expect(responder.requests).toBe(0);
  });
});
