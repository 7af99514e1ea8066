/** The tabs of the page: links to `#tab=NAME`, each with a panel of its own. */

const FIND = 'find';

/** Panels by the name of their tab. */
const PANELS = new Map(
  [...document.querySelectorAll<HTMLElement>('main > .tab')].map((panel) => [
    panel.id.replace(/-tab$/, ''),
    panel,
  ]),
);
const openers = new Map<string, () => void>();

/** The tab that is open. */
let current: string | undefined;

/** Runs `act` whenever a tab opens, and now if it is open. */
export function onOpen(name: string, act: () => void): void {
  openers.set(name, act);
  if (current === name) act();
}

export function currentTab(): string | undefined {
  return current;
}

/** Shows a tab. Names that the page does not have, or cannot use, open the first tab that it can. */
export function openTab(name: string): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav li:not([hidden]) a')];
  const names = links.map(nameOf);
  const opened = names.includes(name) ? name : (names[0] ?? FIND);
  for (const [of, panel] of PANELS) panel.hidden = of !== opened;
  for (const [at, link] of links.entries()) {
    if (names[at] === opened) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const isNew = opened !== current;
  current = opened;
  if (isNew) openers.get(opened)?.();
}

/** Opens a tab as a click on it does: the back button leads back. */
export function goToTab(name: string): void {
  if (current === name) return;
  history.pushState(null, '', `#tab=${name}`);
  openTab(name);
}

/** The first tab shows results, so its address changes with them. */
function nameOf(link: HTMLAnchorElement): string {
  return new URLSearchParams(link.hash.slice(1)).get('tab') ?? FIND;
}
