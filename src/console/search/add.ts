/** The form that adds a result to an index. */

import type { Result } from '../codes-client.js';
import { announce, element, errorLine, onSubmit } from '../dom.js';
import { t } from '../language.js';
import { addAsset, anyAsset, createIndex, type Entry } from './api.js';
import { loadIndexes, usableIndexes } from './indexes.js';
import { derivedId, realmOf } from './iscc-id.js';
import { textOf } from './lookup.js';
import { simprintsOf } from './passages.js';

/** Index of the manifests, which the store fills. */
const MANIFESTS = 'c2pa';
const NEW_INDEX = 'files';
/** Texts up to this size can be stored, so that passages can be shown. */
const TEXT_CHARS_MAX = 200_000;

/** @param prefix of the ids of its fields, unique on the page */
export function addPanel(result: Result, file: File, prefix: string): HTMLElement {
  const names = element('datalist', { id: `${prefix}-names` });
  const field = element('input', {
    id: `${prefix}-index`,
    name: 'index',
    list: names.id,
    required: '',
    pattern: '[a-z][a-z0-9]*',
    maxlength: '32',
    autocomplete: 'off',
    'aria-describedby': `${prefix}-added`,
  });
  const error = errorLine();
  const added = element('p', { id: `${prefix}-added`, role: 'status' });
  const form = element(
    'form',
    {},
    element(
      'label',
      { for: field.id },
      `${t('Index')} `,
      element('span', { class: 'hint' }, t('(a new name creates one)')),
    ),
    field,
    names,
    element(
      'fieldset',
      {},
      element('legend', { class: 'quiet' }, t('Metadata')),
      checkbox('thumbnail', t('Store the thumbnail'), result.thumbnail !== undefined),
      checkbox(
        'text',
        t('Store the text, to show passages'),
        // The row of an embedded copy has a file without content.
        file.size > 0 && /^text\/(?:plain|markdown)$/.test(String(result.mediatype)),
      ),
    ),
    element('button', { type: 'submit' }, t('Add')),
  );
  onSubmit(form, error, async (data) => {
    added.textContent = '';
    const index = String(data.get('index'));
    const { status, id, isTextTooLong } = await add(index, result, file, {
      thumbnail: data.has('thumbnail'),
      text: data.has('text'),
    });
    const what =
      status === 'created' ? t('Added to {0} as {1}', index, id) : t('Updated in {0} as {1}', index, id);
    added.textContent = what + (isTextTooLong ? t(', without its text, which is too long') : '');
    announce(added.textContent);
    await loadIndexes();
  });
  const panel = element('details', {}, element('summary', {}, t('Add to an index')), form, error, added);
  panel.addEventListener('toggle', () => {
    const own = usableIndexes().filter(({ name }) => name !== MANIFESTS);
    names.replaceChildren(...own.map(({ name }) => element('option', { value: name })));
    if (panel.open && field.value === '') field.value = own[0]?.name ?? NEW_INDEX;
  });
  return panel;
}

function checkbox(name: string, label: string, isOffered: boolean): HTMLElement {
  const box = element('input', {
    type: 'checkbox',
    name,
    ...(isOffered ? { checked: '' } : { disabled: '' }),
  });
  return element('label', isOffered ? {} : { hidden: '' }, box, ` ${label}`);
}

interface Stored {
  readonly thumbnail: boolean;
  readonly text: boolean;
}

async function add(index: string, result: Result, file: File, stored: Stored) {
  const isNew = usableIndexes().every(({ name }) => name !== index);
  if (isNew) await createIndex(index);
  const realm = realmOf((await anyAsset(index))?.iscc_id);
  const id = await derivedId(result.iscc, String(result.filename ?? ''), realm);
  const text = stored.text ? await storableText(result, file) : undefined;
  const thumbnail = stored.thumbnail ? result.thumbnail : undefined;
  const status = await addAsset(index, entryOf(id, result, { thumbnail, text }));
  return { status, id, isTextTooLong: stored.text && text === undefined };
}

/** `undefined` if the text is too long. */
async function storableText(result: Result, file: File): Promise<string | undefined> {
  const text = await textOf(result, file);
  return text !== undefined && text.length <= TEXT_CHARS_MAX ? text : undefined;
}

interface Extras {
  readonly thumbnail: string | undefined;
  readonly text: string | undefined;
}

function entryOf(id: string, result: Result, { thumbnail, text }: Extras): Entry {
  const { iscc, units, name, filename, mediatype } = result;
  const simprints = simprintsOf(result.features);
  return {
    iscc_id: id,
    iscc_code: iscc,
    ...(units !== undefined && { units }),
    ...(Object.keys(simprints).length > 0 && { simprints }),
    metadata: {
      ...(name !== undefined && { name }),
      ...(filename !== undefined && { filename }),
      ...(mediatype !== undefined && { mediatype }),
      ...(thumbnail !== undefined && { thumbnail }),
      ...(text !== undefined && { text }),
    },
  };
}
