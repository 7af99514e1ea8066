/** The form of the resolver: checks a file for credentials of its own and for manifests that match it. */
import { announce, byId, bytesText, counted, element, messageOf, onSubmit, reveal } from '../dom.js';
import { checkFile, checkLimit } from './api.js';
import { pictureUrl } from './picture.js';
import { credentialsView, fileFacts } from './result.js';

/** Shows the form if the server checks files. Resolves to whether it does; `undefined` after a failure, which it shows. */
export async function checkForm(): Promise<boolean | undefined> {
  const error = byId('check-error', HTMLElement);
  error.textContent = '';
  const bytesMax = await checkLimit().catch((thrown: unknown) => {
    error.textContent = `Files cannot be checked now: ${messageOf(thrown)}`;
  });
  if (bytesMax === undefined) return undefined;
  byId('off', HTMLElement).hidden = bytesMax > 0;
  if (bytesMax === 0) return false;
  const form = byId('check', HTMLFormElement);
  const input = byId('check-file', HTMLInputElement);
  input.addEventListener('change', showChosen);
  onSubmit(form, error, async () => {
    const file = input.files?.[0];
    if (!file) throw new Error('Choose a file first.');
    if (file.size > bytesMax) throw new Error(`The file is larger than ${bytesText(bytesMax)}.`);
    await check(file);
  });
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

async function check(file: File): Promise<void> {
  const section = byId('check-result', HTMLElement);
  section.hidden = true;
  announce(`Checking ${file.name}`);
  const checked = await checkFile(file);
  byId('chosen', HTMLElement).textContent = `${file.name} was checked; the server kept nothing of it.`;
  byId('check-result-body', HTMLElement).replaceChildren(
    fileFacts(file.name, checked),
    ...credentialsView(checked, await pictureUrl(file), 'h3'),
  );
  reveal(section);
  announce(counted(checked.matches.length, 'manifest matches', 'manifests match'));
}

function showChosen(): void {
  const file = byId('check-file', HTMLInputElement).files?.[0];
  byId('check-result', HTMLElement).hidden = true;
  byId('chosen', HTMLElement).textContent = file
    ? `${file.name}, ${bytesText(file.size)}. Not sent yet.`
    : '';
  byId('send', HTMLButtonElement).disabled = file === undefined;
  void preview(file);
}

async function preview(file: File | undefined): Promise<void> {
  const url = file && (await pictureUrl(file));
  const picture =
    url === undefined ? [] : [element('img', { src: url, alt: 'The chosen picture', class: 'preview' })];
  byId('preview', HTMLElement).replaceChildren(...picture);
}
