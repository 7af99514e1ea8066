/** The lists that come with this version: whom the C2PA trusts, and its soft-binding algorithms. */
import { native } from '../native.js';
import { BUNDLED_TRUST_ANCHORS } from '../platform/config/trust-list.js';

/** The certificates that trust anchors stand for. */
export function anchorsOf(trustAnchorsPem: string): string {
  return trustAnchorsPem === BUNDLED_TRUST_ANCHORS ? native.bundledTrustList().pem : trustAnchorsPem;
}
