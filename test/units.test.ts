/** The unit functions of the package: defaults, lengths and errors. The codes themselves are tested in Rust. */
import { describe, expect, it } from 'vitest';
import {
  dataCode,
  decodeCode,
  imageCode,
  instanceCode,
  isNativeError,
  metaCode,
  textClean,
  textCode,
  textCollapse,
} from '../src/index.js';

const BYTES = Buffer.from('Some bytes');
const PIXELS = Uint8Array.from({ length: 1024 }, (_, at) => at & 255);

const FUNCTIONS = {
  metaCode: async (bits?: number) => (await metaCode({ name: 'A title' }, bits)).iscc,
  textCode: async (bits?: number) => (await textCode('Some text', bits)).iscc,
  imageCode: async (bits?: number) => imageCode(PIXELS, bits),
  dataCode: (bits?: number) => dataCode(BYTES, bits),
  instanceCode: (bits?: number) => instanceCode(BYTES, bits),
};

describe.each(Object.entries(FUNCTIONS))('%s', (_, unit) => {
  it('returns 64 bits by default and up to 256 bits', async () => {
    const [short, long] = [decodeCode(await unit()), decodeCode(await unit(256))];
    expect([short.bits, long.bits]).toEqual([64, 256]);
    expect(long.main).toBe(short.main);
  });

  it('rejects lengths that units do not have', async () => {
    const error = await unit(65).catch((thrown: unknown) => thrown);
    expect(isNativeError(error, 'INVALID_ARGUMENT')).toBe(true);
  });
});

it('textClean and textCollapse normalise text for display and for comparison', async () => {
  expect(await textClean('Ａ  B\u0000')).toBe('A  B');
  expect(await textCollapse('Ａ  B, Ü')).toBe('abu');
});
