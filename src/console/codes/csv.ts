/** The files of the page as a table for spreadsheets. */
import type { Row } from './job.js';

const HEADER = ['file', 'iscc', 'media_type', 'bytes', 'result'];

/** RFC 4180, with a byte order mark, by which spreadsheets tell UTF-8. */
export function csv(rows: readonly Row[]): string {
  const lines = rows.map(({ file, iscc, mediatype, bytes, state }) => [
    file,
    iscc,
    mediatype,
    String(bytes),
    state,
  ]);
  return `\uFEFF${[HEADER, ...lines].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** Spreadsheets run a text that begins like a formula, and names of files are from others. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
