/** The unit functions of the package: defaults, lengths and errors. The codes themselves are tested in Rust. */
import { describe, expect, it } from 'vitest';
import {
  dataCode,
  decodeCode,
  imageCode,
  instanceCode,
  isccCode,
  isNativeError,
  metaCode,
  SumHasher,
  textClean,
  textCode,
  textCollapse,
} from '../src/library/index.js';

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

describe('SumHasher', () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, at) => (at * at * 7919) >> 5));

  it('returns the codes of all pieces in their order, without a wait', async () => {
    const sum = new SumHasher();
    for (let at = 0; at < bytes.length; at += 7_777) sum.update(bytes.subarray(at, at + 7_777));
    const code = await sum.finish();
    const units = [await dataCode(bytes), await instanceCode(bytes)];
    expect(code).toEqual({
      iscc: isccCode(units),
      units,
      filesize: bytes.length,
      datahash: `1e20${Buffer.from(decodeCode(await instanceCode(bytes, 256)).body).toString('hex')}`,
    });
  });

  it('reads blobs and buffers, and has units of any length', async () => {
    const sum = new SumHasher();
    await sum.update(new Blob([bytes.subarray(0, 1000)]));
    await sum.update(Uint8Array.from(bytes.subarray(1000)).buffer);
    const { iscc, units } = await sum.finish({ bits: 256, wide: true });
    const expected = [await dataCode(bytes, 256), await instanceCode(bytes, 256)];
    expect([iscc, units]).toEqual([isccCode(expected, { wide: true }), expected]);
    const empty = await new SumHasher().finish();
    expect(empty.units).toEqual([await dataCode(new Uint8Array()), await instanceCode(new Uint8Array())]);
  });

  it('rejects what is not bytes, and pieces after the end', async () => {
    const sum = new SumHasher();
    await expect(sum.finish({ bits: 32 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(sum.finish({ wide: 1 as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect((await sum.finish()).filesize).toBe(0);
    await expect(sum.update(bytes)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const text = new SumHasher();
    text.update('a text' as never);
    await expect(text.finish()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

it('textClean and textCollapse normalise text for display and for comparison', async () => {
  expect(await textClean('Ａ  B\u0000')).toBe('A  B');
  expect(await textCollapse('Ａ  B, Ü')).toBe('abu');
});
