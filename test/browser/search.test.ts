/** The page of the search service in a real browser. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import { isccIdOf } from '../../src/iscc/iscc-id.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { searchApp } from '../../src/services/search/app.js';
import { expectAccessible } from '../support/accessible.js';
import {
  dropFile,
  focused,
  holdFirst,
  LAUNCH_MS_MAX,
  launchChromium,
  openPage,
  overflowWhenNarrow,
  screenshots,
  unnamed,
} from '../support/chromium.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/search');
const ASSETS = 300;
const KEY = 's3cret';
/** Nothing in the index is similar. */
const OTHER_CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';

interface Asset {
  readonly iscc_id: string;
  readonly units: readonly string[];
}

let folder: string;
let browser: Browser;
let open: RunningServer;
let locked: RunningServer;
let asset: Asset;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-browser-'));
  browser = await launchChromium();
  open = await start('open', {});
  locked = await start('locked', { INDEXSVC_API_SECRET: KEY });
  const lines = (await readFile(path.join(FIXTURES, 'assets.jsonl'), 'utf8')).split('\n').slice(0, ASSETS);
  const assets = lines.map((line) => JSON.parse(line) as Asset);
  asset = assets.find(({ units }) => units?.length >= 4) as Asset;
  for (const [server, headers] of [[open, {}] as const, [locked, { 'X-API-Key': KEY }] as const]) {
    await post(`${server.url}/indexes`, { name: 'pictures' }, headers);
    await post(`${server.url}/indexes/pictures/assets`, assets, headers);
  }
}, LAUNCH_MS_MAX);

afterAll(async () => {
  await browser?.close();
  await Promise.all([open?.stop(), locked?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

async function start(name: string, environment: Record<string, string>): Promise<RunningServer> {
  const log = createLogger('error');
  const app = await searchApp(readVariables(searchVariables, environment), path.join(folder, name));
  return startServer(app, { host: '127.0.0.1', port: 0, transport: loadTransport('auto', log), log });
}

async function post(url: string, body: unknown, headers: Record<string, string>): Promise<void> {
  const type = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) };
  expect((await fetch(url, init)).status).toBe(201);
}

async function visit(server: RunningServer, expected?: RegExp): Promise<Page> {
  const page = await openPage(browser, expected === undefined ? {} : { expected });
  await page.goto(server.url);
  return page;
}

describe('the search page', () => {
  test('finds pasted units and shows the score, a bar per unit, and the bits that differ', async () => {
    const page = await visit(open);
    await screenshots(page, 'search-start');
    await expect.poll(() => page.getByLabel('Search in').inputValue()).toBe('pictures');
    // Change a few bits of the digest, so that the picture shows a difference.
    const [first = '', ...others] = asset.units;
    const close = first.slice(0, 15) + (first[15] === 'A' ? 'B' : 'A') + first.slice(16);
    await page.getByLabel('Code, text, address or manifest').fill([close, ...others].join('\n'));
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('list', { name: 'Matches' }).waitFor();
    const best = page.locator('.matches > li').first();
    expect(await best.textContent()).toContain(asset.iscc_id);
    expect(await best.getByRole('img', { name: /-Code.*: 100\.0 %$/ }).count()).toBeGreaterThanOrEqual(2);
    expect(await best.getByRole('img', { name: /: [1-5] of \d+ bits differ$/ }).count()).toBe(1);
    expect(await best.locator('.bits .differs').first().getAttribute('d')).toMatch(/^M/);
    expect(await focused(page)).toBe('answer');
    expect(await overflowWhenNarrow(page)).toBe(0);
    await expectAccessible(page);
    await screenshots(page, 'search-result');
    const tree = await page.locator('body').ariaSnapshot();
    expect(unnamed(tree)).toEqual([]);
    expect(tree).toContain('- region "Matches":');
  });

  test('accepts a dropped result of the codes service', async () => {
    const page = await visit(open);
    const result = { iscc: 'ISCC:ANYTHING', units: asset.units };
    await dropFile(page, 'body', 'photo.iscc.json', JSON.stringify(result));
    await page.getByRole('list', { name: 'Matches' }).waitFor();
    expect(await page.locator('.matches > li').first().textContent()).toContain(asset.iscc_id);
  });

  test('finds the asset of an ISCC-ID', async () => {
    const page = await visit(open, /404/);
    const codes = page.getByLabel('Code, text, address or manifest');
    await codes.fill(asset.iscc_id);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('list', { name: 'Matches' }).waitFor();
    const best = page.locator('.matches > li').first();
    expect(await best.textContent()).toContain(asset.iscc_id);
    expect(await best.locator('.match-head').textContent()).toContain('100.0 %');
    expect(await page.evaluate('location.hash')).toBe(`#code=${asset.iscc_id}&index=pictures`);
    await codes.fill('ISCC:MAIGIIFJRDGEQQBA');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'ISCC:MAIGIIFJRDGEQQBA' }).waitFor();
  });

  test('shows a message for no matches and for invalid queries', async () => {
    const page = await visit(open, /4\d\d/);
    const codes = page.getByLabel('Code, text, address or manifest');
    const button = page.getByRole('button', { name: 'Search', exact: true });
    await codes.fill(OTHER_CODE);
    await button.click();
    await page.locator('.verdict', { hasText: 'no match in this index' }).waitFor();
    expect(await page.evaluate('location.hash')).toContain(OTHER_CODE);
    await codes.fill('ISCC:NONSENSE');
    await button.click();
    await page.getByRole('alert').filter({ hasText: 'is not a code' }).waitFor();
    expect(await page.getByRole('list', { name: 'Matches' }).isVisible()).toBe(false);
    expect(await page.evaluate('location.hash')).toBe('');
    await codes.fill('{"units": ');
    await button.click();
    await page.getByRole('alert').filter({ hasText: 'not valid JSON' }).waitFor();
    await expectAccessible(page);
    await page.goto(`${open.url}/#code=${asset.units.join('+')}&index=nosuchindex`);
    await page.getByRole('alert').filter({ hasText: 'nosuchindex' }).waitFor();
    expect(await page.getByRole('list', { name: 'Matches' }).isVisible()).toBe(false);
  });

  test('shows the matches of the latest search, also if an earlier one is answered later', async () => {
    const page = await visit(open);
    await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    const release = await holdFirst(page, '**/search?limit=*');
    await page.evaluate(`location.hash = 'code=${OTHER_CODE}'`);
    await expect.poll(() => page.locator('#ask').getAttribute('aria-busy')).toBe('true');
    const latest = `#code=${asset.units.join('+')}`;
    await page.evaluate(`location.hash = '${latest}'`);
    await page.getByRole('list', { name: 'Matches' }).waitFor();
    await expect.poll(() => page.evaluate('location.hash')).toBe(`${latest}&index=pictures`);
    await release();
    expect(await page.locator('.matches > li').first().textContent()).toContain(asset.iscc_id);
    expect(await page.evaluate('location.hash')).toBe(`${latest}&index=pictures`);
    expect(await page.locator('#ask').getAttribute('aria-busy')).toBeNull();
  });

  test('says that a key is refused, and waits for the indexes of a new key', async () => {
    const page = await visit(locked, /401/);
    const button = page.getByRole('button', { name: 'Search', exact: true });
    await page.getByLabel('Code, text, address or manifest').fill(asset.units.join('\n'));
    await page.getByLabel('API key').fill('wrong');
    await page.getByLabel('API key').press('Tab');
    await page.getByRole('alert').filter({ hasText: 'refuses this API key' }).waitFor();
    await button.click();
    await page.getByRole('alert').filter({ hasText: 'refuses this API key' }).waitFor();
    const release = await holdFirst(page, '**/indexes');
    await page.getByLabel('API key').fill(KEY);
    await button.click();
    await expect.poll(() => page.locator('#ask').getAttribute('aria-busy')).toBe('true');
    await release();
    await page.getByRole('list', { name: 'Matches' }).waitFor();
  });

  test('shows that the service requires an API key', async () => {
    const page = await visit(locked, /401/);
    await page.goto(`${locked.url}/#code=${asset.units.join('+')}&index=pictures`);
    await page.getByRole('alert').filter({ hasText: 'requires an API key' }).waitFor();
    await page.getByLabel('Code, text, address or manifest').fill(asset.units.join('\n'));
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'requires an API key' }).waitFor();
    await page.getByLabel('API key').fill(KEY);
    await page.getByLabel('API key').press('Enter');
    await page.getByRole('list', { name: 'Matches' }).waitFor();
  });
});

test('an index is filtered, exported, imported, renamed and deleted', { timeout: 60_000 }, async () => {
  await post(`${open.url}/indexes`, { name: 'kept' }, {});
  const put = await fetch(`${open.url}/indexes/kept/paths`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ paths: ['metadata.lang'] }),
  });
  expect(put.status).toBe(200);
  const idOf = (number: number) => isccIdOf(0, BigInt(1_000_000 + number));
  const assets = ['de', 'en', 'en'].map((lang, at) => ({
    iscc_id: idOf(at),
    units: asset.units,
    metadata: { name: `work ${at}`, lang },
  }));
  await post(`${open.url}/indexes/kept/assets`, assets, {});
  const page = await visit(open, /400/);
  await page.goto(`${open.url}/#tab=index&index=kept`);
  const list = page.getByRole('list', { name: 'Assets in kept' });
  await expect.poll(() => list.getByRole('listitem').count()).toBe(3);
  const filter = page.getByLabel('Condition on the metadata');
  await filter.fill('metadata.lang = "de"');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  await filter.fill('metadata.year = 1');
  await page.getByRole('button', { name: 'Filter' }).click();
  await list.getByRole('alert').filter({ hasText: 'whose path is declared' }).waitFor();
  await filter.fill('');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(3);

  await page.getByText('Export, import, rename, delete').click();
  await expectAccessible(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export JSON lines' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('kept.ndjson');
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).iscc_id)).toEqual(assets.map(({ iscc_id }) => iscc_id));

  const more = { iscc_id: idOf(7), units: asset.units };
  const buffer = Buffer.from(`${[...lines, JSON.stringify(more), '{}'].join('\n')}\n`);
  await page.getByLabel('Import JSON lines').setInputFiles({ name: 'x.ndjson', mimeType: '', buffer });
  await page.getByText('Added 1 asset, updated 3. Refused 1 line; the first: line 5:').waitFor();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(4);

  await page.getByLabel('New name').fill('other');
  await page.getByRole('button', { name: 'Rename' }).click();
  const renamed = page.getByRole('list', { name: 'Assets in other' });
  await expect.poll(() => renamed.getByRole('listitem').count()).toBe(4);
  expect(await page.evaluate('location.hash')).toBe('#tab=index&index=other');
  const remove = page.getByRole('button', { name: 'Delete' });
  await page.getByLabel('Type other to delete it').fill('kept');
  await remove.click();
  // The browser refuses another name.
  expect((await fetch(`${open.url}/indexes/other`)).status).toBe(200);
  await page.getByLabel('Type other to delete it').fill('other');
  await remove.click();
  await expect.poll(async () => (await fetch(`${open.url}/indexes/other`)).status).toBe(404);
  await renamed.waitFor({ state: 'hidden' });
});

test('an index is watched: matches appear as they are added', { timeout: 60_000 }, async () => {
  await post(`${open.url}/indexes`, { name: 'watched' }, {});
  const idOf = (number: number) => isccIdOf(0, BigInt(2_000_000 + number));
  const page = await visit(open, /400/);
  await page.goto(`${open.url}/#tab=index&index=watched`);
  await page.getByText('Watches', { exact: true }).click();
  const watches = page.getByRole('list', { name: 'Watches' });
  await watches.getByText('This index has no watches.').waitFor();
  await page.getByLabel('Name of a new watch').fill('cover');
  const content = page.getByLabel('Content: an ISCC-CODE');
  await content.fill(asset.units.join(' '));
  await page.getByLabel('Least similarity of a unit').fill('90');
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  const watch = watches.getByRole('listitem').filter({ hasText: 'cover' });
  await watch.getByText('at least 90.0 %').waitFor();
  await watch.getByRole('button', { name: 'Show events' }).click();
  await watch.getByText('Waiting for events').waitFor();
  await expectAccessible(page);
  await post(`${open.url}/indexes/watched/assets`, [{ iscc_id: idOf(1), units: asset.units }], {});
  await watch.getByText(`${idOf(1)} added, 100.0 %`).waitFor();
  const removed = await fetch(`${open.url}/indexes/watched/assets/${idOf(1)}`, { method: 'DELETE' });
  expect(removed.ok).toBe(true);
  await watch.getByText(`${idOf(1)} deleted, matched`).waitFor();
  expect(await overflowWhenNarrow(page)).toBe(0);

  await content.fill(asset.units.join(' '));
  await page.getByLabel('Name of a new watch').fill('other');
  await page.getByLabel('Address that gets the events').fill('https://example.org/events');
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'INDEXSVC_WEBHOOK_KEY' }).waitFor();
  await watch.getByRole('button', { name: 'Delete' }).click();
  await watches.getByText('This index has no watches.').waitFor();
});

test('the documentation page opens', async () => {
  const page = await visit(open);
  await page.goto(`${open.url}/docs`);
  await page.getByText('/indexes/{name}/search').first().waitFor();
  await screenshots(page, 'search-docs');
});
