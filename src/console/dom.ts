/**
 * DOM helpers. They never create HTML from data.
 *
 * The console has no framework. `parts.ts`, its most typical view, has 45 lines of code and 761 bytes minified; the same with
 * preact 11.2 has 51 lines and 771 bytes, with lit 3.3 44 lines and 838 bytes. The libraries themselves would add 5.8 and
 * 6.1 kB, compressed, to 44 kB of all scripts.
 */
import { fixed, number, type PageText, t } from './language.js';
import { Latest } from './latest.js';

/** The element with this id. @throws if it is missing or not of this type */
export function byId<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

export type Child = Node | string;

/** Creates an element. Strings become text nodes, so text from files is never parsed as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/** A button that copies text and announces the result. `what` names the text in the language of the page. */
export function copyButton(
  text: string,
  what: string,
  label: 'Copy' | 'Copy as curl' = 'Copy',
): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'copy' });
  const show = (shown: 'Copy' | 'Copy as curl' | 'Copied' | 'Failed') => {
    button.textContent = t(shown);
    button.setAttribute('aria-label', t(`${shown} {0}`, what));
  };
  show(label);
  button.addEventListener('click', async () => {
    const copied = await copy(text).then(
      () => true,
      () => false,
    );
    show(copied ? 'Copied' : 'Failed');
    announce(copied ? t('Copied {0}', what) : t('The browser did not allow copying {0}', what));
    setTimeout(show, 1500, label);
  });
  return button;
}

/** Announces a message to screen readers, in the live region `#announcement`. */
export function announce(text: string): void {
  byId('announcement', HTMLElement).textContent = text;
}

/** Copies a text. On insecure origins, which have no clipboard API, it copies a selection instead. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const focused = document.activeElement;
  const area = element('textarea', { readonly: '', class: 'quiet', 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!copied) throw new Error('not copied');
}

/** A definition list of the rows that have a value. Texts may come from files and are shown as {@link plainName}. */
export function facts(rows: readonly (readonly [string, Child | undefined])[]): HTMLDListElement {
  const list = element('dl');
  for (const [name, value] of rows) {
    if (value === undefined || value === '') continue;
    const shown = typeof value === 'string' ? plainName(value) : value;
    list.append(element('dt', {}, name), element('dd', {}, shown));
  }
  return list;
}

/** A horizontal bar; `share` is 0 to 1. The label is the text alternative. */
export function bar(share: number, label: string): HTMLSpanElement {
  const filled = element('span');
  filled.style.width = `${Math.round(share * 1000) / 10}%`;
  return element('span', { class: 'bar', role: 'img', 'aria-label': label }, filled);
}

/** Explains the colours of bit pictures. */
export function legend(): HTMLParagraphElement {
  const swatch = (kind: string, text: string) => element('span', { class: kind }, text);
  return element(
    'p',
    { class: 'legend hint' },
    swatch('one', t('bit is 1')),
    swatch('zero', t('bit is 0')),
    swatch('other', t('bits differ')),
  );
}

/** A size in bytes, kB, MB, GB or TB, with three digits. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return t(bytes === 1 ? '{0} byte' : '{0} bytes', bytes);
  const units = ['kB', 'MB', 'GB', 'TB'];
  let [size, power] = [bytes, 0];
  // 999.5 kB would round to four digits.
  for (; size >= 999.5 && power < units.length; power += 1) size /= 1000;
  const digits = { minimumSignificantDigits: 3, maximumSignificantDigits: 3 };
  return `${number(size, size < 999.5 ? digits : { maximumFractionDigits: 0 })} ${units[power - 1]}`;
}

/** The characters that override or isolate the direction of text. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A name from a file as text. Bidirectional controls are shown as escapes such as `\u202e`, because they can make
 * `exe.pdf` of a file that ends in `fdp.exe`.
 */
export function plainName(name: string): string {
  return name.replace(BIDI_CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16)}`);
}

/** {@link plainName} as an element whose direction does not reorder the text around it. */
export function nameElement(name: string): HTMLElement {
  return element('bdi', {}, plainName(name));
}

/**
 * Runs `work` on submit. Meanwhile the submit button is disabled; the message of an error goes to `error`.
 *
 * Scripts can submit again before `work` ends. The signal of the earlier run then aborts: that run must not change the
 * page any more, and its error is dropped.
 *
 * @param latest shared by forms that show their results in the same place
 */
export function onSubmit(
  form: HTMLFormElement,
  error: HTMLElement,
  work: (data: FormData, signal: AbortSignal) => Promise<void>,
  latest = new Latest(),
): void {
  let running = 0;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    const signal = latest.start();
    error.textContent = '';
    button?.setAttribute('disabled', '');
    form.setAttribute('aria-busy', 'true');
    running += 1;
    try {
      await work(new FormData(form), signal);
    } catch (thrown) {
      if (!signal.aborted) error.textContent = messageOf(thrown);
    } finally {
      running -= 1;
      if (running === 0) {
        form.removeAttribute('aria-busy');
        button?.removeAttribute('disabled');
      }
    }
  });
}

/** A paragraph for an error message; empty ones are hidden. */
export function errorLine(text = ''): HTMLParagraphElement {
  return element('p', { class: 'error', role: 'alert' }, text);
}

/** A button that runs `act`. */
export function actionButton(label: string, act: () => void, kind = 'second'): HTMLButtonElement {
  const button = element('button', { type: 'button', class: kind }, label);
  button.addEventListener('click', act);
  return button;
}

/** Shows a section from its top and moves the focus to it. Alone, the focus would put the middle of a tall one on the screen. */
export function reveal(section: HTMLElement): void {
  section.hidden = false;
  section.focus({ preventScroll: true });
  section.scrollIntoView({ block: 'start' });
}

/** A share of 0 to 1 in per cent. */
export function percent(share: number): string {
  return `${fixed(share * 100, 1)} %`;
}

/** Passes the files that a field chooses. It forgets them, so that the same ones can be chosen again. */
export function onFilesChosen(id: string, take: (files: readonly File[]) => Promise<void>): void {
  const input = byId(id, HTMLInputElement);
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    input.value = '';
    if (files.length > 0) void take(files);
  });
}

/** A number of things, e.g. `1 match` or `2 matches`. */
export function counted(count: number, one: PageText, several: PageText): string {
  return `${number(count)} ${t(count === 1 ? one : several)}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Lets the browser download bytes as a file. */
export function download(bytes: Blob, name: string): void {
  const link = element('a', { href: URL.createObjectURL(bytes), download: name });
  link.click();
  // Browsers read the bytes after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
