/** The lines of the console on rights: may models be trained on a picture, was it made by AI, and who says so. */
import type { Browser, Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { picture, store } from '../content/support.js';
import { fixture, jpegWith } from '../resolver/rights/support.js';
import { TRUST_ANCHORS } from '../store/support/fixtures.js';
import { expectAccessible } from '../support/accessible.js';
import type { AllServices } from '../support/all-services.js';
import { dropFiles, LAUNCH_MS_MAX, screenshots } from '../support/chromium.js';
import { sendFile, startConsole, visitConsole } from '../support/console.js';

const TRAIN = 'May models be trained on it?';
const AI = 'Was it made by AI?';
const TRUSTED = 'Trusted ES256 signer';
const UNKNOWN = 'Untrusted ES256 signer';

let services: AllServices;
let browser: Browser;
beforeAll(async () => {
  const started = await startConsole({
    RESOLVER_RIGHTS: '1',
    MSTORE_TRUST_ANCHORS: TRUST_ANCHORS,
    MSTORE_UNTHROTTLED: '127.0.0.1',
  });
  ({ services, browser } = started);
  for (const name of [
    '301-denies-trusted',
    '302-allows-untrusted',
    '303-denies-trusted',
    '303-allows-untrusted',
  ])
    await store(services.url.store, fixture(`rights/${name}.c2pa`));
  return started.stop;
}, LAUNCH_MS_MAX);

/** Drops a picture, and returns the part of the result that says what is known of its rights. */
async function rightsOf(name: string, bytes: Buffer, type = 'image/png'): Promise<Locator> {
  const page = await visitConsole(browser, services.url.codes);
  await dropFiles(page, 'body', [{ name, type, bytes }]);
  await page.getByText(`Done: ${name}`).first().waitFor();
  await sendFile(page, name);
  // Only what is known after the file was sent counts.
  await page.getByRole('link', { name: 'Download file' }).waitFor();
  const part = page.getByRole('region', { name: `Rights of ${name}` });
  await part.locator('.verdict').filter({ hasNotText: 'Looking' }).first().waitFor();
  return part;
}

/** The lines as pairs of who or what, and the statement. */
async function linesOf(part: Locator): Promise<string[][]> {
  const [terms, texts] = await Promise.all([
    part.locator('dt').allTextContents(),
    part.locator('dd').allTextContents(),
  ]);
  expect(terms.length).toBe(texts.length);
  return terms.map((term, at) => [term, texts[at] ?? '']);
}

const manifest = (name: string, who: string) => `Manifest “${name}.c2pa”, by ${who}`;
const uses = (who: string, ...said: readonly string[]) => said.map((use) => [who, use]);

test('a trusted signer who denies is named with the answer', async () => {
  const part = await rightsOf('301.png', await picture(301));
  const who = manifest('301-denies-trusted', `${TRUSTED} (trusted)`);
  expect(await linesOf(part)).toEqual([
    [TRAIN, `no, says ${TRUSTED} (trusted)`],
    [AI, `no, by people, says ${TRUSTED} (trusted)`],
    ...uses(who, 'cawg.ai_generative_training: notAllowed', 'cawg.ai_inference: constrained'),
    ...uses(who, 'cawg.ai_training: notAllowed', 'cawg.data_mining: notAllowed'),
  ]);
  expect(await part.locator('.verdict').first().textContent()).toBe('6 statements');
  await expectAccessible(part.page());
  await screenshots(part.page(), 'rights');
});

test('an unknown signer who allows is called unknown', async () => {
  const lines = await linesOf(await rightsOf('302.png', await picture(302)));
  expect(lines.slice(0, 2)).toEqual([
    [TRAIN, `yes, says ${UNKNOWN} (unknown)`],
    [AI, `no, by people, says ${UNKNOWN} (unknown)`],
  ]);
});

test('of two that disagree both are shown, each with what it says', async () => {
  const lines = await linesOf(await rightsOf('303.png', await picture(303)));
  expect(lines[0]).toEqual([TRAIN, `the sources disagree: ${TRUSTED}, ${UNKNOWN}`]);
  const use = 'cawg.ai_training';
  expect(lines).toContainEqual([
    manifest('303-denies-trusted', `${TRUSTED} (trusted)`),
    `${use}: notAllowed`,
  ]);
  expect(lines).toContainEqual([manifest('303-allows-untrusted', `${UNKNOWN} (unknown)`), `${use}: allowed`]);
});

test('credentials in the file and its metadata are sources, too', async () => {
  const lines = await linesOf(
    await rightsOf('305.jpg', fixture('rights/305-denies-embedded.jpg'), 'image/jpeg'),
  );
  expect(lines).toContainEqual([
    `Credentials in the file, by ${TRUSTED} (trusted)`,
    'cawg.ai_training: notAllowed',
  ]);
  const named = await jpegWith(306, '<dc:rights>© The archive</dc:rights>');
  expect(await linesOf(await rightsOf('306.jpg', named, 'image/jpeg'))).toEqual([
    ['The file', 'Copyright: © The archive'],
  ]);
});

test('a picture of which nothing is known has no lines', async () => {
  const part = await rightsOf('304.png', await picture(304));
  expect(await part.locator('.verdict').first().textContent()).toBe('no statement on rights');
  expect(await linesOf(part)).toEqual([]);
});
