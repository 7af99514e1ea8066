/** Files that are dropped anywhere on the page or pasted, and text that is pasted outside of the fields. */
import { byId } from './dom.js';
import { filesOf } from './folder.js';

/** Covers the page while files are dragged over it, and passes what is dropped or pasted. */
export function onPageDrop(
  take: (files: readonly File[]) => Promise<void>,
  takeText: (text: string) => void,
): void {
  const error = byId('drop-error', HTMLElement);
  const over = (isOver: boolean) => document.body.classList.toggle('over', isOver);
  for (const type of ['dragenter', 'dragover']) {
    document.addEventListener(type, (event) => {
      if (!hasFiles(event as DragEvent)) return;
      event.preventDefault();
      over(true);
    });
  }
  document.addEventListener('dragleave', (event) => {
    // The pointer left the window, not only an element.
    if (event.relatedTarget === null) over(false);
  });
  const pass = async (event: Event, transfer: DataTransfer | null) => {
    const hasFile = transfer !== null && transfer.files.length > 0;
    const files = transfer !== null && hasFile ? filesOf(transfer) : undefined;
    const text = event.type === 'paste' && !isInField(event.target) ? transfer?.getData('text/plain') : '';
    if (files === undefined && !text?.trim()) return;
    event.preventDefault();
    error.textContent = '';
    try {
      if (files !== undefined) await take(await files);
      else takeText(text ?? '');
    } catch (thrown) {
      error.textContent = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  document.addEventListener('drop', (event) => {
    over(false);
    return pass(event, event.dataTransfer);
  });
  document.addEventListener('paste', (event) => pass(event, event.clipboardData));
}

/** Text belongs to the field that has the focus. */
function isInField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
