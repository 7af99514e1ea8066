/** TDM reservations in the `meta` elements of an HTML page, as the TDMRep report defines them. */
import { elements, type FoundElement } from './elements.js';
import type { RightsField, RightsFieldName } from './rights.js';

/** The head of a page is shorter than this. */
export const HEAD_BYTES_MAX = 1024 * 1024;

const NAMES: Readonly<Record<string, RightsFieldName>> = {
  'tdm-reservation': 'tdm:reservation',
  'tdm-policy': 'tdm:policy',
};

/** UTF-16 with a byte-order mark; otherwise as UTF-8, because the names are ASCII in all other encodings. */
export function pageText(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8');
}

/** The fields of a page. */
export function metaFields(page: string): RightsField[] {
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

/** The texts of the scripts of a page that are JSON-LD. */
export function linkedData(page: string): string[] {
  const isLinked = ({ attributes }: FoundElement) =>
    attributes.get('type')?.trim().toLowerCase() === 'application/ld+json';
  const scripts = page.match(/<script\b[^>]{0,1000}>[^<]*/gi) ?? [];
  return scripts.flatMap((script) => {
    const [found] = elements(script, 'script');
    return found !== undefined && isLinked(found) ? [script.slice(script.indexOf('>') + 1)] : [];
  });
}
