/** Texts of files and servers, made safe for terminals and pages. */

/** The characters that override or isolate the direction of the text after them. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;
/** Controls (C0, DEL, C1), line separators, and {@link DIRECTION}. */
const UNSAFE = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}]|${DIRECTION.source}`, 'gu');
const COLOUR_OR_UNSAFE = new RegExp(`\\u001b\\[\\d*m|${UNSAFE.source}`, 'gu');
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One line in which control characters are escaped as in JSON: `\n`, `\u001b`. Other text is unchanged. */
export function printable(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Like {@link printable}, but line feeds and tabs stay. */
export function printableText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

/** Like {@link printable}, but colours (`ESC [ n m`) stay. */
export function printableColoured(text: string): string {
  return text.replace(COLOUR_OR_UNSAFE, (found) => (found.length > 1 ? found : escaped(found)));
}

/** Text for a page: a name cannot reverse the order of its letters. Other characters stay. */
export function inReadingOrder(text: string): string {
  return text.replace(DIRECTION, escaped);
}

function escaped(character: string): string {
  return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
