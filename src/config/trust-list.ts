/**
 * The trust anchors if `MSTORE_TRUST_ANCHORS` is not set.
 *
 * Empty, because the C2PA trust list changes and a stale copy would still trust removed signers. Operators get the list
 * from https://github.com/c2pa-org/conformance-public, folder `trust-list`. Without it, all signers are accepted and
 * rank as untrusted.
 */
export const BUNDLED_TRUST_ANCHORS = '';
