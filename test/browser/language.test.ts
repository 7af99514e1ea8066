/** The console in German: every text, its numbers, and the choice of the language. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { FILES } from '../../src/console/texts/files.js';
import { GERMAN } from '../../src/console/texts/german.js';
import { INDEXES } from '../../src/console/texts/indexes.js';
import { MANIFESTS } from '../../src/console/texts/manifests.js';
import { PAGE } from '../../src/console/texts/page.js';
import { native } from '../../src/native.js';
import { codeOf, manifestFor, picture, store, withManifest } from '../content/support.js';
import { expectAccessible } from '../support/accessible.js';
import type { AllServices } from '../support/all-services.js';
import {
  type DroppedFile,
  dropFiles,
  LAUNCH_MS_MAX,
  type PageOptions,
  screenshots,
} from '../support/chromium.js';
import { startConsole, visitConsole } from '../support/console.js';
import { fillIndex } from '../support/originals.js';
import { untranslated } from '../support/untranslated.js';

const SOURCES = path.resolve(import.meta.dirname, '../../src');
const GERMAN_PAGE: PageOptions = { locale: 'de-AT' };
/** What the tests put there, and what manifests say. */
const DATA = [
  ...['name', 'text', 'filename', 'mediatype'],
  ...['fotos', 'texte', 'c2pa', 'neues', 'metadata.lang = "de"'],
  ...['isccd test', 'isccd test certificates', 'isccd 0.1.0'],
];
const CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';

let services: AllServices;
let browser: Browser;
let manifestId: string;
beforeAll(async () => {
  const started = await startConsole();
  ({ services, browser } = started);
  const { codes, search, store: storeUrl } = services.url;
  const { iscc, units } = await codeOf(codes, await picture(31));
  const signed = await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }]);
  manifestId = await store(storeUrl, signed);
  const thumbnail = `data:image/png;base64,${(await picture(31, 60, 40)).toString('base64')}`;
  const asset = { iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', iscc_code: iscc, units, metadata: { thumbnail } };
  await fillIndex(search, 'fotos', [asset]);
  return started.stop;
}, LAUNCH_MS_MAX);

function visit(fragment = '', options: PageOptions = {}): Promise<Page> {
  return visitConsole(browser, `${services.url.codes}/${fragment}`, { ...GERMAN_PAGE, ...options });
}

async function photo(seed: number, name: string): Promise<DroppedFile> {
  const bytes = await sharp(await picture(seed, 240, 160))
    .jpeg()
    .toBuffer();
  return { name, type: 'image/jpeg', bytes };
}

/** Checks the whole page. */
async function expectGerman(page: Page): Promise<void> {
  expect(await untranslated(page, DATA)).toEqual([]);
  await expectAccessible(page);
}

/** The German form of a text. */
const de = (text: keyof typeof GERMAN) => GERMAN[text];

describe('the language of the page', () => {
  test.each([
    ['de-CH', 'de', 'Schon einmal gesehen?'],
    ['en-GB', 'en', 'Have you seen this before?'],
    ['fr-FR', 'en', 'Have you seen this before?'],
  ])('of a browser that prefers %s is %s', async (locale, lang, title) => {
    const page = await visit('', { locale });
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    expect(await page.locator('#find-title').textContent()).toBe(title);
  });

  test('is switched by a button, and the choice is kept with the result', async () => {
    const page = await visit(`#code=${CODE}`, { locale: 'en-US' });
    const button = page.getByRole('button', { name: 'Deutsch' });
    expect(await button.getAttribute('lang')).toBe('de');
    await button.click();
    await page
      .getByRole('region', { name: de('Explanation') })
      .getByText('Multiformat')
      .waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.reload();
    await page
      .getByRole('region', { name: de('Explanation') })
      .getByText('Multiformat')
      .waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('region', { name: 'Explanation' }).getByText('Multiformat').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });
});

describe('in German, no text is left in English', () => {
  test.each(['codes', 'search', 'store', 'resolver'] as const)('on the page of %s', async (name) => {
    const page = await visitConsole(browser, services.url[name], GERMAN_PAGE);
    await expectGerman(page);
    await screenshots(page, `german-${name}`);
  });

  test('with the result of a picture, its match and its manifest', async () => {
    const page = await visit();
    await dropFiles(page, 'body', [await photo(31, 'kopie.jpg')]);
    const match = page.getByRole('list', { name: de('Matches') }).getByRole('listitem');
    await match.filter({ hasText: 'fotos' }).first().waitFor();
    await page
      .getByRole('list', { name: de('Manifests') })
      .first()
      .waitFor();
    await page.getByText(de('Rights'), { exact: true }).first().waitFor();
    await expect.poll(() => page.locator('#status').textContent()).toBe('Fertig: kopie.jpg');
    expect(await match.locator('.percent').first().textContent()).toMatch(/^\d+,\d %$/);
    await page.getByText(de('Add to an index')).click();
    await expectGerman(page);
    await screenshots(page, 'german-result');
  });

  test('with files of which one is refused and one waits', async () => {
    const page = await visit('', { expected: /422/ });
    const broken = { name: 'kaputt.jpg', type: 'image/jpeg', bytes: Buffer.from('ffd8ffe000104a46', 'hex') };
    const empty = { name: 'leer.jpg', type: 'image/jpeg', bytes: Buffer.alloc(0) };
    const film = { name: 'film.bin', type: '', bytes: Buffer.alloc(64) };
    // Bars are there only while a file is read.
    await page.evaluate(`{
      window.labels = new Set();
      const read = () => document.querySelectorAll('progress').forEach((bar) => labels.add(bar.ariaLabel));
      new MutationObserver(read).observe(document.body, { childList: true, subtree: true });
    }`);
    await dropFiles(page, 'body', [await photo(32, 'bild.jpg'), broken, empty, film]);
    await page.getByText(de('The file is empty.')).waitFor();
    const status = page.locator('#status');
    await expect.poll(() => status.textContent()).toMatch(/^1 von 4 Dateien fertig/);
    await page.getByText(de('no manifest')).first().waitFor();
    expect(await page.evaluate('[...labels]')).toContain('Fortschritt von bild.jpg');
    await expectGerman(page);
    await page.getByRole('button', { name: `${de('Send to this server')}: film.bin` }).click();
    await expect.poll(() => status.textContent()).toMatch(/^2 von 4 Dateien fertig/);
    await expectGerman(page);
  });

  test('with passages of a text', async () => {
    const page = await visit();
    const story = Array.from(
      { length: 80 },
      (_, at) => `Satz ${at}: Wasser ${at * at}, Stein ${at % 7}.`,
    ).join('\n');
    const text = { name: 'text.txt', type: 'text/plain', bytes: Buffer.from(story) };
    await dropFiles(page, 'body', [text]);
    await page.getByText(de('Add to an index')).click();
    await page
      .locator('#jobs')
      .getByLabel(/^Index/)
      .fill('texte');
    await page.getByRole('button', { name: de('Add'), exact: true }).click();
    await page
      .getByText(/^Zu texte hinzugefügt als ISCC:/)
      .first()
      .waitFor();
    await dropFiles(page, 'body', [{ ...text, name: 'zitat.txt' }]);
    await page.locator('.passages').first().waitFor();
    await expectGerman(page);
  });

  test('with the result of a code and of a manifest', async () => {
    const page = await visit();
    const field = page.getByLabel(de('Code, text, address or manifest'));
    await field.fill(CODE);
    await field.press('Enter');
    await page
      .getByRole('region', { name: de('Explanation') })
      .getByText('Multiformat')
      .waitFor();
    await page.locator('#answer [aria-busy]').waitFor({ state: 'detached' });
    await expectGerman(page);
    await field.fill(manifestId);
    await field.press('Enter');
    await page.getByRole('region', { name: 'Manifest' }).getByText(de('Download')).waitFor();
    await expectGerman(page);
    await field.fill('ISCC:KURZ');
    await field.press('Enter');
    await page.getByText('„ISCC:KURZ“ ist kein Code.').waitFor();
    await expectGerman(page);
  });

  test('in the tab that checks a file with credentials', async () => {
    const page = await visit('#tab=check');
    const signed = await manifestFor([], await picture(31));
    const file = { name: 'signiert.png', type: 'image/png', bytes: withManifest(await picture(31), signed) };
    await dropFiles(page, 'body', [file]);
    await page.getByText(de('Not sent yet.')).waitFor();
    await page.getByRole('button', { name: de('Send and check') }).click();
    await page.getByRole('heading', { name: de('Manifests that match') }).waitFor();
    await expectGerman(page);
  });

  test('in the tabs of indexes, watches and the network', async () => {
    const page = await visit('#tab=index&index=fotos');
    await page.locator('#assets img').first().waitFor();
    await page.getByText(de('Watches'), { exact: true }).click();
    await page.getByText(de('This index has no watches.')).waitFor();
    await page.getByLabel(de('Name of a new watch')).fill('neues');
    await page.getByLabel(de('Content: an ISCC-CODE, ISCC-UNITs, or the ISCC-ID of an asset')).fill(CODE);
    await page.getByRole('button', { name: de('Watch'), exact: true }).click();
    await page.getByRole('button', { name: de('Show events') }).waitFor();
    await page.getByText(de('Export, import, rename, delete')).click();
    await expectGerman(page);
    await page.getByRole('link', { name: de('Network') }).click();
    await page.getByText(de('This node follows no hubs of the network.')).waitFor();
    await expectGerman(page);
  });

  test('in the tabs that compare files, read metadata and store manifests', async () => {
    const page = await visit('#tab=compare');
    const files = [await photo(33, 'eins.jpg'), await photo(34, 'zwei.jpg'), await photo(35, 'drei.jpg')];
    await dropFiles(page, 'body', files.slice(0, 2));
    await page.getByRole('list', { name: de('Compared units') }).waitFor();
    await expectGerman(page);
    await dropFiles(page, 'body', files);
    await page.getByRole('table').filter({ hasText: 'drei.jpg' }).waitFor();
    await expectGerman(page);
    await page.getByRole('link', { name: de('Metadata') }).click();
    await dropFiles(page, 'body', files.slice(0, 1));
    await page.getByText(de('Embed metadata into a copy')).click();
    await page.getByLabel(de('Title'), { exact: true }).waitFor();
    await expectGerman(page);
    await page.getByRole('link', { name: de('Store') }).click();
    await page.getByLabel(de('ID or address of a manifest')).fill(manifestId);
    await page.getByRole('button', { name: de('Look up') }).click();
    await page.getByRole('region', { name: 'Manifest', exact: true }).getByText('SHA-256').waitFor();
    await expectGerman(page);
  });
});

describe('the table of texts', () => {
  test('has each text once, with the same values in both languages', () => {
    const parts = [PAGE, FILES, INDEXES, MANIFESTS].flatMap((part) => Object.keys(part));
    expect(parts.filter((text, at) => parts.indexOf(text) !== at)).toEqual([]);
    const values = (text: string) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort();
    const others = Object.entries(GERMAN).filter(([en, german]) => `${values(en)}` !== `${values(german)}`);
    expect(others).toEqual([]);
  });

  test('has no text that neither the page nor a service uses', () => {
    const used = sources(SOURCES).join(' ').replaceAll(/\s+/g, ' ');
    // The button that copies puts its name before the value.
    const isUsed = (text: string) => used.includes(text) || used.includes(`'${text.replace(/ \{0\}$/, '')}'`);
    expect(Object.keys(GERMAN).filter((text) => !isUsed(text))).toEqual([]);
  });
});

/** All files that a page or its server is made of, but those of the table. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'texts' ? [] : sources(file);
    return /\.(?:ts|html)$/.test(entry.name) ? [readFileSync(file, 'utf8')] : [];
  });
}
