/** Pages in a real Chromium. A test fails if its page requests another host or logs an error or warning. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

export { launchChromium } from './launch-chromium.js';

/** Installing takes one to two minutes; other test files wait for the lock. */
export const LAUNCH_MS_MAX = 300_000;

/** Shorter than the test's timeout, so that the error names the step. */
const STEP_MS_MAX = 40_000;

/** Folder for screenshots; unset means none. */
const SCREENSHOTS = process.env.ISCCD_TEST_SCREENSHOTS;

export interface PageOptions extends BrowserContextOptions {
  /** Console messages that the test expects, e.g. of a refused request. */
  readonly expected?: RegExp;
}

/** A page in its own context, closed at the end of the test, which then fails for unexpected messages and requests. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<Page> {
  const { expected, ...contextOptions } = options;
  const context = await browser.newContext(contextOptions);
  const problems: string[] = [];
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isLocal = ['data:', 'blob:'].includes(protocol) || hostname === '127.0.0.1';
    if (!isLocal) problems.push(`request to ${request.url()}`);
  });
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || expected?.test(message.text())) return;
    problems.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  return page;
}

/** Takes screenshots of the whole page, light, dark and narrow, if ISCCD_TEST_SCREENSHOTS is set. */
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

/** The focused element's id, form name or text. */
export function focused(page: Page): Promise<string> {
  const script = '(({ id, name, innerText }) => id || name || innerText)(document.activeElement)';
  return page.evaluate<string>(script);
}

export interface DroppedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Drops files on an element, as a user does with the mouse. */
export async function dropFiles(page: Page, selector: string, files: readonly DroppedFile[]): Promise<void> {
  const made = files.map(({ name, type, bytes }) => {
    const base64 = JSON.stringify(Buffer.from(bytes).toString('base64'));
    const content = `Uint8Array.from(atob(${base64}), (c) => c.charCodeAt(0))`;
    return `new File([${content}], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} })`;
  });
  const script = `((data) => { for (const file of [${made.join(', ')}]) data.items.add(file); return data; })(new DataTransfer())`;
  const dataTransfer = await page.evaluateHandle(script);
  await page.dispatchEvent(selector, 'dragover', { dataTransfer });
  await page.dispatchEvent(selector, 'drop', { dataTransfer });
}

/** Drops a text file on an element. */
export function dropFile(page: Page, selector: string, name: string, text: string): Promise<void> {
  return dropFiles(page, selector, [{ name, type: '', bytes: Buffer.from(text) }]);
}

/** Lines of an accessibility tree for controls, images and regions without a name. */
export function unnamed(tree: string): string[] {
  const nameless =
    /^\s*- (?:button|textbox|searchbox|checkbox|combobox|spinbutton|link|img|region)(?: \[[^\]]*\])*:?$/;
  return tree.split('\n').filter((line) => nameless.test(line));
}

/** Horizontal overflow in pixels in a window 380 pixels wide. */
export async function overflowWhenNarrow(page: Page): Promise<number> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: 380, height: size.height });
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  await page.setViewportSize(size);
  return Math.max(0, overflow);
}
