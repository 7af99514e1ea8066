/**
 * Ten states of the console as pictures, compared with those in `test/fixtures/states`. A picture that is missing is written, and
 * its test fails: to accept a new look, delete the file, run the test twice, and look at the picture.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { wasmJpegProblem } from '../../scripts/build-wasm.mjs';
import { encodePicture } from '../../scripts/screenshots/encode.js';
import { looksSame } from '../../scripts/screenshots/looks-same.js';
import { native } from '../../src/native.js';
import { codeOf, manifestFor, picture, store } from '../content/support.js';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
import type { AllServices } from '../support/all-services.js';
import { dropFiles, LAUNCH_MS_MAX } from '../support/chromium.js';
import { startConsole, visitConsole } from '../support/console.js';
import { fillIndex } from '../support/originals.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');
const PICTURES = path.join(FIXTURES, 'states');
const PICTURES_BYTES_MAX = 600_000;
const HEIGHT = 640;
const CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';

interface State {
  readonly width: 360 | 800;
  readonly scheme?: 'light' | 'dark';
  readonly locale?: string;
  /** Of the address. */
  readonly fragment?: string;
  readonly act?: (page: Page) => Promise<void>;
  /** Selector of what is at the top of the window. Default: the top of the page. */
  readonly top?: string;
}

const STATES: Readonly<Record<string, State>> = {
  start: { width: 800 },
  'start-dark': { width: 360, scheme: 'dark' },
  'start-german': { width: 360, locale: 'de-DE' },
  picture: { width: 800, act: found, top: '#result' },
  'picture-dark': { width: 360, scheme: 'dark', act: found, top: '#result' },
  code: { width: 800, act: askForCode, top: '#answer' },
  refused: { width: 360, act: refused, top: '#result' },
  compared: { width: 800, scheme: 'dark', act: compared, top: '#compare-body' },
  index: { width: 360, fragment: '#tab=index&index=fotos', act: browsed, top: '#assets-section' },
  manifest: { width: 360, fragment: '#tab=store', act: lookedUp, top: '#manifest-body' },
};

let services: AllServices;
let browser: Browser;

const problem = wasmJpegProblem();
if (problem !== undefined) console.warn(`skipped, no module for browsers: ${problem}`);

describe.skipIf(problem !== undefined)('the console looks as before', () => {
  beforeAll(async () => {
    const started = await startConsole();
    ({ services, browser } = started);
    await fill();
    return started.stop;
  }, LAUNCH_MS_MAX);

  test.each(Object.entries(STATES))('in the state %s', async (name, state) => {
    const page = await visit(state);
    const taken = await shoot(page, state);
    const file = path.join(PICTURES, `${name}.png`);
    if (!existsSync(file)) {
      await mkdir(PICTURES, { recursive: true });
      await writeFile(file, taken);
      throw new Error(`${file} was missing, and is written now: look at it`);
    }
    if (await looksSame(await readFile(file), taken)) return;
    const other = path.join(await mkdtemp(path.join(tmpdir(), 'isccd-states-')), `${name}.png`);
    await writeFile(other, taken);
    throw new Error(
      `the page looks different: compare ${other} with ${file}; to accept it, delete the latter`,
    );
  });

  test('a button of another colour is found', async () => {
    const page = await visit({ width: 800 });
    await page.addStyleTag({ content: '.field button { background: #b3261e }' });
    const taken = await shoot(page, { width: 800 });
    expect(await looksSame(await readFile(path.join(PICTURES, 'start.png')), taken)).toBe(false);
  });
});

test('the pictures are those of the states, and small', async () => {
  const files = await readdir(PICTURES);
  expect(files.sort()).toEqual(
    Object.keys(STATES)
      .map((name) => `${name}.png`)
      .sort(),
  );
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(PICTURES, file))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(PICTURES_BYTES_MAX);
});

/** What the states show: an index with two pictures, and a manifest. */
async function fill(): Promise<void> {
  const { codes, search, store: storeUrl } = services.url;
  const assets = [];
  for (const [at, id] of ['ISCC:MAIGIIFJRDGEQQAA', 'ISCC:MAIGIIFJRDGEQQAB'].entries()) {
    const { iscc, units } = await codeOf(codes, await picture(51 + at));
    const thumbnail = `data:image/png;base64,${(await picture(51 + at, 96, 64)).toString('base64')}`;
    assets.push({ iscc_id: id, iscc_code: iscc, units, metadata: { name: `Picture ${at + 1}`, thumbnail } });
    if (at === 0)
      await store(storeUrl, await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }]));
  }
  await fillIndex(search, 'fotos', assets);
  await store(storeUrl, Buffer.from(bytesOf(sidecar('ok-nested-3'))));
}

/** Opens the page with the fonts of the fixtures: those of machines differ. The policy of the page would refuse them. */
async function visit({ width, scheme = 'light', locale = 'en-GB', fragment = '' }: State): Promise<Page> {
  const page = await visitConsole(browser, `${services.url.codes}/${fragment}`, {
    viewport: { width, height: HEIGHT },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    locale,
    timezoneId: 'UTC',
    bypassCSP: true,
  });
  await page.addStyleTag({ content: FONTS });
  await page.evaluate('Promise.all([...document.fonts].map((font) => font.load()))');
  return page;
}

async function shoot(page: Page, { act, top }: State): Promise<Buffer> {
  await act?.(page);
  await page.waitForFunction('[...document.images].every((image) => image.complete)');
  // No pointer changes what it is over, no focus ring depends on how a state was reached.
  await page.evaluate(`document.activeElement.blur(); ${CONSTANT}`);
  await page.evaluate(
    top === undefined
      ? 'scrollTo(0, 0)'
      : `document.querySelector('${top}').scrollIntoView({ block: 'start' })`,
  );
  return encodePicture(await page.screenshot({ animations: 'disabled', caret: 'hide' }));
}

/** Writes ids and times, which differ from run to run, as others of the same kind. */
const CONSTANT = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    node.nodeValue = node.nodeValue
      .replace(/urn:c2pa:[\\da-f-]{36}/g, 'urn:c2pa:00000000-0000-4000-8000-000000000000')
      .replace(/ISCC:M[A-Z2-7]{15}/g, 'ISCC:MAIGIIFJRDGEQQAA')
      .replace(/\\d+ \\w+ \\d{4}, [\\d:]+/g, '30 Nov 2026, 12:00');
})()`;

function face(family: string, file: string, weight: string): string {
  const bytes = readFileSync(path.join(FIXTURES, 'fonts', file)).toString('base64');
  return `@font-face { font-family: ${family}; font-weight: ${weight}; src: url(data:font/woff2;base64,${bytes}) }`;
}

const FONTS = [
  face('TestSans', 'DejaVuSans.woff2', '100 599'),
  face('TestSans', 'DejaVuSans-Bold.woff2', '600 900'),
  face('TestMono', 'DejaVuSansMono.woff2', '100 900'),
  '* { font-family: TestSans !important } code, pre, .codes { font-family: TestMono !important }',
].join('\n');

async function found(page: Page): Promise<void> {
  await dropFiles(page, 'body', [
    { name: 'copy.png', type: 'image/png', bytes: await picture(51, 240, 160) },
  ]);
  await page.getByText('Done: copy.png').first().waitFor();
  await page.locator('#jobs [aria-busy]').first().waitFor({ state: 'detached' });
}

async function askForCode(page: Page): Promise<void> {
  await page.getByLabel('Code, text, address or manifest').fill(CODE);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('region', { name: 'Explanation' }).getByText('Multiformat').waitFor();
  await page.locator('#answer [aria-busy]').first().waitFor({ state: 'detached' });
}

/** A file that is empty, and one that only the server reads. */
async function refused(page: Page): Promise<void> {
  const bytes = (name: string, size: number) => ({ name, type: '', bytes: Buffer.alloc(size) });
  await dropFiles(page, 'body', [bytes('empty.bin', 0), bytes('film.bin', 64)]);
  await page.locator('#status', { hasText: '0 of 2 files done, 1 failed, 1 not sent' }).waitFor();
}

async function compared(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Compare' }).click();
  const file = async (name: string, size: number) => {
    return { name, type: 'image/png', bytes: await picture(51, size, Math.round((size * 2) / 3)) };
  };
  await dropFiles(page, 'body', [await file('large.png', 480), await file('small.png', 120)]);
  await page.getByRole('list', { name: 'Compared units' }).waitFor();
}

async function browsed(page: Page): Promise<void> {
  await page.locator('#assets img').nth(1).waitFor();
}

async function lookedUp(page: Page): Promise<void> {
  await page.getByLabel('ID or address of a manifest').fill(sidecar('ok-nested-3').expect.manifestId ?? '');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByRole('list', { name: 'History' }).waitFor();
}
