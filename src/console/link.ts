/** Links to results and tabs: `#code=ISCC:...&index=NAME`, `#manifest=ID`, `#tab=NAME`, `#tab=index&index=NAME`. */

export interface LinkedSearch {
  readonly code: string;
  /** The index to search in, if the link names one. */
  readonly index: string | undefined;
}

/** The fragment of a link to a code, and to its matches in an index. */
export function linkTo(code: string, index = ''): string {
  return `#code=${code.split(/\s+/).join('+')}${index === '' ? '' : `&index=${encodeURIComponent(index)}`}`;
}

/** The fragment of a link to a manifest. */
export function linkToManifest(id: string): string {
  return `#manifest=${encodeURIComponent(id)}`;
}

/** The fragment of a link to the assets of an index. */
export function linkToIndex(name: string): string {
  return `#tab=index&index=${encodeURIComponent(name)}`;
}

/** What the fragment of an address links to. */
export interface Linked {
  readonly search?: LinkedSearch;
  readonly manifest?: string;
  readonly tab?: string;
  /** Whose assets the tab shows. */
  readonly index?: string | undefined;
}

export function linked(hash = location.hash): Linked {
  const parameters = new URLSearchParams(hash.slice(1));
  const member = (name: string) => parameters.get(name) || undefined;
  const [code, manifest, tab] = ['code', 'manifest', 'tab'].map(member);
  if (code !== undefined) return { search: { code, index: member('index') } };
  if (manifest !== undefined) return { manifest };
  return tab === undefined ? {} : { tab, index: member('index') };
}

/** The address of the result that the page shows, so that the tab leads back to it. */
let remembered = '#tab=find';

/** Puts a result into the address of the page, so that it can be copied. */
export function rememberLink(fragment: string): void {
  remembered = fragment;
  history.replaceState(null, '', fragment);
  findTab()?.setAttribute('href', fragment);
}

/** Takes the result out of the address of the page, which shows another one. */
export function forgetLink(): void {
  remembered = '#tab=find';
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  findTab()?.setAttribute('href', remembered);
}

/** Whether the page shows this result already. */
export function isShown(fragment: string): boolean {
  return fragment === remembered;
}

function findTab(): Element | null {
  return document.querySelector('nav li:first-child a');
}
