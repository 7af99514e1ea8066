/** Starts the parts of the page whose services respond. */
import { compareForm } from './codes/compare.js';
import { explainCode, explainForm } from './codes/explain.js';
import { addFiles, uploadForm } from './codes/queue.js';
import { onPageDrop } from './drop.js';
import { linked } from './link.js';
import { checkForm, chooseToCheck } from './resolver/check.js';
import { searchCodes, searchForms } from './search/form.js';
import { showNetwork } from './search/network.js';
import { findNeighbours, has, own, type ServiceName } from './services.js';

const JSON_BYTES_MAX = 16 * 1024 * 1024;

/** The code of the address, in the part of the page that has most to say of it. */
function showLinked(): void {
  const link = linked();
  if (link === undefined) return;
  if (has('search')) searchCodes(link.code, link.index);
  else if (has('codes')) explainCode(link.code);
}

/** What a drop means depends on the services, and on the element under it. */
async function dropped(files: readonly File[], target: Element | undefined): Promise<void> {
  await findNeighbours();
  const result = has('search') ? await droppedResult(files) : undefined;
  if (result !== undefined) return searchCodes(result);
  const isOver = (selector: string) => target?.closest(selector) instanceof Element;
  const isForCheck = own === 'resolver' ? !isOver('#generate') : isOver('#check');
  if (isForCheck || !has('codes')) {
    // Waits, because a file that the user wants to look at first must not be uploaded. After a failure, asks again.
    checks = checks.then((known) => known ?? checkForm());
    const isChecked = await checks;
    if (isChecked === undefined) return;
    if (isChecked) return chooseToCheck(files);
  }
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

async function startCodes(): Promise<void> {
  uploadForm();
  explainForm();
  compareForm();
}

async function startSearch(): Promise<void> {
  await searchForms();
  void showNetwork();
}

/** The page does not wait for the answer. */
async function startResolver(): Promise<void> {
  checks = checkForm();
}

/** What makes the forms of a service work. */
const START = new Map<ServiceName, () => Promise<void>>([
  ['codes', startCodes],
  ['search', startSearch],
  ['resolver', startResolver],
]);

/** Whether the resolver checks files; `undefined` if it did not answer. */
let checks: Promise<boolean | undefined> = Promise.resolve(false);
onPageDrop(dropped);
// The page's own forms work before the neighbours have answered.
const started = START.get(own)?.();
await findNeighbours();
const others = [...START].filter(([name]) => name !== own && has(name));
await Promise.all([started, ...others.map(([, start]) => start())]);
showLinked();
addEventListener('hashchange', showLinked);
await checks;
document.documentElement.dataset.ready = '';
