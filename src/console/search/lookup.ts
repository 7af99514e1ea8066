/** Matches of a file that got its code. */

import type { Lookup } from '../codes/job.js';
import type { Result } from '../codes-client.js';
import { byId } from '../dom.js';
import { t } from '../language.js';
import { pictureUrl } from '../picture.js';
import type { Query } from './api.js';
import { searchIn } from './find.js';
import { matchesFound } from './matches.js';
import { type Passages, passagesOf, simprintQuery } from './passages.js';
import { withoutChance } from './strips.js';

/** Texts above this size are not kept to show passages. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024;

/** @param index to search in; the empty text stands for all */
export function matchesLookup(index: string): Lookup {
  return (result, file) => ({
    title: t('Matches'),
    run: async () => {
      const found = await searchIn(index, queryOf(result), limitOfMatches());
      const picture = await pictureUrl(file);
      const shown = { ...found, assets: withoutChance(found.assets, result.features) };
      return matchesFound(shown, await passagesIn(result, file), result.iscc, { result, picture });
    },
  });
}

export function limitOfMatches(): number {
  return Number(byId('limit', HTMLInputElement).value) || 20;
}

/** Searches with the units, which may be longer than those in the code, and with the passages of a text. */
export function queryOf({ iscc, units, features }: Result): Query {
  const simprints = simprintQuery(features);
  return {
    ...(units === undefined ? { iscc_code: iscc } : { units }),
    ...(Object.keys(simprints).length > 0 && { simprints }),
  };
}

/** The text of a file whose bytes are its text. */
export async function textOf({ mediatype }: Result, file: File): Promise<string | undefined> {
  const isPlain = mediatype === 'text/plain' || mediatype === 'text/markdown';
  return isPlain && file.size <= TEXT_BYTES_MAX && file.size > 0 ? file.text() : undefined;
}

async function passagesIn(result: Result, file: File): Promise<Passages> {
  const text = await textOf(result, file);
  return text === undefined ? new Map() : passagesOf(result.features, text);
}
