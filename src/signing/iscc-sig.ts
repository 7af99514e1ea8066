/** ISCC-SIG v1.0: an Ed25519 signature over the canonical form of a JSON object that carries it. */
import { base58 } from '@scure/base';
import { canonicalize, type Json } from './jcs.js';
import type { SigningKey } from './key.js';

const VERSION = 'ISCC-SIG v1.0';

export interface IsccSignature {
  readonly version: typeof VERSION;
  /** did:web of who signed; left out if there is none. */
  readonly controller?: string;
  /** Multibase */
  readonly pubkey: string;
  /** Multibase of the 64 bytes */
  readonly proof: string;
}

export type Signed<T> = T & { readonly signature: IsccSignature };

type JsonObject = { readonly [key: string]: Json };

/** The object with its signature. What is signed is all of it, and of the signature all but `proof`. */
export function signJson<T extends JsonObject>(value: T, key: SigningKey, controller?: string): Signed<T> {
  const unproven = {
    version: VERSION,
    ...(controller === undefined ? {} : { controller }),
    pubkey: key.publicKey,
  } as const;
  const payload = canonicalize({ ...value, signature: unproven });
  const proof = `z${base58.encode(key.sign(Buffer.from(payload)))}`;
  return { ...value, signature: { ...unproven, proof } };
}
