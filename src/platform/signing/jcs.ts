/** JSON Canonicalization Scheme (RFC 8785): equal values have equal bytes. */

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The canonical text of a JSON value. JSON.stringify already writes numbers and strings as the RFC requires, because
 * the RFC adopts ECMAScript's rules. Only the order of keys remains: by UTF-16 code units.
 *
 * @throws {RangeError} for values that JSON cannot represent: NaN, infinities, lone surrogates
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
