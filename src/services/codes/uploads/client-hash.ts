/**
 * Identifies an uploader without storing the address: a keyed hash of the client's network. Without the key, which is
 * in the data folder or the bucket, the hashes cannot be reversed.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { clientNetwork } from '../../../platform/limits/throttle.js';
import { syncPath } from '../../../storage/data/durable.js';
import type { S3Bucket } from '../../../storage/s3/bucket.js';

const KEY_FILE = 'uploader.key';
const KEY_BYTES = 32;
const HASH_CHARACTERS = 32;

export class ClientHasher {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Reads the key from the data folder, or creates it. */
  static async open(folder: string): Promise<ClientHasher> {
    const file = path.join(folder, KEY_FILE);
    const existing = await readFile(file).catch(() => undefined);
    if (existing?.byteLength === KEY_BYTES) return new ClientHasher(existing);
    const key = randomBytes(KEY_BYTES);
    const handle = await open(file, 'w', 0o600);
    try {
      await handle.writeFile(key);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // With another key, clients could no longer read their uploads.
    await syncPath(folder);
    return new ClientHasher(key);
  }

  /** Reads the key from a bucket, or creates it: all processes get the same one. */
  static async shared(bucket: S3Bucket): Promise<ClientHasher> {
    const stored = async () => Buffer.from((await bucket.read(KEY_FILE)) ?? '', 'hex');
    let key = await stored();
    if (key.byteLength !== KEY_BYTES) {
      await bucket.put(KEY_FILE, randomBytes(KEY_BYTES).toString('hex'), { onlyNew: true });
      key = await stored();
    }
    if (key.byteLength !== KEY_BYTES) throw new Error(`${KEY_FILE} in the bucket is not a key of isccd`);
    return new ClientHasher(key);
  }

  /** 128 bits in hex; equal for all addresses of one client. */
  hash(address: string): string {
    const digest = createHmac('sha256', this.#key).update(hashInput(address)).digest('hex');
    return digest.slice(0, HASH_CHARACTERS);
  }
}

/** IPv6 networks as `2001:db8:0:0::/64`. Stored records contain hashes of this form, so it must not change. */
export function hashInput(address: string): string {
  const network = clientNetwork(address);
  if (typeof network === 'string') return network;
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}
