/** The dashboard's only script: adds "select all", and sends each form once. All pages work without it. */

const boxes = [...document.querySelectorAll<HTMLInputElement>('input[name="key"][type="checkbox"]')];
const head = document.querySelector('thead .check');
const selected = document.getElementById('selected');
const all = document.createElement('input');

function count(): void {
  const chosen = boxes.filter(({ checked }) => checked).length;
  all.checked = chosen === boxes.length;
  if (selected) selected.textContent = chosen === 0 ? '' : `${chosen} selected`;
}

if (head && boxes.length > 0) {
  all.type = 'checkbox';
  all.setAttribute('aria-label', 'Select all on this page');
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
    count();
  });
  head.replaceChildren(all);
  for (const box of boxes) box.addEventListener('change', count);
}

/** Forms that were sent. A second click would repeat a change and replace the first response, which may show a secret. */
const sent = new Set<HTMLFormElement>();

function setDisabled(buttons: Iterable<HTMLButtonElement>, isDisabled: boolean): void {
  for (const button of buttons) button.disabled = isDisabled;
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
  // Later: a browser does not send the name and value of a disabled button.
  setTimeout(() => setDisabled(form.querySelectorAll('button'), sent.has(form)));
});

// The user stopped the request and changed the form.
document.addEventListener('input', ({ target }) => {
  const form = target instanceof Element && target.closest('form');
  if (form && sent.delete(form)) setDisabled(form.querySelectorAll('button'), false);
});

// Also after "back": browsers restore the fields of a form, and some the state of its buttons, after this script ran.
addEventListener('pageshow', () => {
  sent.clear();
  setDisabled(document.querySelectorAll('button'), false);
  count();
});

const file = document.querySelector<HTMLInputElement>('input[data-bytes-max]');
file?.addEventListener('change', () => {
  const { bytesMax, tooLarge = '' } = file.dataset;
  const isTooLarge = (file.files?.[0]?.size ?? 0) > Number(bytesMax);
  file.setCustomValidity(isTooLarge ? tooLarge : '');
  file.reportValidity();
});
