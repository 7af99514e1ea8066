/** Text of PDFs that the reference loses: values of forms, and text beside the box of turned pages. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { degrees, PDFDocument, type PDFPage } from 'pdf-lib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { format, readPdf } from '../../src/services/codes/pipeline/formats/pdf.js';
import { uploaded } from './support/client.js';
import { type CodesServer, startCodes } from './support/server.js';

const LINES = 40;
const [WIDTH, HEIGHT] = [595, 842];

/** A page with lines of text from its top to its bottom. */
async function printed(change: (page: PDFPage) => void): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create();
  const page = document.addPage([WIDTH, HEIGHT]);
  for (let line = 0; line < LINES; line += 1) {
    page.drawText(`Line ${line} of a page that may be turned.`, {
      x: 40,
      y: 800 - line * 19,
      size: 11,
    });
  }
  change(page);
  return saved(document);
}

async function filledIn(): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create();
  const pages = [document.addPage(), document.addPage()] as const;
  const form = document.getForm();
  const at = { x: 50, width: 300, height: 20 };
  const name = form.createTextField('person.name');
  name.setText('Erika Mustermann, Größe 38');
  for (const page of pages) name.addToPage(page, { ...at, y: 700 });
  const colour = form.createDropdown('colour');
  colour.addOptions(['red', 'green']);
  colour.select('green');
  colour.addToPage(pages[1], { ...at, y: 650 });
  const agreed = form.createCheckBox('agreed');
  agreed.addToPage(pages[0], { ...at, y: 600 });
  agreed.check();
  const secret = form.createTextField('secret');
  secret.setText('geheim');
  secret.enablePassword();
  secret.addToPage(pages[0], { ...at, y: 550 });
  form.createTextField('empty').addToPage(pages[0], { ...at, y: 500 });
  return saved(document);
}

async function saved(document: PDFDocument): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await document.save());
}

const linesOf = (text: string) => text.match(/Line \d+ of a page that may be turned\./g)?.length ?? 0;

describe('readPdf', () => {
  it('keeps all text of pages whose box is turned without its content', async () => {
    for (const turn of [90, 270]) {
      const bytes = await printed((page) => {
        page.setMediaBox(0, 0, HEIGHT, WIDTH);
        page.setRotation(degrees(turn));
      });
      const { text, pages } = await readPdf(bytes);
      expect([linesOf(text) < LINES, linesOf(pages)], `${turn}`).toEqual([true, LINES]);
    }
  });

  it('reads turned pages without a wrong box, and cropped ones, as they are', async () => {
    for (const turn of [0, 90, 180, 270]) {
      const whole = await readPdf(await printed((page) => page.setRotation(degrees(turn))));
      expect([linesOf(whole.text), whole.pages], `${turn}`).toEqual([LINES, whole.text]);
      const cropped = await readPdf(
        await printed((page) => {
          page.setCropBox(0, HEIGHT / 2, WIDTH, HEIGHT / 2);
          page.setRotation(degrees(turn));
        }),
      );
      expect(linesOf(cropped.text)).toBeLessThan(LINES);
      expect(cropped.pages).toBe(cropped.text);
    }
  });

  it('reads the value of each field once, without buttons and passwords', async () => {
    const { text, values } = await readPdf(await filledIn());
    expect(text.trim()).toBe('');
    expect(values).toBe('Erika Mustermann, Größe 38\ngreen');
  });
});

it('a reader gets the text of the pages and the values', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-forms-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'form.pdf');
  await writeFile(file, await filledIn());
  const one = { path: file, filename: 'form.pdf', mediatype: 'application/pdf', granular: false } as const;
  const { text, notes } = await format.content({ ...one, compat: '0.9.7', keepText: true });
  expect(text).toBe('Erika Mustermann, Größe 38\ngreen');
  expect(notes).toEqual(['FORM_VALUES_OMITTED']);
});

describe('POST /api/v1/iscc', () => {
  let server: CodesServer;
  beforeAll(async () => {
    server = await startCodes();
  });
  afterAll(() => server.close());

  it('codes a form as the reference, with a note, or better on request', async () => {
    const form = await filledIn();
    const exact = await uploaded(server.url, 'form.pdf', form);
    expect(exact).toMatchObject({ characters: 0, note: expect.stringMatching(/^FORM_VALUES_OMITTED: /) });
    const better = await uploaded(server.url, 'form.pdf', form, { query: '?compat=better' });
    expect(better.characters).toBeGreaterThan(20);
    expect(better.note).toBeUndefined();
    expect(better.units[1]).not.toBe(exact.units[1]);
    expect(better.units.slice(2)).toEqual(exact.units.slice(2));
    const asked = await uploaded(server.url, 'form.pdf', form, { query: '?compat=exact' });
    expect(asked.units).toEqual(exact.units);
  });

  it('makes simprints of all text of turned pages', async () => {
    const turned = await printed((page) => {
      page.setMediaBox(0, 0, HEIGHT, WIDTH);
      page.setRotation(degrees(270));
    });
    const upright = await uploaded(server.url, 'a.pdf', await printed(() => undefined));
    const exact = await uploaded(server.url, 'a.pdf', turned);
    expect(exact.note).toMatch(/^TURNED_TEXT_OMITTED: /);
    expect(exact.features).toEqual(upright.features);
    expect(exact.units[1]).not.toBe(upright.units[1]);
    const better = await uploaded(server.url, 'a.pdf', turned, { query: '?compat=better' });
    expect(better.units[1]).toBe(upright.units[1]);
  });
});
