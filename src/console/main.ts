/** Starts the parts of the page whose services respond. */

import { compareForm } from './codes/compare.js';
import { compareFiles, filesToCompare } from './codes/compare-files.js';
import { byId } from './dom.js';
import { onPageDrop } from './drop.js';
import { exampleButtons } from './find/examples.js';
import { ask, askForm, searchFields } from './find/field.js';
import { t, translatePage } from './language.js';
import { isShown, linked } from './link.js';
import { metadataForm, readMetadata } from './metadata-tab.js';
import { addFiles, fileFields } from './queue.js';
import { checkForm, chooseToCheck } from './resolver/check.js';
import { browse, browseForms } from './search/browse.js';
import { createForm } from './search/create.js';
import { showNetwork } from './search/network.js';
import { findNeighbours, has, own, type ServiceName, showParts } from './services.js';
import { chooseToStore, storeForms } from './store/tab.js';
import { currentTab, goToTab, onOpen, openTab } from './tabs.js';

const JSON_BYTES_MAX = 16 * 1024 * 1024;

/** Opens what the address of the page links to: a result or a tab. */
function showLinked(): void {
  const { search, manifest, tab, index } = linked();
  if (search === undefined && manifest === undefined) {
    // Links inside the page, such as the one to the content, leave the tab as it is.
    if (tab !== undefined || location.hash === '') openTab(tab ?? 'find');
    if (tab === 'index' && index !== undefined && has('search')) void browse(index);
    return;
  }
  openTab('find');
  if (isShown(location.hash)) return;
  if (search !== undefined) ask(search.code, search.index);
  else if (manifest !== undefined) ask(manifest);
}

/** The whole page takes files; the open tab decides what becomes of them. */
async function dropped(files: readonly File[]): Promise<void> {
  await findNeighbours();
  const [file] = files;
  const tab = currentTab();
  if (tab === 'check') {
    // Waits, because a file that the user wants to look at first must not be uploaded. After a failure, asks again.
    checks = checks.then((known) => known ?? checkForm());
    const isChecked = await checks;
    if (isChecked === undefined) return;
    if (isChecked) return chooseToCheck(files);
  }
  if (tab === 'store' && has('store')) return chooseToStore(files);
  if (tab === 'compare') return compareFiles(files);
  if (tab === 'metadata' && file !== undefined) return readMetadata(file);
  const result = await droppedResult(files);
  if (result === undefined && !has('codes'))
    throw new Error(t('This page cannot read files: it needs the codes service.'));
  goToTab('find');
  if (result === undefined) await addFiles(files);
  else ask(result);
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

/** Text that is pasted outside of the fields. */
function pasted(text: string): void {
  if (!has('codes') && !has('search')) return;
  goToTab('find');
  ask(text);
}

async function startCodes(): Promise<void> {
  fileFields();
  compareForm();
  filesToCompare();
  metadataForm();
}

async function startSearch(): Promise<void> {
  createForm();
  browseForms();
  onOpen('network', () => void showNetwork());
  await searchFields();
}

/** The page does not wait for the answer. */
async function startResolver(): Promise<void> {
  checks = checkForm();
}

async function startStore(): Promise<void> {
  storeForms();
}

/** What makes the forms of a service work. */
const START = new Map<ServiceName, () => Promise<void>>([
  ['codes', startCodes],
  ['search', startSearch],
  ['resolver', startResolver],
  ['store', startStore],
]);

/** Whether the resolver checks files; `undefined` if it did not answer. */
let checks: Promise<boolean | undefined> = Promise.resolve(false);
onPageDrop(dropped, pasted);
askForm();
exampleButtons();
translatePage(byId('language', HTMLButtonElement));
// The page's own forms work before the neighbours have answered.
showParts();
openTab(linked().tab ?? 'find');
const started = START.get(own)?.();
await findNeighbours();
const others = [...START].filter(([name]) => name !== own && has(name));
await Promise.all([started, ...others.map(([, start]) => start())]);
openTab(linked().tab ?? 'find');
showLinked();
addEventListener('hashchange', showLinked);
await checks;
document.documentElement.dataset.ready = '';
