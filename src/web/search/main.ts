/** The page of the search service: paste or drop codes, see similar assets and which bits differ. */
import { announce, byId, element, legend, onDrop, onSubmit } from '../dom.js';
import { type UnitBits, unitBits } from '../unit.js';
import { type Found, getAsset, listIndexes, type Match, search } from './api.js';
import { matchItem } from './match.js';
import { showNetwork } from './network.js';
import { parseQuery } from './query.js';

/** Draw the units of at most this many matches, because each takes a request. */
const DRAWN_MATCHES_MAX = 20;

async function suggestIndexes(): Promise<void> {
  // If the service requires a key, the list is refused and the user types the name.
  const names = await listIndexes('').catch((): string[] => []);
  byId('indexes', HTMLDataListElement).replaceChildren(...names.map((value) => element('option', { value })));
  const input = byId('index', HTMLInputElement);
  if (!input.value && names[0]) input.value = names[0];
}

function searchForm(): void {
  const form = byId('search', HTMLFormElement);
  const codes = byId('codes', HTMLTextAreaElement);
  onDrop(codes, async ([file]) => {
    codes.value = (await file?.text()) ?? '';
    form.requestSubmit();
  });
  onSubmit(form, byId('search-error', HTMLElement), async (data) => {
    byId('matches', HTMLElement).hidden = true;
    const index = String(data.get('index'));
    const key = String(data.get('key'));
    const query = parseQuery(codes.value);
    await show(await search(index, query, Number(data.get('limit')), key), index, key);
  });
}

async function show({ query, global_matches: matches }: Found, index: string, key: string): Promise<void> {
  const searched = bitsOf(query.units);
  const items = matches.map(async (match, at) => {
    const units = at < DRAWN_MATCHES_MAX ? await unitsOf(match, index, key) : [];
    return matchItem(match, searched, units);
  });
  const section = byId('matches', HTMLElement);
  const count = matches.length === 1 ? '1 match' : `${matches.length} matches`;
  byId('list', HTMLOListElement).replaceChildren(...(await Promise.all(items)));
  const summary = byId('summary', HTMLElement);
  summary.replaceChildren(matches.length === 0 ? 'No similar assets in this index.' : `${count}, best first`);
  if (matches.length > 0) summary.append(legend());
  section.hidden = false;
  section.focus();
  announce(count);
}

async function unitsOf(match: Match, index: string, key: string): Promise<UnitBits[]> {
  return bitsOf((await getAsset(index, match.iscc_id, key).catch(() => undefined))?.units);
}

function bitsOf(codes: readonly string[] = []): UnitBits[] {
  return codes.map(unitBits).filter((unit) => unit !== undefined);
}

searchForm();
void suggestIndexes();
void showNetwork();
