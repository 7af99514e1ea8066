/**
 * The match of a dropped file: both pictures, and evidence that the page saves and prints and that `isccd verify-evidence` checks
 * without the server.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { native } from '../../src/native.js';
import { canonicalize, type Json } from '../../src/platform/signing/jcs.js';
import { generateSecretKey, SigningKey } from '../../src/platform/signing/key.js';
import { codeOf, manifestFor, picture, store } from '../content/support.js';
import { expectAccessible } from '../support/accessible.js';
import type { AllServices } from '../support/all-services.js';
import { dropFiles, LAUNCH_MS_MAX } from '../support/chromium.js';
import { isccd } from '../support/command.js';
import { startConsole, visitConsole } from '../support/console.js';
import { fillIndex } from '../support/originals.js';

const SECRET = generateSecretKey();
const ISCC_ID = 'ISCC:MAIGIIFJRDGEQQAA';

let services: AllServices;
let browser: Browser;
let manifestId: string;
/** A smaller version of the picture that is in the index. */
let copy: string;
beforeAll(async () => {
  const started = await startConsole({ MSTORE_SECKEY: SECRET });
  ({ services, browser } = started);
  const { codes, search, store: storeUrl } = services.url;
  const { iscc, units } = await codeOf(codes, await picture(41));
  const binding = [{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }];
  manifestId = await store(storeUrl, await manifestFor(binding));
  const thumbnail = `data:image/png;base64,${(await picture(41, 60, 40)).toString('base64')}`;
  const metadata = { name: 'A picture', thumbnail };
  await fillIndex(search, 'photos', [{ iscc_id: ISCC_ID, iscc_code: iscc, units, metadata }]);
  copy = path.join(services.folder, 'copy.png');
  await writeFile(copy, await picture(41, 240, 160));
  return started.stop;
}, LAUNCH_MS_MAX);

/** The page with the match, after the copy was dropped. */
async function found() {
  const page = await visitConsole(browser, services.url.codes);
  await dropFiles(page, 'body', [{ name: 'copy.png', type: 'image/png', bytes: await readFile(copy) }]);
  const matches = page.getByRole('list', { name: 'Matches' }).getByRole('listitem');
  const match = matches.filter({ hasText: 'in photos' });
  await match.waitFor();
  return { page, match };
}

interface Check {
  readonly what: string;
  readonly problem?: string;
}

async function verify(evidence: string, ...options: readonly string[]) {
  const file = path.join(services.folder, 'evidence.json');
  await writeFile(file, evidence);
  const { code, stdout, stderr } = await isccd(['verify-evidence', file, '--json', ...options]);
  const { checks = [] } = JSON.parse(stdout || '{}') as { checks?: Check[] };
  const failed = checks.filter(({ problem }) => problem !== undefined).map(({ what }) => what);
  return { code, stderr, checks: checks.map(({ what }) => what), failed };
}

/** As one who changes a file would seal it again. */
function sealed({ digest: _, ...statement }: Record<string, Json>): string {
  const hash = createHash('sha256').update(canonicalize(statement)).digest('hex');
  return JSON.stringify({ ...statement, digest: `sha256:${hash}` });
}

test('is compared with a slider, by mouse and by keys', async () => {
  const { page, match } = await found();
  await match.getByText('Compare with a slider').click();
  const slider = match.getByRole('slider', { name: 'Share of your file' });
  const [below, above] = [match.locator('.layers img').first(), match.locator('.layers img').last()];
  const style = () => above.getAttribute('style');
  expect(await style()).toBe('clip-path: inset(0px 0px 0px 50%);');
  await slider.press('End');
  await expect.poll(style).toBe('clip-path: inset(0px 0px 0px 100%);');
  expect(await above.boundingBox()).toEqual(await below.boundingBox());
  await expectAccessible(page);
});

test('evidence is saved for a match of a dropped file, and holds without the server', async () => {
  const { page, match } = await found();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    match.getByRole('button', { name: 'Save evidence' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('MAIGIIFJRDGEQQAA.evidence.json');
  const text = await readFile(await download.path(), 'utf8');
  const evidence = JSON.parse(text) as Record<string, Json> & {
    manifests: { manifestId: string; bytes: string; receipt: Record<string, Json> }[];
    comparison: { type: string; differing: number }[];
    match: { metadata: Json };
    query: { file: Json; units: string[] };
  };
  expect(evidence.manifests.map((manifest) => manifest.manifestId)).toEqual([manifestId]);
  expect(evidence.match.metadata).toEqual({ name: 'A picture' });
  expect(evidence.query.file).toMatchObject({ filename: 'copy.png', mediatype: 'image/png' });
  await expectAccessible(page);

  const all = ['digest', 'query', 'match', 'comparison', 'manifest', 'receipt'];
  expect(await verify(text)).toMatchObject({ code: 0, checks: all, failed: [] });
  const withFile = [...all.slice(0, 4), 'file', ...all.slice(4)];
  expect(await verify(text, '--file', copy)).toMatchObject({ code: 0, checks: withFile, failed: [] });
  const other = path.join(services.folder, 'other.png');
  await writeFile(other, await picture(42));
  expect(await verify(text, '--file', other)).toMatchObject({ code: 1, failed: ['file'] });
  const [own = '', foreign = ''] = [SECRET, generateSecretKey()].map(
    (secret) => SigningKey.parse(secret).publicKey,
  );
  expect(await verify(text, '--key', own)).toMatchObject({ code: 0, failed: [] });
  expect(await verify(text, '--key', foreign)).toMatchObject({ code: 1, failed: ['receipt'] });

  const changed = (change: (copy: typeof evidence) => void) => {
    const draft = structuredClone(evidence);
    change(draft);
    return draft;
  };
  const nearer = changed(({ comparison }) => {
    const content = comparison.find(({ type }) => type.startsWith('CONTENT')) as { differing: number };
    content.differing += 1;
  });
  expect(await verify(JSON.stringify(nearer))).toMatchObject({ code: 1, failed: ['digest', 'comparison'] });
  expect(await verify(sealed(nearer))).toMatchObject({ code: 1, failed: ['comparison'] });
  const withoutUnit = changed(({ query }) => void query.units.shift());
  expect((await verify(sealed(withoutUnit))).failed).toContain('query');
  const otherBytes = changed(({ manifests: [manifest] }) => {
    if (manifest) manifest.bytes = `AAAA${manifest.bytes.slice(4)}`;
  });
  expect(await verify(sealed(otherBytes))).toMatchObject({ code: 1, failed: ['manifest'] });
  const otherReceipt = changed(({ manifests: [manifest] }) => {
    if (manifest) manifest.receipt.storedAt = '2001-01-01T00:00:00.000Z';
  });
  expect(await verify(sealed(otherReceipt))).toMatchObject({ code: 1, failed: ['receipt'] });
  const noEvidence = await verify('{"format":"isccd-evidence-1"}');
  expect(noEvidence.code).toBe(1);
  expect(noEvidence.stderr).toContain('is not evidence of a match: createdAt');
});

test('evidence is printed alone', async () => {
  const { page, match } = await found();
  await page.evaluate('window.print = () => document.body.setAttribute("data-prints", "1")');
  await match.getByRole('button', { name: 'Print evidence' }).click();
  await page.locator('body[data-prints]').waitFor();
  await page.emulateMedia({ media: 'print' });
  const sheet = page.locator('.evidence');
  expect(await sheet.isVisible()).toBe(true);
  expect(await page.locator('main').isVisible()).toBe(false);
  const shown = await sheet.textContent();
  expect(shown).toContain(ISCC_ID);
  expect(shown).toContain(manifestId);
  expect(shown).toMatch(/sha256:[0-9a-f]{64}/);
  expect(await sheet.getByRole('img', { name: /of 256 bits differ$/ }).count()).toBeGreaterThan(2);
  await page.evaluate('dispatchEvent(new Event("afterprint"))');
  expect(await page.locator('.evidence').count()).toBe(0);
});
