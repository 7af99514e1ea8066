/** ISCC-IDs that no hub issued, for assets that are added by hand. */
import { t } from '../language.js';
import { sha256 } from '../sha256.js';
import { base32, fromBase32 } from '../unit.js';

/** MainType ID, with a realm below 8. */
const ISCC_ID = /^ISCC:M[A-Z2-7]{15}$/;
/** Main type ID; the realm is added. Then version 1. */
const HEADER = 0x60;
const VERSION = 0x10;

/** Whether a code with prefix, in upper case, is an ISCC-ID. */
export function isIsccId(code: string): boolean {
  return ISCC_ID.test(code);
}

/** The realm of an ISCC-ID; without one the test realm, 0. */
export function realmOf(isccId: string | undefined): number {
  return (fromBase32((isccId ?? '').replace('ISCC:', ''))?.[0] ?? 0) & 15;
}

/**
 * The same for the same code and file name, and that of `isccd index add --make-ids`, so that adding a file again
 * replaces its entry.
 *
 * @throws on insecure origins, where browsers do not hash
 */
export async function derivedId(code: string, filename: string, realm: number): Promise<string> {
  const text = new TextEncoder().encode(`${code}\n${filename}`);
  const digest = await sha256(text, t('Adding'));
  // 52 bits of time, here the first 48 of the digest, and 12 bits for the hub.
  const hub = (((digest[6] ?? 0) << 8) | (digest[7] ?? 0)) & 0xfff;
  const time = [...digest.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const body = ((BigInt(`0x${time}`) << 12n) | BigInt(hub)).toString(16).padStart(16, '0');
  const bytes = [HEADER | realm, VERSION];
  for (let at = 0; at < body.length; at += 2) bytes.push(Number.parseInt(body.slice(at, at + 2), 16));
  return `ISCC:${base32(bytes)}`;
}
