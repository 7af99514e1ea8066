/**
 * The id of an upload: 48 bits of milliseconds since the epoch and a 16-bit counter, as 13 lower-case base32hex
 * characters. The alphabetical order of ids is the order of their creation.
 */
import { randomInt } from 'node:crypto';

declare const brand: unique symbol;

/** A string in the form of a media id. Checked by {@link isMediaId} and the route parameters, made by {@link MediaIdSource}. */
export type MediaId = string & { readonly [brand]: true };

export const MEDIA_ID_PATTERN = /^[a-v0-9]{13}$/;

const TIME_BITS = 48n;
const COUNTER_BITS = 16n;
const COUNTER_VALUES = 2 ** Number(COUNTER_BITS);
const ALPHABET = '0123456789abcdefghijklmnopqrstuv';
const CHARACTERS = 13;
const BITS_PER_CHARACTER = 5n;
/** 13 characters hold 65 bits. The last bit is always zero. */
const PAD_BITS = 1n;

export function isMediaId(text: string): text is MediaId {
  return MEDIA_ID_PATTERN.test(text);
}

/** The smallest id of an upload created at `time` (milliseconds since the epoch) or later. */
export function firstMediaIdAt(time: number): MediaId {
  return encode(Math.max(0, Math.floor(time)), 0);
}

/** Makes unique, increasing ids, also within one millisecond and after the clock went backwards. */
export class MediaIdSource {
  readonly #now: () => number;
  #time = 0;
  #counter = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  next(): MediaId {
    const now = this.#now();
    if (now > this.#time) {
      this.#time = now;
      this.#counter = randomInt(COUNTER_VALUES / 2);
    } else if (this.#counter < COUNTER_VALUES - 1) {
      this.#counter += 1;
    } else {
      this.#time += 1;
      this.#counter = 0;
    }
    return encode(this.#time, this.#counter);
  }
}

function encode(time: number, counter: number): MediaId {
  const time48 = BigInt.asUintN(Number(TIME_BITS), BigInt(time));
  let rest = ((time48 << COUNTER_BITS) | BigInt(counter)) << PAD_BITS;
  let text = '';
  for (let index = 0; index < CHARACTERS; index += 1) {
    text = ALPHABET[Number(rest & 31n)] + text;
    rest >>= BITS_PER_CHARACTER;
  }
  return text as MediaId;
}
