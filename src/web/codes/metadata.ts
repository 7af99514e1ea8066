/** The form that embeds metadata into a copy of an uploaded file. */
import { byId, element, onSubmit } from '../dom.js';
import { embed, metadata, type Processed, type Result } from './api.js';

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
  { name: 'name', label: 'Title', charactersMax: 128 },
  { name: 'creator', label: 'Creator' },
  { name: 'description', label: 'Description', charactersMax: 4096, isLong: true },
  { name: 'license', label: 'License', hint: 'URL' },
  { name: 'acquire', label: 'Acquire a license', hint: 'URL' },
  { name: 'credit', label: 'Credit line' },
  { name: 'rights', label: 'Copyright notice' },
  { name: 'identifier', label: 'Identifier' },
  { name: 'keywords', label: 'Keywords', hint: 'separated by commas' },
  {
    name: 'meta',
    label: 'Seed metadata',
    hint: 'base64 data URL, used for the Meta-Code',
    charactersMax: 16_384,
    isLong: true,
  },
];

/** Prefills the form with embedded metadata. `show` gets the result of the copy. */
export async function metadataForm(result: Result, show: (copy: Processed) => Promise<void>): Promise<void> {
  const form = element('form', { id: 'embed' });
  byId('embed', HTMLFormElement).replaceWith(form);
  const error = byId('embed-error', HTMLElement);
  error.textContent = '';
  const present = await metadata(result.media_id).catch((): Record<string, string> => ({}));
  const fields = FIELDS.map((field) => input(field, present[field.name] ?? ''));
  const submit = element('button', { type: 'submit' }, 'Embed and generate code');
  form.append(element('div', { class: 'columns' }, ...fields), submit);
  onSubmit(form, error, async (data) => {
    const texts = [...data].filter((entry): entry is [string, string] => entry[1] !== '');
    await show(await embed(result.media_id, Object.fromEntries(texts)));
  });
}

function input({ name, label, hint, charactersMax, isLong }: Field, value: string): HTMLDivElement {
  const id = `embed-${name}`;
  const limit = charactersMax === undefined ? {} : { maxlength: String(charactersMax) };
  const field = element(isLong ? 'textarea' : 'input', { id, name, ...limit });
  field.setAttribute('aria-describedby', 'embed-error');
  field.value = value;
  const text = hint === undefined ? [label] : [label, ' ', element('span', { class: 'hint' }, `(${hint})`)];
  const kind = isLong ? { class: 'wide' } : {};
  return element('div', kind, element('label', { for: id }, ...text), field);
}
