/** What a browser sees of a manifest store without logging in. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StoreClient, startStore } from '../store/support/server.js';
import { LAUNCH_MS_MAX, launchChromium, openPage, screenshots } from '../support/chromium.js';
import { type TestDatabases, testDatabases } from '../support/databases.js';

let browser: Browser;
let databases: TestDatabases;
let store: StoreClient;
beforeAll(async () => {
  databases = await testDatabases('sqlite');
  store = await startStore(await databases.create());
  browser = await launchChromium();
}, LAUNCH_MS_MAX);
afterAll(async () => {
  await browser?.close();
  await store?.stop();
  await databases?.stop();
});

test('the documentation page opens', async () => {
  const page = await openPage(browser);
  await page.goto(`${store.url}/docs`);
  await page.getByText('/v1/matches/byBinding').first().waitFor();
  await screenshots(page, 'store-docs');
});

test('the start page says what this is', async () => {
  const page = await openPage(browser, { expected: /favicon/ });
  await page.goto(store.url);
  expect(await page.locator('body').textContent()).toMatch(/manifest/i);
  await screenshots(page, 'store-start');
});

test('the dashboard asks for a login', async () => {
  const page = await openPage(browser);
  await page.goto(`${store.url}/admin/`);
  await page.getByLabel('Password').waitFor();
});
