/**
 * Spans of time that two films, or two recordings, have in common: from matches of their simprints, which say for single
 * parts where these were found. Design: docs/design/clips.md.
 */

/** Simprints of one type: parallel lists. */
export interface Parts {
  readonly maintype: string;
  readonly subtype: string;
  readonly version: number;
  readonly simprints: readonly string[];
  /** Milliseconds. */
  readonly offsets?: readonly number[];
  readonly sizes?: readonly number[];
}

/** A simprint of the query, and the stored one that it matches. */
export interface PartMatch {
  readonly query: string;
  readonly score: number;
  /** Milliseconds in what was found. */
  readonly offset: number;
  readonly size: number;
}

/** A part of the query, and where it was found. All times are milliseconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly found_start: number;
  readonly found_end: number;
  /** Similarity of the most similar parts. */
  readonly score: number;
  /** Mean similarity of the matching parts. */
  readonly mean: number;
  /** Number of matching parts. */
  readonly parts: number;
}

/** Parts that match, moved from the one time to the other. */
interface Pair {
  readonly start: number;
  readonly end: number;
  readonly shift: number;
  readonly foundStart: number;
  readonly foundEnd: number;
  readonly score: number;
}

/**
 * Parts of unrelated content may reach the threshold of the search, so a span has a pair at least that is this similar. Of
 * content that was encoded again, the nearest parts are.
 */
const SCORE_MIN = 0.85;
/**
 * Parts of sounds overlap, so all of a passage match, and as well as the best. In unrelated music a chord may be the same.
 * Those of films differ at the ends of a clip.
 */
const SOUND_MEAN_MIN = 0.87;
/** Parts of the same span are moved by almost the same time: parts of the clip begin elsewhere than those of the whole. */
const SHIFTS_MS = 1200;
/** A longer time without a match ends a span. */
const GAP_MS = 5000;

/** The name of a type of simprints in an index. */
export function simprintType({ maintype, subtype, version }: Omit<Parts, 'simprints'>): string {
  return `${maintype}_${subtype}_v${version}`.toUpperCase();
}

/** Whether offsets and sizes of a type are times. */
export function hasTimes(type: string): boolean {
  return /^[A-Z]+_(?:AUDIO|VIDEO)_V\d+$/.test(type);
}

/** A time as minutes and seconds, and hours if there are some. */
export function timeText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const end = two(seconds % 60);
  return minutes < 60 ? `${minutes}:${end}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${end}`;
}

/** Where a span was found, and which part of the query it is. */
export function spanText(span: Span, query = 'the query'): string {
  const time = (start: number, end: number) => `${timeText(start)} to ${timeText(end)}`;
  return `${time(span.found_start, span.found_end)} is ${time(span.start, span.end)} of ${query}`;
}

/** The spans that matches of a type amount to, in the order of the query. */
export function spansOf(query: Parts, matches: readonly PartMatch[]): Span[] {
  let pairs = pairsOf(query, matches).sort((a, b) => a.shift - b.shift);
  const spans: Span[] = [];
  const meanMin = query.subtype === 'audio' ? SOUND_MEAN_MIN : 0;
  while (pairs.some(({ score }) => score >= SCORE_MIN)) {
    const aligned = mostAligned(pairs);
    const found = runsOf(aligned).filter(({ score, mean }) => score >= SCORE_MIN && mean >= meanMin);
    spans.push(...found);
    const used = new Set(aligned);
    // What a span explains is no evidence for another one.
    pairs = pairs.filter((pair) => !used.has(pair) && !found.some((span) => covers(span, pair)));
  }
  return joined(spans.sort((a, b) => a.start - b.start));
}

/** Joins spans that overlap in both. The parts of a still shot are all alike, so all are found at the same place. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    const overlaps =
      last !== undefined &&
      span.start <= last.end &&
      span.found_start <= last.found_end &&
      span.found_end >= last.found_start;
    if (overlaps) all[all.length - 1] = union(last, span);
    else all.push(span);
  }
  return all;
}

function union(a: Span, b: Span): Span {
  return {
    start: Math.min(a.start, b.start),
    end: Math.max(a.end, b.end),
    found_start: Math.min(a.found_start, b.found_start),
    found_end: Math.max(a.found_end, b.found_end),
    score: Math.max(a.score, b.score),
    mean: (a.mean * a.parts + b.mean * b.parts) / (a.parts + b.parts),
    parts: a.parts + b.parts,
  };
}

/** The spans of a match by type, for the types of simprints with times. */
export function spansByType(
  types: Readonly<Record<string, { readonly chunks: readonly PartMatch[] }>>,
  query: readonly Parts[],
): Record<string, Span[]> {
  const spans: Record<string, Span[]> = {};
  for (const parts of query) {
    const type = simprintType(parts);
    const found = hasTimes(type) ? types[type] : undefined;
    if (found !== undefined) spans[type] = spansOf(parts, found.chunks);
  }
  return spans;
}

function pairsOf({ simprints, offsets = [], sizes = [] }: Parts, matches: readonly PartMatch[]): Pair[] {
  const places = new Map<string, number[]>();
  for (const [at, simprint] of simprints.entries()) {
    const known = places.get(simprint);
    if (known === undefined) places.set(simprint, [at]);
    else known.push(at);
  }
  // A simprint that is several times in the query is as often among the matches.
  const different = new Map(matches.map((match) => [`${match.query} ${match.offset}`, match]));
  return [...different.values()].flatMap(({ query, score, offset, size }) =>
    (places.get(query) ?? []).flatMap((at) => {
      const start = offsets[at] ?? 0;
      const end = start + (sizes[at] ?? 0);
      const pair = { start, end, foundStart: offset, foundEnd: offset + size, score };
      const shifts = [offset - start, offset + size - end] as const;
      // A clip may have the beginning of a shot, or its end.
      return shifts.slice(0, isSame(...shifts) ? 1 : 2).map((shift) => ({ ...pair, shift }));
    }),
  );
}

function isSame(shift: number, other: number): boolean {
  return Math.abs(shift - other) <= SHIFTS_MS / 2;
}

/** Of pairs in the order of their shifts, those with almost the same one whose scores have the largest sum. */
function mostAligned(pairs: readonly Pair[]): Pair[] {
  let best = { from: 0, to: 0, sum: 0 };
  let from = 0;
  let sum = 0;
  for (const [at, { shift, score }] of pairs.entries()) {
    sum += score;
    for (
      let first = pairs[from];
      first !== undefined && shift - first.shift > SHIFTS_MS;
      first = pairs[from]
    ) {
      sum -= first.score;
      from += 1;
    }
    if (sum > best.sum) best = { from, to: at + 1, sum };
  }
  return pairs.slice(best.from, best.to);
}

/** Joins pairs that follow each other in the query. */
function runsOf(pairs: readonly Pair[]): Span[] {
  const runs: Span[] = [];
  for (const pair of [...pairs].sort((a, b) => a.start - b.start)) {
    const { start, end, foundStart, foundEnd, score } = pair;
    const one = { start, end, found_start: foundStart, found_end: foundEnd, score, mean: score, parts: 1 };
    const last = runs.at(-1);
    if (last === undefined || start - last.end > GAP_MS) runs.push(one);
    else runs[runs.length - 1] = union(last, one);
  }
  return runs;
}

function covers(span: Span, { start, end }: Pair): boolean {
  return start >= span.start && end <= span.end;
}
