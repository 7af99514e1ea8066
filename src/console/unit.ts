/** Decodes an ISCC-UNIT in the browser, for bit pictures and comparisons. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** MainTypes and SubTypes of ISO 24138. */
const MAIN_TYPES = ['META', 'SEMANTIC', 'CONTENT', 'DATA', 'INSTANCE'] as const;
const SUB_TYPES = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MIXED'] as const;

export interface UnitBits {
  /** E.g. `CONTENT_TEXT_V0`. */
  readonly type: string;
  /** A string of 0 and 1, most significant first. */
  readonly bits: string;
}

/** Decodes a unit with a two-byte header, which all current units have; `undefined` for anything else. */
export function unitBits(code: string): UnitBits | undefined {
  const text = code
    .trim()
    .replace(/^iscc:/i, '')
    .toUpperCase();
  const bytes = fromBase32(text);
  const [first = 0, second = 0, ...body] = bytes ?? [];
  const main = MAIN_TYPES[first >> 4];
  if (main === undefined || body.length === 0 || body.length !== ((second & 15) + 1) * 4) return undefined;
  const hasSubType = main === 'SEMANTIC' || main === 'CONTENT';
  const sub = hasSubType ? SUB_TYPES[first & 15] : 'NONE';
  if (sub === undefined) return undefined;
  const bits = body.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return { type: `${main}_${sub}_V${second >> 4}`, bits };
}

/** The bytes of base32 text in upper case; `undefined` if it is invalid. */
export function fromBase32(text: string): number[] | undefined {
  const bytes: number[] = [];
  let value = 0;
  let bits = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 255);
      value &= (1 << bits) - 1;
    }
  }
  return bytes;
}

/** Base32 text without padding. */
export function base32(bytes: readonly number[]): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}
