/** Links to results: `#code=ISCC:...&index=NAME`. */

export interface LinkedSearch {
  readonly code: string;
  /** The index to search in, if the link names one. */
  readonly index: string | undefined;
}

/** The fragment of a link to a code, and to its matches in an index. */
export function linkTo(code: string, index = ''): string {
  return `#code=${code.split(/\s+/).join('+')}${index === '' ? '' : `&index=${encodeURIComponent(index)}`}`;
}

/** What the address of the page links to. */
export function linked(): LinkedSearch | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const code = parameters.get('code');
  return code === null || code === '' ? undefined : { code, index: parameters.get('index') ?? undefined };
}

/** Puts a search into the address of the page, so that it can be copied. */
export function rememberLink(code: string, index: string): void {
  history.replaceState(null, '', linkTo(code, index));
}

/** Takes the search out of the address of the page, which shows another one. */
export function forgetLink(): void {
  history.replaceState(null, '', `${location.pathname}${location.search}`);
}
