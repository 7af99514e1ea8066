/** Manifest Stores that would overflow the stack of a decoder, by anybody, with the settings of a new installation. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { nestedCbor, withCbor } from '../support/jumbf.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type StoreClient, startStore } from './support/server.js';

const good = bytesOf(sidecar('ok-es256-iscc4'));

describe('CBOR that is nested too deeply', () => {
  let store: StoreClient;
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'isccd-hostile-'));
  beforeAll(async () => {
    store = await startStore({ dataDir, url: undefined });
  });
  afterAll(async () => {
    await store.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it.each([
    ['c2cl', 'claim.malformed'],
    ['c2cs', 'claimSignature.mismatch'],
    ['cbor', 'assertion.cbor.invalid'],
  ])('is refused in a superbox of type %s, and the store goes on', async (superbox, code) => {
    for (const cbor of [nestedCbor('tag', 14_000), nestedCbor('tag', 17), nestedCbor('array', 65)]) {
      const bytes = withCbor(good, superbox, cbor);
      const response = await store.upload(bytes);
      expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code })]);
      const validator = new native.ManifestValidator([]);
      expect(await validator.validate(bytes)).toMatchObject({ outcome: 'refused', code });
      expect(await validator.details(bytes)).toBeNull();
      expect(await native.describeManifest(bytes)).toBeNull();
    }
    expect((await store.upload(good)).status).toBe(200);
  });

  it('is left to the decoder up to the limits, which finds other faults', async () => {
    const validator = new native.ManifestValidator([]);
    for (const [cbor, rule] of [
      [nestedCbor('tag', 16), /more than 16 tags/],
      [nestedCbor('array', 64), /nested more than 64 deep/],
    ] as const) {
      const report = await validator.validate(withCbor(good, 'cbor', cbor));
      expect(report).toEqual({
        outcome: 'refused',
        code: expect.any(String),
        text: expect.not.stringMatching(rule),
      });
      const more = Buffer.concat([cbor.subarray(0, 1), cbor]);
      const refused = await validator.validate(withCbor(good, 'cbor', more));
      expect(refused).toMatchObject({ outcome: 'refused', text: expect.stringMatching(rule) });
    }
  });
});
