/** An answer on its way out: which headers it carries, and whether it carries a body. */
import type { Reply } from '../routing/route.js';
import type { Exchange, ResponseHead } from '../transport/transport.js';

/** A request, from the side of its answer. */
export interface Outgoing {
  readonly exchange: Exchange;
  /** HEAD gets the headers of GET. */
  readonly isHead: boolean;
  /** Headers of every answer: name, value, name, value ... */
  commonHeaders(): string[];
  readonly close: boolean;
  /** To be called before an answer that takes more than this turn. */
  detach(): void;
  /** Runs `react` when the client goes away. */
  onGone(react: () => void): void;
}

/**
 * Status and headers of an answer; `contentType` and `more` come behind the reply's own headers.
 *
 * @throws {TypeError} if a name or value could end its header line
 */
export function responseHead(
  outgoing: Outgoing,
  reply: Reply,
  contentType?: string,
  more?: readonly string[],
): ResponseHead {
  const headers = outgoing.commonHeaders();
  for (const name in reply.headers) {
    const value = reply.headers[name] as string | readonly string[];
    if (typeof value === 'string') headers.push(name, checkedValue(name, value));
    else for (const line of value) headers.push(name, checkedValue(name, line));
  }
  if (contentType !== undefined) headers.push('Content-Type', safeContentType(contentType));
  if (more !== undefined) headers.push(...more);
  return { status: reply.status, headers, close: outgoing.close };
}

/** Transports do not check values, and node:http and uWebSockets.js encode what is not ASCII differently. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function checkedValue(name: string, value: string): string {
  if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) return value;
  throw new TypeError(`header ${JSON.stringify(name)} can't have the value ${JSON.stringify(value)}`);
}

/** Content types come from clients, through uploads: what is not one is not sent on. */
function safeContentType(contentType: string): string {
  return HEADER_VALUE.test(contentType) ? contentType : 'application/octet-stream';
}
