/** Hits of a search: scores, and the gateways that declarations point to. Parses responses of a remote service. */
import { z } from 'zod';
import { ISCC_ID_PATTERN, isIsccId } from '../../iscc/iscc-id.js';
import { BackendFailed, type Hit } from './search-backend.js';

const scores = z.record(z.string(), z.number());
const metadata = z.unknown().transform((value): string | undefined => gatewayIn(value));
const isccId = z.string().regex(ISCC_ID_PATTERN);
const searchResponse = z.object({
  global_matches: z.array(
    z.object({
      iscc_id: isccId,
      types: scores.nullish(),
      unit_scores: scores.nullish(),
      metadata,
    }),
  ),
});
const asset = z.object({ metadata });
const assetUnits = z.object({ units: z.array(z.string()) });

/** A match of the search service. */
export interface Match {
  readonly isccId: string;
  /** Similarity per unit type, 0 to 1. */
  readonly types: Readonly<Record<string, number>>;
  readonly gateway?: string | undefined;
}

/**
 * The matches of a search response that have a score and a gateway, in the order of the response.
 *
 * @param value JSON of the response
 * @throws {BackendFailed} if any part of the response is invalid
 */
export function parseHits(value: unknown): Hit[] {
  const { success, data } = searchResponse.safeParse(value);
  if (!success) throw new BackendFailed('unexpected search response');
  return hitsOf(
    data.global_matches.map(({ iscc_id, types, unit_scores, metadata }) => ({
      isccId: iscc_id,
      types: types ?? unit_scores ?? {},
      gateway: metadata,
    })),
  );
}

/**
 * The matches that have a score and a gateway, in their order.
 *
 * @throws {BackendFailed} if an ISCC-ID is invalid, which an index in memory accepts
 */
export function hitsOf(matches: readonly Match[]): Hit[] {
  const hits: Hit[] = [];
  for (const { isccId, types, gateway } of matches) {
    if (!isIsccId(isccId)) throw new BackendFailed('unexpected search response');
    const score = scoreOf(types);
    if (score === undefined || gateway === undefined) continue;
    const isEqual = Object.values(types).every((similarity) => similarity >= 1);
    hits.push({ isccId, score, gateway, ...(isEqual && { isEqual }) });
  }
  return hits;
}

/** The gateway of an asset; `undefined` if the asset has none. */
export function parseGateway(value: unknown): string | undefined {
  return asset.safeParse(value).data?.metadata;
}

/** The units of an asset; `undefined` if the asset only has an ISCC-CODE. */
export function parseUnits(value: unknown): readonly string[] | undefined {
  return assetUnits.safeParse(value).data?.units;
}

/**
 * The score of a match from its similarity per unit type: 100 for an equal Instance-Code, else the best similarity of
 * the other units in per cent, at most 99. `undefined` if only Meta-Codes match. That a declaration has the units of the
 * query and no others, for which the score is 100 too, does not follow from the similarities.
 */
export function scoreOf(types: Readonly<Record<string, number>>): number | undefined {
  let best: number | undefined;
  for (const [type, similarity] of Object.entries(types)) {
    if (type.startsWith('INSTANCE_') && similarity >= 1) return 100;
    if (!/^(?:SEMANTIC|CONTENT|DATA)_/.test(type)) continue;
    best = Math.max(best ?? 0, Math.min(99, percent(similarity)));
  }
  return best;
}

/** Rounds half up. `toFixed` removes the binary error of decimal fractions, which could decide a tie. */
function percent(similarity: number): number {
  return Math.floor(Number((similarity * 100).toFixed(9)) + 0.5);
}

function gatewayIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('gateway' in value)) return undefined;
  return typeof value.gateway === 'string' ? value.gateway : undefined;
}
