/** The field of the page, which takes anything that the page can look up. */

import { byId, messageOf, onSubmit } from '../dom.js';
import { forgetLink } from '../link.js';
import { addFiles } from '../queue.js';
import { keyField } from '../search/api.js';
import { chooseIndex, indexesLoaded, loadIndexes, watchChoice } from '../search/indexes.js';
import { parseQuery } from '../search/query.js';
import { findNeighbours, has } from '../services.js';
import { answerAddress, answerCodes, answerManifest } from './answer.js';
import { asked } from './asked.js';

/** Name of a text that is typed or pasted; services expect files to have one. */
const TEXT_NAME = 'pasted text.txt';

export function askForm(): void {
  const field = byId('query', HTMLTextAreaElement);
  const form = byId('ask', HTMLFormElement);
  onSubmit(form, byId('ask-error', HTMLElement), async (_data, signal) => answer(field.value, signal));
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

/** The parts of the form that need the search service. */
export async function searchFields(): Promise<void> {
  const error = byId('ask-error', HTMLElement);
  keyField(async () => {
    await loadIndexes();
    const problem = await indexesLoaded();
    error.textContent = problem === undefined ? '' : messageOf(problem);
  });
  watchChoice();
  await loadIndexes();
}

/** Fills the field and runs it. */
export function ask(text: string, index?: string): void {
  byId('query', HTMLTextAreaElement).value = text;
  if (index !== undefined) chooseIndex(index);
  byId('ask', HTMLFormElement).requestSubmit();
}

async function answer(text: string, signal: AbortSignal): Promise<void> {
  // The result of an earlier question must not be shown next to the error of another.
  byId('answer', HTMLElement).hidden = true;
  forgetLink();
  const question = asked(text);
  // Without a service that reads texts, it can only be a code: the refusal says what is wrong with it.
  if (question.kind === 'text' && !has('codes')) parseQuery(text);
  if (question.kind === 'codes') {
    if (question.index !== undefined && has('search')) chooseIndex(question.index);
    // A key that was just entered decides which indexes there are.
    await indexesLoaded();
  } else {
    await findNeighbours();
  }
  signal.throwIfAborted();
  switch (question.kind) {
    case 'codes':
      return answerCodes(question.query);
    case 'manifest':
      return answerManifest(question.id);
    case 'address':
      return answerAddress(question.url);
    case 'text':
      return addFiles([new File([question.text], TEXT_NAME, { type: 'text/plain' })]);
  }
}
