/** Pages in a real Chromium. A test fails if its page requests another host or logs an error or warning. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
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

/** Texts whose contrast with their background is below 4.5 to 1, the least of WCAG 2.2 level AA. */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(FAINT_TEXTS);
}

/** Runs in the page. Translucent backgrounds are laid over those behind them. */
const FAINT_TEXTS = `(() => {
  const rgba = (color) => {
    const [r, g, b, a = 1] = (color.match(/[\\d.]+/g) ?? []).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => {
    const mix = (of) => top[of] * top.a + below[of] * (1 - top.a);
    return { r: mix('r'), g: mix('g'), b: mix('b'), a: 1 };
  };
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const backgroundOf = (element) => {
    const own = rgba(getComputedStyle(element).backgroundColor);
    if (own.a === 1) return own;
    const canvas = isDark ? { r: 18, g: 18, b: 18, a: 1 } : { r: 255, g: 255, b: 255, a: 1 };
    return over(own, element.parentElement ? backgroundOf(element.parentElement) : canvas);
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  const isSeen = (element) => element.checkVisibility() && !element.closest('[disabled], option');
  return [...document.body.querySelectorAll('*')].filter((one) => hasText(one) && isSeen(one)).flatMap((one) => {
    const background = backgroundOf(one);
    const [a, b] = [over(rgba(getComputedStyle(one).color), background), background].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? [one.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(1)] : [];
  });
})()`;

/**
 * Holds the first request to a path until it is released, as a slow network does. Releasing resolves when the page has
 * had the response.
 */
export async function holdFirst(page: Page, pattern: string): Promise<() => Promise<void>> {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  let first: Request | undefined;
  await page.route(pattern, async (route) => {
    if (isFirst) {
      isFirst = false;
      first = route.request();
      await held;
    }
    await route.continue();
  });
  return async () => {
    if (first === undefined) throw new Error(`no request to ${pattern} is held`);
    release();
    await (await first.response())?.finished();
    // The page handles the response in a task of its own.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  };
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
