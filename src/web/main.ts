/** Starts the parts of the page whose services respond. */
import { compareForm } from './codes/compare.js';
import { explainCode, explainForm } from './codes/explain.js';
import { addFiles, uploadForm } from './codes/queue.js';
import { onPageDrop } from './drop.js';
import { linked } from './link.js';
import { checkForm, chooseToCheck } from './resolver/check.js';
import { searchCodes, searchForms } from './search/form.js';
import { showNetwork } from './search/network.js';
import { findNeighbours, has, own } from './services.js';

const JSON_BYTES_MAX = 16 * 1024 * 1024;

/** The code of the address, in the part of the page that has most to say of it. */
function showLinked(): void {
  const link = linked();
  if (link === undefined) return;
  if (has('search')) searchCodes(link.code, link.index);
  else if (has('codes')) explainCode(link.code);
}

/** What a drop means depends on the services, and on the element under it. */
async function dropped(files: readonly File[], target: Element | undefined, checks: boolean): Promise<void> {
  const result = has('search') ? await droppedResult(files) : undefined;
  if (result !== undefined) return searchCodes(result);
  const isOver = (selector: string) => target?.closest(selector) instanceof Element;
  const isForCheck = own === 'resolver' ? !isOver('#generate') : isOver('#check');
  if (checks && (isForCheck || !has('codes'))) return chooseToCheck(files);
  if (has('codes')) return addFiles(files);
  throw new Error('This page cannot read files: it needs the codes service.');
}

/** The JSON result of the codes service, if that is what the file is. */
async function droppedResult([file, ...others]: readonly File[]): Promise<string | undefined> {
  if (file === undefined || others.length > 0 || !/\.json$/i.test(file.name)) return undefined;
  if (file.size > JSON_BYTES_MAX) return undefined;
  const text = await file.text();
  try {
    const { iscc, units } = JSON.parse(text) as { iscc?: unknown; units?: unknown };
    return typeof iscc === 'string' || Array.isArray(units) ? text : undefined;
  } catch {
    return undefined;
  }
}

await findNeighbours();
let checks = false;
onPageDrop((files, target) => dropped(files, target, checks));
if (has('codes')) {
  uploadForm();
  explainForm();
  compareForm();
}
if (has('search')) {
  await searchForms();
  void showNetwork();
}
showLinked();
addEventListener('hashchange', showLinked);
if (has('resolver')) checks = await checkForm();
document.documentElement.dataset.ready = '';
