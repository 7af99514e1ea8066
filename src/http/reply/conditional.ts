/**
 * Entity tags, If-Match and If-None-Match (RFC 9110, 8.8.3, 13.1.1 and 13.1.2). Content has no date of modification here, so
 * the conditions on dates do not apply.
 */
import type { RequestHead } from '../head/head.js';
import { RequestRefused } from './errors.js';

/** A strong entity tag, quoted. */
export function quotedTag(identity: string): string {
  return `"${identity.replace(/[^\x21\x23-\x7e]/g, '')}"`;
}

/**
 * Whether a GET or HEAD of content with this tag gets 304, in the order of RFC 9110, 13.2.2.
 *
 * @throws {RequestRefused} `precondition-failed`
 */
export function isNotModified({ headers }: RequestHead, tag: string): boolean {
  if (!matchesIfMatch(headers.get('if-match'), tag))
    throw new RequestRefused({ kind: 'precondition-failed' });
  return matchesIfNoneMatch(headers.get('if-none-match'), tag);
}

/** Whether an If-None-Match value contains the tag. Uses weak comparison, which ignores `W/`. */
export function matchesIfNoneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const wanted = opaque(tag);
  for (const [, listed] of header.matchAll(/(?:W\/)?("[^"]*")/g)) if (listed === wanted) return true;
  return false;
}

/** Whether an If-Match value contains the tag, or is absent. Uses strong comparison: a weak tag never matches. */
export function matchesIfMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined || header.trim() === '*') return true;
  for (const [listed] of header.matchAll(/(?:W\/)?"[^"]*"/g)) if (listed === tag) return true;
  return false;
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
