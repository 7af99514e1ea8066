/** A file on a disk that can lose its power. */
import type { Random } from '../../support/torture.js';

/** A disk writes a sector whole or not at all. */
const SECTOR_BYTES = 512;

export type Contents = Uint8Array;

/** A write, or a truncation to a length. */
type Change = { readonly offset: number; readonly bytes: Uint8Array } | { readonly length: number };

export class SimulatedFile {
  readonly #durable = new Sparse();
  readonly #current = new Sparse();
  /** Changes since the last sync. */
  #pending: Change[] = [];

  get contents(): Contents {
    return this.#current.bytes;
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#current.write(offset, bytes);
    this.#pending.push({ offset, bytes });
  }

  truncate(length: number): void {
    this.#current.resize(length);
    this.#pending.push({ length });
  }

  /** `durable`: the last change has reached the disk; `sync`: all have. */
  sync(kind: 'durable' | 'sync'): void {
    const durable = kind === 'sync' ? this.#pending : this.#pending.slice(-1);
    for (const change of durable) apply(this.#durable, change);
    this.#pending = kind === 'sync' ? [] : this.#pending.slice(0, -1);
  }

  /** The bytes after a power loss. `random` decides which sectors survive of what was not synced, and the length. */
  afterLoss(random: Random): Contents {
    if (this.#pending.length === 0) return this.#durable.bytes;
    const file = this.#durable.copy();
    const share = random.below(256) / 256;
    const keepsLength = random.chance(0.5);
    for (const change of this.#pending.flatMap(sectorsOf)) {
      if (random.chance(share)) apply(file, change);
      else if (!keepsLength && 'offset' in change) file.extend(change.offset + change.bytes.length);
    }
    return file.bytes;
  }
}

function apply(file: Sparse, change: Change): void {
  if ('offset' in change) file.write(change.offset, change.bytes);
  else file.resize(change.length);
}

function sectorsOf(change: Change): Change[] {
  if (!('offset' in change)) return [change];
  const { offset, bytes } = change;
  const sectors = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR_BYTES - ((offset + at) % SECTOR_BYTES));
    sectors.push({ offset: offset + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return sectors;
}

/** Bytes in memory. What was never written is zero. */
class Sparse {
  #bytes = Buffer.alloc(0);
  #length = 0;

  copy(): Sparse {
    const copy = new Sparse();
    copy.write(0, this.bytes);
    return copy;
  }

  write(offset: number, bytes: Uint8Array): void {
    this.extend(offset + bytes.length);
    this.#bytes.set(bytes, offset);
  }

  extend(length: number): void {
    this.#length = Math.max(this.#length, length);
    if (length <= this.#bytes.length) return;
    const larger = Buffer.alloc(length * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }

  resize(length: number): void {
    this.extend(length);
    this.#bytes.fill(0, length, this.#length);
    this.#length = length;
  }

  get bytes(): Contents {
    return this.#bytes.subarray(0, this.#length);
  }
}
