/** Byte ranges (RFC 9110, 14). One range a request: several are answered with the whole. */

export interface ByteRange {
  /** First byte, counted from 0. */
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
}

/**
 * What a Range header asks of something with `size` bytes: a part, `'unsatisfiable'` (416), or
 * `undefined` for the whole, also when the header is not understood.
 */
export function requestedRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

/**
 * Whether a Range header counts, given If-Range: only for the very version that the client has a part of.
 * Dates are never sent as validators here, so that none can match.
 */
export function rangeApplies(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || (ifRange.trim() === tag && !tag.startsWith('W/'));
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - length), end: size };
}
