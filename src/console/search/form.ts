/** The forms of the search service: by codes and by a text passage. */
import { simprint, upload } from '../codes/api.js';
import { announce, byId, element, messageOf, onSubmit, reveal } from '../dom.js';
import { Latest } from '../latest.js';
import { forgetLink, rememberLink } from '../link.js';
import { keyField, type Query } from './api.js';
import { searchIn } from './find.js';
import { chooseIndex, chosenIndex, indexesLoaded, loadIndexes, watchChoices } from './indexes.js';
import { showMatches } from './matches.js';
import { type Passages, passagesOf } from './passages.js';
import { parseQuery } from './query.js';

const UPLOAD = {
  granular: true,
  semantic: false,
  onSent: () => {},
  onSteps: () => {},
};

/** A search to show. */
interface Shown {
  readonly query: Query;
  readonly index: string;
  /** Aborts when a newer search starts. */
  readonly signal: AbortSignal;
  readonly passages?: Passages;
}

export async function searchForms(): Promise<void> {
  const error = byId('search-error', HTMLElement);
  keyField(async () => {
    await loadIndexes();
    const problem = await indexesLoaded();
    error.textContent = problem === undefined ? '' : messageOf(problem);
  });
  watchChoices();
  // Both forms show their matches in the same place.
  const latest = new Latest();
  onSubmit(byId('search', HTMLFormElement), error, searchByCodes, latest);
  onSubmit(byId('passage', HTMLFormElement), error, searchByPassage, latest);
  await loadIndexes();
}

async function searchByCodes(data: FormData, signal: AbortSignal): Promise<void> {
  leaveMatches();
  const query = parseQuery(String(data.get('codes')));
  // A key that was just entered decides which indexes there are.
  await indexesLoaded();
  signal.throwIfAborted();
  const index = chosenIndex();
  rememberLink(query.iscc_id ?? query.iscc_code ?? (query.units ?? []).join(' '), index);
  await show({ query, index, signal });
}

async function searchByPassage(data: FormData, signal: AbortSignal): Promise<void> {
  leaveMatches();
  const text = String(data.get('text'));
  await indexesLoaded();
  const index = chosenIndex();
  const simprints = await simprint(text);
  const passages = await passagesOfText(text, Object.values(simprints).flat(), signal);
  await show({ query: { simprints }, index, signal, passages });
}

/** Fills the form and runs it. */
export function searchCodes(text: string, index?: string): void {
  byId('codes', HTMLTextAreaElement).value = text;
  if (index !== undefined) chooseIndex(index);
  byId('search', HTMLFormElement).requestSubmit();
}

/** Hides the matches of an earlier search, which must not be shown next to the error of another. */
function leaveMatches(): void {
  byId('matches', HTMLElement).hidden = true;
  forgetLink();
}

/** @throws if a newer search has started */
async function show({ query, index, signal, passages }: Shown): Promise<void> {
  signal.throwIfAborted();
  const section = byId('matches', HTMLElement);
  const limit = Number(byId('limit', HTMLInputElement).value) || 20;
  const found = await searchIn(index, query, limit);
  // Apart from the page until it is complete: meanwhile a newer search may have shown its matches.
  const body = element('div');
  const verdict = await showMatches(body, found, passages);
  signal.throwIfAborted();
  byId('matches-body', HTMLElement).replaceChildren(...body.childNodes);
  reveal(section);
  announce(verdict);
}

/** The service splits long texts into several passages. Only results of files say where. */
async function passagesOfText(
  text: string,
  simprints: readonly string[],
  signal: AbortSignal,
): Promise<Passages> {
  const [only, ...others] = simprints;
  if (only !== undefined && others.length === 0) return new Map([[only, text]]);
  const file = new File([text], 'passage.txt', { type: 'text/plain' });
  const { features } = (await upload(file, { ...UPLOAD, signal })).result;
  return passagesOf(features, text);
}
