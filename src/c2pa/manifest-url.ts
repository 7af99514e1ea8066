/** From a manifest's id to its address in a store, and back. */
import { hasOnlyPrintable } from './printable.js';

const MANIFESTS = '/manifests/';
export const GATEWAY_CHARS_MAX = 2048;
const ID_CHARS_MAX = 256;

/** The address of a manifest in the store at `base`; only `A-Za-z0-9-._~` of the id stay as they are. */
export function manifestUrl(base: string, manifestId: string): string {
  return `${base}/v1${MANIFESTS}${encoded(manifestId)}`;
}

/** The id in a public gateway address; `undefined` for what is no https address of a manifest. */
export function manifestIdOf(gateway: string): string | undefined {
  return /^https:\/\//i.test(gateway) ? manifestIdIn(gateway) : undefined;
}

/**
 * The id in an address of any scheme: the decoded path after the last `/manifests/`. `undefined` for what is no
 * address of a manifest: no URL, white space, nothing or more than 256 characters after it, or unprintable ones.
 */
export function manifestIdIn(gateway: string): string | undefined {
  if (gateway.length > GATEWAY_CHARS_MAX || /\s/u.test(gateway) || !URL.canParse(gateway)) return undefined;
  // Not the URL object's path: that one resolves dots and encodes more than the address does.
  const path = /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(gateway)?.[1] ?? '';
  const start = path.lastIndexOf(MANIFESTS);
  if (start === -1) return undefined;
  const id = decoded(path.slice(start + MANIFESTS.length));
  if (id === undefined || /\s/u.test(id) || !hasOnlyPrintable(id)) return undefined;
  const length = [...id].length;
  return length >= 1 && length <= ID_CHARS_MAX ? id : undefined;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
