/** Files that are dropped anywhere on the page, or pasted. */
import { byId } from './dom.js';

/**
 * Highlights the page while files are dragged over it, and passes dropped files with the element under them, pasted ones with the
 * element that has the focus.
 */
export function onPageDrop(
  act: (files: readonly File[], target: Element | undefined) => Promise<void>,
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
  const take = async (event: Event, transfer: DataTransfer | null) => {
    const files = [...(transfer?.files ?? [])];
    // Text belongs to the field that has the focus.
    if (files.length === 0) return;
    event.preventDefault();
    error.textContent = '';
    try {
      await act(files, event.target instanceof Element ? event.target : undefined);
    } catch (thrown) {
      error.textContent = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  document.addEventListener('drop', (event) => {
    over(false);
    return take(event, event.dataTransfer);
  });
  document.addEventListener('paste', (event) => take(event, event.clipboardData));
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
