/** Addresses of manifests: from a manifest id to its URL in a store, and back. */

const MANIFESTS = '/manifests/';
export const GATEWAY_CHARS_MAX = 2048;
const ID_CHARS_MAX = 256;
/** Unicode categories Cc, Cf, Cs, Co, Cn, Zl, Zp and Zs, except the space. */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/u;

/** The address of a manifest in the store at `base`. All of the id but `A-Za-z0-9-._~` is percent-encoded. */
export function manifestUrl(base: string, manifestId: string): string {
  return `${base}/v1${MANIFESTS}${encode(manifestId)}`;
}

/** Ends of the addresses of a manifest, in each common way to encode its id. */
export function manifestUrlEnds(manifestId: string): string[] {
  const encoded = encode(manifestId);
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase());
  return [...new Set([encoded, lower, manifestId])].map((id) => `${MANIFESTS}${id}`);
}

/**
 * The manifest id in an address of any scheme: the decoded path after the last `/manifests/`. `undefined` unless the
 * address is a URL without white space and the id has 1 to 256 printable characters.
 */
export function manifestIdIn(gateway: string): string | undefined {
  if (gateway.length > GATEWAY_CHARS_MAX || /\s/u.test(gateway) || !URL.canParse(gateway)) return undefined;
  // URL.pathname would resolve dot segments and percent-encode more characters.
  const path = /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(gateway)?.[1] ?? '';
  const start = path.lastIndexOf(MANIFESTS);
  if (start === -1) return undefined;
  const id = decode(path.slice(start + MANIFESTS.length));
  if (id === undefined || /\s/u.test(id) || UNPRINTABLE.test(id)) return undefined;
  const length = [...id].length;
  return length >= 1 && length <= ID_CHARS_MAX ? id : undefined;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
