/** TDM reservations in the `meta` elements of an HTML page, as the TDMRep report defines them. */
import { open } from 'node:fs/promises';
import type { RightsField, RightsFieldName } from '../../../content/rights.js';
import { elements } from './elements.js';

/** The head of a page is shorter than this. */
const HEAD_BYTES_MAX = 1024 * 1024;

const NAMES: Readonly<Record<string, RightsFieldName>> = {
  'tdm-reservation': 'tdm:reservation',
  'tdm-policy': 'tdm:policy',
};

export async function htmlFields(path: string): Promise<RightsField[]> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES_MAX), 0, HEAD_BYTES_MAX, 0);
    return metaFields(textOf(buffer.subarray(0, bytesRead)));
  } finally {
    await handle.close();
  }
}

/** UTF-16 with a byte-order mark; otherwise as UTF-8, because the names are ASCII in all other encodings. */
function textOf(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8');
}

function metaFields(page: string): RightsField[] {
  // Text of scripts and comments can look like an element.
  const plain = page.replace(
    /<!--[\s\S]*?(?:-->|$)|<(script|style|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi,
    ' ',
  );
  return elements(plain, 'meta').flatMap(({ attributes }) => {
    const name = NAMES[attributes.get('name')?.trim().toLowerCase() ?? ''];
    const value = attributes.get('content')?.trim() ?? '';
    return name === undefined || value === '' ? [] : [{ place: 'html' as const, name, value }];
  });
}
