/** The public pages of the manifest store in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
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

test('a manifest is stored, shown with its verdict, and looked up', { timeout: 60_000 }, async () => {
  const item = sidecar('ok-ed25519');
  const id = item.expect.manifestId ?? '';
  const page = await openPage(browser);
  await page.goto(store.url);
  await page.locator('html[data-ready]').waitFor();
  const file = { name: 'photo.c2pa', mimeType: 'application/octet-stream', buffer: bytesOf(item) };
  await page.getByLabel('Drop a Manifest Store').setInputFiles(file);
  // Nothing is sent before the user says so.
  expect((await store.get(id)).status).toBe(404);
  await page.getByRole('button', { name: 'Store photo.c2pa' }).click();
  const shown = page.getByRole('region', { name: 'Manifest', exact: true });
  await shown.getByText(id, { exact: true }).waitFor();
  await shown.getByText('It is found by').waitFor();
  await shown.getByText(/The signature of this manifest is valid/).waitFor();
  expect((await store.get(id)).status).toBe(200);
  await expectAccessible(page);
  await screenshots(page, 'store-manifest');
  const link = shown.getByRole('link', { name: 'Download' });
  expect(await link.getAttribute('href')).toContain(encodeURIComponent(id));

  const other = await openPage(browser, { expected: /404/ });
  await other.goto(store.url);
  await other.locator('html[data-ready]').waitFor();
  const field = other.getByLabel('ID or address of a manifest');
  for (const text of [id, `${store.url}/v1/manifests/${encodeURIComponent(id)}`]) {
    await field.fill(text);
    await other.getByRole('button', { name: 'Look up' }).click();
    await other
      .getByRole('region', { name: 'Manifest', exact: true })
      .getByText(id, { exact: true })
      .waitFor();
  }
  await field.fill('urn:c2pa:unknown');
  await other.getByRole('button', { name: 'Look up' }).click();
  await other.getByText(/not found|no manifest/i).waitFor();
});

test('the history of an asset is a list with a graph beside it', { timeout: 60_000 }, async () => {
  const page = await openPage(browser);
  await page.goto(store.url);
  await page.locator('html[data-ready]').waitFor();
  const show = async (name: string) => {
    const item = sidecar(name);
    await store.upload(bytesOf(item));
    await page.getByLabel('ID or address of a manifest').fill(item.expect.manifestId ?? '');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText(item.expect.manifestId ?? '', { exact: true }).waitFor();
    return page.getByRole('list', { name: 'History' });
  };
  const rows = (await show('ok-edit-parent')).getByRole('listitem');
  expect(await rows.allInnerTexts()).toEqual([
    'ingredient.jpg source of the asset, with a manifest of its own',
    'Opened',
    'This asset',
  ]);
  // One lane: the source becomes the asset.
  const [first, second, last] = await rows.all();
  expect(await first?.locator('line, path').count()).toBe(1);
  expect(await last?.locator('line').getAttribute('y2')).toBe('12');
  const box = async (at: typeof first) => (await at?.locator('svg').boundingBox()) ?? { y: 0, height: 0 };
  // The text decides how high a row is, and the lines of two rows meet.
  expect((await box(first)).height).toBeLessThan(60);
  expect((await box(first)).y + (await box(first)).height).toBeCloseTo((await box(second)).y, 0);
  await expectAccessible(page);
  await screenshots(page, 'store-history');

  const parts = (await show('ok-nested-3')).getByRole('listitem');
  expect(await parts.allInnerTexts()).toEqual([
    'ingredient.jpg part of the asset, with a manifest of its own',
    'Created captured by a camera',
    'This asset',
  ]);
  // The lane of the part bends to the one of the asset.
  expect(await parts.nth(1).locator('path').count()).toBe(1);
  expect(await parts.nth(2).locator('path').count()).toBe(0);
  await expectAccessible(page);
  await screenshots(page, 'store-history-parts');
});

test('a file that is no manifest is refused in the words of the store', { timeout: 60_000 }, async () => {
  const page = await openPage(browser, { expected: /400/ });
  await page.goto(store.url);
  await page.locator('html[data-ready]').waitFor();
  const file = { name: 'notes.c2pa', mimeType: 'text/plain', buffer: Buffer.from('no manifest') };
  await page.getByLabel('Drop a Manifest Store').setInputFiles(file);
  await page.getByRole('button', { name: 'Store notes.c2pa' }).click();
  const alert = page.locator('#sidecar-error');
  await expect.poll(() => alert.textContent(), { timeout: 20_000 }).not.toBe('');
  expect(await page.getByRole('region', { name: 'Manifest', exact: true }).count()).toBe(0);
});

test('the dashboard requires a login', async () => {
  const page = await openPage(browser);
  await page.goto(`${store.url}/admin/`);
  await page.getByLabel('Password').waitFor();
});
