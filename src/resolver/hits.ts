/** What the index answers, as the resolver reads it: scores and pointers to manifests. */
import { z } from 'zod';
import { BackendFailed } from './search-backend.js';

/** MainType ID of a canonical ISCC-ID makes the first letter an M or an N. */
const ISCC_ID = /^ISCC:[MN][A-Z2-7]{15}$/;

const scores = z.record(z.string(), z.number());
const metadata = z.unknown().transform((value): string | undefined => gatewayIn(value));
const answer = z.object({
  global_matches: z.array(
    z.object({
      iscc_id: z.string().regex(ISCC_ID),
      types: scores.nullish(),
      unit_scores: scores.nullish(),
      metadata,
    }),
  ),
});
const asset = z.object({ metadata });

export interface Hit {
  readonly isccId: string;
  /** 0 to 100. */
  readonly score: number;
  readonly gateway: string;
}

/**
 * The hits of a search that have a score and name a gateway, in the order of the answer.
 *
 * @throws {BackendFailed} if anything in it is not as it should be
 */
export function hitsOf(value: unknown): Hit[] {
  const { success, data } = answer.safeParse(value);
  if (!success) throw new BackendFailed('the answer is none to a search');
  const hits: Hit[] = [];
  for (const { iscc_id, types, unit_scores, metadata: gateway } of data.global_matches) {
    const score = scoreOf(types ?? unit_scores ?? {});
    if (score !== undefined && gateway !== undefined) hits.push({ isccId: iscc_id, score, gateway });
  }
  return hits;
}

/** The gateway of an asset; `undefined` if it names none. */
export function gatewayOf(value: unknown): string | undefined {
  return asset.safeParse(value).data?.metadata;
}

/**
 * The score of a hit from its similarity per unit type: 100 for an equal Instance-Code, else the best of the
 * similar units, at most 99. `undefined` if only the metadata are alike.
 */
export function scoreOf(types: Readonly<Record<string, number>>): number | undefined {
  let best: number | undefined;
  for (const [type, similarity] of Object.entries(types)) {
    if (type.startsWith('INSTANCE_') && similarity >= 1) return 100;
    if (!/^(?:SEMANTIC|CONTENT|DATA)_/.test(type)) continue;
    best = Math.max(best ?? 0, Math.min(99, halfUp(similarity)));
  }
  return best;
}

/** Per cent, rounded half up; what a decimal fraction lost in binary does not decide. */
function halfUp(similarity: number): number {
  return Math.floor(Number((similarity * 100).toFixed(9)) + 0.5);
}

export function isIsccId(text: string): boolean {
  return ISCC_ID.test(text);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Order of two ISCC-IDs by their bytes, which is that of their times; letters come before digits there. */
export function compareIsccIds(a: string, b: string): number {
  for (let at = 0; at < a.length; at += 1) {
    if (a[at] !== b[at]) return ALPHABET.indexOf(a[at] ?? '') - ALPHABET.indexOf(b[at] ?? '');
  }
  return 0;
}

function gatewayIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('gateway' in metadata)) return undefined;
  return typeof metadata.gateway === 'string' ? metadata.gateway : undefined;
}
