/**
 * The expected response of a recorded exchange: the recording, rewritten by the decisions that apply to all exchanges.
 * `decisions.ts` lists the decisions for single exchanges.
 */
import type { Exchange } from './exchange.js';

const MATCH_THRESHOLD = 0.75;
/** Recorded scores come from 32-bit distances. */
const SCORE_DIGITS = 6;

interface Match {
  readonly iscc_id: string;
  readonly score: number;
  readonly types: Readonly<Record<string, unknown>>;
}

export interface SearchBody {
  readonly query: unknown;
  readonly global_matches: readonly Match[];
  readonly chunk_matches: readonly Match[];
}

/** Assets that are stored differently than when the session was recorded. */
export interface Moved {
  /** Refused by one of the listed decisions, so not in any result. */
  readonly refused: Set<string>;
  /** Stored with a code only: now found by the units of that code, never found by the reference. */
  readonly codeOnly: Set<string>;
}

/** The expected body; `undefined` if the recording has no body to compare with. */
export function expectedBody({ response, backend }: Exchange, { refused }: Moved): unknown {
  // Of pages and long documents, the recording has only the length.
  if (isObject(response) && '_bytes' in response) return undefined;
  if (!isSearchBody(response)) return comparable(response);
  const isStored = ({ iscc_id }: Match) => !refused.has(iscc_id);
  const matches = response.global_matches.filter(isStored).map((match) => reported(match, backend));
  return comparable({
    ...response,
    global_matches: matches.filter(({ types }) => Object.keys(types).length > 0).sort(inOrder),
    chunk_matches: response.chunk_matches.filter(isStored),
  });
}

/** The body of a reply, in the form of `expectedBody`. */
export function repliedBody(body: unknown, { codeOnly }: Moved): unknown {
  if (!isSearchBody(body)) return comparable(body);
  const matches = body.global_matches.filter(({ iscc_id }) => !codeOnly.has(iscc_id));
  return comparable({ ...body, global_matches: matches });
}

export function isSearchBody(value: unknown): value is SearchBody {
  return isObject(value) && 'global_matches' in value && 'chunk_matches' in value;
}

/** Units below the threshold are not reported, and the scores have both their names. */
function reported(match: Match, backend: string): Match & { unit_scores: unknown } {
  const all = Object.entries(match.types);
  const above = all.filter(([, score]) => backend !== 'usearch' || Number(score) >= MATCH_THRESHOLD);
  const types = Object.fromEntries(above);
  return { ...match, types, unit_scores: types };
}

/** The recording has matches with equal scores in arbitrary order. */
function inOrder(a: Match, b: Match): number {
  const units = Object.keys(b.types).length - Object.keys(a.types).length;
  return b.score - a.score || units || (a.iscc_id < b.iscc_id ? -1 : 1);
}

/** Rounds scores and removes sizes on disk, which vary. */
function comparable(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(SCORE_DIGITS));
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  const isIndex = typeof value.assets === 'number';
  const members = Object.entries(value).filter(([name]) => !isIndex || !name.startsWith('size'));
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
