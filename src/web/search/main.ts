/** The page of the search service: paste or drop codes, see what is similar and where it differs. */
import { bitPicture } from '../bits.js';
import { byId, copyButton, element, facts, onSubmit } from '../dom.js';
import { type UnitBits, unitBits } from '../unit.js';
import { getAsset, listIndexes, type Match, type Query, search } from './api.js';

/** Matches whose units are drawn; each takes a request. */
const DRAWN_MATCHES_MAX = 20;

async function suggestIndexes(): Promise<void> {
  // Without the key the list is refused, and the name is typed.
  const names = await listIndexes('').catch((): string[] => []);
  byId('indexes', HTMLDataListElement).replaceChildren(...names.map((value) => element('option', { value })));
  const input = byId('index', HTMLInputElement);
  if (!input.value && names[0]) input.value = names[0];
}

function searchForm(): void {
  const codes = byId('codes', HTMLTextAreaElement);
  acceptDrops(codes);
  onSubmit(byId('search', HTMLFormElement), byId('search-error', HTMLElement), async (data) => {
    const index = String(data.get('index'));
    const key = String(data.get('key'));
    const query = parseQuery(codes.value);
    const found = await search(index, query, Number(data.get('limit')), key);
    const units = (found.query.units ?? []).map(unitBits).filter((unit) => unit !== undefined);
    const rows = found.global_matches.map((match, at) => {
      return at < DRAWN_MATCHES_MAX ? drawn(match, units, index, key) : row(match, []);
    });
    const section = byId('matches', HTMLElement);
    section.hidden = false;
    byId('summary', HTMLElement).textContent = rows.length === 1 ? '1 match' : `${rows.length} matches`;
    byId('list', HTMLOListElement).replaceChildren(...(await Promise.all(rows)));
    section.focus();
  });
}

/** One code is a code, several are units; a result of the codes service brings its own. */
function parseQuery(text: string): Query {
  if (text.trim().startsWith('{')) {
    const { iscc, iscc_code, units } = JSON.parse(text) as Record<string, unknown>;
    if (Array.isArray(units)) return { units: units.map(String) };
    return { iscc_code: String(iscc ?? iscc_code) };
  }
  const codes = text.split(/\s+/).filter(Boolean);
  const [first = ''] = codes;
  return codes.length === 1 && unitBits(first) === undefined ? { iscc_code: first } : { units: codes };
}

async function drawn(
  match: Match,
  query: readonly UnitBits[],
  index: string,
  key: string,
): Promise<HTMLLIElement> {
  const asset = await getAsset(index, match.iscc_id, key).catch(() => undefined);
  const units = (asset?.units ?? []).map(unitBits).filter((unit) => unit !== undefined);
  const pairs = query.flatMap((unit) => {
    const other = units.find(({ type }) => type === unit.type);
    return other ? [{ unit, other }] : [];
  });
  return row(match, pairs);
}

function row(match: Match, pairs: readonly { unit: UnitBits; other: UnitBits }[]): HTMLLIElement {
  const bars = Object.entries(match.types).map(([type, score]) => {
    const label = `${type}: ${(score * 100).toFixed(1)} %`;
    const meter = element('meter', {
      min: '0',
      max: '1',
      low: '0.75',
      value: String(score),
      'aria-label': label,
    });
    return [type, element('span', {}, meter, ` ${(score * 100).toFixed(1)} %`)] as const;
  });
  const pictures = pairs.map(({ unit, other }) => {
    const common = Math.min(unit.bits.length, other.bits.length);
    const differing = [...other.bits.slice(0, common)].filter((bit, at) => bit !== unit.bits[at]).length;
    const label = `${unit.type}: ${differing} of ${common} bits differ`;
    return element('li', {}, label, bitPicture(other.bits.slice(0, common), label, unit.bits));
  });
  const title = element('strong', {}, `${(match.score * 100).toFixed(1)} %`);
  const code = element('code', {}, match.iscc_id);
  const metadata = match.metadata ? element('code', {}, JSON.stringify(match.metadata)) : undefined;
  return element(
    'li',
    {},
    element('p', {}, title, ' ', code, ' ', copyButton(match.iscc_id, 'the ISCC-ID')),
    facts([...bars, ['Metadata', metadata]]),
    element('ul', { class: 'units' }, ...pictures),
  );
}

function acceptDrops(area: HTMLTextAreaElement): void {
  area.addEventListener('dragover', (event) => event.preventDefault());
  area.addEventListener('drop', async (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    area.value = await file.text();
  });
}

searchForm();
void suggestIndexes();
