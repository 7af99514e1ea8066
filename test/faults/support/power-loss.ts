/** Power losses, simulated: what was synced survives, and any part of what was written since. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from './preload.js';

const HEADER_BYTES = 24;
/** A disk writes a sector whole or not at all. */
const SECTOR_BYTES = 512;
const KINDS = ['', 'write', 'durable', 'sync'] as const;

/** A call of the recorded process, see `record-writes.c`. */
export interface WriteRecord {
  /** `durable`: the write before it has reached the disk; `sync`: all writes before it have. */
  readonly kind: 'write' | 'durable' | 'sync';
  readonly offset: number;
  readonly bytes: Buffer;
  /** As `process.hrtime.bigint()` returns it, in ns. */
  readonly time: bigint;
}

/** Variables under which a process records the writes of its LMDB data file into `log`. */
export function recordingTo(log: string, folder: string): Record<string, string> {
  return { LD_PRELOAD: build('record-writes.c', folder), WRITE_LOG: log };
}

/** The records, in the order of the calls. A process that was killed may leave the last one incomplete. */
export async function recorded(log: string): Promise<readonly WriteRecord[]> {
  const all = await readFile(log);
  const records: WriteRecord[] = [];
  for (let at = 0; at + HEADER_BYTES <= all.length; ) {
    const kind = KINDS[all.readUInt32LE(at)];
    const start = at + HEADER_BYTES;
    const end = start + all.readUInt32LE(at + 4);
    if (kind === undefined || kind === '') throw new Error(`not a record: ${path.basename(log)} at ${at}`);
    if (end > all.length) break;
    const offset = Number(all.readBigUInt64LE(at + 8));
    records.push({ kind, offset, bytes: all.subarray(start, end), time: all.readBigUInt64LE(at + 16) });
    at = end;
  }
  return records;
}

/**
 * The file after a power loss that follows the first `count` records. `seed` decides which sectors survive of the writes
 * that were not synced, and whether the file kept its length.
 */
export function afterPowerLoss(records: readonly WriteRecord[], count: number, seed: string): Buffer {
  let pending: WriteRecord[] = [];
  const file = new Sparse();
  for (const record of records.slice(0, count)) {
    if (record.kind === 'write') {
      pending.push(record);
      continue;
    }
    const durable = record.kind === 'sync' ? pending : pending.slice(-1);
    for (const { offset, bytes } of durable) file.write(offset, bytes);
    pending = record.kind === 'sync' ? [] : pending.slice(0, -1);
  }
  const sectors = pending.flatMap(sectorsOf);
  const choices = createHash('shake256', { outputLength: sectors.length + 2 })
    .update(seed)
    .digest();
  const [share = 0, keepsLength = 0] = choices;
  for (const [at, { offset, bytes }] of sectors.entries())
    if ((choices[at + 2] ?? 0) < share) file.write(offset, bytes);
    else if (keepsLength % 2 === 0) file.extend(offset + bytes.length);
  return file.bytes;
}

/** The file after all writes. */
export function withoutLoss(records: readonly WriteRecord[]): Buffer {
  const file = new Sparse();
  for (const { kind, offset, bytes } of records) if (kind === 'write') file.write(offset, bytes);
  return file.bytes;
}

function sectorsOf({ offset, bytes }: WriteRecord): { offset: number; bytes: Buffer }[] {
  const sectors = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR_BYTES - ((offset + at) % SECTOR_BYTES));
    sectors.push({ offset: offset + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return sectors;
}

/** A file in memory. What was never written is zero. */
class Sparse {
  #bytes = Buffer.alloc(1 << 20);
  #length = 0;

  write(offset: number, bytes: Buffer): void {
    this.extend(offset + bytes.length);
    bytes.copy(this.#bytes, offset);
  }

  extend(length: number): void {
    this.#length = Math.max(this.#length, length);
    if (length <= this.#bytes.length) return;
    const larger = Buffer.alloc(length * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
