/** Every error of the service that is not the engine's, and how errors look: JSON with a `detail`. */
import type { Reply } from '../http/routing/route.js';
import type { ErrorForm, Refusal, Violation } from '../http/routing/service.js';
import { errorBody } from './schema.js';

export const ERRORS = {
  UNAUTHORIZED: [401, 'Unauthorized'],
  NOT_FOUND: [404, 'Not Found'],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed'],
  LENGTH_REQUIRED: [411, 'Length Required'],
  BODY_TOO_LARGE: [413, 'Request body is larger than {max} bytes (INDEXSVC_MAX_BODY)'],
  RANGE_UNSATISFIABLE: [416, 'Range Not Satisfiable'],
  MALFORMED: [400, 'Bad Request: {reason}'],
  INTERNAL: [500, 'Internal Server Error'],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** One broken rule of the schema, as clients of this API know it. */
export interface Issue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
}

/** The request can't be done, and the client can tell why. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(ERRORS[code][1]);
    this.code = code;
  }
}

/** The request breaks the schema: 422. */
export class Invalid extends Error {
  override readonly name = 'Invalid';
  readonly issues: readonly Issue[];

  constructor(...issues: readonly Issue[]) {
    super(issues.map(({ msg }) => msg).join('; '));
    this.issues = issues;
  }
}

/** Paths that exist without the slash at their end; only these, or the address would be the client's to choose. */
const SLASHED =
  /^\/(?:indexes(?:\/[^/]+(?:\/(?:assets|search)|\/assets\/[^/]+)?)?|status|healthz|readyz|docs)\/$/;

export const errorForm: ErrorForm = {
  contentType: 'application/json',
  schema: errorBody,
  refusal,
  thrown(error) {
    if (error instanceof Invalid) return reply(422, error.issues);
    return error instanceof Refused ? table(error.code) : table('INTERNAL');
  },
};

function withoutSlash(path: string, query = ''): Reply {
  const search = query === '' ? '' : `?${query}`;
  return { status: 307, headers: { Location: path.slice(0, -1) + search } };
}

function refusal(refused: Refusal): Reply {
  switch (refused.kind) {
    case 'not-found':
      return SLASHED.test(refused.path) ? withoutSlash(refused.path, refused.query) : table('NOT_FOUND');
    case 'method-not-allowed':
      return { ...table('METHOD_NOT_ALLOWED'), headers: { Allow: refused.allow.join(', ') } };
    case 'invalid':
      return reply(422, refused.violations.map(issue));
    case 'body-too-large':
      return table('BODY_TOO_LARGE', { max: refused.bytesMax });
    case 'length-required':
      return table('LENGTH_REQUIRED');
    case 'range-unsatisfiable':
      return table('RANGE_UNSATISFIABLE');
    case 'malformed':
      return table('MALFORMED', { reason: refused.message });
    // The routes take raw bodies of any type and read them in the engine.
    case 'body-not-json':
    case 'body-empty':
    case 'media-type':
      return table('MALFORMED', { reason: refused.kind });
    default:
      return refused satisfies never;
  }
}

function issue({ where, path, message }: Violation): Issue {
  return { type: 'value_error', loc: [where, ...path], msg: message, input: null };
}

function table(code: ErrorCode, details: Readonly<Record<string, string | number>> = {}): Reply {
  const [status, text] = ERRORS[code];
  return reply(
    status,
    text.replace(/\{(\w+)\}/g, (_, key: string) => String(details[key] ?? '')),
  );
}

function reply(status: number, detail: unknown): Reply {
  return { status, body: { kind: 'json', value: { detail } } };
}
