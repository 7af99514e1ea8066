/** The files of the page as a table for spreadsheets. */
import type { Row } from './job.js';

const HEADER = ['file', 'iscc', 'media_type', 'bytes', 'result', 'group', 'closest'];

/** The group of a file with similar ones, and how close the closest of them is. */
export interface Grouped {
  readonly group: number;
  readonly closest: string;
}

/** RFC 4180, with a byte order mark, by which spreadsheets tell UTF-8. */
export function csv(rows: readonly (Row & { readonly grouped?: Grouped | undefined })[]): string {
  const lines = rows.map(({ file, iscc, mediatype, bytes, state, grouped }) => [
    file,
    iscc,
    mediatype,
    String(bytes),
    state,
    String(grouped?.group ?? ''),
    grouped?.closest ?? '',
  ]);
  return `\uFEFF${[HEADER, ...lines].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** Spreadsheets run a text that begins like a formula, and names of files are from others. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
