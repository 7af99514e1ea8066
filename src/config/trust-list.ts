/**
 * The trust anchors that count when `MSTORE_TRUST_ANCHORS` names none.
 *
 * Empty: the C2PA's list changes, and a stale copy would vouch for who has left it. The operator gets it from
 * https://github.com/c2pa-org/conformance-public, folder `trust-list`. Until then every signer is accepted and
 * ranks as not trusted.
 */
export const BUNDLED_TRUST_ANCHORS = '';
