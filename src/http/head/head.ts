/** A request head as plain data, and checks of HTTP rules that parsers do not enforce. */

export interface RequestHead {
  /** In upper case. */
  readonly method: string;
  /** As sent, percent-encoded. */
  readonly path: string;
  /** As sent, without the question mark; empty if absent. */
  readonly query: string;
  readonly headers: RequestHeaders;
}

/** Header lines in arrival order. A request has few, so a scan is faster than building a map. */
export class RequestHeaders {
  readonly #lines: readonly string[];

  /** @param lines name (lower case), value, name, value ... */
  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** A header's value, with several lines joined by commas; `undefined` if absent. */
  get(name: string): string | undefined {
    const lines = this.#lines;
    let value: string | undefined;
    for (let i = 0; i < lines.length; i += 2) {
      if (lines[i] === name) value = value === undefined ? lines[i + 1] : `${value}, ${lines[i + 1]}`;
    }
    return value;
  }

  /** The value of a header's first line; `undefined` if absent. */
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

/** The declared body length in bytes; `undefined` for a chunked body, 0 without a body, imprecise if huge. */
export function declaredLength(head: RequestHead): number | undefined {
  const length = head.headers.get('content-length');
  if (length !== undefined) return Number(length);
  return head.headers.get('transfer-encoding') === undefined ? 0 : undefined;
}

/** Printable ASCII without `#`: a request target has no fragment. */
const TARGET = /^[\x21\x22\x24-\x7e]*$/;

/**
 * The HTTP rule that a head violates, or `undefined`.
 *
 * If a proxy and this server disagree on where a request ends, an attacker can smuggle requests past the proxy.
 * Ambiguous heads are therefore rejected: RFC 9112, sections 3.2 and 6.
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
    return 'Content-Length and Transfer-Encoding are mutually exclusive';
  if (length !== undefined && !/^\d+$/.test(length)) return 'Invalid Content-Length';
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'Invalid Transfer-Encoding';
  return undefined;
}

/** Whether an Expect header asks for something other than 100-continue: RFC 9110, section 10.1.1. */
export function hasUnknownExpectation({ headers }: RequestHead): boolean {
  const expectation = headers.get('expect');
  return expectation !== undefined && expectation.toLowerCase() !== '100-continue';
}

/** Whether it is a name or address with an optional port, which an absolute link can contain without escaping. */
function isHost(host: string | undefined): boolean {
  return host !== undefined && /^(?:[\w.~%!$&'()*+,;=-]+|\[[\da-fA-F:.]+\])(?::\d{0,5})?$/.test(host);
}
