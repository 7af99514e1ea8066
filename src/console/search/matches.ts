/** The list of matches of one search. */

import type { Result } from '../codes-client.js';
import { counted, element, errorLine, legend, percent } from '../dom.js';
import { t } from '../language.js';
import type { Found } from '../parts.js';
import { findNeighbours } from '../services.js';
import { bitsOf } from '../unit-item.js';
import { getAsset } from './api.js';
import { type FoundAsset, type Search, scoreOf } from './find.js';
import { matchItem, nameOf } from './match.js';
import type { Passages } from './passages.js';

/** Draw the units of at most this many matches, because each takes a request. */
const DRAWN_MAX = 20;

/** The file that was searched for. */
interface Searched {
  readonly result?: Result;
  /** Data URL, if it is a picture. */
  readonly picture?: string | undefined;
}

/** The cards of the matches, and the verdict in a few words. */
export async function matchesFound(
  { query, assets, indexes, failures }: Search,
  passages: Passages = new Map(),
  code: string | undefined = query.iscc_code,
  file: Searched = {},
): Promise<Found> {
  // Cards offer a comparison if the codes service is there.
  await findNeighbours();
  const searched = bitsOf(query.units);
  const { result, picture } = file;
  const asked = { code, units: query.units ?? [], result };
  const shown = [...assets].sort(byWhatTheyShow);
  const items = shown.map(async (found, at) => {
    const isDrawn = at < DRAWN_MAX;
    const entry = isDrawn ? await getAsset(found.index, found.isccId).catch(() => undefined) : undefined;
    return matchItem(found, { asked, picture, searched, passages, entry });
  });
  const [best] = assets;
  const where = indexes === 1 ? t('this index') : counted(indexes, 'index', 'indexes');
  const problems = failures.map((text) => errorLine(text));
  if (best === undefined) return { verdict: t('no match in {0}', where), body: problems };
  return {
    verdict: t(
      '{0} in {1}, best {2}',
      counted(assets.length, 'match', 'matches'),
      where,
      percent(scoreOf(best)).replace(' ', '\u00a0'),
    ),
    body: [
      ...problems,
      element('ol', { class: 'matches', 'aria-label': t('Matches') }, ...(await Promise.all(items))),
      ...(assets.some(({ whole }) => whole !== undefined) ? [legend()] : []),
    ],
  };
}

/** Best first. Of equal ones, those with a name come before those that only stand for a manifest. */
function byWhatTheyShow(a: FoundAsset, b: FoundAsset): number {
  const isUnnamed = ({ metadata }: FoundAsset) => Number(nameOf(metadata) === undefined);
  return scoreOf(b) - scoreOf(a) || isUnnamed(a) - isUnnamed(b);
}
