/** The lists that come with this version: whom the C2PA trusts, and its soft-binding algorithms. */
import { BUNDLED_TRUST_ANCHORS } from '../config/trust-list.js';
import { native } from '../native.js';

/** The certificates that trust anchors stand for. */
export function anchorsOf(trustAnchorsPem: string): string {
  return trustAnchorsPem === BUNDLED_TRUST_ANCHORS ? native.bundledTrustList().pem : trustAnchorsPem;
}
