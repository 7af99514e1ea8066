/** The API documentation pages of all services in a real browser. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { brokenRules } from '../support/accessible.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { LAUNCH_MS_MAX, launchChromium, openPage, screenshots } from '../support/chromium.js';

/** Difference of the red channels of the title and of the page's background; above 0 for light text on dark. */
const CONTRAST = `(() => {
  const red = (color) => Number(/\\d+/.exec(color)[0]);
  const title = document.querySelector('.info .title');
  return red(getComputedStyle(title).color) - red(getComputedStyle(document.documentElement).backgroundColor);
})()`;

const OPENAPI = path.resolve(import.meta.dirname, '../../openapi');

let services: AllServices;
let browser: Browser;
/** The documents in `openapi/` contain these routes. */
const OPTIONAL_ROUTES = {
  MSTORE_BY_CONTENT: '1',
  RESOLVER_BY_CONTENT: '1',
  RESOLVER_RIGHTS: '1',
  RESOLVER_WATCHES: '1',
};
beforeAll(async () => {
  [services, browser] = await Promise.all([startAllServices(OPTIONAL_ROUTES), launchChromium()]);
}, LAUNCH_MS_MAX);
afterAll(async () => {
  await browser?.close();
  await services?.stop();
});

describe.each(SERVICE_NAMES)('/docs of %s', (name) => {
  test('shows every route and executes one', async () => {
    const document = JSON.parse(readFileSync(path.join(OPENAPI, `${name}.json`), 'utf8'));
    const routes = Object.values(document.paths as Record<string, object>).flatMap((row) => Object.keys(row));
    const page = await openPage(browser);
    await page.goto(`${services.url[name]}/docs`);
    await page
      .locator('.opblock')
      .nth(routes.length - 1)
      .waitFor();
    expect(await page.locator('.opblock').count()).toBe(routes.length);
    expect(await page.locator('h1, .title').first().textContent()).toContain(document.info.title);
    await screenshots(page, `docs-${name}`);

    expect(await brokenRules(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.evaluate<number>(CONTRAST)).toBeGreaterThan(100);
    expect(await brokenRules(page)).toEqual([]);
    await page.locator('.opblock-summary-control').first().click();
    await page.locator('.opblock-body').first().waitFor();
    expect((await brokenRules(page)).filter((rule) => rule.startsWith('color-contrast'))).toEqual([]);

    const probe = page.locator('.opblock', { hasText: '/healthz' });
    await probe.locator('.opblock-summary').click();
    await probe.getByRole('button', { name: 'Try it out' }).click();
    await probe.getByRole('button', { name: 'Execute' }).click();
    const status = probe.locator('.live-responses-table .response-col_status').filter({ hasText: '200' });
    await status.waitFor();
  });
});
