/** The form of the resolver: checks a file for credentials of its own and for manifests that match it. */

import {
  announce,
  byId,
  bytesText,
  counted,
  element,
  messageOf,
  nameElement,
  onSubmit,
  plainName,
  reveal,
} from '../dom.js';
import { t } from '../language.js';
import { Latest } from '../latest.js';
import { pictureUrl } from '../picture.js';
import { RequestFailed } from '../requests.js';
import { checkFile, checkLimit } from './api.js';
import { credentialsView, fileFacts } from './result.js';

/** Another choice cancels a check that is running. */
const latest = new Latest();

/** Shows the form if the server checks files. Resolves to whether it does; `undefined` after a failure, which it shows. */
export async function checkForm(): Promise<boolean | undefined> {
  const error = byId('check-error', HTMLElement);
  error.textContent = '';
  const bytesMax = await checkLimit().catch((thrown: unknown) => {
    error.textContent = t('Files cannot be checked now: {0}', messageOf(thrown));
  });
  if (bytesMax === undefined) return undefined;
  byId('off', HTMLElement).hidden = bytesMax > 0;
  if (bytesMax === 0) return false;
  const form = byId('check', HTMLFormElement);
  const input = byId('check-file', HTMLInputElement);
  input.addEventListener('change', showChosen);
  const work = async (_data: FormData, signal: AbortSignal) => {
    const file = input.files?.[0];
    if (!file) throw new Error(t('Choose a file first.'));
    if (file.size === 0) throw new Error(t('The file is empty.'));
    if (file.size > bytesMax) throw new Error(t('The file is larger than {0}.', bytesText(bytesMax)));
    await check(file, signal);
  };
  onSubmit(form, error, work, latest);
  form.hidden = false;
  // A browser may have restored the file of an earlier visit.
  showChosen();
  return true;
}

/** Puts a dropped file into the form. It is sent only when the user submits it. */
export function chooseToCheck(files: readonly File[]): void {
  const transfer = new DataTransfer();
  for (const file of files.slice(0, 1)) transfer.items.add(file);
  byId('check-file', HTMLInputElement).files = transfer.files;
  showChosen();
  byId('send', HTMLButtonElement).focus();
}

/** @throws if it fails, or if another file was chosen */
async function check(file: File, signal: AbortSignal): Promise<void> {
  const section = byId('check-result', HTMLElement);
  section.hidden = true;
  announce(t('Checking {0}', plainName(file.name)));
  showState(file, t('Being sent.'));
  const checked = await checkFile(file, signal).catch((thrown: unknown) => {
    if (!signal.aborted) showState(file, sentText(thrown));
    throw thrown;
  });
  const picture = await pictureUrl(file);
  signal.throwIfAborted();
  showState(file, t('Checked; the server kept nothing of it.'));
  byId('check-result-body', HTMLElement).replaceChildren(
    fileFacts(file.name, checked),
    ...credentialsView(checked, picture),
  );
  reveal(section);
  announce(counted(checked.matches.length, 'manifest matches', 'manifests match'));
}

/** What has left the device when a check fails. */
function sentText(thrown: unknown): string {
  // A server may refuse a large file before all of it has arrived.
  const isWhole = thrown instanceof RequestFailed && thrown.status !== 413;
  return isWhole ? t('Sent, but not checked.') : t('Not checked. All or part of it may have been sent.');
}

function showState(file: File, state: string): void {
  byId('chosen', HTMLElement).replaceChildren(nameElement(file.name), `, ${bytesText(file.size)}. ${state}`);
}

function showChosen(): void {
  latest.start();
  const file = byId('check-file', HTMLInputElement).files?.[0];
  byId('check-result', HTMLElement).hidden = true;
  byId('check-error', HTMLElement).textContent = '';
  if (file === undefined) byId('chosen', HTMLElement).textContent = '';
  else showState(file, t('Not sent yet.'));
  byId('send', HTMLButtonElement).disabled = file === undefined;
  void preview(file);
}

async function preview(file: File | undefined): Promise<void> {
  const url = file && (await pictureUrl(file));
  const picture =
    url === undefined ? [] : [element('img', { src: url, alt: t('The chosen picture'), class: 'preview' })];
  byId('preview', HTMLElement).replaceChildren(...picture);
}
