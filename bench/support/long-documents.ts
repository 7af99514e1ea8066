/** Documents of the size of books: words of a fixed sequence, in pages, paragraphs, cells and chapters. */
import { type ZipEntry, zip } from '../../test/support/zip.js';

/** Endless words, the same in each run. */
function* wordsFrom(seed: number): Generator<string, never> {
  let state = seed;
  for (;;) {
    state = (state * 48_271) % 2_147_483_647;
    yield state.toString(36);
  }
}

/** Lines of `count` words. */
function* lines(count: number): Generator<string, never> {
  const words = wordsFrom(1);
  for (;;) yield Array.from({ length: count }, () => words.next().value).join(' ');
}

/** `count` words in lines of twelve. */
export function text(count: number): string {
  const line = lines(12);
  return Array.from({ length: Math.ceil(count / 12) }, () => `${line.next().value}\n`).join('');
}

const LINES_OF_PAGE = 45;

/** A PDF of text in Helvetica, without compression. */
export function pdf(pages: number): string {
  const line = lines(9);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages}/Kids[${Array.from({ length: pages }, (_, at) => `${4 + at * 2} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  for (let page = 0; page < pages; page += 1) {
    const shown = Array.from({ length: LINES_OF_PAGE }, () => `(${line.next().value})'`).join('\n');
    const content = `BT /F1 10 Tf 15 TL 50 780 Td\n${shown}\nET`;
    const fonts = '/Resources<</Font<</F1 3 0 R>>>>';
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]${fonts}/Contents ${5 + page * 2} 0 R>>`,
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
    );
  }
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${file}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The parts that say where the main part is, and what it is. */
function openXml(main: string, kind: string, more: readonly [part: string, kind: string][]): ZipEntry[] {
  const parts = [[main, `${kind}.main`] as const, ...more];
  const types = parts.map(
    ([part, type]) =>
      `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  const relationship = `<Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="${main}"/>`;
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${types.join('')}</Types>`,
    ],
    ['_rels/.rels', `${XML}<Relationships xmlns="${PACKAGE}/relationships">${relationship}</Relationships>`],
  ];
}

/** A word-processing document of paragraphs of 60 words. */
export function docx(paragraphs: number): Uint8Array {
  const line = lines(60);
  const body = Array.from(
    { length: paragraphs },
    () => `<w:p><w:r><w:t>${line.next().value}</w:t></w:r></w:p>`,
  );
  const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  return zip([
    ...openXml('word/document.xml', 'wordprocessingml.document', []),
    [
      'word/document.xml',
      `${XML}<w:document xmlns:w="${main}"><w:body>${body.join('')}</w:body></w:document>`,
    ],
  ]);
}

/** A workbook of rows of two words, three numbers and a date. */
export function xlsx(rows: number): Uint8Array {
  const words = wordsFrom(7);
  const row = (_: unknown, at: number) => {
    const names = ['A', 'B'].map(
      (column) => `<c r="${column}${at + 1}" t="inlineStr"><is><t>${words.next().value}</t></is></c>`,
    );
    const numbers = ['C', 'D', 'E'].map(
      (column, index) => `<c r="${column}${at + 1}"><v>${(at * 37 + index) / 8}</v></c>`,
    );
    return `<row r="${at + 1}">${names.join('')}${numbers.join('')}</row>`;
  };
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const sheet = 'xl/worksheets/sheet1.xml';
  return zip([
    ...openXml('xl/workbook.xml', 'spreadsheetml.sheet', [[sheet, 'spreadsheetml.worksheet']]),
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets><sheet name="1" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ],
    [
      sheet,
      `${XML}<worksheet xmlns="${main}"><sheetData>${Array.from({ length: rows }, row).join('')}</sheetData></worksheet>`,
    ],
  ]);
}

/** A book of chapters of 3,000 words. */
export function epub(chapters: number): Uint8Array {
  const line = lines(60);
  const names = Array.from({ length: chapters }, (_, at) => `chapter${at + 1}`);
  const paragraphs = () => Array.from({ length: 50 }, () => `<p>${line.next().value}</p>`).join('');
  const items = names.map(
    (name) => `<item id="${name}" href="${name}.xhtml" media-type="application/xhtml+xml"/>`,
  );
  const spine = names.map((name) => `<itemref idref="${name}"/>`);
  const container = 'urn:oasis:names:tc:opendocument:xmlns:container';
  return zip([
    ['mimetype', 'application/epub+zip'],
    [
      'META-INF/container.xml',
      `${XML}<container version="1.0" xmlns="${container}"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    ],
    [
      'book.opf',
      `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">book</dc:identifier><dc:title>Book</dc:title><dc:language>en</dc:language></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ],
    ...names.map(
      (name): ZipEntry => [
        `${name}.xhtml`,
        `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${name}</title></head><body>${paragraphs()}</body></html>`,
      ],
    ),
  ]);
}
