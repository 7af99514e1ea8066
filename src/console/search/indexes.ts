/** The indexes of the service: the table, and the choice of the form. */

import { byId, counted, element } from '../dom.js';
import { number, t } from '../language.js';
import { Latest } from '../latest.js';
import { linkToIndex } from '../link.js';
import { getStatus, type Index, listIndexes } from './api.js';

/** The choice of all indexes. */
export const ALL = '';

let known: readonly Index[] = [];
/** Why the list could not be read. */
let problem: unknown;
const loads = new Latest();
let loaded: Promise<void> = Promise.resolve();

/** Indexes that can be searched. */
export function usableIndexes(): readonly Index[] {
  return known.filter(({ state }) => state === undefined);
}

/** The index that the user chose for searches; {@link ALL} for all. */
export function chosenIndex(): string {
  return byId('index', HTMLSelectElement).value;
}

/**
 * Reads the list again and shows it. Without access to it, the choice is empty until the user enters a key, and
 * {@link indexesLoaded} returns the reason.
 */
export function loadIndexes(): Promise<void> {
  loaded = load(loads.start());
  return loaded;
}

/** Waits for the list that is being read. Resolves to the reason if it could not be read, else to `undefined`. */
export async function indexesLoaded(): Promise<unknown> {
  await loaded;
  return problem;
}

async function load(signal: AbortSignal): Promise<void> {
  let failed: unknown;
  const list = await listIndexes().catch(async (error: unknown) => {
    // A node of the network serves one index and no list.
    const name = (await getStatus().catch(() => undefined))?.index_name;
    if (name !== undefined) return [{ name }];
    failed = error;
    return [];
  });
  // A newer load shows its list.
  if (signal.aborted) return loaded;
  [known, problem] = [list, failed];
  fill(byId('index', HTMLSelectElement));
  byId('indexes', HTMLTableSectionElement).replaceChildren(...known.map(row));
}

/** Keeps the user's choice. The default are all indexes, or the only one that has assets. */
function fill(choice: HTMLSelectElement): void {
  const before = choice.dataset.chosen === undefined ? undefined : choice.value;
  const usable = usableIndexes();
  const filled = usable.filter(({ assets }) => assets !== 0);
  const all = element('option', { value: ALL }, t('All indexes ({0})', usable.length));
  const options = usable.map(({ name, assets }) => {
    const size = assets === undefined ? '' : `: ${counted(assets, 'asset', 'assets')}`;
    return element('option', { value: name }, `${name}${size}`);
  });
  choice.replaceChildren(...(usable.length === 1 ? [] : [all]), ...options);
  const [only] = filled.length === 1 ? filled : [];
  const wanted = before ?? only?.name ?? ALL;
  const isThere = [...choice.options].some(({ value }) => value === wanted);
  choice.value = isThere ? wanted : (choice.options[0]?.value ?? ALL);
}

/** The choice of the user survives a new list. */
export function watchChoice(): void {
  const choice = byId('index', HTMLSelectElement);
  choice.addEventListener('change', () => {
    choice.dataset.chosen = '';
  });
}

/** Chooses an index, e.g. that of a link. */
export function chooseIndex(name: string): void {
  const choice = byId('index', HTMLSelectElement);
  if ([...choice.options].every(({ value }) => value !== name)) {
    choice.append(element('option', { value: name }, name));
  }
  choice.value = name;
  choice.dataset.chosen = '';
}

function row({ name, assets, size, state, reason }: Index): HTMLTableRowElement {
  return element(
    'tr',
    state === 'damaged' ? { class: 'failing' } : {},
    element('th', { scope: 'row' }, state === undefined ? browseLink(name) : name),
    element('td', {}, assets === undefined ? '' : number(assets)),
    element('td', {}, size === undefined ? '' : size === 0 ? t('below 1 MiB') : `${number(size)} MiB`),
    element(
      'td',
      {},
      state === undefined ? t('ready') : reason === undefined ? t(state) : `${t(state)}: ${reason}`,
    ),
  );
}

function browseLink(name: string): HTMLElement {
  return element('a', { href: linkToIndex(name) }, name);
}
