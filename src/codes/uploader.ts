/**
 * Who uploaded a file, without knowing who it was: a keyed hash of the client's address. The key
 * stays in the data folder, so that the hashes tell nothing to whoever has only the records.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import path from 'node:path';

const KEY_FILE = 'uploader.key';
const KEY_BYTES = 32;
const HASH_CHARACTERS = 32;
const IPV6_GROUPS = 8;
/** A home or a machine has a whole /64 and changes its address within it. */
const IPV6_PREFIX_GROUPS = 4;
const IPV4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

export class Uploaders {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Reads the key of the data folder, or makes it. */
  static async open(folder: string): Promise<Uploaders> {
    const file = path.join(folder, KEY_FILE);
    const existing = await readFile(file).catch(() => undefined);
    if (existing?.byteLength === KEY_BYTES) return new Uploaders(existing);
    const key = randomBytes(KEY_BYTES);
    const handle = await open(file, 'w', 0o600);
    try {
      await handle.writeFile(key);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return new Uploaders(key);
  }

  /** 128 bits in hex; equal for addresses that belong to one client. */
  hash(address: string): string {
    const digest = createHmac('sha256', this.#key).update(network(address)).digest('hex');
    return digest.slice(0, HASH_CHARACTERS);
  }
}

/** The part of an address that identifies a client: all of IPv4, the /64 of IPv6. */
export function network(address: string): string {
  const withoutZone = address.split('%', 1)[0] ?? '';
  const mapped = IPV4_MAPPED.exec(withoutZone)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(withoutZone)) return address;
  const groups = expand(withoutZone).slice(0, IPV6_PREFIX_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function expand(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  // An IPv4 ending counts as two groups; it lies outside the prefix, so its value does not matter.
  const width = after.length + (tail.includes('.') ? 1 : 0);
  return [...before, ...Array<string>(Math.max(0, IPV6_GROUPS - before.length - width)).fill('0'), ...after];
}
