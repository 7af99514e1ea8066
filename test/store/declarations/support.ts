/** A sidecar to declare, its gateway, and the environment of a declaring store. */
import { SigningKey } from '../../../src/platform/signing/key.js';
import { declarableContent } from '../../../src/services/store/declarations/declared-content.js';
import type { HubModel } from '../../support/hub.js';
import { indexedBinding, sidecar } from '../support/fixtures.js';
import { STORE_URL } from '../support/server.js';

export const DECLARED = 'ok-es256-iscc4';
export const MANIFEST_ID = sidecar(DECLARED).expect.manifestId ?? '';
export const GATEWAY = `${STORE_URL}/v1/manifests/${encodeURIComponent(MANIFEST_ID)}`;
export const OTHER_ACTOR = new SigningKey(Buffer.alloc(32, 1)).publicKey;

/** Test key from the vectors. */
const SECRET_KEY = 'z3u2Zresd8AcoZBwnS614fRpoJNnoJFYVpM2J1KU95rwjMtE';

/** Only for a hub that hangs: on a busy machine a working hub may take longer. */
export const IMPATIENT = { MSTORE_HUB_TIMEOUT: '1' };

/** A long time-out, and the shortest pause between rounds. */
export function hubEnvironment(hubUrl: string): Record<string, string> {
  return {
    MSTORE_SECKEY: SECRET_KEY,
    MSTORE_HUB_URL: hubUrl,
    MSTORE_HUB_TIMEOUT: '30',
    MSTORE_RETRY_SECONDS: '1',
  };
}

/** Adds an earlier declaration of the same asset by another signer. */
export function seedForeign(hub: HubModel): void {
  const bindings = (sidecar(DECLARED).expect.indexed ?? []).map(({ alg, value }) =>
    indexedBinding(alg, Buffer.from(value, 'base64')),
  );
  const content = declarableContent(bindings);
  if (content === undefined) throw new Error(`${DECLARED} has nothing to declare`);
  hub.log.push({
    isccId: 'ISCC:MAIWMDAMBQSYSEAB',
    note: {},
    gateway: 'https://elsewhere.example/x',
    datahash: content.datahash,
    pubkey: OTHER_ACTOR,
    at: 0,
    deleted: false,
  });
}
