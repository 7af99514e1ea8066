/** PDF documents, compared with recorded results of the reference. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PDFDict, PDFDocument, PDFHexString, PDFName } from 'pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extractPdfMetadata, format, readPdf } from '../../src/services/codes/pipeline/formats/pdf.js';
import { PdfUnreadable } from '../../src/services/codes/tools/pdfium.js';
import {
  contentUnit,
  distance,
  EMBED_REQUEST,
  hasProgram,
  printTable,
  RECORDED,
  type Recorded,
  recorded,
} from './support/recorded.js';

const OPTIONS = { granular: true, compat: '0.9.7' } as const;
const PDF = RECORDED.filter(({ file, result }) => file.endsWith('.pdf') && result !== undefined);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-pdf-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fileOf = (one: Recorded, at = one.path) => ({
  path: at,
  filename: one.file,
  mediatype: 'application/pdf',
});

describe('pdf', () => {
  it('codes differ from the reference by at most 10 % of the bits', async () => {
    const rows: [string, number][] = [];
    for (const one of PDF) {
      const { unit } = await format.content({ ...fileOf(one), ...OPTIONS });
      rows.push([one.file, distance(unit, contentUnit(one))]);
    }
    printTable('Text-Code of PDF, distance to the reference', rows);
    expect(rows.length).toBeGreaterThan(2);
    expect(Math.max(...rows.map(([, bits]) => bits))).toBeLessThanOrEqual(0.1 * 256);
  });

  it.each(PDF)('$file has the recorded text, properties and features', async (one) => {
    const { text, metadata } = await readPdf(await readFile(one.path));
    expect(text).toBe(one.text_extracted);
    expect(metadata).toEqual(one.extract_metadata);
    const content = await format.content({ ...fileOf(one), ...OPTIONS });
    expect(content.features).toEqual(one.result?.features);
    expect(content.facts.characters).toBe(one.result?.characters);
  });

  it.each(PDF)('the thumbnail of $file has the recorded size', async (one) => {
    const { thumbnail = '' } = await readPdf(await readFile(one.path));
    const image = sharp(Buffer.from(thumbnail.replace('data:image/webp;base64,', ''), 'base64'));
    const { format, width, height } = await image.metadata();
    expect({ format, width, height }).toEqual({
      format: 'webp',
      width: one.thumbnail_info?.width,
      height: one.thumbnail_info?.height,
    });
  });

  it('renders a thumbnail of an extremely wide page', async () => {
    const document = await PDFDocument.create();
    document.addPage([14_400, 10]);
    const { thumbnail, text } = await readPdf(await document.save());
    expect(thumbnail).toMatch(/^data:image\/webp;base64,/);
    expect(text).toBe('');
  });

  it('reads the XMP packet for what the information dictionary does not have, as the reference', async () => {
    const document = await PDFDocument.create({ updateMetadata: false });
    document.addPage();
    const alternative = (name: string, value: string) =>
      `<dc:${name}><rdf:Alt><rdf:li xml:lang="x-default">${value}</rdf:li></rdf:Alt></dc:${name}>`;
    const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Keywords="k1, k2">
      ${alternative('title', 'Title')}${alternative('description', 'Text')}${alternative('rights', 'Rights')}
      <dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator>
      </rdf:Description></rdf:RDF></x:xmpmeta>`;
    const stream = document.context.flateStream(packet, { Type: 'Metadata', Subtype: 'XML' });
    document.catalog.set(PDFName.of('Metadata'), document.context.register(stream));
    const fromPacket = {
      name: 'Title',
      description: 'Text',
      creator: 'A, B',
      rights: 'Rights',
      keywords: 'k1, k2',
    };
    expect(await extractPdfMetadata(await document.save())).toEqual(fromPacket);
    document.setTitle('Other title');
    document.setKeywords(['k3']);
    const both = { ...fromPacket, name: 'Other title', keywords: 'k3' };
    expect(await extractPdfMetadata(await document.save({ useObjectStreams: false }))).toEqual(both);
  });

  it('reads NUL in a title as the reference does', async () => {
    const document = await PDFDocument.create({ updateMetadata: false });
    document.addPage();
    const name = async () =>
      (await extractPdfMetadata(await document.save({ useObjectStreams: false }))).name;
    // As ImageMagick writes it, once with a byte order mark and once without.
    document.setTitle('rle\0');
    expect(await name()).toBe('rle\ufffd\ufffd');
    const info = document.context.lookup(document.context.trailerInfo.Info, PDFDict);
    info.set(PDFName.of('Title'), PDFHexString.of('0072006C0000'));
    const nul = '\ufffd\ufffd';
    expect(await name()).toBe(`${nul}r${nul}l${nul}${nul}`);
  });

  it('rejects a file that is not a PDF and reads the next one', async () => {
    const corrupt = await readFile(recorded('corrupt_a.pdf').path);
    await expect(readPdf(corrupt)).rejects.toThrow(PdfUnreadable);
    await expect(readPdf(Buffer.alloc(0))).rejects.toThrow(PdfUnreadable);
    const paper = recorded('paper_a.pdf');
    expect((await readPdf(await readFile(paper.path))).text).toBe(paper.text_extracted);
  });

  it('rejects or reads truncated documents, and reads the next one', async () => {
    const paper = recorded('paper_a.pdf');
    const bytes = await readFile(paper.path);
    for (let cut = 0; cut < bytes.length; cut += 397) {
      await readPdf(bytes.subarray(0, cut)).catch((error: unknown) =>
        expect(error).toBeInstanceOf(PdfUnreadable),
      );
    }
    expect((await readPdf(bytes)).text).toBe(paper.text_extracted);
  });

  it.each(PDF)('$file keeps its text and stores the fields that the reference embeds', async (one) => {
    const copy = path.join(folder, one.file);
    await copyFile(one.path, copy);
    await format.embed?.(fileOf(one, copy), EMBED_REQUEST);
    const { text, metadata } = await readPdf(await readFile(copy));
    expect(text).toBe(one.text_extracted);
    expect(metadata).toEqual({ ...one.embed?.reextracted, ...EMBED_REQUEST });
  });

  it.skipIf(!hasProgram('perl'))('ExifTool reads the embedded fields', async () => {
    const copy = path.join(folder, 'read-by-another.pdf');
    await copyFile(recorded('paper_a.pdf').path, copy);
    await format.embed?.(fileOf(recorded('paper_a.pdf'), copy), EMBED_REQUEST);
    const exiftool = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
    const output = execFileSync('perl', [exiftool, '-json', '-PDF:all', copy]).toString();
    expect(JSON.parse(output)[0]).toMatchObject({
      Title: EMBED_REQUEST.name,
      Subject: EMBED_REQUEST.description,
      Author: EMBED_REQUEST.creator,
    });
  });

  it('the same fields twice make the same copy of a document with an object that is not valid', async () => {
    // The appearance of reportlab's free text annotations is not a string.
    const annotation =
      '<< /Type /Annot /Subtype /FreeText /Rect [0 0 9 9] /Contents (Note) /DA /Helv 12 Tf 0 g >>';
    const objects = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Annots [4 0 R] >>',
      annotation,
    ];
    const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
    const trailer = 'trailer << /Root 1 0 R /Size 5 >>\nstartxref\n0\n%%EOF\n';
    const copy = path.join(folder, 'free-text.pdf');
    await writeFile(copy, `%PDF-1.4\n${body}${trailer}`);
    const file = { path: copy, filename: 'free-text.pdf', mediatype: 'application/pdf' };
    await format.embed?.(file, EMBED_REQUEST);
    const first = await readFile(copy);
    expect(first.includes(annotation)).toBe(true);
    await format.embed?.(file, EMBED_REQUEST);
    expect((await readFile(copy)).equals(first)).toBe(true);
  });

  it('keeps fields that are not submitted', async () => {
    const copy = path.join(folder, 'partly.pdf');
    await copyFile(recorded('paper_a.pdf').path, copy);
    await format.embed?.(fileOf(recorded('paper_a.pdf'), copy), { name: 'New name' });
    const { name: _, ...kept } = recorded('paper_a.pdf').extract_metadata ?? {};
    expect(await extractPdfMetadata(await readFile(copy))).toEqual({ ...kept, name: 'New name' });
  });
});
