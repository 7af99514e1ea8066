/** The tab that reads the metadata in a file, and embeds other metadata into a copy. */

import { metadataPanel } from './codes/metadata.js';
import { type Media, metadata, store } from './codes-client.js';
import { byId, element, facts, messageOf, nameElement, reveal } from './dom.js';
import { t } from './language.js';
import { Latest } from './latest.js';
import { showCopy } from './queue.js';

/** Another file cancels the one before. */
const latest = new Latest();
let count = 0;

export function metadataForm(): void {
  const input = byId('metadata-file', HTMLInputElement);
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file !== undefined) void readMetadata(file);
  });
}

/** Shows the metadata in a file, with the form that embeds others. */
export async function readMetadata(file: File): Promise<void> {
  const signal = latest.start();
  const error = byId('metadata-error', HTMLElement);
  const body = byId('metadata-body', HTMLElement);
  error.textContent = '';
  body.hidden = true;
  try {
    if (file.size === 0) throw new Error(t('The file is empty.'));
    const media = await store(file, signal);
    const found = await metadata(media.media_id);
    if (signal.aborted) return;
    body.replaceChildren(...view(file, media, found));
    reveal(body);
  } catch (thrown) {
    if (!signal.aborted) error.textContent = messageOf(thrown);
  }
}

function view(file: File, media: Media, found: Readonly<Record<string, unknown>>): Node[] {
  const rows = Object.entries(found).map(([name, value]) => [name, String(value)] as const);
  count += 1;
  const panel = metadataPanel(media, `metadata-${count}`, showCopy);
  return [
    element('h3', {}, nameElement(file.name)),
    rows.length === 0 ? element('p', {}, t('The file has no metadata that this server reads.')) : facts(rows),
    panel,
  ];
}
