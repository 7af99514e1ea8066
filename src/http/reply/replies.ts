/** Short forms of the replies that handlers build most often. */
import type { Reply } from '../routing/route.js';

/** A JSON response. */
export function json(value: unknown, status = 200): Reply {
  return { status, body: { kind: 'json', value } };
}

/** A plain-text response. */
export function plainText(text: string, status = 200): Reply {
  return { status, body: { kind: 'text', text } };
}

/** Headers that lead from a page of a list to the next one; none on the last page. */
export function nextLink(path: string, after: string | number | undefined, limit: number): { Link?: string } {
  if (after === undefined) return {};
  return { Link: `<${path}?after=${encodeURIComponent(after)}&limit=${limit}>; rel="next"` };
}

/** An error response `{"detail": ...}`, the form of all JSON services. */
export function detailReply(status: number, detail: unknown): Reply {
  return json({ detail }, status);
}
