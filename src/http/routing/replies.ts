/** Short forms of the replies that handlers build most often. */
import type { Reply } from './route.js';

/** A JSON response. */
export function json(value: unknown, status = 200): Reply {
  return { status, body: { kind: 'json', value } };
}

/** A plain-text response. */
export function plainText(text: string, status = 200): Reply {
  return { status, body: { kind: 'text', text } };
}

/** Headers that lead from a page of a list to the next one, with other parameters as they were; none on the last page. */
export function nextLink(
  path: string,
  after: string | number | undefined,
  limit: number,
  others: Readonly<Record<string, readonly string[] | undefined>> = {},
): { Link?: string } {
  if (after === undefined) return {};
  const pairs = Object.entries(others).flatMap(([name, values = []]) => values.map((value) => [name, value]));
  const rest = pairs.map(([name = '', value = '']) => `&${name}=${encodeURIComponent(value)}`).join('');
  return { Link: `<${path}?after=${encodeURIComponent(after)}&limit=${limit}${rest}>; rel="next"` };
}

/** An error response `{"detail": ...}`, the form of all JSON services. */
export function detailReply(status: number, detail: unknown): Reply {
  return json({ detail }, status);
}
