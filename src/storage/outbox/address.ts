/** The rule for addresses of webhook receivers that others than the operator choose. */
import { isIP } from 'node:net';
import { isPublicAddress } from '../../platform/egress/public-address.js';

const URL_CHARACTERS_MAX = 2000;

export type CheckedAddress =
  | { readonly url: string }
  | { readonly refused: string; readonly isPrivate: boolean };

/**
 * The address of a receiver in its normal form, or the rule that it breaks. Names are resolved, and checked again, by the
 * connection of each delivery.
 *
 * @param allowed for tests: addresses that need be neither public nor https
 */
export function checkedAddress(text: string, allowed?: ReadonlySet<string>): CheckedAddress {
  const refuse = (refused: string, isPrivate = false) => ({ refused, isPrivate });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasUser = url !== undefined && (url.username !== '' || url.password !== '');
  // An empty fragment shows in the text alone.
  if (url === undefined || text.length > URL_CHARACTERS_MAX || hasUser || text.includes('#'))
    return refuse(
      `the address must be an absolute https address of at most ${URL_CHARACTERS_MAX} characters, without user name, password and fragment`,
    );
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (allowed?.has(host)) return { url: url.href };
  if (url.protocol !== 'https:') return refuse('the address must begin with https://');
  if (isIP(host) !== 0 && !isPublicAddress(host)) return refuse(`${host} is not a public address`, true);
  return { url: url.href };
}
