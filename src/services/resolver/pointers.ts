/** From matches to the manifests that they point to. */
import { manifestIdIn } from '../../c2pa/manifest-url.js';
import { compareIsccIds } from '../../iscc/iscc-id.js';
import type { Hit } from './search-backend.js';

export interface Pointer extends Hit {
  readonly manifestId: string;
}

/**
 * One pointer per gateway address, the best; sorted by score descending, then ISCC-ID ascending. Of several declarations of
 * one address, one in the log of a hub gives its ISCC-ID: others are provisional.
 */
export function rankPointers(
  hits: readonly Hit[],
  manifestIdAt: (gateway: string) => string | undefined,
): Pointer[] {
  const best = new Map<string, Pointer>();
  for (const hit of hits) {
    const manifestId = manifestIdAt(hit.gateway);
    if (manifestId === undefined) continue;
    const previous = best.get(hit.gateway);
    best.set(hit.gateway, previous === undefined ? { ...hit, manifestId } : merged(previous, hit));
  }
  return [...best.values()].sort(compare);
}

function merged(previous: Pointer, hit: Hit): Pointer {
  const [better, other] =
    compare(hit, previous) < 0 ? [{ ...hit, manifestId: previous.manifestId }, previous] : [previous, hit];
  const isReplaced = other.isLogged === true && better.isLogged !== true;
  return isReplaced ? { ...better, isccId: other.isccId, isLogged: true } : better;
}

function compare(a: Hit, b: Hit): number {
  return b.score - a.score || compareIsccIds(a.isccId, b.isccId);
}

/** The manifest id in a gateway address; `undefined` if the address is invalid or `accepts` refuses it. */
export function remoteManifestId(gateway: string, accepts: (url: URL) => boolean): string | undefined {
  const manifestId = manifestIdIn(gateway);
  return manifestId !== undefined && accepts(new URL(gateway)) ? manifestId : undefined;
}
