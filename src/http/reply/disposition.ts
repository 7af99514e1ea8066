/** The Content-Disposition header (RFC 6266, RFC 8187). */

/**
 * Names the file of a download. The result is printable ASCII for any name, and no name can end the header or the
 * quoted string.
 */
export function contentDisposition(type: 'attachment' | 'inline', filename: string): string {
  const name = filename.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '_');
  const plain = asciiForm(name);
  const quoted = `${type}; filename="${plain}"`;
  return plain === name ? quoted : `${quoted}; filename*=UTF-8''${percentEncoded(name)}`;
}

/**
 * For clients without `filename*` support. Quotes, backslashes and percent signs are replaced because browsers
 * interpret them differently.
 */
function asciiForm(name: string): string {
  return name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
}

/** Encodes every character except the `attr-char` of RFC 8187. */
function percentEncoded(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
