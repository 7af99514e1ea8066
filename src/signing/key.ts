/** Ed25519 keys in the multibase form of DID documents: `z` plus base58btc of a multicodec prefix and 32 bytes. */
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { base58 } from '@scure/base';

const KEY_BYTES = 32;
const SECRET_PREFIX = Buffer.from('8026', 'hex');
const PUBLIC_PREFIX = Buffer.from('ed01', 'hex');
/** The bytes before the seed in a PKCS #8 file, the only form that node:crypto imports. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The text is not a secret key. The message continues `MSTORE_SECKEY ...` and never contains the key. */
export class KeyInvalid extends Error {
  override readonly name = 'KeyInvalid';
}

/** A signing key. The secret is a private field, so logging the key does not reveal it. */
export class SigningKey {
  /** Multibase, `z6Mk...`. */
  readonly publicKey: string;
  readonly #secret: KeyObject;

  /** @param seed the secret, 32 bytes */
  constructor(seed: Uint8Array) {
    this.#secret = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(this.#secret).export({ format: 'jwk' });
    this.publicKey = multibase(PUBLIC_PREFIX, Buffer.from(x, 'base64url'));
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
    return sign(null, bytes, this.#secret);
  }
}

/** Generates a secret key in multibase form. */
export function generateSecretKey(): string {
  return multibase(SECRET_PREFIX, randomBytes(KEY_BYTES));
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
