/** ISCC-SIG v1.0: an Ed25519 signature over the canonical form of the JSON object that contains it. */
import { base58 } from '@scure/base';
import { canonicalize, type Json } from './jcs.js';
import { type SigningKey, verifySignature } from './key.js';

const VERSION = 'ISCC-SIG v1.0';

export interface IsccSignature {
  readonly version: typeof VERSION;
  /** did:web of the signer; absent if the signer has none. */
  readonly controller?: string;
  /** Multibase */
  readonly pubkey: string;
  /** Multibase of the 64 signature bytes */
  readonly proof: string;
}

export type Signed<T> = T & { readonly signature: IsccSignature };

type JsonObject = { readonly [key: string]: Json };

/** Adds a signature to an object. It covers the whole object, including all members of the signature except `proof`. */
export function signJson<T extends JsonObject>(value: T, key: SigningKey, controller?: string): Signed<T> {
  const signed = {
    version: VERSION,
    ...(controller === undefined ? {} : { controller }),
    pubkey: key.publicKey,
  } as const;
  const payload = canonicalize({ ...value, signature: signed });
  const proof = `z${base58.encode(key.sign(Buffer.from(payload)))}`;
  return { ...value, signature: { ...signed, proof } };
}

/** Whether the signature of an object is valid under the key that it names. Says nothing about whose key that is. */
export function isSignedBy(value: unknown, publicKey: string): boolean {
  if (!isObject(value) || !isObject(value.signature)) return false;
  const { proof, ...signed } = value.signature;
  if (signed.version !== VERSION || signed.pubkey !== publicKey || typeof proof !== 'string') return false;
  if (!proof.startsWith('z')) return false;
  try {
    const payload = canonicalize({ ...value, signature: signed });
    return verifySignature(base58.decode(proof.slice(1)), Buffer.from(payload), publicKey);
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
