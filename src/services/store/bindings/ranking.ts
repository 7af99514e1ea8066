/** The order of the manifests that match a query. */
import type { StoredManifest } from '../manifests/manifests.js';

export interface Match {
  readonly manifestId: string;
  readonly similarityScore: number;
  readonly isccId?: string;
}

/**
 * The live ones of some manifests as matches, best first.
 *
 * @param scoreOf score by key
 */
export function rankedMatches(
  manifests: readonly StoredManifest[],
  scoreOf: ReadonlyMap<number, number>,
  maxResults: number,
): Match[] {
  return manifests
    .filter(({ live }) => live)
    .map((manifest) => ({ ...manifest, score: scoreOf.get(manifest.key) ?? 0 }))
    .sort(bestFirst)
    .slice(0, maxResults)
    .map(({ manifestId, score, status, isccId }) => ({
      manifestId,
      similarityScore: score,
      ...(status === 'declared' && isccId !== null && { isccId }),
    }));
}

type Ranked = StoredManifest & { readonly score: number };

function bestFirst(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    Number(b.trusted) - Number(a.trusted) ||
    a.uploadedAt - b.uploadedAt ||
    (a.manifestId < b.manifestId ? -1 : 1)
  );
}
