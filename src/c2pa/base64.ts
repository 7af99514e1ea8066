/** Binding values as clients send them. */

/**
 * Decodes either alphabet of Base64, padded or not, with blanks for `+` as a careless query encoding leaves
 * them. `undefined` for what is none; white space around counts as nothing, inside as an error.
 */
export function decodeLenientBase64(text: string): Buffer | undefined {
  const plain = text.trim().replaceAll(' ', '+').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (plain.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(plain)) return undefined;
  return Buffer.from(plain, 'base64');
}
