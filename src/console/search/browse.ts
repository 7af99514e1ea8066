/** The assets of an index: pictures and names, page by page. */

import { actionButton, byId, element, errorLine, messageOf, nameElement, onSubmit, reveal } from '../dom.js';
import { glyph } from '../glyph.js';
import { t } from '../language.js';
import { Latest } from '../latest.js';
import { linkTo } from '../link.js';
import { bitsOf } from '../unit-item.js';
import { type Entry, listAssets } from './api.js';
import { manageForms, manageIndex } from './manage.js';
import { nameOf, thumbnail } from './match.js';
import { watchesOf, watchForms } from './watches.js';

/** Assets to show at a time. Some carry pictures and texts. */
const PAGE = 24;

/** Another index cancels the page of the one before. */
const latest = new Latest();
/** The index whose assets are shown. */
let shown: string | undefined;

/** The assets to show. */
interface Shown {
  readonly index: string;
  /** Condition on the metadata; the empty text stands for none. */
  readonly filter: string;
}

/** The form of the filter, and the forms that change the index. */
export function browseForms(): void {
  const show = (index: string) => browse(index);
  manageForms(show);
  watchForms();
  onSubmit(byId('filter-form', HTMLFormElement), byId('filter-error', HTMLElement), async (data) => {
    if (shown !== undefined) await showFirst(shown, String(data.get('filter')).trim());
  });
}

/** Shows the first assets of an index. */
export async function browse(index: string): Promise<void> {
  byId('assets-title', HTMLElement).textContent = t('Assets in {0}', index);
  if (index !== shown) byId('filter-form', HTMLFormElement).reset();
  shown = index;
  manageIndex(index);
  watchesOf(index);
  reveal(byId('assets-section', HTMLElement));
  await showFirst(index, byId('filter', HTMLInputElement).value.trim());
}

async function showFirst(index: string, filter: string): Promise<void> {
  const signal = latest.start();
  byId('assets', HTMLElement).replaceChildren();
  byId('more', HTMLElement).hidden = true;
  await showPage({ index, filter }, undefined, signal);
}

async function showPage(of: Shown, after: string | undefined, signal: AbortSignal): Promise<void> {
  const { index, filter } = of;
  const list = byId('assets', HTMLElement);
  const more = byId('more', HTMLButtonElement);
  try {
    // One more tells whether there is another page.
    const entries = await listAssets(index, { after, limit: PAGE + 1, filter });
    if (signal.aborted) return;
    const assets = entries.slice(0, PAGE);
    list.append(...assets.map((entry) => assetItem(entry, index)));
    const nothing = filter === '' ? t('This index is empty.') : t('No asset meets the condition.');
    if (list.children.length === 0) list.append(element('li', { class: 'hint' }, nothing));
    const isLast = entries.length <= PAGE;
    const button = actionButton(t('Show more'), () => void showPage(of, assets.at(-1)?.iscc_id, signal));
    button.id = more.id;
    button.hidden = isLast;
    more.replaceWith(button);
  } catch (error) {
    if (!signal.aborted) list.append(element('li', {}, errorLine(messageOf(error))));
  }
}

function assetItem({ iscc_id: id, iscc_code: code, units, metadata }: Entry, index: string): HTMLLIElement {
  const [picture] = thumbnail((metadata as { readonly thumbnail?: unknown } | undefined)?.thumbnail);
  const bits = bitsOf(units).map((unit) => unit.bits);
  const name = nameOf(metadata) ?? id;
  // Its picture is decoration next to its name.
  picture?.setAttribute('alt', '');
  const shown = picture ?? glyph(bits, t('The bits of {0}', name))[0];
  return element(
    'li',
    {},
    element('div', { class: 'picture' }, ...(shown === undefined ? [] : [shown])),
    element('a', { href: linkTo(code ?? id, index) }, nameElement(name)),
    element('code', { class: 'hint' }, id),
  );
}
