/** Bombs of texts and office documents. */
import { gzipSync } from 'node:zlib';
import { laughs } from '../../codes/support/hostile.js';
import { fileBytes } from '../../codes/support/reference.js';
import { unzip, zip } from '../../support/zip.js';
import type { Bomb } from './bombs.js';
import { join, latin1, repeat } from './bytes.js';

const LARGE = 400_000_000;

/** A copy of a ZIP-based document in which one part is replaced. */
function rezipped(name: string, part: RegExp, replaced: (content: Buffer) => Uint8Array): Uint8Array {
  return zip(unzip(fileBytes(name)).map(([path, data]) => [path, part.test(path) ? replaced(data) : data]));
}

/** `content` with bytes before the last place of `mark`. */
function before(mark: string, inserted: Uint8Array): (content: Buffer) => Buffer {
  return (content) => {
    const at = content.lastIndexOf(mark);
    return join(content.subarray(0, at), inserted, content.subarray(at));
  };
}

const wrapped = (start: string, end: string) => join(start, repeat('A', LARGE), end);

export const documentBombs: readonly Bomb[] = [
  {
    name: 'paragraph-of-400-mb.docx',
    make: () =>
      rezipped(
        'report_a.docx',
        /^word\/document\.xml$/,
        before('</w:body>', wrapped('<w:p><w:r><w:t>', '</w:t></w:r></w:p>')),
      ),
  },
  {
    name: 'deep.docx',
    make: () => rezipped('report_a.docx', /^word\/document\.xml$/, before('</w:body>', repeat('<w:p>', 3e6))),
  },
  {
    name: 'properties-of-400-mb.docx',
    make: () => rezipped('report_a.docx', /core\.xml$/, () => repeat('A', LARGE)),
  },
  {
    name: '100000-parts.docx',
    make: () =>
      zip([
        ...unzip(fileBytes('report_a.docx')),
        ...Array.from({ length: 1e5 }, (_, number) => [`word/f${number}.xml`, '<a/>'] as const),
      ]),
  },
  {
    name: 'cell-of-400-mb.xlsx',
    make: () =>
      rezipped(
        'book_a.xlsx',
        /sheet1\.xml$/,
        before('</sheetData>', wrapped('<row><c t="inlineStr"><is><t>', '</t></is></c></row>')),
      ),
  },
  {
    name: 'last-cell.xlsx',
    make: () =>
      rezipped(
        'book_a.xlsx',
        /sheet1\.xml$/,
        before('</sheetData>', repeat('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', 100)),
      ),
  },
  {
    name: 'chapter-of-400-mb.epub',
    make: () => rezipped('book2_a.epub', /html$/, before('</body>', wrapped('<p>', '</p>'))),
  },
  {
    name: 'paragraph-of-400-mb.odt',
    make: () =>
      rezipped('text_a.odt', /^content\.xml$/, before('</office:text>', wrapped('<text:p>', '</text:p>'))),
  },
  {
    name: 'slide-of-400-mb.pptx',
    make: () => rezipped('slides_a.pptx', /slide1\.xml$/, () => repeat('A', LARGE)),
  },
  {
    name: '100000-entries.zip',
    make: () => zip(Array.from({ length: 1e5 }, (_, number) => [`f${number}`, ''] as const)),
  },
  { name: '400-mb.gz', make: () => gzipSync(repeat('A', LARGE)) },
  { name: 'laughs.xml', make: () => latin1(laughs('doc')) },
  { name: 'deep.json', make: () => join(repeat('[', 1e6), repeat(']', 1e6)) },
  { name: 'deep-objects.json', make: () => join(repeat('{"a":', 1e6), '1', repeat('}', 1e6)) },
  { name: 'deep.xml', make: () => join('<?xml version="1.0"?>', repeat('<a>', 2e6), repeat('</a>', 2e6)) },
  { name: 'deep.html', make: () => join('<html><body>', repeat('<div>', 1e6), 'x') },
  { name: 'attributes.html', make: () => join('<html><body ', repeat('a="b" ', 2e6), '>x'), wasSlow: true },
  { name: 'deep.rtf', make: () => join('{\\rtf1 ', repeat('{', 2e6), 'x', repeat('}', 2e6), '}') },
  {
    name: 'numbers.rtf',
    make: () => join('{\\rtf1 \\bin2147483647 xx', repeat('\\u-99999999999 ', 1000), '}'),
  },
  { name: 'quotes.md', make: () => join(repeat('>', 1e6), 'x') },
  { name: 'brackets.md', make: () => join(repeat('[', 2e5), 'x', repeat('](', 2e5)) },
  { name: 'one-line.txt', make: () => repeat('a', 5e7) },
  { name: 'accents.txt', make: () => Buffer.from(`a${'\u0301'.repeat(3e6)}`) },
  { name: 'ligatures.txt', make: () => Buffer.from('\ufdfa'.repeat(3e6)) },
  { name: 'spaces.txt', make: () => join(repeat(' ', 3e7), 'x') },
  { name: 'nul.txt', make: () => Buffer.alloc(3e7) },
  { name: 'surrogates.txt', make: () => join('\xff\xfe', repeat('\xd8', 2e7)) },
];
