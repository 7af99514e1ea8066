/** Small helpers over the DOM: elements by id, elements from data, and never HTML from data. */

/** The element with this id, of the kind that the caller expects. */
export function byId<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

export type Child = Node | string;

/** Makes an element; strings become text, so nothing that a file says becomes markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A button that copies text, and says so to everybody: the page's `#said` is a live region. */
export function copyButton(text: string, what: string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    const copied = await copy(text).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Refused';
    say(copied ? `Copied ${what}` : `The browser did not allow to copy ${what}`);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}

/** Tells screen readers what has just happened. */
export function say(text: string): void {
  byId('said', HTMLElement).textContent = text;
}

/** The clipboard interface exists on secure origins only; elsewhere a selection does. */
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

/** A definition list of what is there. */
export function facts(rows: readonly (readonly [string, Child | undefined])[]): HTMLDListElement {
  const list = element('dl');
  for (const [name, value] of rows) {
    if (value !== undefined && value !== '') list.append(element('dt', {}, name), element('dd', {}, value));
  }
  return list;
}

/** A horizontal bar; `share` is 0 to 1. The label says the same in words. */
export function bar(share: number, label: string): HTMLSpanElement {
  const filled = element('span');
  filled.style.width = `${Math.round(share * 1000) / 10}%`;
  return element('span', { class: 'bar', role: 'img', 'aria-label': label }, filled);
}

/** What the colours of pictures that compare mean. */
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

/** A number of bytes for people. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toPrecision(3)} ${units[power - 1]}`;
}

/** Runs a form's work on submit, its button disabled meanwhile, a failure shown where it belongs. */
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

/** Lets files be dropped on an area, which shows that it takes them. */
export function onDrop(area: HTMLElement, take: (files: FileList) => void): void {
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
    take(files);
  });
}
