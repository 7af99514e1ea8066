/** What can be done with the index whose assets are shown: export, import, rename, delete. */

import { announce, byId, bytesText, counted, download, messageOf, onFilesChosen, onSubmit } from '../dom.js';
import { t } from '../language.js';
import { Latest } from '../latest.js';
import { linkToIndex } from '../link.js';
import { addLines, deleteIndex, exportLines, renameIndex } from './api.js';
import { loadIndexes } from './indexes.js';

/** A browser keeps what it exports in memory. The command has no such limit. */
const EXPORT_BYTES_MAX = 512 * 1024 * 1024;

/** All of them show their outcome in the same place. */
const latest = new Latest();
let current = '';

/** The index that the section shows from now on. */
export function manageIndex(index: string): void {
  if (index === current) return;
  current = index;
  latest.start();
  byId('manage-error', HTMLElement).textContent = '';
  byId('manage-status', HTMLElement).textContent = '';
  byId('rename-name', HTMLInputElement).value = '';
  byId('remove-name', HTMLInputElement).value = '';
  byId('remove-name', HTMLInputElement).pattern = index;
  byId('remove-label', HTMLElement).textContent = t('Type {0} to delete it with all its assets', index);
}

/** @param show shows the assets of an index again */
export function manageForms(show: (index: string) => Promise<void>): void {
  const error = byId('manage-error', HTMLElement);
  byId('export', HTMLButtonElement).addEventListener('click', () => void withStatus(exported));
  onFilesChosen('import', async ([file]) => {
    if (file === undefined) return;
    await withStatus((index, signal) => imported(index, file, signal));
    await Promise.all([loadIndexes(), show(current)]);
  });
  onSubmit(
    byId('rename', HTMLFormElement),
    error,
    async (data) => {
      const { name } = await renameIndex(current, String(data.get('name')));
      await loadIndexes();
      history.replaceState(null, '', linkToIndex(name));
      await show(name);
      announce(t('The index is now {0}', name));
    },
    latest,
  );
  onSubmit(
    byId('remove', HTMLFormElement),
    error,
    async () => {
      const gone = current;
      await deleteIndex(gone);
      byId('assets-section', HTMLElement).hidden = true;
      history.replaceState(null, '', '#tab=index');
      await loadIndexes();
      announce(t('Deleted the index {0}', gone));
    },
    latest,
  );
}

/** Runs work of buttons, and shows what it returns or why it failed. */
async function withStatus(work: (index: string, signal: AbortSignal) => Promise<string>): Promise<void> {
  const signal = latest.start();
  const [error, status] = [byId('manage-error', HTMLElement), byId('manage-status', HTMLElement)];
  error.textContent = '';
  status.textContent = t('Working…');
  try {
    const done = await work(current, signal);
    if (!signal.aborted) status.textContent = done;
  } catch (thrown) {
    if (signal.aborted) return;
    status.textContent = '';
    error.textContent = messageOf(thrown);
  }
}

/** Downloads all assets as JSON lines. */
async function exported(index: string, signal: AbortSignal): Promise<string> {
  const lines = await exportLines(index, signal, EXPORT_BYTES_MAX);
  if (lines === undefined)
    throw new Error(
      t(
        'The index is larger than {0}. Export it with isccd index export {1}.',
        bytesText(EXPORT_BYTES_MAX),
        index,
      ),
    );
  download(lines, `${index}.ndjson`);
  return t('Exported {0}.', bytesText(lines.size));
}

async function imported(index: string, file: File, signal: AbortSignal): Promise<string> {
  const { created, updated, refused, reason } = await addLines(index, file, signal);
  const added = t('Added {0}, updated {1}.', counted(created, 'asset', 'assets'), updated);
  if (refused === 0) return added;
  const lines = counted(refused, 'line', 'lines');
  return `${added} ${t('Refused {0}; the first: {1}', lines, reason ?? t('no reason given'))}`;
}
