/** The page of the resolver: checks a file for credentials of its own and for manifests that match it. */
import { announce, byId, bytesText, element, onDrop, onSubmit } from '../dom.js';
import { checkFile, checkLimit } from './api.js';
import { showResult } from './result.js';

/** Pictures above this size are not shown. */
const PREVIEW_BYTES_MAX = 32 * 1024 * 1024;

function checkForm(bytesMax: number): void {
  const form = byId('check', HTMLFormElement);
  const input = byId('file', HTMLInputElement);
  const button = byId('send', HTMLButtonElement);
  const chosen = () => {
    const file = input.files?.[0];
    byId('result', HTMLElement).hidden = true;
    byId('chosen', HTMLElement).textContent = file
      ? `${file.name}, ${bytesText(file.size)}. Not sent yet.`
      : '';
    button.disabled = file === undefined;
    void preview(file);
  };
  onDrop(byId('drop', HTMLLabelElement), (files) => {
    input.files = files;
    chosen();
    button.focus();
  });
  input.addEventListener('change', chosen);
  onSubmit(form, byId('check-error', HTMLElement), async () => {
    const file = input.files?.[0];
    if (!file) throw new Error('Choose a file first.');
    if (file.size > bytesMax) throw new Error(`The file is larger than ${bytesText(bytesMax)}.`);
    byId('result', HTMLElement).hidden = true;
    announce(`Checking ${file.name}`);
    const checked = await checkFile(file);
    byId('chosen', HTMLElement).textContent = `${file.name} was checked; the server kept nothing of it.`;
    showResult(file.name, checked, await pictureUrl(file));
    const { length } = checked.matches;
    announce(`${length} ${length === 1 ? 'manifest matches' : 'manifests match'}`);
  });
  form.hidden = false;
}

async function preview(file: File | undefined): Promise<void> {
  const url = file && (await pictureUrl(file));
  const picture =
    url === undefined ? [] : [element('img', { src: url, alt: 'The chosen picture', class: 'preview' })];
  byId('preview', HTMLElement).replaceChildren(...picture);
}

/** A data URL; the page's policy allows no other kind. */
function pictureUrl(file: File): Promise<string | undefined> {
  const isShown = /^image\/(?:jpeg|png|webp|gif|avif)$/.test(file.type) && file.size <= PREVIEW_BYTES_MAX;
  if (!isShown) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('loadend', () =>
      resolve(typeof reader.result === 'string' ? reader.result : undefined),
    );
    reader.readAsDataURL(file);
  });
}

const bytesMax = await checkLimit();
if (bytesMax > 0) checkForm(bytesMax);
else byId('off', HTMLElement).hidden = false;
