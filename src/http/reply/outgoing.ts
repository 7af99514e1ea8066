/** Builds the head of a response. */
import type { Reply } from '../routing/route.js';
import type { Exchange, ResponseHead } from '../transport/transport.js';

/** A request, as seen by the code that sends its response. */
export interface Outgoing {
  readonly exchange: Exchange;
  /** HEAD gets the headers of GET and no body. */
  readonly isHead: boolean;
  /** Headers of every response: name, value, name, value ... */
  commonHeaders(): string[];
  readonly close: boolean;
  /** Call this before a response that continues after the current turn. */
  detach(): void;
  /** Runs `react` when the client disconnects. */
  onDisconnect(react: () => void): void;
}

/**
 * Status and headers of a response. `contentType` and `more` follow the reply's own headers.
 *
 * @throws {TypeError} if a header name or value contains a character that could end its line
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

/** Checked here because transports do not, and because they encode non-ASCII values differently. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function checkedValue(name: string, value: string): string {
  if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) return value;
  throw new TypeError(`header ${JSON.stringify(name)} can't have the value ${JSON.stringify(value)}`);
}

/** Content types may come from a client's upload; invalid ones are replaced. */
function safeContentType(contentType: string): string {
  return HEADER_VALUE.test(contentType) ? contentType : 'application/octet-stream';
}
