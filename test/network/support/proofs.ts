/** Verifies Merkle proofs by the algorithms of RFC 9162, independently of the program under test. */
import { createHash } from 'node:crypto';

export interface Note {
  readonly size: number;
  readonly root: Buffer;
}

/** Size and root of a signed note. The signature is not checked. */
export function parsedNote(note: string): Note {
  const [, size, root = ''] = note.split('\n');
  return { size: Number(size), root: Buffer.from(root, 'base64') };
}

export function leafHash(record: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(record).digest();
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
}

/** Whether the proof leads from the leaf to the root (RFC 9162, section 2.1.3.2). */
export function isIncluded(leaf: Buffer, index: number, proof: readonly string[], note: Note): boolean {
  let [fn, sn, hash] = [index, note.size - 1, leaf];
  for (const text of proof) {
    const step = Buffer.from(text, 'base64');
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(step, hash);
      while (fn % 2 === 0 && fn > 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else {
      hash = nodeHash(hash, step);
    }
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return sn === 0 && hash.equals(note.root);
}

/** The root at the smaller size that a consistency proof implies, if it leads to the larger note's root. */
export function oldRootOf(small: number, large: Note, proof: readonly string[]): Buffer | undefined {
  const steps = proof.map((text) => Buffer.from(text, 'base64'));
  let [fn, sn] = [small - 1, large.size - 1];
  while (fn % 2 === 1) [fn, sn] = [fn >> 1, sn >> 1];
  const isPerfect = fn === 0;
  const first = isPerfect ? undefined : steps.shift();
  if (first === undefined) throw new Error('sizes that are powers of two are not used in the tests');
  let oldRoot: Buffer = first;
  let newRoot: Buffer = first;
  for (const step of steps) {
    if (fn % 2 === 1 || fn === sn) {
      [oldRoot, newRoot] = [nodeHash(step, oldRoot), nodeHash(step, newRoot)];
      while (fn % 2 === 0 && fn > 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else {
      newRoot = nodeHash(newRoot, step);
    }
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return newRoot.equals(large.root) ? oldRoot : undefined;
}
