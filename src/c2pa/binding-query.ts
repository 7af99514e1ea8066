/** Query by soft binding, `/v1/matches/byBinding`: the same parameters and rules in store and resolver. */
import { z } from 'zod';
import { isNativeError, native } from '../native.js';

export const RESULTS_DEFAULT = 10;
export const RESULTS_MAX = 100;

export interface BindingQuery {
  readonly alg: string;
  readonly value: string;
}

/** The query is invalid; the message is the `detail` of the response (400). */
export class BindingQueryInvalid extends Error {
  override readonly name = 'BindingQueryInvalid';
}

const RESULTS_RULE = 'maxResults must be a positive integer';

/** Longest value in a URL; transports and proxies take few longer ones. */
export const URL_VALUE_CHARS_MAX = 4096;
/** Documents the response to a longer one. */
export const URL_VALUE_TOO_LONG = {
  414: { description: `The value is longer than ${URL_VALUE_CHARS_MAX} characters: use POST.` },
} as const;

/** Query parameter of both methods. Parses to a number, at most {@link RESULTS_MAX}. */
export const maxResults = z
  .string(RESULTS_RULE)
  .regex(/^0*[1-9]\d*$/, RESULTS_RULE)
  .transform((digits) => Math.min(Number(digits), RESULTS_MAX))
  .optional()
  .describe('Maximum number of matches; values above 100 count as 100')
  .meta({ type: 'integer', minimum: 1, default: RESULTS_DEFAULT });

/** Query parameters of POST. */
export const postParameters = z.object({ maxResults });

/** Query parameters of GET. The message of the first violation is the `detail` of the response. */
export const getParameters = z.object({
  alg: parameter('alg').describe('Identifier of the soft-binding algorithm'),
  value: parameter('value').describe('The binding value in Base64, percent-encoded'),
  maxResults,
});

function parameter(name: string): z.ZodType<string, string> {
  const missing = `Missing parameter: ${name}`;
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? missing : `Parameter given more than once: ${name}`;
  return z.string({ error }).min(1, missing);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the body of POST. Ignores its content type.
 *
 * @throws {BindingQueryInvalid}
 */
export function parseQueryBody(body: Uint8Array): BindingQuery {
  const value = parseJson(body);
  if (typeof value === 'object' && value !== null && 'alg' in value && 'value' in value) {
    const { alg, value: binding } = value;
    if (typeof alg === 'string' && typeof binding === 'string') return { alg, value: binding };
  }
  throw new BindingQueryInvalid('Invalid JSON body');
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}

/**
 * @param name of the parameter, for the message
 * @throws {BindingQueryInvalid}
 */
export function decodeValue(value: string, name = 'Value'): Buffer {
  const bytes = decodeLenientBase64(value);
  if (bytes !== undefined) return bytes;
  const wayOut = /^\s*iscc:/i.test(value) ? TEXT_REFUSED : '';
  throw new BindingQueryInvalid(`${name} is not valid base64${wayOut}`);
}

const TEXT_REFUSED =
  ', but the text of an ISCC: decode the text of each ISCC-UNIT after "ISCC:" from base32, and send the bytes as base64';

/**
 * Decodes either alphabet of Base64, with or without padding. Spaces count as `+`, because clients forget to
 * percent-encode it; white space at either end is ignored. `undefined` if the text is invalid.
 */
export function decodeLenientBase64(text: string): Buffer | undefined {
  const plain = text.trim().replaceAll(' ', '+').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (plain.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(plain)) return undefined;
  return Buffer.from(plain, 'base64');
}

/**
 * The searchable units of an `io.iscc.v0` value as canonical text, each once. The codec has the rule.
 *
 * @param name of the parameter, for the message
 * @throws {BindingQueryInvalid} unless there are 1 to 32
 */
export function queryUnits(value: Uint8Array, name = 'Value'): string[] {
  try {
    return native.queryUnits(value);
  } catch (error) {
    if (isNativeError(error, 'INVALID_ARGUMENT'))
      throw new BindingQueryInvalid(error.message.replace(/^Value/, name));
    throw error;
  }
}
