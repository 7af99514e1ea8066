/** JSON Canonicalization Scheme (RFC 8785): the same value is the same bytes everywhere. */

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The canonical text of a JSON value. JSON.stringify writes numbers and strings as the RFC wants
 * (it took them from ECMAScript); what is left is the order of keys: by UTF-16 code units.
 *
 * @throws RangeError for numbers and strings that JSON can not hold: NaN, infinities, lone surrogates.
 */
export function canonicalize(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as { readonly [key: string]: Json })
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${canonicalize(key)}:${canonicalize(member)}`);
    return `{${members.join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`not a JSON number: ${value}`);
  if (typeof value === 'string' && LONE_SURROGATE.test(value))
    throw new RangeError('string with a lone surrogate');
  return JSON.stringify(value);
}
