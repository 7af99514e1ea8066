/** The public pages of the manifest store in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StoreClient, startStore } from '../store/support/server.js';
import { expectAccessible } from '../support/accessible.js';
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

test('the start page describes the service and links to its pages', async () => {
  const page = await openPage(browser);
  await page.goto(store.url);
  await page.getByRole('main').getByText('Stores C2PA Manifest Stores').waitFor();
  expect(await page.getByRole('link', { name: 'Operator dashboard' }).getAttribute('href')).toBe('/admin/');
  await expectAccessible(page);
  await screenshots(page, 'store-start');
});

test('the dashboard requires a login', async () => {
  const page = await openPage(browser);
  await page.goto(`${store.url}/admin/`);
  await page.getByLabel('Password').waitFor();
});
