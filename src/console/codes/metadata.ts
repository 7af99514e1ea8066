/** The form that embeds metadata into a copy of an uploaded file. */

import { embed, type Media, metadata, type Processed } from '../codes-client.js';
import { element, errorLine, onSubmit } from '../dom.js';
import { t } from '../language.js';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** In characters, as the service counts them. */
  readonly charactersMax?: number;
  readonly isLong?: boolean;
}

/** Fields that the service accepts. */
const FIELDS: readonly Field[] = [
  { name: 'name', label: t('Title'), charactersMax: 128 },
  { name: 'creator', label: t('Creator') },
  { name: 'description', label: t('Description'), charactersMax: 4096, isLong: true },
  { name: 'license', label: t('License'), hint: t('URL') },
  { name: 'acquire', label: t('Acquire a license'), hint: t('URL') },
  { name: 'credit', label: t('Credit line') },
  { name: 'rights', label: t('Copyright notice') },
  { name: 'identifier', label: t('Identifier') },
  { name: 'keywords', label: t('Keywords'), hint: t('separated by commas') },
  {
    name: 'meta',
    label: t('Seed metadata'),
    hint: t('base64 data URL, used for the Meta-Code'),
    charactersMax: 16_384,
    isLong: true,
  },
];

/**
 * A form that embeds metadata into a copy, prefilled with the embedded metadata when it opens.
 *
 * @param prefix of the ids of its fields, unique on the page
 * @param show gets the result of the copy
 */
export function metadataPanel(
  media: Media,
  prefix: string,
  show: (copy: Processed) => void,
): HTMLDetailsElement {
  const form = element('form');
  const error = errorLine();
  error.id = `${prefix}-error`;
  const panel = element(
    'details',
    {},
    element('summary', {}, t('Embed metadata into a copy')),
    element(
      'p',
      { class: 'hint' },
      t(
        'The original does not change. The copy gets its own code and URL. An empty field keeps the value that is in the file: this form can replace metadata, but not remove it.',
      ),
    ),
    form,
    error,
  );
  panel.addEventListener('toggle', async () => {
    if (!panel.open || form.childElementCount > 0) return;
    const present = await metadata(media.media_id).catch((): Record<string, string> => ({}));
    const fields = FIELDS.map((field) => input(field, present[field.name] ?? '', prefix));
    const submit = element('button', { type: 'submit' }, t('Embed and generate code'));
    form.replaceChildren(element('div', { class: 'columns' }, ...fields), submit);
  });
  onSubmit(form, error, async (data) => {
    const texts = [...data].filter((entry): entry is [string, string] => entry[1] !== '');
    show(await embed(media.media_id, Object.fromEntries(texts)));
  });
  return panel;
}

function input(
  { name, label, hint, charactersMax, isLong }: Field,
  value: string,
  prefix: string,
): HTMLDivElement {
  const id = `${prefix}-${name}`;
  const limit = charactersMax === undefined ? {} : { maxlength: String(charactersMax) };
  const field = element(isLong ? 'textarea' : 'input', { id, name, ...limit });
  field.setAttribute('aria-describedby', `${prefix}-error`);
  field.value = value;
  const text = hint === undefined ? [label] : [label, ' ', element('span', { class: 'hint' }, `(${hint})`)];
  const kind = isLong ? { class: 'wide' } : {};
  return element('div', kind, element('label', { for: id }, ...text), field);
}
