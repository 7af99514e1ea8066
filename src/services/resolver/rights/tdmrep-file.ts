/** The file `/.well-known/tdmrep.json` of a server: which of its paths are reserved, as the TDMRep report defines it. */
import { z } from 'zod';
import type { RightsField } from '../../../content/rights.js';

export const TDMREP_PATH = '/.well-known/tdmrep.json';
/** Entries of one file that are read. */
const ENTRIES_MAX = 10_000;
const TEXT_MAX = 2048;

const entry = z.looseObject({
  location: z.string().max(TEXT_MAX),
  'tdm-reservation': z.literal([0, 1]),
  'tdm-policy': z.string().max(TEXT_MAX).optional(),
});
type Entry = z.infer<typeof entry>;

/** The entries of a file, without invalid ones; `undefined` if the text is not such a file. */
export function tdmrepEntries(json: string): Entry[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, ENTRIES_MAX).flatMap((one) => entry.safeParse(one).data ?? []);
}

/**
 * The fields for a path with its query. Of several entries whose pattern matches, the longest pattern counts, as in RFC 9309,
 * which the patterns come from; of equally long ones the first.
 */
export function fieldsAt(entries: readonly Entry[], path: string): RightsField[] {
  const matching = entries.filter(({ location }) => matches(location, path));
  const longest = Math.max(...matching.map(({ location }) => location.length));
  const found = matching.find(({ location }) => location.length === longest);
  if (found === undefined) return [];
  const policy = found['tdm-policy'];
  return [
    { place: 'tdmrep', name: 'tdm:reservation', value: String(found['tdm-reservation']) },
    ...(policy === undefined ? [] : [{ place: 'tdmrep', name: 'tdm:policy', value: policy } as const]),
  ];
}

/** Whether a path begins with a pattern, in which `*` stands for any characters and a final `$` for the end. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  const last = isWhole ? rest.pop() : undefined;
  let at = first.length;
  // The first occurrence of each part leaves the most for the others.
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}
