/** DOM helpers. They never create HTML from data. */

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

/** A button that copies text and announces the result. `what` names the text, e.g. `the ISCC-CODE`. */
export function copyButton(text: string, what: string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    const copied = await copy(text).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Failed';
    announce(copied ? `Copied ${what}` : `The browser did not allow copying ${what}`);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
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

/** A definition list of the rows that have a value. */
export function facts(rows: readonly (readonly [string, Child | undefined])[]): HTMLDListElement {
  const list = element('dl');
  for (const [name, value] of rows) {
    if (value !== undefined && value !== '') list.append(element('dt', {}, name), element('dd', {}, value));
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
    swatch('one', 'bit is 1'),
    swatch('zero', 'bit is 0'),
    swatch('other', 'bits differ'),
  );
}

/** A size in bytes, kB, MB, GB or TB, with three digits. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toPrecision(3)} ${units[power - 1]}`;
}

/** Runs `work` on submit. Meanwhile the submit button is disabled; the message of an error goes to `error`. */
export function onSubmit(
  form: HTMLFormElement,
  error: HTMLElement,
  work: (data: FormData) => Promise<void>,
): void {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    error.textContent = '';
    button?.setAttribute('disabled', '');
    form.setAttribute('aria-busy', 'true');
    try {
      await work(new FormData(form));
    } catch (thrown) {
      error.textContent = thrown instanceof Error ? thrown.message : String(thrown);
    } finally {
      form.removeAttribute('aria-busy');
      button?.removeAttribute('disabled');
    }
  });
}

/** Makes an area a drop target for files and highlights it while files are dragged over it. */
export function onDrop(area: HTMLElement, onFiles: (files: FileList) => void): void {
  for (const type of ['dragenter', 'dragover']) {
    area.addEventListener(type, (event) => {
      event.preventDefault();
      area.classList.add('over');
    });
  }
  area.addEventListener('dragleave', () => area.classList.remove('over'));
  area.addEventListener('drop', (event) => {
    area.classList.remove('over');
    const files = event.dataTransfer?.files;
    if (!files?.length) return;
    event.preventDefault();
    onFiles(files);
  });
}
