/** The console as a stranger uses it: one field, examples, links, tabs. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page, Response } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { native } from '../../src/native.js';
import { codeOf, manifestFor, picture, store } from '../content/support.js';
import { expectAccessible } from '../support/accessible.js';
import type { AllServices } from '../support/all-services.js';
import { dropFiles, focused, LAUNCH_MS_MAX, openPage, screenshots, unnamed } from '../support/chromium.js';
import { startConsole, visitConsole } from '../support/console.js';

const FILES = path.resolve(import.meta.dirname, '../fixtures/codes/files');
const FILES_MAX = 6;
const BYTES_MAX = 150_000;

let services: AllServices;
let browser: Browser;
beforeAll(async () => {
  const started = await startConsole();
  ({ services, browser } = started);
  return started.stop;
}, LAUNCH_MS_MAX);

function visit(fragment = ''): Promise<Page> {
  return visitConsole(browser, `${services.url.codes}/${fragment}`);
}

function field(page: Page) {
  return page.getByLabel('Code, text, address or manifest');
}

async function ask(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

/** The line of a part of the result. */
function part(page: Page, name: string) {
  return page.getByRole('region', { name }).locator('.verdict').first();
}

describe('the first view', () => {
  test('takes few files and few bytes', async () => {
    const page = await openPage(browser);
    const files: Response[] = [];
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url());
      const isFile = pathname === '/' || pathname.startsWith('/static/');
      if (origin === services.url.codes && isFile) files.push(response);
    });
    await page.goto(services.url.codes);
    await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    expect(files.length).toBeGreaterThanOrEqual(3);
    expect(files.length).toBeLessThanOrEqual(FILES_MAX);
    const bodies = await Promise.all(files.map((file) => file.body()));
    expect(bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)).toBeLessThanOrEqual(BYTES_MAX);
    for (const file of files) expect([file.url(), file.status()]).toEqual([file.url(), 200]);
  });

  test('has three examples, each of which shows a result', async () => {
    const page = await visit();
    await page.getByRole('button', { name: 'a picture' }).click();
    await page.getByText('Done: example.png').first().waitFor();
    expect(await page.getByAltText('Thumbnail').isVisible()).toBe(true);
    expect(await page.getByRole('img', { name: 'The bits of the code' }).isVisible()).toBe(true);
    expect(await page.getByRole('region', { name: 'Rights of example.png' }).textContent()).toContain(
      'no statement on rights',
    );
    await page.goto(services.url.codes);
    await page.getByRole('button', { name: 'a text' }).click();
    await page.getByText('Done: pasted text.txt').first().waitFor();
    await page.goto(services.url.codes);
    await page.getByRole('button', { name: 'a code' }).click();
    await page.getByRole('region', { name: 'Explanation' }).getByText('Multiformat').waitFor();
    await expectAccessible(page);
    expect(unnamed(await page.locator('body').ariaSnapshot())).toEqual([]);
    await screenshots(page, 'find-code');
  });
});

describe('the camera', () => {
  test('is offered on a phone, and a photo is coded at once', async () => {
    const phone = { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } };
    const page = await visitConsole(browser, services.url.codes, phone);
    expect(await page.getByText('Take a photo').isVisible()).toBe(true);
    const chosen = page.waitForEvent('filechooser');
    await page.getByText('Take a photo').tap();
    const input = (await chosen).element();
    expect([await input.getAttribute('accept'), await input.getAttribute('capture')]).toEqual([
      'image/*',
      'environment',
    ]);
    const photo = { name: 'photo.png', mimeType: 'image/png', buffer: await picture(41) };
    await (await chosen).setFiles(photo);
    await page.locator('#status', { hasText: 'Done: photo.png' }).waitFor();
  });

  test('is not offered with a mouse', async () => {
    const page = await visit();
    expect(await page.getByText('Take a photo').isVisible()).toBe(false);
  });
});

describe('the field', () => {
  test('finds the manifests of 256-bit units, and shows a manifest by its id and by its address', async () => {
    const { units } = await codeOf(services.url.codes, await picture(11));
    const binding = [{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }];
    await store(services.url.store, await manifestFor(binding));
    const page = await visit();
    await ask(page, units.join('\n'));
    await part(page, 'Manifests')
      .filter({ hasText: /^1 manifest$/ })
      .waitFor();
    const id = (await page.getByRole('list', { name: 'Manifests' }).locator('.name').textContent()) ?? '';
    expect(id).toMatch(/^urn:c2pa:/);
    await expectAccessible(page);
    await ask(page, id);
    await part(page, 'Manifest')
      .filter({ hasText: /^stored, .* kB$/ })
      .waitFor();
    const link = await page.evaluate<string>('location.hash');
    expect(link).toBe(`#manifest=${encodeURIComponent(id)}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    const other = await visit(link);
    await part(other, 'Manifest')
      .filter({ hasText: /^stored/ })
      .waitFor();
    await ask(other, `${services.url.store}/v1/manifests/${encodeURIComponent(id)}`);
    await other.locator('#ask:not([aria-busy])').waitFor();
    expect(await other.evaluate('location.hash')).toBe(link);
    expect(await part(other, 'Manifest').textContent()).toMatch(/^stored/);
  });

  test('shows a result again whose link is pasted, and says that addresses are not fetched', async () => {
    const page = await visit();
    await ask(page, 'http://console.example.org/#code=ISCC:AAAT4EBWK27737D2');
    await page.getByRole('region', { name: 'Explanation' }).getByText('META-NONE-V0-64').first().waitFor();
    await ask(page, 'https://example.org/picture.jpg');
    await page.getByRole('alert').filter({ hasText: 'fetches no addresses' }).waitFor();
  });
});

describe('tabs', () => {
  test('show the assets of an index, which lead to their matches', async () => {
    const page = await visit('#tab=index');
    await page.getByLabel('New index').fill('shelf');
    await page.getByRole('button', { name: 'Create' }).click();
    const link = page.getByRole('table').getByRole('link', { name: 'shelf' });
    await link.click();
    await page.getByText('This index is empty.').waitFor();
    await page.goBack();
    await dropFiles(page, 'body', [
      {
        name: 'stored.jpg',
        type: 'image/jpeg',
        bytes: await sharp(await picture(12))
          .jpeg()
          .toBuffer(),
      },
    ]);
    expect(await page.getByRole('link', { name: 'Find', exact: true }).getAttribute('aria-current')).toBe(
      'page',
    );
    await page.getByText('Add to an index').click();
    await page.getByLabel('(a new name creates one)').fill('shelf');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page
      .getByText(/^Added to shelf/)
      .first()
      .waitFor();
    await page.goto(`${services.url.codes}/#tab=index&index=shelf`);
    const assets = page.getByRole('list', { name: 'Assets in shelf' });
    await assets.getByRole('link', { name: 'stored' }).waitFor();
    expect(await assets.locator('img').count()).toBe(1);
    await expectAccessible(page);
    await screenshots(page, 'find-assets');
    await assets.getByRole('link').click();
    await page.getByRole('list', { name: 'Matches' }).getByText('in shelf').waitFor();
    expect(await page.evaluate('location.hash')).toMatch(/^#code=ISCC:\w+&index=shelf$/);
  });

  test('read the metadata of a dropped file, and embed others into a copy', async () => {
    const page = await visit('#tab=metadata');
    const bytes = await readFile(path.join(FILES, 'meta-rich_a.jpg'));
    await dropFiles(page, 'body', [{ name: 'titled.jpg', type: 'image/jpeg', bytes }]);
    const region = page.getByRole('region', { name: 'Metadata of the file' });
    await region.getByText('Creator vatrouzene').waitFor();
    expect(await focused(page)).toBe('metadata-body');
    await region.getByText('Embed metadata into a copy').click();
    await region.getByLabel('Creator').fill('Grace');
    await expectAccessible(page);
    await region.getByRole('button', { name: 'Embed and generate code' }).click();
    await page.locator('.iscc').first().waitFor();
    expect(await page.locator('#jobs').textContent()).toContain('Grace');
  });
});

test('a dropped folder is read with its subfolders, without hidden files', async () => {
  const folder = path.join(services.folder, 'texts');
  await mkdir(path.join(folder, 'below'), { recursive: true });
  const names = ['a.txt', '.hidden.txt', 'below/b.txt', 'c.txt'];
  await Promise.all(
    names.map((name) => writeFile(path.join(folder, name), `The text of ${name}. `.repeat(20))),
  );
  const page = await visit();
  const cdp = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await cdp.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  }
  await page.locator('#status', { hasText: '3 of 3 files done' }).waitFor();
  const shown = await page.locator('#jobs > li > details > summary .name').allTextContents();
  expect(shown).toEqual(['a.txt', 'b.txt', 'c.txt']);
});

test('a dropped folder has its similar files in groups, also in the table that is exported', async () => {
  const page = await visit();
  const pictures = await Promise.all([picture(23), picture(23, 240, 160), picture(24)]);
  const files = [...pictures, pictures[2] ?? Buffer.alloc(0)].map((bytes, at) => ({
    name: `${at}.png`,
    type: 'image/png',
    bytes,
  }));
  const text = {
    name: 'alone.txt',
    type: 'text/plain',
    bytes: Buffer.from('A text that no other file has.'),
  };
  await dropFiles(page, 'body', [...files, text]);
  await page.locator('#status', { hasText: '5 of 5 files done' }).waitFor();
  const table = page.getByRole('group', { name: '2 groups of similar files' });
  const rows = await table.locator('tbody tr').allTextContents();
  expect(rows).toEqual([
    'Group 1: 2 files',
    expect.stringMatching(/^0\.png(?:9\d|100)(?:\.\d)? %$/),
    expect.stringMatching(/^1\.png(?:9\d|100)(?:\.\d)? %$/),
    'Group 2: 2 files',
    '2.pngequal bytes',
    '3.pngequal bytes',
  ]);
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  const [, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines.map((line) => line.split(',').slice(-2).join(','))).toEqual([
    expect.stringMatching(/^1,/),
    expect.stringMatching(/^1,/),
    '2,equal bytes',
    '2,equal bytes',
    ',',
  ]);
});

test('dropped files are compared: two unit by unit, three in a table', async () => {
  const page = await visit('#tab=compare');
  const files = await Promise.all(
    [picture(21), picture(21, 240, 160), picture(22)].map(async (bytes, at) => ({
      name: `${at}.png`,
      type: 'image/png',
      bytes: await bytes,
    })),
  );
  await dropFiles(page, 'body', files.slice(0, 1));
  await page.getByRole('alert').filter({ hasText: 'Choose two files or more.' }).waitFor();
  await dropFiles(page, 'body', files.slice(0, 2));
  const region = page.getByRole('region', { name: 'Comparison' });
  await region.getByRole('img', { name: /^Content-Code Image: \d+ of 256 bits differ$/ }).waitFor();
  await dropFiles(page, 'body', files);
  const first = page.getByRole('rowheader', { name: '0.png' });
  const cells = region.getByRole('row').filter({ has: first }).getByRole('cell');
  await cells.nth(2).waitFor();
  expect(await cells.first().textContent()).toBe('–');
  const [, near = 0, far = 0] = (await cells.allTextContents()).map(Number.parseFloat);
  expect(near).toBeGreaterThan(85);
  expect(far).toBeLessThan(near);
  await expectAccessible(page);
});
