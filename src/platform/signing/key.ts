/** Ed25519 keys in the multibase form of DID documents: `z` plus base58btc of a multicodec prefix and 32 bytes. */
import { createHash, randomBytes } from 'node:crypto';
import { getPublicKey, hashes, sign, verify } from '@noble/ed25519';
import { base58 } from '@scure/base';

// The library leaves the hash of its synchronous functions to the caller.
hashes.sha512 = (bytes) => new Uint8Array(createHash('sha512').update(bytes).digest());

const KEY_BYTES = 32;
const SECRET_PREFIX = Buffer.from('8026', 'hex');
const PUBLIC_PREFIX = Buffer.from('ed01', 'hex');

/** The text is not a secret key. The message continues `MSTORE_SECKEY ...` and never contains the key. */
export class KeyInvalid extends Error {
  override readonly name = 'KeyInvalid';
}

/** A signing key. The secret is a private field, so logging the key does not reveal it. */
export class SigningKey {
  /** Multibase, `z6Mk...`. */
  readonly publicKey: string;
  readonly #seed: Uint8Array;

  /** @param seed the secret, 32 bytes */
  constructor(seed: Uint8Array) {
    this.#seed = Uint8Array.from(seed);
    this.publicKey = multibase(PUBLIC_PREFIX, getPublicKey(this.#seed));
  }

  /**
   * Parses a multibase secret key, `z3u2...`.
   *
   * @throws {KeyInvalid}
   */
  static parse(text: string): SigningKey {
    return new SigningKey(parseSecretKey(text));
  }

  /** @returns a signature of 64 bytes */
  sign(bytes: Uint8Array): Buffer {
    return Buffer.from(sign(bytes, this.#seed));
  }
}

/** Generates a secret key in multibase form. */
export function generateSecretKey(): string {
  return multibase(SECRET_PREFIX, randomBytes(KEY_BYTES));
}

/**
 * Whether an Ed25519 signature is valid.
 *
 * @param publicKey multibase, `z6Mk...`
 * @throws {KeyInvalid} if it is not such a key
 */
export function verifySignature(signature: Uint8Array, bytes: Uint8Array, publicKey: string): boolean {
  return verify(signature, bytes, parsePublicKey(publicKey));
}

/** Decodes a public key in multibase form to 32 bytes. @throws {KeyInvalid} */
export function parsePublicKey(text: string): Buffer {
  const bytes = text.startsWith('z') ? decodeBase58(text.slice(1)) : Buffer.of();
  const key = bytes.subarray(PUBLIC_PREFIX.length);
  if (bytes.subarray(0, PUBLIC_PREFIX.length).equals(PUBLIC_PREFIX) && key.length === KEY_BYTES) return key;
  throw new KeyInvalid('must be an Ed25519 public key in multibase form (multicodec ed01), such as z6Mk...');
}

function multibase(prefix: Uint8Array, key: Uint8Array): string {
  return `z${base58.encode(Buffer.concat([prefix, key]))}`;
}

/**
 * Decodes a secret key in multibase form to 32 bytes.
 *
 * @throws {KeyInvalid}
 */
export function parseSecretKey(text: string): Buffer {
  if (!text.startsWith('z')) throw new KeyInvalid('must begin with z: a multibase key in base58btc');
  const bytes = decodeBase58(text.slice(1));
  if (!bytes.subarray(0, SECRET_PREFIX.length).equals(SECRET_PREFIX))
    throw new KeyInvalid('must be an Ed25519 secret key (multicodec 8026), such as z3u2...');
  const seed = bytes.subarray(SECRET_PREFIX.length);
  if (seed.length !== KEY_BYTES) throw new KeyInvalid(`must hold ${KEY_BYTES} bytes, not ${seed.length}`);
  return seed;
}

function decodeBase58(text: string): Buffer {
  try {
    return Buffer.from(base58.decode(text));
  } catch {
    throw new KeyInvalid('must be base58btc after the z');
  }
}
