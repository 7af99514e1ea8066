/** Shows an ISCC result, with a form that embeds metadata into a copy of the file. */

import { downloadAddress, type Processed, type Result } from '../codes-client.js';
import {
  actionButton,
  bytesText,
  type Child,
  copyButton,
  element,
  facts,
  nameElement,
  plainName,
} from '../dom.js';
import { glyph } from '../glyph.js';
import { number, t } from '../language.js';
import { linkTo } from '../link.js';
import { bitsOf, unitsOf } from '../unit-item.js';
import { compareWith } from './compare.js';
import { metadataPanel } from './metadata.js';

/** Fields in display order. All others are in the downloadable JSON. */
const FACTS: readonly (readonly [name: string, label: string])[] = [
  ['description', t('Description')],
  ['creator', t('Creator')],
  ['license', t('License')],
  ['acquire', t('Acquire a license')],
  ['credit', t('Credit')],
  ['rights', t('Rights')],
  ['identifier', t('Identifier')],
  ['keywords', t('Keywords')],
  ['filename', t('File name')],
  ['filesize', t('Size')],
  ['mediatype', t('Media type')],
  ['duration', t('Duration')],
  ['fps', t('Frames per second')],
  ['width', t('Width')],
  ['height', t('Height')],
  ['characters', t('Characters')],
  ['language', t('Language')],
  ['datahash', t('Data hash')],
  ['metahash', t('Metadata hash')],
  ['media_id', t('Upload ID')],
];

const UNIT_OF: Readonly<Record<string, (value: number) => string>> = {
  filesize: bytesText,
  duration: (seconds) => `${number(seconds)} s`,
  fps: number,
  characters: number,
  width: (pixels) => t('{0} pixels', pixels),
  height: (pixels) => t('{0} pixels', pixels),
};

export interface ResultOptions {
  /** Unique on the page; prefix of the ids of form fields. */
  readonly prefix: string;
  /** Gets the result of a copy with embedded metadata. */
  readonly onCopy: (copy: Processed) => void;
}

/** The units, links, facts, and the form that embeds metadata. */
export function resultView(result: Result, { prefix, onCopy }: ResultOptions): HTMLElement {
  const { media_id } = result;
  return element(
    'div',
    { class: 'result' },
    unitsOf(result.units ?? []),
    actions(result),
    details(result),
    // Metadata are written by the server.
    ...(media_id === undefined ? [] : [metadataPanel({ media_id }, `${prefix}-embed`, onCopy)]),
  );
}

/** The thumbnail, the code, and the picture of its bits. */
export function resultHead(result: Result): HTMLElement {
  const code = element('code', { class: 'iscc' }, result.iscc);
  const text = element(
    'div',
    {},
    element('strong', { class: 'name' }, nameElement(String(result.name ?? result.filename ?? t('Result')))),
    element('div', { class: 'hint' }, `${result.mediatype}, ${bytesText(Number(result.filesize))}`),
    element('div', { class: 'main-code' }, code, copyButton(result.iscc, t('the ISCC-CODE'))),
  );
  const bits = bitsOf(result.units).map((unit) => unit.bits);
  return element('div', { class: 'summary' }, ...thumbnail(result), text, ...glyph(bits));
}

function thumbnail({ thumbnail: source }: Result): Node[] {
  return source ? [element('img', { class: 'thumbnail', src: source, alt: t('Thumbnail') })] : [];
}

function actions(result: Result): HTMLElement {
  const json = new Blob([JSON.stringify(result, null, 2)], { type: 'application/json' });
  return element(
    'div',
    { class: 'buttons' },
    ...(result.media_id === undefined
      ? []
      : [
          element(
            'a',
            { class: 'button second', href: downloadAddress(result.media_id), download: '' },
            t('Download file'),
          ),
        ]),
    element(
      'a',
      { class: 'button second', href: URL.createObjectURL(json), download: `${result.filename}.iscc.json` },
      t('Download result'),
    ),
    actionButton(t('Compare with another code'), () => compareWith(result.iscc)),
    element('a', { class: 'button second', href: linkTo(result.iscc) }, t('Link to this code')),
  );
}

function details(result: Result): HTMLDetailsElement {
  const rows = FACTS.map(([name, label]) => [label, shown(name, result[name])] as const);
  return element('details', {}, element('summary', {}, t('Details')), facts(rows));
}

function shown(name: string, value: unknown): Child | undefined {
  if (value === undefined || value === null) return undefined;
  if (name === 'datahash' || name === 'metahash' || name === 'media_id')
    return element('code', {}, String(value));
  if (name === 'filename') return plainName(String(value));
  return UNIT_OF[name]?.(Number(value)) ?? String(value);
}
