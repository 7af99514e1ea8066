/** The list of matches of one search. */
import { counted, element, errorLine, legend } from '../dom.js';
import { findNeighbours } from '../services.js';
import { bitsOf } from '../unit-item.js';
import { getAsset } from './api.js';
import { type Search, scoreOf } from './find.js';
import { matchItem } from './match.js';
import type { Passages } from './passages.js';

/** Draw the units of at most this many matches, because each takes a request. */
const DRAWN_MAX = 20;

/** Fills a panel with the matches. Returns the verdict in a few words. */
export async function showMatches(
  panel: HTMLElement,
  { query, assets, indexes, failures }: Search,
  passages: Passages = new Map(),
  code: string | undefined = query.iscc_code,
): Promise<string> {
  // Cards offer a comparison if the codes service is there.
  await findNeighbours();
  const searched = bitsOf(query.units);
  const items = assets.map(async (found, at) => {
    const isDrawn = at < DRAWN_MAX;
    const entry = isDrawn ? await getAsset(found.index, found.isccId).catch(() => undefined) : undefined;
    return matchItem(found, { searched, code, passages, entry });
  });
  const [best] = assets;
  const where = counted(indexes, 'index', 'indexes');
  const summary =
    best === undefined
      ? `No similar assets in ${indexes === 1 ? 'this index' : `these ${where}`}.`
      : `${counted(assets.length, 'match', 'matches')} in ${where}, best first`;
  panel.replaceChildren(
    element('p', { class: 'hint' }, summary),
    ...failures.map(errorLine),
    ...(assets.some(({ whole }) => whole !== undefined) ? [legend()] : []),
    element('ol', { class: 'matches', 'aria-label': 'Matches' }, ...(await Promise.all(items))),
  );
  if (best === undefined) {
    panel.querySelector('.matches')?.remove();
    return 'no match';
  }
  return `${counted(assets.length, 'match', 'matches')}, best ${(scoreOf(best) * 100).toFixed(1)} %`;
}
