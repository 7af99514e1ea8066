/**
 * The name of an upload: 64 bits, 48 of them milliseconds since the epoch, written in 13 lower-case
 * base32hex characters. Sorted by name, uploads are sorted by age.
 */
import { randomInt } from 'node:crypto';

declare const brand: unique symbol;

/** A string that has the form of a media id. Make one with {@link parseMediaId} or {@link MediaIdSource}. */
export type MediaId = string & { readonly [brand]: true };

export const MEDIA_ID_PATTERN = /^[a-v0-9]{13}$/;

const TIME_BITS = 48n;
const COUNTER_BITS = 16n;
const COUNTER_VALUES = 2 ** Number(COUNTER_BITS);
const ALPHABET = '0123456789abcdefghijklmnopqrstuv';
const CHARACTERS = 13;
const BITS_PER_CHARACTER = 5n;
/** 13 characters hold 65 bits: the last bit is always zero. */
const PAD_BITS = 1n;

/** Gives the id in `text`, or `undefined`. */
export function parseMediaId(text: string): MediaId | undefined {
  return MEDIA_ID_PATTERN.test(text) ? (text as MediaId) : undefined;
}

/** The smallest id that can have been made at `time` (milliseconds since the epoch) or later. */
export function firstMediaIdAt(time: number): MediaId {
  return encode(Math.max(0, Math.floor(time)), 0);
}

/** Makes ids that differ from each other, also within one millisecond and after a step back of the clock. */
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
