/** The form that creates an index. */

import { announce, byId, onSubmit } from '../dom.js';
import { t } from '../language.js';
import { createIndex } from './api.js';
import { loadIndexes } from './indexes.js';

export function createForm(): void {
  const form = byId('create', HTMLFormElement);
  onSubmit(form, byId('index-error', HTMLElement), async (data) => {
    const { name } = await createIndex(String(data.get('name')));
    form.reset();
    await loadIndexes();
    announce(t('Created the index {0}', name));
  });
}
