/** Pages and redirects, with the headers of every dashboard response. */
import type { Readable } from 'node:stream';
import type { Reply } from '../../http/routing/route.js';
import type { Html } from './views/html.js';

/** Own resources only, nothing inline, no framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
};

export function pageReply(
  content: Html,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = { kind: 'text', text: content.text, contentType: 'text/html; charset=utf-8' } as const;
  return { status, headers: { ...HEADERS, ...headers }, body };
}

/** Redirect after a POST: the browser fetches the page with GET, so a reload does not repeat the action. */
export function redirect(location: string, cookies: readonly string[] = []): Reply {
  const set = cookies.length === 0 ? {} : { 'Set-Cookie': cookies };
  return { status: 302, headers: { ...HEADERS, Location: location, ...set } };
}

/** A download whose length is not known before. */
export function streamReply(stream: Readable, contentType: string, filename: string): Reply {
  const headers = { ...HEADERS, 'Content-Disposition': `attachment; filename="${filename}"` };
  return { status: 200, headers, body: { kind: 'stream', stream, contentType } };
}

/** A picture of our own page. */
export function imageReply(bytes: Uint8Array, contentType: string): Reply {
  return { status: 200, headers: HEADERS, body: { kind: 'bytes', bytes, contentType } };
}
