/** The console: the start pages of all services together, in a real browser. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readEntries } from '../../src/cli/input/entries.js';
import { native } from '../../src/native.js';
import { codeOf, manifestFor, picture, store } from '../content/support.js';
import { expectAccessible } from '../support/accessible.js';
import { type AllServices, servicePorts } from '../support/all-services.js';
import {
  type DroppedFile,
  dropFiles,
  focused,
  LAUNCH_MS_MAX,
  openPage,
  type PageOptions,
  screenshots,
  unnamed,
} from '../support/chromium.js';
import { sendFile, startConsole, visitConsole } from '../support/console.js';
import { serve } from '../support/serve.js';

const KEY = 'the key of the index';

let services: AllServices;
let browser: Browser;
beforeAll(async () => {
  const started = await startConsole();
  ({ services, browser } = started);
  return started.stop;
}, LAUNCH_MS_MAX);

function visit(name: 'codes' | 'search' | 'store' | 'resolver', options?: PageOptions): Promise<Page> {
  return visitConsole(browser, services.url[name], options);
}

async function photo(
  seed: number,
  name = `photo-${seed}.jpg`,
  width = 480,
): Promise<DroppedFile & { bytes: Buffer }> {
  const bytes = await sharp(await picture(seed, width, Math.round((width * 2) / 3)))
    .jpeg()
    .toBuffer();
  return { name, type: 'image/jpeg', bytes };
}

/** A text whose passages are distinct. */
function story(seed: string, sentences: number): string {
  const words = 'ocean river stone music forest history machine network signal garden window silver'.split(
    ' ',
  );
  return Array.from({ length: sentences }, (_, at) => {
    const line = Array.from(
      { length: 12 },
      (_, word) => words[(at * 7 + word * word + seed.length) % words.length],
    );
    return `${seed} ${at}: ${line.join(' ')}.`;
  }).join('\n');
}

/** The row of a file. */
function row(page: Page, name: string): Locator {
  return page
    .locator('#jobs > li')
    .filter({ has: page.locator('summary .name', { hasText: name }) })
    .first();
}

/** Waits until all that the page looks up for a file is shown. */
async function done(page: Page, name: string): Promise<Locator> {
  const found = row(page, name);
  await found
    .locator('.state')
    .filter({ hasText: /manifest/ })
    .waitFor();
  return found;
}

async function addToIndex(file: Locator, index: string): Promise<string> {
  await file.getByText('Add to an index').click();
  await file.getByLabel(/^Index/).fill(index);
  await file.getByRole('button', { name: 'Add', exact: true }).click();
  const status = file.getByText(new RegExp(`^(Added to|Updated in) ${index} as ISCC:`));
  await status.waitFor();
  return (await status.textContent())?.split(' ').at(-1) ?? '';
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const type = { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...type, ...headers },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

describe('have you seen this picture?', () => {
  test('one drop computes the code and shows matches and manifests', async () => {
    const original = await photo(1);
    const { iscc, units } = await codeOf(services.url.codes, original.bytes);
    await store(
      services.url.store,
      await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }]),
    );
    await post(`${services.url.search}/indexes`, { name: 'seen' });
    const metadata = { name: 'A picture of the archive', thumbnail: await thumbnailOf(original.bytes) };
    const asset = { iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', iscc_code: iscc, units, metadata };
    await post(`${services.url.search}/indexes/seen/assets`, [asset]);

    const page = await visit('codes');
    await expectAccessible(page);
    await screenshots(page, 'console-start');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).origin));
    await dropFiles(page, 'body', [await photo(1, 'smaller.jpg', 240)]);
    const file = await done(page, 'smaller.jpg');
    const match = file
      .getByRole('region', { name: 'Matches of' })
      .getByRole('listitem')
      .filter({ hasText: 'archive' })
      .first();
    expect(await match.textContent()).toContain('in seen');
    expect(await match.getByAltText('Thumbnail of the match').isVisible()).toBe(true);
    expect(
      await match.getByRole('img', { name: /^Content-Code Image: \d+ of 256 bits differ$/ }).count(),
    ).toBe(1);
    const manifest = file
      .getByRole('region', { name: 'Manifests of' })
      .getByRole('list', { name: 'Manifests' });
    expect(await manifest.textContent()).toMatch(/similar, 9\d/);
    expect(await page.locator('#status').textContent()).toBe('Done: smaller.jpg');
    expect(await focused(page)).toBe('result');
    expect(await file.getByRole('region', { name: 'Rights of' }).textContent()).toContain(
      'no statement on rights',
    );
    // The result begins at the top of the window, below the tabs.
    const top = await page.evaluate<number>('document.querySelector("#result").getBoundingClientRect().top');
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(200);
    expect(await page.evaluate('location.hash')).toBe(
      `#code=${await file.locator('.iscc').first().textContent()}`,
    );
    expect(requested.filter((origin) => !Object.values(services.url).includes(origin))).toEqual([]);
    await expectAccessible(page);
    expect(unnamed(await page.locator('body').ariaSnapshot())).toEqual([]);
    await screenshots(page, 'console-found');
  });

  test('the pages of the other services answer the same gesture, and have the same tabs', async () => {
    const tabs = ['Find', 'Check', 'Index', 'Compare', 'Metadata', 'Store', 'Network', 'API'];
    for (const name of ['search', 'store', 'resolver'] as const) {
      const page = await visit(name);
      expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual(tabs);
      await dropFiles(page, 'body', [await photo(2)]);
      await done(page, 'photo-2.jpg');
    }
  });

  test('the tab that checks files keeps a dropped file until the user sends it', async () => {
    const page = await visit('codes');
    await page.getByRole('link', { name: 'Check' }).click();
    await dropFiles(page, 'body', [await photo(3)]);
    await page.getByText('Not sent yet').waitFor();
    expect(await page.locator('#jobs > li').count()).toBe(0);
    expect(await focused(page)).toBe('send');
  });
});

describe('several files', () => {
  test('are a queue of rows, each with its own progress and error', async () => {
    const page = await visit('codes', { expected: /422/ });
    const broken = { name: 'broken.jpg', type: 'image/jpeg', bytes: Buffer.from('ffd8ffe000104a46', 'hex') };
    await dropFiles(page, 'body', [await photo(4), broken, await photo(5)]);
    await sendFile(page, 'broken.jpg');
    await page
      .getByText('2 of 3 files done, 1 failed', { exact: true })
      .and(page.locator('#status'))
      .waitFor();
    await expect.poll(() => page.locator('#announcement').textContent()).toBe('2 of 3 files done, 1 failed');
    await done(page, 'photo-4.jpg');
    await done(page, 'photo-5.jpg');
    expect(await row(page, 'broken.jpg').getByRole('alert').textContent()).toContain('ISCC processing error');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    const [header, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(header).toBe('\uFEFFfile,iscc,media_type,bytes,result,group,closest');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['photo-4.jpg', 'broken.jpg', 'photo-5.jpg']);
    expect(lines[0]).toMatch(/^photo-4\.jpg,ISCC:K\w+,image\/jpeg,\d+,"?no match/);
    expect(lines[1]).toBe('broken.jpg,,,8,Failed,,');
    const first = row(page, 'photo-4.jpg');
    expect(await first.locator('.iscc').isVisible()).toBe(false);
    await first.locator('summary').first().press('Enter');
    expect(await first.locator('.iscc').isVisible()).toBe(true);
    await expectAccessible(page);
    await screenshots(page, 'console-several');
  });

  test('can be cancelled', async () => {
    const page = await visit('codes', { expected: /ERR_/ });
    const large = { name: 'large.bin', type: '', bytes: Buffer.alloc(1 << 20) };
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Network.enable');
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 10_000 };
    await cdp.send('Network.emulateNetworkConditions', slow);
    await dropFiles(page, 'body', [large]);
    await sendFile(page, 'large.bin');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await row(page, 'large.bin').getByText('Cancelled', { exact: true }).waitFor();
    expect(await page.locator('#status').textContent()).toBe('Cancelled: large.bin');
    expect(await page.getByRole('button', { name: 'Cancel' }).isVisible()).toBe(false);
  });
});

describe('a result', () => {
  test('goes to an index under the id that the command derives, and is found there', async () => {
    const page = await visit('codes');
    const file = await photo(6);
    await dropFiles(page, 'body', [file]);
    const added = await done(page, 'photo-6.jpg');
    const id = await addToIndex(added, 'photos');
    const result = await downloadedResult(page, added);
    const json = path.join(services.folder, 'photo-6.json');
    await writeFile(json, JSON.stringify(result));
    const [entry] = await readEntries(json, { makeIds: true });
    expect(id).toBe(entry?.iscc_id);
    await expectAccessible(page);
    await dropFiles(page, 'body', [await photo(6, 'again.jpg', 300)]);
    const again = await done(page, 'again.jpg');
    const match = again.getByRole('listitem').filter({ hasText: 'in photos' }).first();
    expect(await match.textContent()).toContain(id);
    expect(await match.getByAltText('Thumbnail of the match').isVisible()).toBe(true);

    await match.getByRole('button', { name: 'Compare' }).click();
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.waitFor();
    expect(await comparison.getByText('Content-Code Image').count()).toBe(1);
    await expectAccessible(page);
    await page.goBack();
    await again.getByText('Add to an index').click();
    await again.getByLabel(/^Index/).fill('photos');
    await again.getByRole('button', { name: 'Add', exact: true }).click();
    await again.getByText(/^Added to photos/).waitFor();
    await page.getByRole('link', { name: 'Index', exact: true }).click();
    const indexes = page.getByRole('table').filter({ hasText: 'photos' });
    // The list is read again after the message.
    await indexes.getByRole('row', { name: 'photos 2' }).waitFor();
  });

  test('has a link that shows its matches again', async () => {
    const page = await visit('codes');
    await dropFiles(page, 'body', [await photo(7)]);
    const file = await done(page, 'photo-7.jpg');
    await addToIndex(file, 'linked');
    const href = await file.getByRole('link', { name: 'Link to this code' }).getAttribute('href');
    const other = await openPage(browser);
    await other.goto(`${services.url.search}/${href}&index=linked`);
    const matches = other.getByRole('list', { name: 'Matches' });
    await matches.waitFor();
    expect(await matches.textContent()).toContain('photo-7.jpg');
    expect(await other.getByLabel('Search in').inputValue()).toBe('linked');
    await expectAccessible(other);
    await screenshots(other, 'console-linked');
  });
});

describe('a text that is added to an index', () => {
  test('is left out if it is too long, and the page says so', async () => {
    const page = await visit('codes');
    const long = story('Volume', 3000);
    expect(long.length).toBeGreaterThan(200_000);
    await dropFiles(page, 'body', [{ name: 'volume.txt', type: 'text/plain', bytes: Buffer.from(long) }]);
    const file = await done(page, 'volume.txt');
    await file.getByText('Add to an index').click();
    await file.getByLabel(/^Index/).fill('volumes');
    await file.getByRole('button', { name: 'Add', exact: true }).click();
    await file.getByText(/^Added to volumes as ISCC:\w+, without its text, which is too long$/).waitFor();
    await file.getByLabel('Store the text').uncheck();
    await file.getByRole('button', { name: 'Add', exact: true }).click();
    await file.getByText(/^Updated in volumes as ISCC:\w+$/).waitFor();
  });
});

describe('text passages', () => {
  test('of a dropped text and of a pasted one are shown next to those of the match', async () => {
    const page = await visit('codes');
    const whole = story('Chapter', 60);
    await dropFiles(page, 'body', [{ name: 'book.txt', type: 'text/plain', bytes: Buffer.from(whole) }]);
    await addToIndex(await done(page, 'book.txt'), 'texts');
    const quoted = `${story('Preface', 30)}\n${whole.slice(600, 3600)}\n${story('Epilogue', 30)}`;
    await dropFiles(page, 'body', [{ name: 'essay.txt', type: 'text/plain', bytes: Buffer.from(quoted) }]);
    const essay = await done(page, 'essay.txt');
    const pair = essay.locator('.passages').first();
    const [mine, theirs] = await pair.locator('blockquote').allTextContents();
    expect(mine).toBe(theirs);
    expect(whole).toContain(mine);
    expect(await pair.textContent()).toMatch(/bytes [\d,]+ to [\d,]+: 100 %/);
    await expectAccessible(page);
    await screenshots(page, 'console-passages');

    await page.getByLabel('Code, text, address or manifest').fill(whole.slice(500, 2500));
    await page.getByRole('button', { name: 'Search' }).click();
    const found = await done(page, 'pasted text.txt');
    expect(await found.textContent()).toContain('in texts');
    expect(await found.locator('blockquote').count()).toBeGreaterThanOrEqual(2);
    expect(await focused(page)).toBe('result');
  });
});

describe('requests of the page', () => {
  test('are copied as curl commands that work', async () => {
    const page = await visit('codes', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByLabel('Code, text, address or manifest').fill('ISCC:AAAT4EBWK27737D2');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('region', { name: 'Explanation' }).getByText('Multiformat').waitFor();
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('button', { name: /Copy as curl GET .*explain/ }).click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toBe(`curl '${services.url.codes}/api/v1/explain/ISCC%3AAAAT4EBWK27737D2'`);
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ iscc: 'ISCC:AAAT4EBWK27737D2' });
    await expectAccessible(page);
  });
});

test('works by keyboard only', async () => {
  const page = await visit('codes');
  const image = path.join(services.folder, 'keyboard.jpg');
  await writeFile(image, (await photo(8)).bytes);
  await page.getByText('Options').press('Enter');
  await page.locator('#file').focus();
  const order: string[] = [];
  for (let at = 0; at < 11; at += 1) {
    await page.keyboard.press('Tab');
    order.push(await focused(page));
  }
  expect(order).toEqual([
    ...['a picture', 'a text', 'a code', 'Options'],
    ...['index', 'limit', 'key', 'granular', 'semantic', 'find-matches', 'find-credentials'],
  ]);
  await page.getByLabel('Choose files').setInputFiles(image);
  await done(page, 'keyboard.jpg');
  expect(await focused(page)).toBe('result');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await row(page, 'keyboard.jpg').locator('.iscc').isVisible()).toBe(false);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.locator('#announcement').textContent())
    .toMatch(/Copied the ISCC-CODE|did not allow/);
});

describe('services that run apart', () => {
  test('do not stop a page if one of them never answers', async () => {
    const silent = net.createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const env = {
      ...(await servicePorts()),
      ISCCD_CONSOLE: `search=http://127.0.0.1:${port}`,
      ISCCD_DATA_DIR: path.join(services.folder, 'silent'),
    };
    const codes = await serve(['codes'], { cwd: services.folder, env });
    onTestFinished(() => codes.stop());
    const page = await openPage(browser);
    await page.goto(codes.urls.codes);
    await page.getByLabel('Code, text, address or manifest').fill('ISCC:AAAT4EBWK27737D2');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('region', { name: 'Explanation' }).getByText('Multiformat').waitFor();
    expect(await page.locator('html[data-ready]').count()).toBe(0);
    await dropFiles(page, 'body', [await photo(10)]);
    await page.getByText('Done: photo-10.jpg').first().waitFor();
    expect(await page.locator('html[data-ready]').count()).toBe(1);
    expect(await page.locator('#index').count()).toBe(1);
    expect(await page.locator('#index').isHidden()).toBe(true);
    expect(await page.getByRole('link', { name: 'Index', exact: true }).isHidden()).toBe(true);
  });

  test('form a console by their configured addresses, and the page says which one is missing', async () => {
    const ports = await servicePorts();
    const address = (variable: string) => `http://127.0.0.1:${ports[variable]}`;
    const setting = `codes=${address('CODEWEB_PORT')} search=${address('INDEXSVC_PORT')} store=${address('MSTORE_PORT')}`;
    const env = {
      ...ports,
      ISCCD_CONSOLE: setting,
      ISCCD_DATA_DIR: path.join(services.folder, 'apart'),
      INDEXSVC_API_SECRET: KEY,
      INDEXSVC_CORS_ORIGINS: '',
    };
    const [codes, search] = await Promise.all([
      serve(['codes'], { cwd: services.folder, env }),
      serve(['search'], { cwd: services.folder, env }),
    ]);
    onTestFinished(async () => void (await Promise.all([codes.stop(), search.stop()])));
    await post(`${search.urls.search}/indexes`, { name: 'own' }, { 'X-API-Key': KEY });
    const page = await openPage(browser, { expected: /401|ERR_CONNECTION_REFUSED/ });
    await page.goto(codes.urls.codes);
    await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    expect(await page.getByRole('link', { name: 'Check', exact: true }).isVisible()).toBe(false);
    expect(await page.getByRole('link', { name: 'Store', exact: true }).isVisible()).toBe(false);
    expect(await page.locator('#api-tab').getByText('Documentation of search').getAttribute('href')).toBe(
      `${address('INDEXSVC_PORT')}/docs`,
    );
    await page.getByLabel('API key').fill(KEY);
    await page.getByLabel('API key').press('Tab');
    await page.locator('#indexes').getByText('own').waitFor({ state: 'attached' });
    await dropFiles(page, 'body', [await photo(9)]);
    const file = row(page, 'photo-9.jpg');
    await file.locator('.state').filter({ hasText: 'no match' }).waitFor();
    await addToIndex(file, 'own');
    expect(await page.locator('#requests-list').textContent()).not.toContain(KEY);
    expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain(KEY);
    expect(await page.evaluate('sessionStorage.getItem("isccd-api-key")')).toBe(KEY);
    await page.goto(`${codes.urls.codes}/#tab=index`);
    await page.reload();
    await page.getByRole('rowheader', { name: 'own' }).waitFor();
  });

  test('a page of another origin gets no access', async () => {
    const headers = { Origin: 'http://127.0.0.1:9', 'Access-Control-Request-Method': 'POST' };
    const preflight = await fetch(`${services.url.codes}/api/v1/iscc`, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    const neighbour = { ...headers, Origin: services.url.search };
    const allowed = await fetch(`${services.url.codes}/api/v1/iscc`, {
      method: 'OPTIONS',
      headers: neighbour,
    });
    expect(allowed.headers.get('access-control-allow-origin')).toBe(services.url.search);
    const deleting = { ...neighbour, 'Access-Control-Request-Method': 'DELETE' };
    const refused = await fetch(`${services.url.codes}/api/v1/media/0000000000000`, {
      method: 'OPTIONS',
      headers: deleting,
    });
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('behind a proxy, the page names no address of the machine', async () => {
    const page = await (
      await fetch(services.url.codes, { headers: { 'X-Forwarded-For': '192.0.2.1' } })
    ).text();
    expect(page).toContain('data-neighbours=""');
    expect(page).not.toContain(services.url.search);
  });
});

async function thumbnailOf(image: Buffer): Promise<string> {
  const small = await sharp(image).resize(64).webp().toBuffer();
  return `data:image/webp;base64,${small.toString('base64')}`;
}

async function downloadedResult(page: Page, file: Locator): Promise<unknown> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    file.getByRole('link', { name: 'Download result' }).click(),
  ]);
  return JSON.parse(await readFile(await download.path(), 'utf8'));
}
