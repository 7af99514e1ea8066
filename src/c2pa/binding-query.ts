/** The query by soft binding, `/v1/matches/byBinding`: the same parameters and rules in store and resolver. */
import { z } from 'zod';
import { decodeLenientBase64 } from './base64.js';
import { decodeSeq, type SearchableUnit, SeqInvalid, searchableUnits } from './iscc-seq.js';

export const RESULTS_DEFAULT = 10;
export const RESULTS_MAX = 100;
/** Searchable units of one query. */
export const QUERY_UNITS_MAX = 32;

export interface BindingQuery {
  readonly alg: string;
  readonly value: string;
}

/** The query can't be answered; the message is the answer's `detail` (400). */
export class BindingQueryInvalid extends Error {
  override readonly name = 'BindingQueryInvalid';
}

const RESULTS_RULE = 'maxResults must be a positive integer';

/** Query parameter of both methods: as a number, at most {@link RESULTS_MAX}. */
export const maxResults = z
  .string(RESULTS_RULE)
  .regex(/^0*[1-9]\d*$/, RESULTS_RULE)
  .transform((digits) => Math.min(Number(digits), RESULTS_MAX))
  .optional()
  .describe('Most matches in the answer; more than 100 count as 100')
  .meta({ type: 'integer', minimum: 1, default: RESULTS_DEFAULT });

/** Query parameters of POST. */
export const postParameters = z.object({ maxResults });

/** Query parameters of GET. The first violation's message is the answer's `detail`. */
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
 * The body of POST, whatever its content type says.
 *
 * @throws {BindingQueryInvalid}
 */
export function parseQueryBody(body: Uint8Array): BindingQuery {
  const value = jsonOf(body);
  if (typeof value === 'object' && value !== null && 'alg' in value && 'value' in value) {
    const { alg, value: binding } = value;
    if (typeof alg === 'string' && typeof binding === 'string') return { alg, value: binding };
  }
  throw new BindingQueryInvalid('Invalid JSON body');
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}

/** @throws {BindingQueryInvalid} */
export function decodeValue(value: string): Buffer {
  const bytes = decodeLenientBase64(value);
  if (bytes === undefined) throw new BindingQueryInvalid('Value is not valid base64');
  return bytes;
}

/**
 * The units that an `io.iscc.v0` value is searched by: 1 to {@link QUERY_UNITS_MAX}.
 *
 * @throws {BindingQueryInvalid}
 */
export function queryUnits(bytes: Uint8Array): SearchableUnit[] {
  const units = searchableUnits(seqOf(bytes));
  if (units.length === 0) throw new BindingQueryInvalid('Value holds no searchable ISCC-UNIT');
  if (units.length > QUERY_UNITS_MAX) {
    throw new BindingQueryInvalid(`Value holds more than ${QUERY_UNITS_MAX} searchable ISCC-UNITs`);
  }
  return units;
}

function seqOf(bytes: Uint8Array) {
  try {
    return decodeSeq(bytes);
  } catch (error) {
    if (!(error instanceof SeqInvalid)) throw error;
    throw new BindingQueryInvalid(`Value is not a valid ISCC-SEQ: ${error.message}`);
  }
}
