/** Every page of the dashboard against axe-core, with a running store: after deletes, undo, and a search with a file. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { ADMIN, PASSWORD, SET_UP } from '../admin/support/dashboard.js';
import { picture, store } from '../content/support.js';
import { expectAccessible } from '../support/accessible.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { LAUNCH_MS_MAX, launchChromium, openPage, screenshots } from '../support/chromium.js';
import { isccd } from '../support/command.js';

const PAGES_MS_MAX = 120_000;
const PATIENCE = { timeout: 30_000, interval: 200 };
const BYTES_MAX = 5_000_000;
const OPERATOR_TOKEN = 'the operator of this test';

let services: AllServices;
let browser: Browser;
let photo: string;
let photoId: string;
beforeAll(async () => {
  [services, browser] = await Promise.all([
    startAllServices({
      MSTORE_BY_CONTENT: '1',
      CODEWEB_MAX_UPLOAD_SIZE: String(BYTES_MAX),
      MSTORE_UNTHROTTLED: '127.0.0.1',
      MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(OPERATOR_TOKEN).digest('hex'),
      // Receivers of webhooks on this machine.
      RESOLVER_ENVIRONMENT: 'test',
      RESOLVER_TEST_ALLOW: '127.0.0.1',
    }),
    launchChromium(),
  ]);
  const { db, close } = await openDatabase(undefined, path.join(services.folder, 'store'));
  await new Accounts(db).add(ADMIN, PASSWORD, 'admin', SET_UP);
  await close();
  photo = path.join(services.folder, 'photo.png');
  photoId = await storedSample(photo, 1);
}, LAUNCH_MS_MAX);
afterAll(async () => {
  await browser?.close();
  await services?.stop();
});

/** Writes a picture and stores a manifest of it with a thumbnail. */
async function storedSample(file: string, seed: number): Promise<string> {
  await writeFile(file, await picture(seed));
  const made = await isccd(['store', 'sample', file], { cwd: services.folder });
  expect([made.code, made.stderr]).toEqual([0, '']);
  return store(services.url.store, await readFile(`${file}.c2pa`));
}

async function loggedIn(): Promise<Page> {
  const page = await openPage(browser);
  await page.goto(`${services.url.store}/admin/`);
  await expectAccessible(page);
  await page.getByLabel('User name').fill(ADMIN);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Selects an action for the only selected manifest of a detail page, up to the question. */
async function askFor(page: Page, choice: string): Promise<void> {
  await page.getByRole('button', { name: choice }).click();
  await page.getByRole('heading', { name: 'these manifests?' }).waitFor();
  await expectAccessible(page);
}

describe('the dashboard breaks no rule of axe-core', { timeout: PAGES_MS_MAX }, () => {
  test.each([
    ['', 'Overview'],
    ['manifests/', 'manifest'],
    ['tokens/', 'Upload tokens'],
    ['webhooks/', 'Webhooks'],
    ['accounts/', 'Accounts'],
    ['audit/', 'Audit'],
  ])('on /admin/%s', async (address, heading) => {
    const page = await loggedIn();
    await page.goto(`${services.url.store}/admin/${address}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await expectAccessible(page);
  });

  test('on the page of the own account, while a second factor is added and removed', async () => {
    const page = await loggedIn();
    await page.goto(`${services.url.store}/admin/account/`);
    await expectAccessible(page);
    const factor = page.getByRole('region', { name: 'Second factor' });
    await factor.getByLabel('Current password').fill(PASSWORD);
    await factor.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await expectAccessible(page);
    const secret = (await factor.getByText('Secret:').textContent())?.replaceAll(/^Secret:|\s/g, '') ?? '';
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await factor.getByLabel('Code of 6 digits').fill(totp.generate());
    await factor.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('status').filter({ hasText: 'Second factor added.' }).waitFor();
    await expectAccessible(page);
    await factor.getByLabel('Current password').fill(PASSWORD);
    // The code of the next step: each is accepted once.
    await factor.getByLabel('Code of 6 digits').fill(totp.generate({ timestamp: Date.now() + 30_000 }));
    await factor.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('status').filter({ hasText: 'Second factor removed.' }).waitFor();
  });

  test('in a search with a file', async () => {
    const page = await loggedIn();
    await page.goto(`${services.url.store}/admin/manifests/`);
    await page.getByLabel('Choose a picture or another file').setInputFiles(photo);
    await page.getByRole('button', { name: 'Find its manifests' }).click();
    await page.getByRole('heading', { name: '1 matching manifest' }).waitFor();
    expect(await page.getByRole('link', { name: photoId }).isVisible()).toBe(true);
    await page.getByRole('img', { name: 'Thumbnail of' }).waitFor();
    await screenshots(page, 'admin-matches');
    await expectAccessible(page);
    await page.getByRole('link', { name: photoId }).click();
    await page.getByRole('heading', { name: 'Bindings' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: '1 matching manifest' }).waitFor();
    const field = page.getByLabel('Choose a picture or another file');
    await field.setInputFiles({ name: 'large', mimeType: '', buffer: Buffer.alloc(BYTES_MAX + 1) });
    const message = await page.evaluate("document.getElementById('file').validationMessage");
    expect(message).toBe('The file is larger than 5.00 MB.');
    const other = { name: 'b.png', mimeType: 'image/png', buffer: await picture(2) };
    await page.getByLabel('Choose a picture or another file').setInputFiles(other);
    await page.getByRole('button', { name: 'Find its manifests' }).click();
    await page.getByText('No manifest matches.').waitFor();
    await expectAccessible(page);
  });

  test('from a manifest to its deletion and back', async () => {
    const id = await storedSample(path.join(services.folder, 'deleted.png'), 3);
    const page = await loggedIn();
    await page.goto(`${services.url.store}/admin/manifests/?q=${encodeURIComponent(id)}`);
    await page.getByRole('link', { name: id }).click();
    const address = page.url();
    await page.getByRole('heading', { name: 'Bindings' }).waitFor();
    await expectAccessible(page);
    await askFor(page, 'Delete and withdraw declarations');
    await page.getByRole('button', { name: 'Delete 1 manifest' }).click();
    await page.getByRole('status').filter({ hasText: '1 manifest deleted.' }).waitFor();
    await page.goto(`${services.url.store}/admin/manifests/?deleted=yes`);
    await page.getByText('can be restored until').waitFor();
    await screenshots(page, 'admin-deleted');
    await expectAccessible(page);
    await page.goto(address);
    await page.getByText('Can be restored until').waitFor();
    await expectAccessible(page);
    await askFor(page, 'Restore deleted manifests');
    await page.getByRole('button', { name: 'Restore 1 manifest' }).click();
    await page.getByRole('status').filter({ hasText: 'restored' }).waitFor();
    await expectAccessible(page);
  });

  test('from a webhook to its deliveries, its failures and its deletion', async () => {
    let status = 204;
    const types: string[] = [];
    const receiver = createServer(async (request, response) => {
      types.push(JSON.parse(await text(request)).type);
      response.writeHead(status).end();
    });
    onTestFinished(() => void receiver.close());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const page = await loggedIn();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('Address').fill(address);
    await page.getByLabel('declaration.failed').uncheck();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Secret of webhook 1' }).waitFor();
    expect(await page.locator('pre').textContent()).toMatch(/^whsec_/);
    await expectAccessible(page);
    const row = page.getByRole('row').filter({ hasText: address });
    const shows = async (part: string) => {
      await page.goto(`${services.url.store}/admin/webhooks/`);
      return ((await row.textContent()) ?? '').replace(/\s+/g, ' ').includes(part);
    };
    const id = await storedSample(path.join(services.folder, 'reported.png'), 4);
    await expect.poll(() => shows('1, last'), PATIENCE).toBe(true);
    expect(types).toEqual(['manifest.stored']);
    status = 500;
    const removal = { method: 'DELETE', headers: { Authorization: `Bearer ${OPERATOR_TOKEN}` } };
    const url = `${services.url.store}/v1/manifests/${encodeURIComponent(id)}`;
    expect((await fetch(url, removal)).status).toBe(204);
    await expect.poll(() => shows('the receiver responded with 500'), PATIENCE).toBe(true);
    await page.getByRole('heading', { name: 'Waiting events' }).waitFor();
    await expectAccessible(page);
    await screenshots(page, 'admin-webhooks');
    await row.getByRole('button', { name: 'Disable webhook 1' }).click();
    await page.getByRole('status').filter({ hasText: 'Webhook 1 disabled.' }).waitFor();
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Delete webhook 1' }).click();
    await page.getByRole('status').filter({ hasText: 'Webhook 1 deleted.' }).waitFor();
    await page.getByText('None yet.').waitFor();
  });
});
