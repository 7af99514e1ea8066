/** The page of the resolver in a real browser: it checks a file. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { native } from '../../src/native.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { codeOf, manifestFor, picture, store, withManifest } from '../content/support.js';
import { expectAccessible } from '../support/accessible.js';
import type { AllServices } from '../support/all-services.js';
import {
  dropFiles,
  focused,
  LAUNCH_MS_MAX,
  openPage,
  overflowWhenNarrow,
  screenshots,
  unnamed,
} from '../support/chromium.js';
import { startConsole } from '../support/console.js';
import { MAIN, serve } from '../support/serve.js';

let services: AllServices;
let browser: Browser;
beforeAll(async () => {
  const started = await startConsole();
  ({ services, browser } = started);
  return started.stop;
}, LAUNCH_MS_MAX);

async function fileIn(name: string, bytes: Buffer): Promise<string> {
  const file = path.join(services.folder, name);
  await writeFile(file, bytes);
  return file;
}

/** Changes a text in a stored manifest, as someone does who declares a manifest at an address of their own. */
async function changeStored(manifest: Buffer, from: string, to: string): Promise<void> {
  const changed = Buffer.from(manifest.toString('latin1').replaceAll(from, to), 'latin1');
  const [before, after] = [manifest, changed].map((bytes) =>
    createHash('sha256').update(bytes).digest('hex'),
  );
  if (before === undefined || after === undefined) throw new Error('unreachable');
  const entries = await readdir(services.folder, { recursive: true, withFileTypes: true });
  const found = entries.find((entry) => entry.name === `${before}.c2pa`);
  if (found === undefined) throw new Error('the manifest is not stored as a file');
  // <data>/files/<2 digits>/<digest>.c2pa
  const files = path.dirname(found.parentPath);
  await mkdir(path.join(files, after.slice(0, 2)), { recursive: true });
  await writeFile(path.join(files, after.slice(0, 2), `${after}.c2pa`), changed);
  const { db, close } = await openDatabase(undefined, path.dirname(files));
  await db.updateTable('manifests').set({ sha256: after }).where('sha256', '=', before).execute();
  await close();
}

describe('the check of a file', () => {
  test('a photo dropped after the demo shows its manifest, and is sent only after a click', async () => {
    const photo = await sharp(await picture(1))
      .jpeg()
      .toBuffer();
    const file = await fileIn('photo.jpg', photo);
    const env = { ...process.env, ...services.variables };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'demo', file, '--here'], {
      env,
      cwd: services.folder,
    });
    expect(stdout).toContain('use the running services');

    const page = await openPage(browser);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.goto(`${services.url.resolver}/#tab=check`);
    const button = page.getByRole('button', { name: 'Send and check' });
    await page.locator('#check-file').waitFor();
    expect(await button.isDisabled()).toBe(true);
    await screenshots(page, 'resolver-start');
    await dropFiles(page, '#check-drop', [{ name: 'photo.jpg', type: 'image/jpeg', bytes: photo }]);
    await page.getByAltText('The chosen picture').waitFor();
    expect(sent).toEqual([]);
    // The drop moves the focus to the button, so that Enter sends the file.
    expect(await focused(page)).toBe('send');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    expect(sent).toHaveLength(1);
    const match = page.getByRole('list', { name: 'Manifests' }).getByRole('listitem').first();
    const text = await match.textContent();
    expect(text).toContain('same content, 100');
    expect(text).toContain('photo.jpg ISCC:');
    expect(text).toContain('isccd demo');
    expect(await match.getByAltText('Your file').isVisible()).toBe(true);
    expect(
      await page.evaluate<number>(
        'document.querySelector(".side-by-side img[alt=\'The signed asset\']").naturalWidth',
      ),
    ).toBeGreaterThan(50);
    expect(await page.getByText('contains no content credentials').isVisible()).toBe(true);
    expect(await page.getByText('photo.jpg, ').and(page.locator('#chosen')).textContent()).toMatch(
      /Checked; the server kept/,
    );
    const named = { 'X-Upload-Filename': Buffer.from('photo.jpg').toString('base64') };
    const { iscc } = await codeOf(services.url.codes, photo, named);
    expect(await page.getByText(iscc, { exact: true }).first().isVisible()).toBe(true);
    expect(await overflowWhenNarrow(page)).toBe(0);
    expect(unnamed(await page.locator('body').ariaSnapshot())).toEqual([]);
    await expectAccessible(page);
    await screenshots(page, 'resolver-result');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      match.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/c2pa/);
  });

  test('credentials in the file are shown, with the warning that the file was changed', async () => {
    const page = await openPage(browser);
    await page.goto(`${services.url.resolver}/#tab=check`);
    const manifest = await manifestFor([], Buffer.from('another file'), 'isccd test \u202eevil');
    const asset = withManifest(await picture(2), manifest);
    await page.locator('#check-file').setInputFiles(await fileIn('signed.png', asset));
    await page.getByRole('button', { name: 'Send and check' }).click();
    const own = page.locator('.own');
    await own.waitFor();
    expect(await own.textContent()).toContain('The file was changed after it was signed.');
    expect(await own.textContent()).toContain('isccd test \\u202eevil');
    expect(await own.textContent()).not.toContain('\u202e');
    expect(await page.getByText('No manifest is known').isVisible()).toBe(true);
  });

  test('a similar picture finds the manifest with a lower score', async () => {
    const original = await picture(3);
    const { units } = await codeOf(services.url.codes, original);
    await store(
      services.url.store,
      await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }]),
    );
    const page = await openPage(browser, { colorScheme: 'dark' });
    await page.goto(`${services.url.resolver}/#tab=check`);
    const smaller = await fileIn('smaller.png', await picture(3, 240, 160));
    await page.locator('#check-file').setInputFiles(smaller);
    await page.getByRole('button', { name: 'Send and check' }).click();
    const match = page.getByRole('list', { name: 'Manifests' }).getByRole('listitem').first();
    expect(await match.textContent()).toMatch(/similar, 9\d/);
  });

  test('of a manifest that was changed after it was signed, neither signer nor picture is shown', async () => {
    const original = await picture(4);
    const { units } = await codeOf(services.url.codes, original);
    const binding = { alg: 'io.iscc.v0', value: native.encodeSeq(units) };
    const thumbnail = await sharp(original).resize(96).jpeg().toBuffer();
    const signed = await manifestFor([binding], original, 'isccd test', thumbnail);
    await store(services.url.store, signed);
    const page = await openPage(browser);
    await page.goto(`${services.url.resolver}/#tab=check`);
    const file = await fileIn('matched.png', original);
    await page.locator('#check-file').setInputFiles(file);
    await page.getByRole('button', { name: 'Send and check' }).click();
    const match = page.getByRole('list', { name: 'Manifests' }).getByRole('listitem').first();
    await match.getByText('but its signer is unknown: anyone can use this name').waitFor();
    expect(await match.textContent()).toContain('isccd test');
    expect(await match.getByAltText('The signed asset').isVisible()).toBe(true);

    await changeStored(signed, 'picture.png', 'forgery.png');
    await page.getByRole('button', { name: 'Send and check' }).click();
    await match.getByText('The signature of this manifest is not valid. (claimSignature.mismatch)').waitFor();
    expect(await match.textContent()).toContain('forgery.png');
    expect(await match.textContent()).not.toContain('isccd test');
    expect(await match.getByText('The signed asset').count()).toBe(0);
    await expectAccessible(page);
    await screenshots(page, 'resolver-changed-manifest');
  });

  test('if the server cannot be asked whether it checks files, the page says so and asks again later', async () => {
    const page = await openPage(browser, { expected: /ERR_FAILED/ });
    await page.route('**/check/settings', (route) => route.abort(), { times: 1 });
    await page.goto(`${services.url.resolver}/#tab=check`);
    await page.getByRole('alert').filter({ hasText: 'Files cannot be checked now' }).waitFor();
    expect(await page.getByText('This server checks no files').isHidden()).toBe(true);
    await dropFiles(page, 'main', [{ name: 'later.png', type: 'image/png', bytes: await picture(5) }]);
    await page.locator('#chosen').filter({ hasText: 'later.png' }).waitFor();
    expect(await page.locator('#check-error').textContent()).toBe('');
    expect(await page.locator('#jobs > li').count()).toBe(0);
  });

  test('a damaged file is refused with the reason', async () => {
    const page = await openPage(browser, { expected: /status of 422/ });
    await page.goto(`${services.url.resolver}/#tab=check`);
    const damaged = await fileIn('damaged.pdf', Buffer.from('%PDF-1.7 nothing else'));
    await page.locator('#check-file').setInputFiles(damaged);
    await page.getByRole('button', { name: 'Send and check' }).click();
    const error = page.locator('#check-error');
    await error.filter({ hasText: 'ISCC processing error' }).waitFor();
    const chosen = page.locator('#chosen');
    expect(await chosen.textContent()).toBe('damaged.pdf, 21 bytes. Sent, but not checked.');
    await page
      .getByLabel('Drop a file anywhere on this page')
      .and(page.locator('#check-file'))
      .setInputFiles(await fileIn('next \u202etxt.pdf', Buffer.from('a')));
    expect(await chosen.textContent()).toBe('next \\u202etxt.pdf, 1 byte. Not sent yet.');
    expect(await error.textContent()).toBe('');
  });

  test('another choice cancels the check of the file before', async () => {
    const page = await openPage(browser, { expected: /ERR_CONNECTION_RESET/ });
    await page.goto(`${services.url.resolver}/#tab=check`);
    const field = page.locator('#check-file');
    const chosen = page.locator('#chosen');
    const cancelled = page.waitForEvent('requestfailed');
    await field.setInputFiles(await fileIn('first.txt', Buffer.from('first')));
    await page.route(/\/check\?/, () => {}, { times: 1 });
    await page.getByRole('button', { name: 'Send and check' }).click();
    await chosen.filter({ hasText: 'first.txt, 5 bytes. Being sent.' }).waitFor();
    const second = await fileIn('second.txt', Buffer.from('second'));
    await field.setInputFiles(second);
    expect((await cancelled).url()).toContain('/check');
    expect(await chosen.textContent()).toBe('second.txt, 6 bytes. Not sent yet.');
    expect(await page.locator('#check-error').textContent()).toBe('');
    await page.route(/\/check\?/, (route) => route.abort('connectionreset'), { times: 1 });
    await page.getByRole('button', { name: 'Send and check' }).click();
    await chosen.filter({ hasText: 'Not checked. All or part of it may have been sent.' }).waitFor();
  });

  test('the time of a signature has its zone', async () => {
    const page = await openPage(browser, { timezoneId: 'Asia/Tokyo' });
    await page.goto(`${services.url.resolver}/#tab=check`);
    const signed = {
      time: '2026-11-27T21:30:00Z',
      state: 'valid',
      failures: [],
      actions: [],
      ingredients: [],
    };
    const checked = {
      iscc: 'ISCC:AAAT4EBWK27737D2',
      mediatype: 'text/plain',
      matches: [],
      credentials: signed,
    };
    await page.route(/\/check\?/, (route) => route.fulfill({ json: checked }));
    await page.locator('#check-file').setInputFiles(await fileIn('signed.txt', Buffer.from('a')));
    await page.getByRole('button', { name: 'Send and check' }).click();
    const shown = await page.locator('.own').textContent();
    expect(shown).toContain('Nov 28, 2026, 6:30:00');
    expect(shown).toMatch(/GMT\+9$/);
  });
});

test('without the codes service in the process, the page says that it checks no files', async () => {
  const env = { ISCCD_DATA_DIR: services.folder, RESOLVER_PORT: '0', RESOLVER_LOG_LEVEL: 'warn' };
  const alone = await serve(['resolver'], { cwd: services.folder, env });
  try {
    const page = await openPage(browser);
    await page.goto(alone.urls.resolver);
    await page.getByText('This server checks no files').waitFor();
    expect(await page.locator('#check').isHidden()).toBe(true);
    expect((await fetch(`${alone.urls.resolver}/check`, { method: 'POST', body: 'a' })).status).toBe(404);
  } finally {
    await alone.stop();
  }
});
