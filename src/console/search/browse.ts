/** The assets of an index: pictures and names, page by page. */
import { actionButton, byId, element, errorLine, messageOf, nameElement, reveal } from '../dom.js';
import { glyph } from '../glyph.js';
import { Latest } from '../latest.js';
import { linkTo } from '../link.js';
import { bitsOf } from '../unit-item.js';
import { type Entry, listAssets } from './api.js';
import { nameOf, thumbnail } from './match.js';

/** Assets to show at a time. Some carry pictures and texts. */
const PAGE = 24;

/** Another index cancels the page of the one before. */
const latest = new Latest();

/** Shows the first assets of an index. */
export async function browse(index: string): Promise<void> {
  const signal = latest.start();
  const section = byId('assets-section', HTMLElement);
  byId('assets-title', HTMLElement).textContent = `Assets in ${index}`;
  byId('assets', HTMLElement).replaceChildren();
  byId('more', HTMLElement).hidden = true;
  reveal(section);
  await showPage(index, undefined, signal);
}

async function showPage(index: string, after: string | undefined, signal: AbortSignal): Promise<void> {
  const list = byId('assets', HTMLElement);
  const more = byId('more', HTMLButtonElement);
  try {
    // One more tells whether there is another page.
    const entries = await listAssets(index, after, PAGE + 1);
    if (signal.aborted) return;
    const shown = entries.slice(0, PAGE);
    list.append(...shown.map((entry) => assetItem(entry, index)));
    if (list.children.length === 0) list.append(element('li', { class: 'hint' }, 'This index is empty.'));
    const isLast = entries.length <= PAGE;
    const button = actionButton('Show more', () => void showPage(index, shown.at(-1)?.iscc_id, signal));
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
  const shown = picture ?? glyph(bits, `The bits of ${name}`)[0];
  return element(
    'li',
    {},
    element('div', { class: 'picture' }, ...(shown === undefined ? [] : [shown])),
    element('a', { href: linkTo(code ?? id, index) }, nameElement(name)),
    element('code', { class: 'hint' }, id),
  );
}
