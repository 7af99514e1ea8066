/** Strict parsing of `traceparent` (W3C Trace Context). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newTrace, parseTraceparent, traceOf, traceparent } from '../../src/platform/observe/trace.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** An independent implementation of the specification. */
function expected(header: string) {
  const [version = '', traceId = '', parentId = '', flags = '', ...more] = header.split('-');
  const isHex = (text: string, length: number) =>
    text.length === length && [...text].every((digit) => '0123456789abcdef'.includes(digit));
  const isId = (text: string, length: number) =>
    isHex(text, length) && [...text].some((digit) => digit !== '0');
  if (!isHex(version, 2) || version === 'ff') return undefined;
  if (!isId(traceId, 32) || !isId(parentId, 16) || !isHex(flags, 2)) return undefined;
  if (version === '00' && more.length > 0) return undefined;
  return { traceId, parentId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
}

describe('parseTraceparent', () => {
  it.each([
    [`00-${TRACE}-${PARENT}-01`, true],
    [`00-${TRACE}-${PARENT}-00`, false],
    // Unknown flags are ignored.
    [`00-${TRACE}-${PARENT}-fe`, false],
    [`00-${TRACE}-${PARENT}-03`, true],
    [`cc-${TRACE}-${PARENT}-01`, true],
    [`01-${TRACE}-${PARENT}-01-what-the-future-brings`, true],
    [`01-${TRACE}-${PARENT}-01-`, true],
  ])('accepts %s', (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT, isSampled });
  });

  it.each([
    '',
    TRACE,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01-`,
    `00-${TRACE}-${PARENT}-01 `,
    `00-${TRACE}-${PARENT}-01\n`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-001`,
    `ff-${TRACE}-${PARENT}-01`,
    `0-${TRACE}-${PARENT}-01`,
    `.0-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}0-${PARENT}-01`,
    `00_${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01.more`,
    `cc-${TRACE}-${PARENT}-010`,
    // Two headers, joined as the transports do.
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
  ])('refuses %j', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  const hex = (length: number) =>
    fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length }),
      fc.constantFrom('0'.repeat(length), 'f'.repeat(length)),
    );
  const valid = fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((parts) => parts.join('-'));
  /** Valid headers with a character inserted, removed or replaced. */
  const nearly = fc
    .tuple(valid, fc.nat(56), fc.nat(1), fc.string({ maxLength: 2 }))
    .map(([header, at, cut, put]) => header.slice(0, at) + put + header.slice(at + cut));

  it('agrees with an independent implementation for any input', () => {
    fc.assert(
      fc.property(fc.oneof(valid, nearly, fc.string()), (header) => {
        expect(parseTraceparent(header)).toEqual(expected(header));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('a trace', () => {
  it('is new if the header is missing or invalid', () => {
    const ids = [undefined, 'nonsense', `ff-${TRACE}-${PARENT}-01`].map((header) => traceOf(header).traceId);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{32}$/);
    expect(new Set([...ids, TRACE]).size).toBe(4);
  });

  it('gets a new span id for each outgoing request', () => {
    const trace = traceOf(`00-${TRACE}-${PARENT}-01`);
    const headers = Array.from({ length: 1000 }, () => traceparent(trace));
    const parsed = headers.map(parseTraceparent);
    expect(parsed).toEqual(parsed.map((one) => ({ ...trace, parentId: one?.parentId })));
    expect(new Set([...headers, `00-${TRACE}-${PARENT}-01`]).size).toBe(1001);
    expect(parseTraceparent(traceparent(newTrace()))?.isSampled).toBe(false);
  });
});
