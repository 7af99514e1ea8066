/** Files with and without rights metadata, and queries of the rights look-up. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PDFDocument, PDFName } from 'pdf-lib';
import sharp from 'sharp';
import type { z } from 'zod';
import type { rightsReport } from '../../../src/services/resolver/rights/schema.js';
import { picture } from '../../content/support.js';
import { zip } from '../../support/zip.js';

export type Report = z.infer<typeof rightsReport> & { readonly detail?: string; readonly line?: number };

export const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/c2pa');
export const fixture = (name: string) => readFileSync(path.join(FIXTURES, name));

export async function rightsByContent(url: string, asset: Buffer, type: string, query = '') {
  const headers = { 'Content-Type': type };
  const response = await fetch(`${url}/v1/rights/byContent${query}`, {
    method: 'POST',
    headers,
    body: asset,
  });
  return { status: response.status, body: (await response.json()) as Report };
}

export async function rightsByCode(url: string, iscc: unknown, query = '') {
  const headers = { 'Content-Type': 'application/json' };
  const body = typeof iscc === 'string' ? JSON.stringify({ iscc }) : JSON.stringify(iscc);
  const response = await fetch(`${url}/v1/rights/byCode${query}`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Report };
}

/** The statuses of the four uses, in the order: mining, training, generative training, inference. */
export function statuses({ summary }: Report): string[] {
  const uses = ['data_mining', 'ai_training', 'ai_generative_training', 'ai_inference'];
  return uses.map((use) => summary[`c2pa.${use}`]?.status ?? 'missing');
}

/** An XMP packet with properties of one description. The prefixes of TDMRep are not the usual ones, on purpose. */
export function xmp(properties: string): string {
  return `<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about=''
 xmlns:mine='http://www.w3.org/ns/tdmrep/' xmlns:voc='http://www.w3.org/ns/tdmrep#'
 xmlns:plus='http://ns.useplus.org/ldf/xmp/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'
 xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmlns:iptc='http://iptc.org/std/Iptc4xmpExt/2008-02-29/'>
${properties}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>`;
}

const PLUS = 'http://ns.useplus.org/ldf/vocab/DMI-';
export const dataMining = (value: string) => `<plus:DataMining>${PLUS}${value}</plus:DataMining>`;

export async function jpegWith(seed: number, properties: string): Promise<Buffer> {
  return sharp(await picture(seed))
    .jpeg()
    .withXmp(xmp(properties))
    .toBuffer();
}

export async function pdfWith(properties: string): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  pdf
    .addPage([300, 300])
    .drawText('Words of a page about the reservation of rights, enough for a code.', { size: 8 });
  const stream = pdf.context.flateStream(xmp(properties), { Type: 'Metadata', Subtype: 'XML' });
  pdf.catalog.set(PDFName.of('Metadata'), pdf.context.register(stream));
  return Buffer.from(await pdf.save());
}

export function htmlWith(head: string): Buffer {
  const text = 'Some words of a page that is long enough for a code of its text. '.repeat(5);
  return Buffer.from(
    `<!DOCTYPE html><html><head><title>Page</title>${head}</head><body><p>${text}</p></body></html>`,
  );
}

/** An EPUB with entries in its package document. */
export function epubWith(metadata: string): Buffer {
  const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>C</title></head><body><p>${'Words of a chapter. '.repeat(20)}</p></body></html>`;
  const book = zip([
    ['mimetype', 'application/epub+zip'],
    [
      'META-INF/container.xml',
      '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="a/b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ],
    [
      'a/b.opf',
      `<?xml version="1.0" encoding="utf-8"?><opf:package xmlns:opf="http://www.idpf.org/2007/opf" xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i" prefix="tdm: http://www.w3.org/ns/tdmrep#"><opf:metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">urn:x:1</dc:identifier><dc:title>Book</dc:title><dc:language>en</dc:language>${metadata}</opf:metadata><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></opf:package>`,
    ],
    ['a/c.xhtml', page],
  ]);
  return Buffer.from(book);
}
