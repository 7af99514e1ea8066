/** Schema violations in the form that clients of the reference service (pydantic) parse. */
import type { Violation } from '../../http/routing/service.js';

export interface Issue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
}

export const FIELD_REQUIRED = 'Field required';
export const EXTRA_FORBIDDEN = 'Extra inputs are not permitted';
export const NOT_AN_INTEGER = 'Input should be a valid integer, unable to parse string as an integer';

/** The reference's name for each rule, by message. */
const TYPES: Readonly<Record<string, string>> = {
  [FIELD_REQUIRED]: 'missing',
  [EXTRA_FORBIDDEN]: 'extra_forbidden',
  [NOT_AN_INTEGER]: 'int_parsing',
};

export function issueOf({ where, path, message, input }: Violation): Issue {
  return { type: TYPES[message] ?? 'value_error', loc: [where, ...path], msg: message, input: input ?? null };
}

/** A body can be a single string of many MiB. The engine cuts its echoes in the same way. */
const ECHO_CHARS_MAX = 4096;
/** Bytes of a body that have as many characters in any case. */
export const ECHO_BYTES_MAX = 4 * ECHO_CHARS_MAX;

/** The issues with long texts cut, so that together they echo at most 4096 characters of the request. */
export function withShortEchoes(issues: readonly Issue[]): Issue[] {
  let left = ECHO_CHARS_MAX;
  const shorten = (text: string) => {
    const shown = text.length <= left ? text : `${text.slice(0, left)}…`;
    left = Math.max(0, left - text.length);
    return shown;
  };
  return issues.map(({ type, loc, msg, input }) => ({
    type,
    loc: loc.map((step) => (typeof step === 'string' ? shorten(step) : step)),
    msg,
    input: typeof input === 'string' ? shorten(input) : input,
  }));
}
