/** The dashboard's only script: adds "select all". All pages work without it. */

const boxes = [...document.querySelectorAll<HTMLInputElement>('input[name="key"][type="checkbox"]')];
const head = document.querySelector('thead .check');
const selected = document.getElementById('selected');

function count(): void {
  const chosen = boxes.filter(({ checked }) => checked).length;
  if (selected) selected.textContent = chosen === 0 ? '' : `${chosen} selected`;
}

function selectAllBox(): HTMLInputElement {
  const all = document.createElement('input');
  all.type = 'checkbox';
  all.setAttribute('aria-label', 'Select all on this page');
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
    count();
  });
  return all;
}

if (head && boxes.length > 0) {
  head.replaceChildren(selectAllBox());
  for (const box of boxes) box.addEventListener('change', count);
  count();
}
