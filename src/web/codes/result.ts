/** Shows an ISCC result, with a form that embeds metadata into a copy of the file. */
import { bitPicture } from '../bit-picture.js';
import { byId, bytesText, type Child, copyButton, element, facts } from '../dom.js';
import { unitName } from '../unit-names.js';
import { explain, type Processed, type Result } from './api.js';
import { metadataForm } from './metadata.js';

/** Fields in display order. All others are in the downloadable JSON. */
const FACTS: readonly (readonly [name: string, label: string])[] = [
  ['description', 'Description'],
  ['creator', 'Creator'],
  ['license', 'License'],
  ['acquire', 'Acquire a license'],
  ['credit', 'Credit'],
  ['rights', 'Rights'],
  ['identifier', 'Identifier'],
  ['keywords', 'Keywords'],
  ['filename', 'File name'],
  ['filesize', 'Size'],
  ['mediatype', 'Media type'],
  ['duration', 'Duration'],
  ['fps', 'Frames per second'],
  ['width', 'Width'],
  ['height', 'Height'],
  ['characters', 'Characters'],
  ['language', 'Language'],
  ['datahash', 'Data hash'],
  ['metahash', 'Metadata hash'],
  ['media_id', 'Upload ID'],
];

const UNIT_OF: Readonly<Record<string, (value: number) => string>> = {
  filesize: bytesText,
  duration: (seconds) => `${seconds} s`,
  width: (pixels) => `${pixels} pixels`,
  height: (pixels) => `${pixels} pixels`,
};

/** Shows the result and moves the focus to it. */
export async function showResult({ result }: Processed): Promise<void> {
  const section = byId('result', HTMLElement);
  const drawn = await units(result.units ?? []);
  byId('result-body', HTMLDivElement).replaceChildren(
    summary(result),
    drawn,
    actions(result),
    details(result),
  );
  byId('metadata', HTMLDetailsElement).open = false;
  section.hidden = false;
  section.focus();
  await metadataForm(result, showResult);
}

function summary(result: Result): HTMLElement {
  const code = element('code', { id: 'result-iscc' }, result.iscc);
  const text = element(
    'div',
    {},
    element('h3', {}, String(result.name ?? result.filename ?? 'Result')),
    element('span', { class: 'hint' }, `${result.mediatype}, ${bytesText(Number(result.filesize))}`),
    element('div', { class: 'main-code' }, code, copyButton(result.iscc, 'the ISCC-CODE')),
  );
  return element('div', { class: 'summary' }, ...thumbnail(result), text);
}

function thumbnail({ thumbnail: source }: Result): Node[] {
  return source ? [element('img', { class: 'thumbnail', src: source, alt: 'Thumbnail' })] : [];
}

function actions(result: Result): HTMLElement {
  const compare = element('button', { type: 'button', class: 'second' }, 'Compare with another code');
  compare.addEventListener('click', () => {
    byId('compare-a', HTMLInputElement).value = result.iscc;
    byId('compare-b', HTMLInputElement).focus();
  });
  const { pathname } = new URL(result.content);
  const json = new Blob([JSON.stringify(result, null, 2)], { type: 'application/json' });
  return element(
    'div',
    { class: 'buttons' },
    element('a', { class: 'button', href: pathname, download: '' }, 'Download file'),
    element(
      'a',
      { class: 'button second', href: URL.createObjectURL(json), download: `${result.filename}.iscc.json` },
      'Download result',
    ),
    compare,
  );
}

function details(result: Result): HTMLDetailsElement {
  const rows = FACTS.map(([name, label]) => [label, shown(name, result[name])] as const);
  return element('details', { open: '' }, element('summary', {}, 'Details'), facts(rows));
}

function shown(name: string, value: unknown): Child | undefined {
  if (value === undefined || value === null) return undefined;
  if (name === 'datahash' || name === 'metahash' || name === 'media_id')
    return element('code', {}, String(value));
  return UNIT_OF[name]?.(Number(value)) ?? String(value);
}

/** A list of units, each with its bit picture. */
export async function units(codes: readonly string[]): Promise<HTMLUListElement> {
  const explained = await Promise.all(codes.map(explain));
  const items = explained.flatMap(({ units: parts }) =>
    parts.map((unit) => {
      const [main = '', sub = ''] = unit.readable.split('-');
      const { name, meaning } = unitName(main, sub);
      const label = `${name}, ${unit.hash_bits.length} bits`;
      return element(
        'li',
        {},
        element('div', {}, element('h3', {}, name), element('span', { class: 'hint' }, meaning)),
        bitPicture(unit.hash_bits, label),
        element('span', { class: 'hint' }, `${unit.hash_bits.length} bits`),
        element('code', {}, unit.iscc_unit),
        copyButton(unit.iscc_unit, `the ${name}`),
      );
    }),
  );
  return element('ul', { class: 'units', 'aria-label': 'ISCC-UNITs' }, ...items);
}
