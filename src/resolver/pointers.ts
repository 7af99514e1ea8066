/** From hits to the manifests they point to. */
import { manifestIdIn } from '../c2pa/manifest-url.js';
import { compareIsccIds, type Hit } from './hits.js';

export interface Pointer extends Hit {
  readonly manifestId: string;
}

/** The best hit of each gateway address that is one of a manifest: score down, ISCC-ID up. */
export function bestPointers(hits: readonly Hit[], manifestIdAt: (gateway: string) => string | undefined) {
  const best = new Map<string, Pointer>();
  for (const hit of hits) {
    const manifestId = manifestIdAt(hit.gateway);
    if (manifestId === undefined) continue;
    const before = best.get(hit.gateway);
    if (before === undefined || compare(hit, before) < 0) best.set(hit.gateway, { ...hit, manifestId });
  }
  return [...best.values()].sort(compare);
}

function compare(a: Hit, b: Hit): number {
  return b.score - a.score || compareIsccIds(a.isccId, b.isccId);
}

/** The manifest's id in an address that `accepts` takes. */
export function pointedId(gateway: string, accepts: (url: URL) => boolean): string | undefined {
  const manifestId = manifestIdIn(gateway);
  return manifestId !== undefined && accepts(new URL(gateway)) ? manifestId : undefined;
}
