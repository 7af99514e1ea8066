/** The page of the codes service in a real browser. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { filenameHeader } from '../codes/support/client.js';
import { longVideo } from '../codes/support/hostile.js';
import { type CodesServer, startCodes } from '../codes/support/server.js';
import { expectAccessible } from '../support/accessible.js';
import {
  dropFile,
  focused,
  holdFirst,
  LAUNCH_MS_MAX,
  launchChromium,
  openPage,
  overflowWhenNarrow,
  screenshots,
  unnamed,
} from '../support/chromium.js';
import { sendFile } from '../support/console.js';

const FILES = path.resolve(import.meta.dirname, '../fixtures/codes/files');

let server: CodesServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startCodes(), launchChromium()]);
}, LAUNCH_MS_MAX);
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Uploads a file and waits for its result. */
async function generate(page: Page, file: string): Promise<string> {
  await page.getByLabel('Choose files').setInputFiles(path.join(FILES, file));
  await page.getByText(`Done: ${file}`, { exact: true }).first().waitFor();
  return (await page.locator('.iscc').first().textContent()) ?? '';
}

describe('the codes page', () => {
  test('wraps long names without spaces', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    const name = `${'y'.repeat(200)}.jpg`;
    const buffer = await readFile(path.join(FILES, 'meta-rich_a.jpg'));
    await page.getByLabel('Choose files').setInputFiles({ name, mimeType: 'image/jpeg', buffer });
    await page.getByText(`Done: ${name}`, { exact: true }).first().waitFor();
    expect(await overflowWhenNarrow(page)).toBe(0);
  });

  test('takes a pasted picture and a pasted text, and leaves text in a field to the field', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    const base64 = (await readFile(path.join(FILES, 'meta-rich_a.jpg'))).toString('base64');
    // Pastes a file or a text; returns whether the browser would insert it.
    const paste = (transfer: string, target = 'body') =>
      page.evaluate<boolean>(`{
        const clipboardData = new DataTransfer();
        ${transfer};
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('${target}').dispatchEvent(event);
      }`);
    expect(await paste(`clipboardData.setData('text/plain', 'ISCC:')`, '#query')).toBe(true);
    expect(await paste(`clipboardData.setData('text/plain', 'ISCC:AAAT4EBWK27737D2')`)).toBe(false);
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('META-NONE-V0-64').first().waitFor();
    expect(await page.getByLabel('Code, text, address or manifest').inputValue()).toBe(
      'ISCC:AAAT4EBWK27737D2',
    );
    const bytes = `Uint8Array.from(atob('${base64}'), (letter) => letter.charCodeAt(0))`;
    const file = `new File([${bytes}], 'image.jpg', { type: 'image/jpeg' })`;
    expect(await paste(`clipboardData.items.add(${file})`)).toBe(false);
    await page.getByText('Done: image.jpg', { exact: true }).first().waitFor();
    expect(await page.locator('.iscc').first().textContent()).toMatch(/^ISCC:K[A-Z2-7]+$/);
  });

  test('generates a code and shows progress, steps, unit pictures, facts and downloads', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    await screenshots(page, 'codes-start');
    const iscc = await generate(page, 'meta-rich_a.jpg');
    expect(iscc).toMatch(/^ISCC:K[A-Z2-7]+$/);
    await sendFile(page, 'meta-rich_a.jpg');
    await page.getByRole('link', { name: 'Download file' }).waitFor();
    expect(await page.locator('.iscc').first().textContent()).toBe(iscc);
    await page.getByText('Steps', { exact: true }).click();
    const steps = await page.getByRole('list', { name: 'Steps' }).getByRole('listitem').allInnerTexts();
    expect(steps.length).toBeGreaterThanOrEqual(6);
    for (const step of steps) expect(step).toMatch(/[\d.]+ ms/);
    const units = page.getByRole('list', { name: 'ISCC-UNITs', exact: true }).getByRole('listitem');
    expect(await units.count()).toBe(4);
    expect(await units.getByRole('img').count()).toBe(4);
    expect(await page.getByAltText('Thumbnail').isVisible()).toBe(true);
    await page.getByText('Details', { exact: true }).click();
    expect(await page.getByText('image/jpeg', { exact: true }).isVisible()).toBe(true);
    await expectAccessible(page);
    expect(await overflowWhenNarrow(page)).toBe(0);
    await screenshots(page, 'codes-result');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('meta-rich_a.jpg');
    const original = await readFile(path.join(FILES, 'meta-rich_a.jpg'));
    expect(sha256(await readFile(await download.path()))).toBe(sha256(original));
    const [result] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download result' }).click(),
    ]);
    expect(JSON.parse(await readFile(await result.path(), 'utf8'))).toMatchObject({ iscc });
  });

  test('shows each step while the server is processing', async () => {
    const busy = await startCodes({ config: { maxWorkers: 1 }, servesMetrics: true });
    onTestFinished(() => busy.close());
    const film = await longVideo();
    const occupant = new AbortController();
    const occupied = fetch(`${busy.url}/api/v1/iscc`, {
      method: 'POST',
      headers: filenameHeader('long.mkv'),
      body: film,
      signal: occupant.signal,
    });
    occupied.catch(() => undefined);
    const page = await openPage(browser);
    await page.goto(busy.url);
    await vi.waitFor(async () => expect(await runningJobs(busy.url)).toBe(1), 10_000);
    await page.getByLabel('Choose files').setInputFiles(path.join(FILES, 'gray_a.jpg'));
    await sendFile(page, 'gray_a.jpg');
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    // The only worker is busy with the film. Finished steps have a time, the wait is running, and no result is shown.
    await steps.filter({ hasText: 'Wait for a worker' }).waitFor();
    expect(await steps.filter({ hasText: 'Receive, store and hash' }).textContent()).toMatch(/[\d.]+ ms/);
    expect(await page.locator('.steps [aria-current=step]').textContent()).toContain('Wait for a worker');
    expect(await page.locator('.iscc').count()).toBe(0);
    await expectAccessible(page);
    await screenshots(page, 'codes-working');
    occupant.abort();
    await page.locator('.iscc').waitFor();
    expect(await page.locator('.steps [aria-current=step]').count()).toBe(0);
    await page.getByText('Steps', { exact: true }).click();
    expect(await steps.filter({ hasText: 'Decode the image' }).textContent()).toMatch(/[\d.]+ ms/);
  }, 120_000);

  test('accepts a dropped file', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    await dropFile(page, 'body', 'dropped note.txt', 'A text that was dropped. '.repeat(40));
    await page.getByText('Done: dropped note.txt').first().waitFor();
    expect(await page.getByText('Content-Code Text', { exact: true }).isVisible()).toBe(true);
  });

  test('shows a bidirectional control in a file name as an escape', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    await dropFile(page, 'body', 'note \u202efdp.exe.txt', 'A text with a misleading name. '.repeat(40));
    await page.getByText('Done: note \\u202efdp.exe.txt', { exact: true }).first().waitFor();
    await page.getByText('Details', { exact: true }).click();
    expect(await page.locator('#result').textContent()).not.toContain('\u202e');
  });

  test('embeds metadata into a copy', async () => {
    const page = await openPage(browser, { expected: /400/ });
    await page.goto(server.url);
    const before = await generate(page, 'gray_a.jpg');
    await sendFile(page, 'gray_a.jpg');
    await page.getByText('Embed metadata into a copy').click();
    await page.getByText('An empty field keeps the value that is in the file').waitFor();
    await page.getByLabel('Title').fill('Research & more');
    await page.getByLabel('Creator').fill('Jane Doe');
    await page.getByLabel('Acquire a license').fill('not an address');
    await page.getByRole('button', { name: 'Embed and generate code' }).click();
    await page.getByRole('alert').filter({ hasText: 'acquire' }).waitFor();
    await screenshots(page, 'codes-embed');
    await page.getByLabel('Acquire a license').fill('https://example.com/buy');
    await page.getByRole('button', { name: 'Embed and generate code' }).click();
    const copy = page.locator('#jobs > li').nth(1).locator('xpath=preceding-sibling::li');
    await copy.getByText('Details', { exact: true }).click();
    expect(await copy.getByText('Research & more').isVisible()).toBe(true);
    expect(await copy.locator('.iscc').textContent()).not.toBe(before);
    expect(await copy.getByText('https://example.com/buy', { exact: true }).isVisible()).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      copy.getByRole('link', { name: 'Download file' }).click(),
    ]);
    expect((await readFile(await download.path())).includes('Research &amp; more')).toBe(true);
  }, 120_000);

  test('explains any code and shows the error for an invalid one', async () => {
    const page = await openPage(browser, { expected: /400/ });
    await page.goto(server.url);
    const field = page.getByLabel('Code, text, address or manifest');
    await field.fill('ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY');
    await field.press('Enter');
    const region = page.getByRole('region', { name: 'Explanation' });
    await region.getByText('ISCC-TEXT-V0-MCDI-87dedce74b3c353b16257380a960347a').waitFor();
    expect(await region.getByRole('img').count()).toBe(4);
    expect(await page.getByRole('img', { name: 'The bits of the code' }).isVisible()).toBe(true);
    await screenshots(page, 'codes-explain');
    await field.fill('ISCC:MAIFWLLNFLOEEXMW');
    await field.press('Enter');
    await region.getByText('ISCC-ID', { exact: true }).waitFor();
    expect(await region.textContent()).toContain('2020-10-29T22:30:10.902053Z');
    await field.fill('ISCC:NONSENSE!');
    await field.press('Enter');
    await page.getByRole('alert').filter({ hasText: '“ISCC:NONSENSE!” is not a code.' }).waitFor();
    expect(await region.isVisible()).toBe(false);
    await field.fill('ISCC:AAAAAAAAAAAAAAAAAAAAAAAA');
    await field.press('Enter');
    await region.getByRole('alert').filter({ hasText: 'Invalid ISCC' }).waitFor();
  });

  test('shows the explanation of the latest code, also if an earlier one arrives later', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    const release = await holdFirst(page, '**/explain/*');
    const field = page.getByLabel('Code, text, address or manifest');
    await field.fill('ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY');
    await field.press('Enter');
    await page.evaluate("location.hash = 'code=ISCC:AAAT4EBWK27737D2'");
    const region = page.getByRole('region', { name: 'Explanation' });
    await region.getByText('META-NONE-V0-64').first().waitFor();
    await release();
    expect(await region.textContent()).not.toContain('ISCC-TEXT-V0');
    expect(await region.isVisible()).toBe(true);
    await page.locator('#ask:not([aria-busy]) button[type=submit]:enabled').waitFor();
  });

  test('compares two codes unit by unit', async () => {
    const page = await openPage(browser, { expected: /400/ });
    await page.goto(server.url);
    await generate(page, 'gray_a.jpg');
    await page.getByRole('button', { name: 'Compare with another' }).click();
    const second = page.getByLabel('Second code');
    expect(await focused(page)).toBe('compare-b');
    await second.fill('nonsense');
    await second.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Second code: Invalid ISCC' }).waitFor();
    await second.fill(await page.getByLabel('First code').inputValue());
    await second.press('Enter');
    const region = page.getByRole('region', { name: 'Comparison' });
    await region.waitFor();
    expect(await region.getByText('100.0 %').count()).toBe(3);
    expect(await region.getByText('equal', { exact: true }).count()).toBe(1);
    await page.getByLabel('First code').fill('ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY');
    await second.press('Enter');
    await region.getByText('different').waitFor();
    expect(await region.getByRole('img', { name: /^Meta-Code: .* of 64 bits differ$/ }).count()).toBe(1);
    await expectAccessible(page);
    await screenshots(page, 'codes-compare');
  });
});

describe('errors and access', () => {
  test("shows the service's error message", async () => {
    const page = await openPage(browser, { expected: /422/ });
    const error = page.getByRole('alert').filter({ hasText: 'ISCC processing error' });
    // The steps arrive after the error, as they may.
    await page.route('**/progress/**', async (route) => {
      await error.waitFor();
      await route.continue();
    });
    await page.goto(server.url);
    await page.getByLabel('Choose files').setInputFiles(path.join(FILES, 'truncated_a.jpg'));
    await sendFile(page, 'truncated_a.jpg');
    await error.waitFor();
    expect(await page.locator('#status').textContent()).toBe('Failed: truncated_a.jpg');
    const failed = page.locator('#jobs li').filter({ has: page.getByRole('img', { name: 'failed' }) });
    expect(await failed.locator('.tick').last().textContent()).toBe('✗');
    await expect.poll(() => page.locator('#announcement').textContent()).toBe('Failed: truncated_a.jpg');
    expect(await page.locator('.iscc').count()).toBe(0);
    await expectAccessible(page);
  });

  test('says which size a file may have', async () => {
    const narrow = await startCodes({ config: { maxUploadBytes: 999_900 } });
    onTestFinished(() => narrow.close());
    const page = await openPage(browser, { expected: /400/ });
    await page.goto(narrow.url);
    await dropFile(page, 'body', 'empty.txt', '');
    await page.getByRole('alert').filter({ hasText: 'The file is empty.' }).waitFor();
    await dropFile(page, 'body', 'large.txt', 'a'.repeat(1_000_000));
    await sendFile(page, 'large.txt');
    const tooLarge = 'The file is larger than 1.00 MB, the limit of this server.';
    await page.getByRole('alert').filter({ hasText: tooLarge }).waitFor();
  });

  test('shows a sentence instead of the HTML of a proxy', async () => {
    const page = await openPage(browser, { expected: /413|502/ });
    await page.goto(server.url);
    for (const [pattern, status] of [['**/iscc?*', 413] as const, ['**/explain/*', 502] as const]) {
      const body = `<html>\r\n<head><title>${status} Of a proxy</title></head></html>\r\n`;
      await page.route(pattern, (route) => route.fulfill({ status, contentType: 'text/html', body }));
    }
    await dropFile(page, 'body', 'note.txt', 'A text');
    await sendFile(page, 'note.txt');
    await page
      .getByRole('alert')
      .filter({ hasText: /^The upload is too large for .* \(status 413\)\.$/ })
      .waitFor();
    await page.getByLabel('Code, text, address or manifest').fill('ISCC:AAAT4EBWK27737D2');
    await page.getByRole('button', { name: 'Search' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^The server is unreachable \(status 502\)\./ })
      .waitFor();
  });

  test('shows sizes with three digits', async () => {
    // Not named in an import: tests are compiled without the types of browsers.
    const module = '../../src/console/dom.js';
    const { bytesText } = (await import(module)) as { bytesText: (bytes: number) => string };
    const sizes = [999, 1000, 99_950, 999_499, 999_500, 999_900, 2e15];
    expect(sizes.map(bytesText)).toEqual([
      ...['999 bytes', '1.00 kB', '100 kB', '999 kB'],
      ...['1.00 MB', '1.00 MB', '2,000 TB'],
    ]);
  });

  test('shows a message if the server is unreachable', async () => {
    const page = await openPage(browser, { expected: /ERR_/ });
    await page.goto(server.url);
    await page.context().setOffline(true);
    await page.getByLabel('Code, text, address or manifest').fill('ISCC:AAAT4EBWK27737D2');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('alert').filter({ hasText: 'is unreachable' }).waitFor();
    await page.getByLabel('Choose files').setInputFiles(path.join(FILES, 'gray_a.jpg'));
    await sendFile(page, 'gray_a.jpg');
    await page.getByRole('alert').filter({ hasText: 'connection to the server was lost' }).waitFor();
  });

  test('works by keyboard only, in document order', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    const order: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
    }
    expect(order).toEqual([
      'Skip to content',
      ...['Find', 'Compare', 'Metadata', 'API', 'language'],
      ...['query', 'Search', 'file', 'a picture', 'a text', 'a code'],
    ]);
    await page.getByLabel('Choose files').setInputFiles(path.join(FILES, 'gray_a.jpg'));
    await page.getByText('Done: gray_a.jpg').first().waitFor();
    await expect.poll(() => focused(page)).toBe('result');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('#announcement').textContent())
      .toMatch(/Copied the ISCC-CODE|did not allow/);
  });

  test('gives every control a role and name for screen readers', async () => {
    const page = await openPage(browser);
    await page.goto(server.url);
    await generate(page, 'gray_a.jpg');
    await sendFile(page, 'gray_a.jpg');
    await page.getByText('Embed metadata into a copy').click();
    await page.getByLabel('License (URL)', { exact: true }).waitFor();
    const tree = await page.locator('body').ariaSnapshot();
    expect(unnamed(tree)).toEqual([]);
    for (const part of [
      '- banner:',
      '- navigation "Console":',
      '- main:',
      '- region "Results":',
      '- status: "Done: gray_a.jpg"',
      '- img "Content-Code Image, 256 bits"',
      '- button "Copy the ISCC-CODE"',
      '- textbox "License (URL)"',
    ]) {
      expect(tree).toContain(part);
    }
  });
});

test('the documentation page opens', async () => {
  const page = await openPage(browser);
  await page.goto(`${server.url}/docs`);
  await page.getByText('Decompose an ISCC').waitFor();
  await screenshots(page, 'codes-docs');
  await page.getByText('Decompose an ISCC').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByPlaceholder('iscc').fill('ISCC:AAAT4EBWK27737D2');
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.getByText('"META-NONE-V0-64-').first().waitFor();
});

/** Number of jobs that workers are processing. */
async function runningJobs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^\S*jobs_running\S* (\d+)$/m.exec(text)?.[1]);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
