/** Assets with random codes that are the same in every run. */
import type { Entry } from '../../../src/client/search-api.js';
import { isccIdOf } from '../../../src/iscc/iscc-id.js';
import { native } from '../../../src/native.js';

const BITS = 256;
/** Main type and subtype of Content-Code Text, Data-Code and Instance-Code. */
const CONTENT_TEXT = [2, 0] as const;
const DATA = [3, 0] as const;
const INSTANCE = [4, 0] as const;
const FIRST_ID = 1n << 60n;

/** An asset with three units of 256 bits, from a seed. */
export function randomAsset(number: number, metadata?: Record<string, unknown>): Entry {
  const random = generator(number);
  const unit = ([main, sub]: readonly [number, number]) =>
    native.encodeUnit(main, sub, 0, BITS, Uint8Array.from({ length: BITS / 8 }, random));
  const units = [CONTENT_TEXT, DATA, INSTANCE].map((kind) => `ISCC:${unit(kind).replace('ISCC:', '')}`);
  return { iscc_id: isccId(number), units, ...(metadata === undefined ? {} : { metadata }) };
}

/** ISCC-ID of realm 0 with the given offset from the first. */
export function isccId(number: number): string {
  return isccIdOf(0, FIRST_ID + BigInt(number));
}

/** A xorshift generator of bytes. */
function generator(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e37_79b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  };
}
