/** The forms of the search service: by codes and by a text passage. */
import { simprint, upload } from '../codes/api.js';
import { announce, byId, onSubmit, reveal } from '../dom.js';
import { rememberLink } from '../link.js';
import { keyField, type Query } from './api.js';
import { searchIn } from './find.js';
import { chooseIndex, chosenIndex, loadIndexes, watchChoices } from './indexes.js';
import { showMatches } from './matches.js';
import { type Passages, passagesOf } from './passages.js';
import { parseQuery } from './query.js';

const UPLOAD = {
  granular: true,
  semantic: false,
  onSent: () => {},
  onSteps: () => {},
  signal: new AbortController().signal,
};

export async function searchForms(): Promise<void> {
  keyField(() => void loadIndexes());
  watchChoices();
  const error = byId('search-error', HTMLElement);
  onSubmit(byId('search', HTMLFormElement), error, async (data) => {
    const text = String(data.get('codes'));
    const query = parseQuery(text);
    await show(query);
    rememberLink(query.iscc_code ?? (query.units ?? []).join(' '), chosenIndex());
  });
  onSubmit(byId('passage', HTMLFormElement), error, async (data) => {
    const text = String(data.get('text'));
    const simprints = await simprint(text);
    await show({ simprints }, await passagesOfText(text, Object.values(simprints).flat()));
  });
  await loadIndexes();
}

/** Fills the form and runs it. */
export function searchCodes(text: string, index?: string): void {
  byId('codes', HTMLTextAreaElement).value = text;
  if (index !== undefined) chooseIndex(index);
  byId('search', HTMLFormElement).requestSubmit();
}

async function show(query: Query, passages?: Passages): Promise<void> {
  const section = byId('matches', HTMLElement);
  section.hidden = true;
  const limit = Number(byId('limit', HTMLInputElement).value) || 20;
  const found = await searchIn(chosenIndex(), query, limit);
  const verdict = await showMatches(byId('matches-body', HTMLElement), found, passages);
  reveal(section);
  announce(verdict);
}

/** The service splits long texts into several passages. Only results of files say where. */
async function passagesOfText(text: string, simprints: readonly string[]): Promise<Passages> {
  const [only, ...others] = simprints;
  if (only !== undefined && others.length === 0) return new Map([[only, text]]);
  const file = new File([text], 'passage.txt', { type: 'text/plain' });
  const { features } = (await upload(file, UPLOAD)).result;
  return passagesOf(features, text);
}
