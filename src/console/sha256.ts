/**
 * SHA-256 by the browser.
 *
 * @param what needs it, for the message
 * @throws on insecure origins, where browsers do not hash
 */
import { t } from './language.js';
export async function sha256(bytes: Uint8Array<ArrayBuffer>, what: string): Promise<Uint8Array> {
  // Typed as always present, but browsers leave it out of pages from http on other machines.
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) throw new Error(t('{0} needs https, or a server on this machine.', what));
  return new Uint8Array(await subtle.digest('SHA-256', bytes));
}
