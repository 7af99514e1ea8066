/** Whom manifests are judged by: the lists that come with this version, updated ones, and the operator's anchors. */
import { native, type TrustList } from '../native.js';
import { BUNDLED_TRUST_ANCHORS, TRUST_KINDS, type TrustTexts } from '../platform/config/trust-list.js';

/** A list in force. */
export interface DatedTrustList extends TrustList {
  /** Day of the list, as `2026-08-13`; `undefined` for the operator's anchors. */
  readonly date?: string;
  /** Where it comes from; `undefined` for bundled lists. */
  readonly source?: string;
}

/** Name of the operator's anchors in verdicts. */
const ANCHORS_NAME = 'trust-anchors';

/**
 * The lists in force. The operator's anchors replace the list of signers, and vouch for identities and time-stampers next to the
 * lists of these.
 */
export function trustListsOf({ trustAnchorsPem, trustUpdates }: TrustTexts): DatedTrustList[] {
  const updated = new Set<string>(trustUpdates.map(({ kind }) => kind));
  const published = [...bundledTrustLists().filter(({ kind }) => !updated.has(kind)), ...trustUpdates];
  if (trustAnchorsPem === BUNDLED_TRUST_ANCHORS) return published;
  return [...anchorLists(trustAnchorsPem), ...published.filter(({ kind }) => kind !== 'signers')];
}

export function bundledTrustLists(): DatedTrustList[] {
  const date = native.bundledTrustListsDate();
  return native.bundledTrustLists().map((list) => ({ ...list, date }));
}

/** Certificates that vouch for all kinds of signers. */
export function anchorLists(pem: string): TrustList[] {
  return TRUST_KINDS.map((kind) => ({ name: ANCHORS_NAME, kind, pem }));
}
