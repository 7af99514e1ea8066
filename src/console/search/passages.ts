/** Passages of texts: those of the query next to those of a match. */
import { simprintType } from '../../iscc/spans.js';
import type { Feature } from '../codes-client.js';
import { element } from '../dom.js';
import { fixed, t } from '../language.js';
import type { Chunk, ChunkMatch, Entry, Query, Simprint } from './api.js';

/** Passages to show per match. */
const SHOWN_MAX = 5;
/** Simprints of one type to search with. */
const QUERIED_MAX = 500;

/** The passages of the query by simprint. */
export type Passages = ReadonlyMap<string, string>;

/** The simprints of a result by type, as an index stores them. */
export function simprintsOf(features: readonly Feature[] = []): Record<string, Simprint[]> {
  return Object.fromEntries(
    features.map((feature) => [
      simprintType(feature),
      feature.simprints.map((simprint, at) => ({
        simprint,
        offset: feature.offsets?.[at] ?? 0,
        size: feature.sizes?.[at] ?? 0,
      })),
    ]),
  );
}

/** The simprints of a result by type, as a query has them. */
export function simprintQuery(features: readonly Feature[] = []): Record<string, string[]> {
  const all = features.map(
    (feature) => [simprintType(feature), feature.simprints.slice(0, QUERIED_MAX)] as const,
  );
  return Object.fromEntries(all.filter(([, simprints]) => simprints.length > 0));
}

/** The query with what an index has of an asset. */
export function queryOfEntry({ iscc_code: code, units, simprints = {} }: Entry): Query {
  const all = Object.entries(simprints).map(
    ([type, stored]) => [type, stored.slice(0, QUERIED_MAX).map(({ simprint }) => simprint)] as const,
  );
  return {
    ...(code !== undefined && { iscc_code: code }),
    ...(units !== undefined && { units }),
    ...(all.length > 0 && { simprints: Object.fromEntries(all) }),
  };
}

/** Passages of a text by simprint. */
export function passagesOf(features: readonly Feature[] = [], text: string): Passages {
  const cut = cutter(text);
  const entries = features.flatMap(({ simprints, offsets = [], sizes = [] }) =>
    simprints.map((simprint, at) => [simprint, cut(offsets[at] ?? 0, sizes[at] ?? 0)] as const),
  );
  return new Map(entries);
}

/** Cuts passages out of a text by their offset and size in bytes of UTF-8. */
function cutter(text: string): (offset: number, size: number) => string {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  return (offset, size) => decoder.decode(bytes.subarray(offset, offset + size));
}

/** @param text of the match, if the index stores it. @param passages of the query */
export function passageList(
  { types }: ChunkMatch,
  text: string | undefined,
  passages: Passages,
): HTMLElement {
  const all = Object.values(types).flatMap(({ chunks }) => chunks);
  const best = [...all].sort((a, b) => b.score - a.score).slice(0, SHOWN_MAX);
  const cut = text === undefined ? undefined : cutter(text);
  const { matches, queried } = Object.values(types)[0] ?? { matches: 0, queried: 0 };
  return element(
    'div',
    {},
    element('p', {}, t('{0} of {1} passages match', matches, queried)),
    ...best.map((chunk) => pair(chunk, passages.get(chunk.query), cut?.(chunk.offset, chunk.size))),
  );
}

function pair(
  { score, offset, size }: Chunk,
  mine: string | undefined,
  theirs: string | undefined,
): HTMLElement {
  return element(
    'div',
    { class: 'side-by-side passages' },
    passage(t('Your text'), mine, t('The text of this passage is not known.')),
    passage(
      t('This match, bytes {0} to {1}: {2}', offset, offset + size, `${fixed(score * 100, 0)} %`),
      theirs,
      t('The index does not store the text.'),
    ),
  );
}

function passage(caption: string, text: string | undefined, missing: string): HTMLElement {
  const shown =
    text === undefined ? element('p', { class: 'hint' }, missing) : element('blockquote', {}, text);
  return element('figure', {}, element('figcaption', { class: 'hint' }, caption), shown);
}
