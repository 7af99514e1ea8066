/**
 * A real Chromium for the tests of pages: Debian's, from the PATH or installed here. It can reach this
 * machine only, and whatever a page tries beyond that, or complains about, fails the test.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { debianProgram } from './set-up.js';

/** Installing takes a minute or two; a second test file waits for the first one's lock. */
export const LAUNCH_MS_MAX = 300_000;

/** A step that takes longer is named by its own error, not by the test's time-out. */
const STEP_MS_MAX = 40_000;

/** Where to put pictures of the pages, for people to look at; none are made when it is not set. */
const SCREENSHOTS = process.env.ISCCD_TEST_SCREENSHOTS;

/** @throws with the command to run if there is no Chromium and none can be installed */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: debianProgram(['chromium', 'chromium-browser'], 'chromium fonts-dejavu-core'),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
}

export interface PageOptions extends BrowserContextOptions {
  /** Console messages that belong to the test, e.g. of a refused request. */
  readonly expected?: RegExp;
}

/** A page in a context of its own, closed with the test, which then fails for anything the page complained about. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<Page> {
  const { expected, ...contextOptions } = options;
  const context = await browser.newContext(contextOptions);
  const complaints: string[] = [];
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isLocal = ['data:', 'blob:'].includes(protocol) || hostname === '127.0.0.1';
    if (!isLocal) complaints.push(`request to ${request.url()}`);
  });
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || expected?.test(message.text())) return;
    complaints.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  return page;
}

/** Pictures of the whole page: light, dark and narrow. Does nothing unless asked for. */
export async function screenshots(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  const save = (kind: string) =>
    page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${kind}.png`), fullPage: true });
  await save('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await save('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 380, height: size.height });
  await save('narrow');
  await page.setViewportSize(size);
}

/** What has the focus: its id, its name in a form, or its text. */
export function focused(page: Page): Promise<string> {
  const script = '(({ id, name, innerText }) => id || name || innerText)(document.activeElement)';
  return page.evaluate<string>(script);
}

/** Drops a text file on an element, as a file manager would. */
export async function dropFile(page: Page, selector: string, name: string, text: string): Promise<void> {
  const parts = `${JSON.stringify([text])}, ${JSON.stringify(name)}`;
  const script = `(data => (data.items.add(new File(${parts})), data))(new DataTransfer())`;
  const dataTransfer = await page.evaluateHandle(script);
  await page.dispatchEvent(selector, 'dragover', { dataTransfer });
  await page.dispatchEvent(selector, 'drop', { dataTransfer });
}

/** Lines of an accessibility tree for what can be used or seen but has no name. */
export function unnamed(tree: string): string[] {
  const nameless =
    /^\s*- (?:button|textbox|searchbox|checkbox|combobox|spinbutton|link|img|region)(?: \[[^\]]*\])*:?$/;
  return tree.split('\n').filter((line) => nameless.test(line));
}

/** How many pixels of the page a window of 380 pixels would hide to the right. */
export async function overflowWhenNarrow(page: Page): Promise<number> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 380, height: size.height });
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  await page.setViewportSize(size);
  return Math.max(0, overflow);
}
