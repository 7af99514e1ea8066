/** Parts of a result, such as its matches. Each is one line, and opens if it has something to show. */

import { type Child, element, errorLine, messageOf } from './dom.js';
import { t } from './language.js';

/** What a part found. */
export interface Found {
  /** In a few words. */
  readonly verdict: string;
  /** Left out if there is nothing. */
  readonly body?: readonly Child[];
  /** Whether the body is of little interest, and closed at first. */
  readonly isFolded?: boolean;
}

export interface Part {
  readonly title: string;
  run(): Promise<Found>;
}

/** The element of a part, and its verdict once it is known. Never rejects: an error is shown in the part. */
export interface ShownPart {
  readonly section: HTMLElement;
  readonly verdict: Promise<string>;
}

/** @param of what the result is of, for the names of the regions */
export function showPart({ title, run }: Part, of = ''): ShownPart {
  const name = of === '' ? title : t('{0} of {1}', title, of);
  const section = element('section', { class: 'part', 'aria-label': name, 'aria-busy': 'true' });
  section.append(line(title, t('Looking…')));
  const show = ({ verdict, body = [], isFolded = false }: Found) => {
    section.removeAttribute('aria-busy');
    if (body.length === 0) section.replaceChildren(line(title, verdict));
    else section.replaceChildren(folding(title, verdict, body, !isFolded));
    return verdict;
  };
  const failed = (error: unknown) => {
    show({ verdict: '', body: [errorLine(messageOf(error))] });
    return t('{0}: failed', title);
  };
  return { section, verdict: run().then(show).catch(failed) };
}

function line(title: string, verdict: string): HTMLElement {
  return element('div', { class: 'line' }, ...head(title, verdict));
}

function folding(title: string, verdict: string, body: readonly Child[], isOpen: boolean): HTMLElement {
  return element(
    'details',
    isOpen ? { open: '' } : {},
    element('summary', {}, ...head(title, verdict)),
    ...body,
  );
}

function head(title: string, verdict: string): Node[] {
  return [element('h3', {}, title), element('span', { class: 'verdict' }, verdict)];
}
