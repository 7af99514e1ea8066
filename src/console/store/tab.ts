/** The tab of the manifest store: looks a manifest up, stores one, and shows it. */

import { announce, byId, bytesText, counted, element, facts, onSubmit, reveal } from '../dom.js';
import { dateTime, known, t } from '../language.js';
import { Latest } from '../latest.js';
import { storedView } from '../resolver/result.js';
import { addressOf } from '../services.js';
import { pathOf, type Stored, type Summary, storeManifest, summaryOf, thumbnailOf } from './api.js';

/** Both forms show their result in the same place. */
const latest = new Latest();

export function storeForms(): void {
  onSubmit(
    byId('manifest-form', HTMLFormElement),
    byId('manifest-error', HTMLElement),
    async (data, signal) => show(idOf(String(data.get('id'))), signal),
    latest,
  );
  const input = byId('sidecar-file', HTMLInputElement);
  input.addEventListener('change', showChosen);
  onSubmit(
    byId('sidecar-form', HTMLFormElement),
    byId('sidecar-error', HTMLElement),
    async (data, signal) => {
      const file = input.files?.[0];
      if (file === undefined) throw new Error(t('Choose a file first.'));
      if (file.size === 0) throw new Error(t('The file is empty.'));
      const stored = await storeManifest(file, String(data.get('token')).trim(), signal);
      await show(stored.manifestId, signal, stored);
    },
    latest,
  );
  // A browser may have restored the file of an earlier visit.
  showChosen();
}

/** Puts a dropped file into the form. It is sent only when the user submits it. */
export function chooseToStore(files: readonly File[]): void {
  const transfer = new DataTransfer();
  for (const file of files.slice(0, 1)) transfer.items.add(file);
  byId('sidecar-file', HTMLInputElement).files = transfer.files;
  showChosen();
  byId('sidecar-send', HTMLButtonElement).focus();
}

function showChosen(): void {
  const file = byId('sidecar-file', HTMLInputElement).files?.[0];
  byId('sidecar-send', HTMLButtonElement).textContent =
    file === undefined ? t('Store manifest') : t('Store {0}', file.name);
}

/** The id in the address of a manifest, or the text itself. */
function idOf(text: string): string {
  const [, part] = /^https?:\/\/.*\/manifests\/([^/?#]+)/i.exec(text.trim()) ?? [];
  if (part === undefined) return text.trim();
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @throws {RequestFailed} */
async function show(id: string, signal: AbortSignal, stored?: Stored): Promise<void> {
  const body = byId('manifest-body', HTMLElement);
  body.hidden = true;
  const summary = await summaryOf(id, signal);
  const picture = summary.thumbnailUrl === undefined ? undefined : await thumbnailOf(id, signal);
  if (signal.aborted) return;
  body.replaceChildren(
    ...view(summary, picture),
    ...(stored?.bindings === undefined ? [] : [bindingsView(stored.bindings)]),
  );
  announce(stored === undefined ? t('The manifest was found.') : t('The manifest is stored.'));
  reveal(body);
}

function view(summary: Summary, picture: string | undefined): Node[] {
  const { manifestId: id, trusted, declaration, sha256, size, storedAt } = summary;
  const link = (part: string, text: string, attributes = {}) =>
    element('a', { href: addressOf('store', pathOf(id, part)), ...attributes }, text);
  const isIn = declaration.isccId;
  return [
    element('h3', {}, summary.title ?? t('Manifest')),
    ...(picture === undefined
      ? []
      : [element('img', { class: 'manifest-picture', src: picture, alt: t('Thumbnail in the manifest') })]),
    ...storedView({ ...summary, state: trusted ? 'trusted' : 'valid', failures: [] }),
    facts([
      [t('Manifest ID'), element('code', {}, id)],
      [t('Stored'), dateTime(storedAt, { dateStyle: 'medium', timeStyle: 'short' })],
      [t('Size'), bytesText(size)],
      [t('SHA-256'), element('code', {}, sha256)],
      [t('Declaration'), known(declaration.status)],
      [t('ISCC-ID'), isIn === undefined ? undefined : element('code', {}, isIn)],
      [t('Manifest'), link('', t('Download'), { download: 'manifest.c2pa' })],
    ]),
  ];
}

/** What the store finds a manifest by. */
function bindingsView({ indexed, skipped }: NonNullable<Stored['bindings']>): HTMLElement {
  const found =
    indexed === 0
      ? t('It has no soft binding, so that it is found only by its ID.')
      : t('It is found by {0}.', counted(indexed, 'soft binding', 'soft bindings'));
  const left = skipped.map(({ alg, reason }) => element('li', {}, `${alg}: ${reason}`));
  return element(
    'div',
    {},
    element('p', {}, found),
    ...(left.length === 0 ? [] : [element('p', {}, t('Not indexed:')), element('ul', {}, ...left)]),
  );
}
