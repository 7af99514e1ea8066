/** Byte ranges (RFC 9110, 14). One range per request; requests for several get the whole content. */

export interface ByteRange {
  /** First byte, counted from 0. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Parses a Range header for content of `size` bytes: a range, `'unsatisfiable'` (416), or `undefined` for the whole
 * content. Headers in an unknown form are ignored.
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
 * Whether a Range header applies, given If-Range: only if the client has a part of this same version. The services
 * never send Last-Modified, so a date in If-Range cannot match.
 */
export function rangeApplies(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || (ifRange.trim() === tag && !tag.startsWith('W/'));
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - length), end: size };
}
