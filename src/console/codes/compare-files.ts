/** Files that are compared: two unit by unit, more of them in a table. */

import { difference } from '../bit-picture.js';
import { upload } from '../codes-client.js';
import {
  actionButton,
  announce,
  byId,
  counted,
  element,
  messageOf,
  nameElement,
  onFilesChosen,
  percent,
} from '../dom.js';
import { canCodeHere, codeHere } from '../here/here.js';
import { t } from '../language.js';
import { Latest } from '../latest.js';
import type { UnitBits } from '../unit.js';
import { bitsOf } from '../unit-item.js';
import { showComparison } from './compare.js';

const FILES_MAX = 12;

interface CodedFile {
  readonly name: string;
  readonly units: readonly UnitBits[];
}

/** Only the server reads these files. */
class NotHere extends Error {}

/** Another choice cancels the comparison before. */
const latest = new Latest();

/** The field that chooses files to compare. */
export function filesToCompare(): void {
  onFilesChosen('compare-files', compareFiles);
}

/** Codes the files and shows how similar they are. @param maySend whether the user lets the server read some of them */
export async function compareFiles(files: readonly File[], maySend = !canCodeHere): Promise<void> {
  const signal = latest.start();
  const error = byId('compare-error', HTMLElement);
  const body = byId('compare-body', HTMLElement);
  error.textContent = '';
  body.hidden = true;
  try {
    if (files.length < 2) throw new Error(t('Choose two files or more.'));
    if (files.length > FILES_MAX) throw new Error(t('Choose at most {0} files.', FILES_MAX));
    announce(t('Coding {0} files', files.length));
    const coded: CodedFile[] = [];
    for (const file of files) coded.push(await code(file, signal, maySend));
    signal.throwIfAborted();
    announce(show(body, coded));
    body.hidden = false;
    body.scrollIntoView({ block: 'nearest' });
  } catch (thrown) {
    if (signal.aborted) return;
    error.textContent = messageOf(thrown);
    if (!(thrown instanceof NotHere)) return;
    const label = t('Send the {0} to this server', counted(files.length, 'file', 'files'));
    body.replaceChildren(actionButton(label, () => void compareFiles(files, true)));
    body.hidden = false;
  }
}

async function code(file: File, signal: AbortSignal, maySend: boolean): Promise<CodedFile> {
  if (file.size === 0) throw new Error(t('{0}: the file is empty.', file.name));
  if (canCodeHere) {
    const attempt = await codeHere({ file, granular: false }, signal, () => {});
    if ('coded' in attempt) return { name: file.name, units: bitsOf(attempt.coded.result.units) };
    if (!maySend) throw new NotHere(t('{0} has not left your computer: {1}.', file.name, attempt.reason));
  }
  const options = { granular: false, semantic: false, onSent: () => {}, onSteps: () => {}, signal };
  const { result } = await upload(file, options).catch((error: unknown) => {
    throw new Error(`${file.name}: ${messageOf(error)}`);
  });
  return { name: file.name, units: bitsOf(result.units) };
}

/** Returns the result as text, for screen readers. */
function show(body: HTMLElement, files: readonly CodedFile[]): string {
  const [first, second] = files;
  if (files.length === 2 && first !== undefined && second !== undefined) {
    const comparable = ({ units }: CodedFile) =>
      units.map(({ type, bits }) => ({ readable: type.replaceAll('_', '-'), hash_bits: bits }));
    return showComparison(body, comparable(first), comparable(second));
  }
  const head = files.map(({ name }) => element('th', { scope: 'col' }, nameElement(name)));
  const rows = files.map((file, at) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, nameElement(file.name)),
      ...files.map((other, column) => cell(file, other, column === at)),
    ),
  );
  body.replaceChildren(
    element(
      'p',
      { class: 'hint' },
      t('Similarity of Content-Codes; of Data-Codes where the kinds of content differ.'),
    ),
    element(
      'div',
      { class: 'table', tabindex: '0', role: 'group', 'aria-label': t('Similarity of the files') },
      element(
        'table',
        {},
        element('thead', {}, element('tr', {}, element('td'), ...head)),
        element('tbody', {}, ...rows),
      ),
    ),
  );
  return t('Compared {0} files', files.length);
}

function cell(file: CodedFile, other: CodedFile, isSame: boolean): HTMLTableCellElement {
  if (isSame) return element('td', {}, '–');
  const share = similarity(file, other);
  return element('td', {}, share === undefined ? t('not comparable') : percent(share));
}

/** 0 to 1; `undefined` without units of the same type. */
function similarity(a: CodedFile, b: CodedFile): number | undefined {
  for (const main of ['CONTENT', 'DATA']) {
    const mine = a.units.find(({ type }) => type.startsWith(main));
    const theirs = b.units.find(({ type }) => type === mine?.type);
    if (mine === undefined || theirs === undefined) continue;
    const { differing, common } = difference(mine.bits, theirs.bits);
    return 1 - differing / common;
  }
  return undefined;
}
