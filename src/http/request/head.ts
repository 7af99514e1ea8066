/** A request's head as plain data, and HTTP's rules about it that parsers are lax on. */

export interface RequestHead {
  /** In capitals. */
  readonly method: string;
  /** As sent, still percent-encoded. */
  readonly path: string;
  /** As sent, without the question mark; empty when there is none. */
  readonly query: string;
  readonly headers: RequestHeaders;
}

/** Header lines in the order they came. Requests have few: a scan beats building a table. */
export class RequestHeaders {
  readonly #lines: readonly string[];

  /** Takes name (lower case), value, name, value ... */
  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** The value of a header, several lines joined by commas; `undefined` if there is none. */
  get(name: string): string | undefined {
    const lines = this.#lines;
    let value: string | undefined;
    for (let i = 0; i < lines.length; i += 2) {
      if (lines[i] === name) value = value === undefined ? lines[i + 1] : `${value}, ${lines[i + 1]}`;
    }
    return value;
  }

  /** The value of a header's first line. */
  first(name: string): string | undefined {
    const at = this.#lines.findIndex((text, index) => index % 2 === 0 && text === name);
    return at === -1 ? undefined : this.#lines[at + 1];
  }

  count(name: string): number {
    let count = 0;
    for (let i = 0; i < this.#lines.length; i += 2) if (this.#lines[i] === name) count += 1;
    return count;
  }
}

/** The declared length of the body in bytes; `undefined` for a chunked body, 0 for none. */
export function declaredLength(head: RequestHead): number | undefined {
  const length = head.headers.get('content-length');
  if (length !== undefined) return Number(length);
  return head.headers.get('transfer-encoding') === undefined ? 0 : undefined;
}

/** Printable ASCII but for the fragment's mark, which has no place in a request. */
const TARGET = /^[\x21\x22\x24-\x7e]*$/;

/**
 * Which of HTTP's rules a head breaks, or `undefined`.
 *
 * Two servers that read the length of one request differently can be played against each other
 * (request smuggling), so whatever is not plain is refused: RFC 9112, sections 3.2 and 6.
 */
export function malformation(head: RequestHead): string | undefined {
  const { headers } = head;
  if (!TARGET.test(head.path) || !TARGET.test(head.query)) return 'Invalid request target';
  const hosts = headers.count('host');
  if (hosts > 1 || (hosts === 1 && !isHost(headers.get('host')))) return 'Invalid Host';
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (length === undefined && coding === undefined) return undefined;
  if (length !== undefined && coding !== undefined)
    return 'Content-Length and Transfer-Encoding exclude each other';
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return 'Invalid Content-Length';
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'Invalid Transfer-Encoding';
  return undefined;
}

/** Name or address with an optional port: what may stand in an absolute link without escaping. */
function isHost(host: string | undefined): boolean {
  return host !== undefined && /^(?:[\w.~%!$&'()*+,;=-]+|\[[\da-fA-F:.]+\])(?::\d{0,5})?$/.test(host);
}
