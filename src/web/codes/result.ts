/** Shows an ISCC result, and offers to embed metadata into a copy of its file. */
import { bitPicture } from '../bits.js';
import { byId, copyButton, element, facts, onSubmit } from '../dom.js';
import { embed, explain, metadata, type Result } from './api.js';

/** Fields of the embed request, with what the service allows. */
const METADATA_FIELDS = [
  ['name', 'Title', 128],
  ['description', 'Description', 4096],
  ['creator', 'Creator', undefined],
  ['license', 'License (URI)', undefined],
  ['acquire', 'Where to acquire a license (URI)', undefined],
  ['credit', 'Credit line', undefined],
  ['rights', 'Copyright notice', undefined],
  ['identifier', 'Identifier', undefined],
  ['keywords', 'Keywords', undefined],
] as const;

/** Fields that have a place of their own, or are too long to read. */
const NOT_LISTED = new Set([
  'iscc',
  'units',
  'thumbnail',
  'features',
  'content',
  '@context',
  '@type',
  '$schema',
]);

export async function showResult(result: Result): Promise<void> {
  const section = byId('result', HTMLElement);
  const body = byId('result-body', HTMLDivElement);
  const rows = Object.entries(result).filter(
    ([name, value]) => !NOT_LISTED.has(name) && typeof value !== 'object',
  );
  body.replaceChildren(
    ...thumbnail(result),
    element(
      'p',
      {},
      element('code', { id: 'result-iscc' }, result.iscc),
      ' ',
      copyButton(result.iscc, 'the ISCC-CODE'),
    ),
    facts(rows.map(([name, value]) => [name, String(value)] as const)),
    element(
      'p',
      {},
      element('a', { href: new URL(result.content).pathname, download: '' }, 'Download the file'),
    ),
    await units(result.units ?? []),
  );
  section.hidden = false;
  section.focus();
  await metadataForm(result);
}

function thumbnail(result: Result): Node[] {
  return result.thumbnail
    ? [element('img', { class: 'thumbnail', src: result.thumbnail, alt: 'Thumbnail' })]
    : [];
}

/** One picture per unit, drawn from its explanation. */
export async function units(codes: readonly string[]): Promise<HTMLUListElement> {
  const list = element('ul', { class: 'units', 'aria-label': 'ISCC-UNITs' });
  for (const code of codes) {
    const { units: parts } = await explain(code);
    for (const unit of parts) {
      const kind = unit.readable.split('-').slice(0, 2).join(' ');
      const label = `${kind}, ${unit.hash_bits.length} bits`;
      const text = element('code', {}, unit.iscc_unit);
      list.append(
        element(
          'li',
          {},
          element('strong', {}, label),
          bitPicture(unit.hash_bits, label),
          text,
          ' ',
          copyButton(unit.iscc_unit, label),
        ),
      );
    }
  }
  return list;
}

async function metadataForm(result: Result): Promise<void> {
  const old = byId('embed', HTMLFormElement);
  const form = element('form', { id: 'embed' });
  old.replaceWith(form);
  const present = await metadata(result.media_id).catch((): Record<string, string> => ({}));
  for (const [name, label, charactersMax] of METADATA_FIELDS) {
    const limit = charactersMax === undefined ? {} : { maxlength: String(charactersMax) };
    const input = element(name === 'description' ? 'textarea' : 'input', {
      id: `embed-${name}`,
      name,
      ...limit,
    });
    input.value = present[name] ?? '';
    form.append(element('label', { for: input.id }, label), input);
  }
  form.append(element('button', { type: 'submit' }, 'Embed into a copy'));
  onSubmit(form, byId('embed-error', HTMLElement), async (data) => {
    const fields = Object.fromEntries([...data].filter(([, value]) => value !== '')) as Record<
      string,
      string
    >;
    await showResult(await embed(result.media_id, fields));
  });
}
