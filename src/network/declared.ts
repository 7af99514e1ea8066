/** Whether hubs kept their promise: is what a store declared in the log of the hub? */
import { base32nopad } from '@scure/base';
import { canonicalIsccId, isIsccId } from '../iscc/iscc-id.js';
import type { FollowedNetwork } from './aggregator.js';

/** Declared for longer than this and not in the log, a declaration is missing. */
const PROMISED_MS = 3_600_000;

export interface Declared {
  readonly isccId: string;
  /** Multibase text of the store's key. */
  readonly key: string | undefined;
  /** Milliseconds since 1970. */
  readonly declaredMs: number;
}

export type LogState =
  | { readonly kind: 'logged'; readonly leaf: number }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'missing' };

/** The state of each declaration; `undefined` if its hub is not followed. */
export async function logStates(
  network: FollowedNetwork,
  declared: readonly Declared[],
  nowMs: number,
): Promise<(LogState | undefined)[]> {
  const hubs = new Map(network.status().hubs.map(({ hub_id, state }) => [hub_id, state]));
  const places = declared.map(({ isccId }) => placeOf(isccId, network.realm));
  const claims = await network.published.claims(places.map((place) => place?.isccId ?? ''));
  return declared.map(({ key, declaredMs }, at) => {
    const state = hubs.get(places[at]?.hubId ?? -1);
    if (state === undefined) return undefined;
    const claim = claims[at];
    if (claim != null && (key === undefined || claim.key === key))
      return { kind: 'logged', leaf: claim.leaf };
    const isOverdue = nowMs - declaredMs > PROMISED_MS && state === 'following';
    return { kind: claim != null || isOverdue ? 'missing' : 'waiting' };
  });
}

/** Hub and canonical text of an ISCC-ID of the network. */
function placeOf(isccId: string, realm: number): { hubId: number; isccId: string } | undefined {
  if (!isIsccId(isccId)) return undefined;
  const canonical = canonicalIsccId(isccId);
  const bytes = base32nopad.decode(canonical.slice('ISCC:'.length));
  if (((bytes[0] ?? 0) & 0x0f) !== realm) return undefined;
  const hubId = (((bytes.at(-2) ?? 0) & 0x0f) << 8) | (bytes.at(-1) ?? 0);
  return { hubId, isccId: canonical };
}
