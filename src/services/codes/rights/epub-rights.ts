/** TDM reservations in the package document of an EPUB, as the TDMRep report defines them. */

import { elements } from '../../../content/elements.js';
import type { RightsField, RightsFieldName } from '../../../content/rights.js';
import { readZipEntry } from './zip-entry.js';

const CONTAINER = 'META-INF/container.xml';
const NAMES: Readonly<Record<string, RightsFieldName>> = {
  'tdm:reservation': 'tdm:reservation',
  'tdm:policy': 'tdm:policy',
};

/** @throws if the file is not an EPUB with a package document */
export async function epubFields(path: string): Promise<RightsField[]> {
  const container = await readZipEntry(path, CONTAINER);
  const [root] = elements(withoutComments(container.toString()), 'rootfile');
  const place = root?.attributes.get('full-path');
  if (place === undefined) throw new Error('the container names no package document');
  const document = withoutComments((await readZipEntry(path, place)).toString());
  return elements(document, 'meta').flatMap(fieldOf);
}

/** EPUB 3 has the value as text of `<meta property="…">`, EPUB 2 in `<meta name="…" content="…">`. */
function fieldOf({ attributes, text }: ReturnType<typeof elements>[number]): RightsField[] {
  // A `meta` that refines another element does not speak about the publication.
  if (attributes.has('refines')) return [];
  const property = attributes.get('property');
  const name = NAMES[(property ?? attributes.get('name') ?? '').trim()];
  const value = (property === undefined ? (attributes.get('content') ?? '') : text).trim();
  return name === undefined || value === '' ? [] : [{ place: 'epub', name, value }];
}

function withoutComments(document: string): string {
  return document.replace(/<!--[\s\S]*?(?:-->|$)/g, ' ');
}
