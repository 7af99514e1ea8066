/** Answers many codes: NDJSON in, NDJSON out, in the same order. */
import { type BodyLine, bodyLines } from '../../../http/request/streamed.js';
import type { BodyStream, Request } from '../../../http/routing/route.js';
import { inOrder } from '../../../platform/slots.js';
import { errorForm } from '../errors.js';
import { codeQuery, type RightsReport } from './schema.js';

/** Look-ups of one request that run at once. */
const PARALLEL = 8;
const LINE_BYTES_MAX = 16 * 1024;

type LinesRequest = Pick<Request<unknown, unknown, unknown, BodyStream>, 'body' | 'id' | 'log'>;

/** A line of the response per line of the body that is not empty. A failure of one does not end the others. */
export function answerLines(
  request: LinesRequest,
  lookUp: (iscc: string) => Promise<RightsReport>,
): AsyncGenerator<string> {
  const answer = async ({ line, text }: BodyLine): Promise<string> => {
    try {
      if (text === undefined) return refusal(line, 413, `the line is longer than ${LINE_BYTES_MAX} bytes`);
      const { data, error } = codeQuery.safeParse(queryOf(text));
      if (data === undefined) return refusal(line, 400, error?.issues[0]?.message);
      return `${JSON.stringify({ line, ...(await lookUp(data.iscc)) })}\n`;
    } catch (error) {
      return failure(line, error, request);
    }
  };
  return inOrder(bodyLines(request.body, LINE_BYTES_MAX), answer, PARALLEL);
}

/** The query of a line: an object, or a string with the code. */
function queryOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? { iscc: value } : value;
  } catch {
    return undefined;
  }
}

/** The same status and text as in the response to a single code. */
function failure(line: number, error: unknown, { id, log }: LinesRequest): string {
  const { status, body } = errorForm.thrown(error, id);
  if (status >= 500) log.warn({ err: error, line }, 'a rights look-up failed');
  const value = body?.kind === 'json' ? (body.value as { detail?: unknown }) : {};
  return refusal(line, status, value.detail);
}

function refusal(line: number, status: number, detail: unknown = 'the line is not a code'): string {
  return `${JSON.stringify({ line, status, detail })}\n`;
}
