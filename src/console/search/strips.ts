/** Clips of films and passages of recordings: strips of time, with what the file and a match have in common. */
import { hasTimes, type Parts, type Span, spansByType, timeText } from '../../iscc/spans.js';
import { element, percent } from '../dom.js';
import { t } from '../language.js';
import type { ChunkMatch, Entry } from './api.js';
import type { FoundAsset } from './find.js';

/** The matches without those in which only single parts are similar: these say nothing. */
export function withoutChance(assets: readonly FoundAsset[], query: readonly Parts[] = []): FoundAsset[] {
  return assets.flatMap((asset) => {
    const { whole, passages } = asset;
    if (passages === undefined || !Object.keys(passages.types).every(hasTimes)) return [asset];
    const spans = Object.values(spansByType(passages.types, query));
    // A search with a stored asset does not know the times of its parts.
    if (query.length === 0 || spans.some((list) => list.length > 0)) return [asset];
    return whole === undefined ? [] : [{ ...asset, passages: undefined }];
  });
}

/** For each type the strips of the file and of the match. */
export function stripList(
  { types }: ChunkMatch,
  query: readonly Parts[] = [],
  entry: Entry | undefined,
): HTMLElement[] {
  return Object.entries(spansByType(types, query)).flatMap(([type, spans]) => {
    const mine = query.flatMap(({ offsets = [], sizes = [] }) => ends(offsets, sizes));
    const stored = entry?.simprints?.[type] ?? [];
    const theirs = stored.map(({ offset, size }) => offset + size);
    return spans.length === 0 ? [] : [strips(spans, mine, theirs)];
  });
}

function ends(offsets: readonly number[], sizes: readonly number[]): number[] {
  return offsets.map((offset, at) => offset + (sizes[at] ?? 0));
}

function strips(spans: readonly Span[], mine: readonly number[], theirs: readonly number[]): HTMLElement {
  const ofFile = spans.map(({ start, end }) => [start, end] as const);
  const ofMatch = spans.map(({ found_start, found_end }) => [found_start, found_end] as const);
  return element(
    'div',
    { class: 'strips' },
    strip(t('Your file'), ofFile, mine),
    strip(t('This match'), ofMatch, theirs),
    element('ul', {}, ...spans.map((span) => element('li', {}, spanLine(span)))),
  );
}

function spanLine({ start, end, found_start, found_end, mean }: Span): string {
  const [mine, theirs] = [
    [start, end],
    [found_start, found_end],
  ].map(([from = 0, to = 0]) => t('{0} to {1}', timeText(from), timeText(to)));
  return t('{0} is {1} of your file: {2}', theirs ?? '', mine ?? '', percent(mean));
}

/** @param known ends of parts, of which the last is about the end of the whole */
function strip(
  caption: string,
  spans: readonly (readonly [start: number, end: number])[],
  known: readonly number[],
): HTMLElement {
  const end = [...known, ...spans.map(([, last]) => last)].reduce((a, b) => Math.max(a, b), 1);
  const share = (time: number) => `${((100 * time) / end).toFixed(2)}%`;
  const marks = spans.map(([start, last]) => {
    const mark = element('span');
    mark.style.left = share(start);
    mark.style.width = share(last - start);
    return mark;
  });
  const times = spans.map(([start, last]) => t('{0} to {1}', timeText(start), timeText(last))).join(', ');
  const label = `${caption}: ${t('{0} out of {1}', times, timeText(end))}`;
  return element(
    'figure',
    {},
    element('figcaption', { class: 'hint' }, `${caption}, ${timeText(end)}`),
    element('div', { class: 'strip', role: 'img', 'aria-label': label }, ...marks),
  );
}
