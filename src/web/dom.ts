/** Small helpers over the DOM: elements by id, elements from data, and never HTML from data. */

/** The element with this id, of the kind that the caller expects. */
export function byId<T extends Element>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

type Child = Node | string;

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

/** A button that copies text, and says so to everybody. */
export function copyButton(text: string, what: string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    await copy(text);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}

/** The clipboard interface exists on secure origins only; elsewhere a selection does. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = element('textarea', { readonly: '', class: 'skip' });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** A definition list of what is there. */
export function facts(rows: readonly (readonly [string, Child | undefined])[]): HTMLDListElement {
  const list = element('dl');
  for (const [name, value] of rows) {
    if (value !== undefined && value !== '') list.append(element('dt', {}, name), element('dd', {}, value));
  }
  return list;
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
    try {
      await work(new FormData(form));
    } catch (thrown) {
      error.textContent = thrown instanceof Error ? thrown.message : String(thrown);
    } finally {
      button?.removeAttribute('disabled');
    }
  });
}
