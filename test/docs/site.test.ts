/** The documentation site: built as for publishing, its links checked, and used in a browser. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openPage, screenshots } from '../support/chromium.js';
import { run } from '../support/command.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT } from './support/page.js';

const BASE = '/documentation/';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

let folder: string;
let site: string;
let files: readonly string[];
let server: Server;
let browser: Browser;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-site-'));
  site = path.join(folder, 'site');
  // A version of before, which has to stay.
  await cp(path.join(ROOT, 'docs/images'), path.join(site, '0.0.9'), { recursive: true });
  await writeFile(
    path.join(site, '0.0.9', 'index.html'),
    '<title>An old version</title><link rel="icon" href="data:,">',
  );
  const args = ['scripts/docs-site.mjs', '--out', site, '--base', BASE, '--version', '0.1.0'];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: ROOT });
  expect(code, stdout + stderr).toBe(0);
  files = await readdir(site, { recursive: true });
  [server, browser] = [await serve(), await launchChromium()];
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`;
}, INSTALL_MAX_MS);
afterAll(async () => {
  await browser?.close();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A web server for files, as any host of static sites has it. */
async function serve(): Promise<Server> {
  const started = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://site');
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const file = path.join(site, name.slice(BASE.length));
    const type = TYPES[path.extname(file)];
    const bytes = pathname.startsWith(BASE) ? await readFile(file).catch(() => undefined) : undefined;
    response.writeHead(bytes === undefined ? 404 : 200, { 'Content-Type': type ?? 'text/plain' });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return started;
}

const pages = () => files.filter((file) => file.startsWith('0.1.0/') && file.endsWith('.html'));
const read = (file: string) => readFile(path.join(site, file), 'utf8');

/** Values of `href` and `src` of a page. */
function targets(html: string): string[] {
  return [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, target = '']) =>
    target.replaceAll('&amp;', '&'),
  );
}

describe('the documentation site', () => {
  it('has every page of docs', async () => {
    const sources = (await readdir(path.join(ROOT, 'docs'), { recursive: true })).filter(
      (file) => file.endsWith('.md') && !file.startsWith('.'),
    );
    const built = sources.map(
      (file) => `0.1.0/${file.replace(/README\.md$/, 'index.md').replace(/md$/, 'html')}`,
    );
    expect(built.length).toBeGreaterThan(40);
    expect(built.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('has no dead links and no dead anchors', async () => {
    const dead: string[] = [];
    for (const page of pages()) {
      for (const target of targets(await read(page))) {
        const { protocol, host, pathname, hash } = new URL(target, `http://site${BASE}${page}`);
        if (protocol !== 'http:' || host !== 'site') continue;
        const file = pathname.slice(BASE.length).replace(/^$|\/$/, '$&index.html');
        const isThere = pathname.startsWith(BASE) && existsSync(path.join(site, file));
        const id = decodeURIComponent(hash.slice(1));
        if (!isThere || (id !== '' && !(await read(file)).includes(` id="${id}"`)))
          dead.push(`${page}: ${target}`);
      }
    }
    expect(dead).toEqual([]);
  });

  it('links to files of the repository that exist', async () => {
    const found = new Set<string>();
    for (const page of pages())
      for (const target of targets(await read(page))) {
        const [, file] = /^https:\/\/github\.com\/[^/]+\/[^/]+\/blob\/main\/([^#]+)/.exec(target) ?? [];
        if (file !== undefined) found.add(file);
      }
    expect(found).toContain('CHANGELOG.md');
    expect([...found].filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  it('lists its versions, newest first, and keeps those of before', async () => {
    expect(JSON.parse(await read('versions.json'))).toEqual(['0.1.0', '0.0.9']);
    const page = await openPage(browser);
    await page.goto(url);
    await page.waitForURL(`${url}0.1.0/`);
    await page.getByLabel('Version').selectOption('0.0.9');
    await page.waitForURL(`${url}0.0.9/`);
    expect(await page.title()).toBe('An old version');
  });

  it('finds a page by words of its text', async () => {
    const page = await openPage(browser);
    await page.goto(`${url}0.1.0/`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('declare manifests hub');
    const found = page.getByRole('option', { name: /Declare manifests to a hub/ }).first();
    await found.click();
    await page.waitForURL(/declare-to-a-hub\.html/);
  });

  it('renders the OpenAPI documents, light and dark', async () => {
    const page = await openPage(browser, { colorScheme: 'dark' });
    await page.goto(`${url}0.1.0/reference/api/codes.html`);
    await page.getByText('Upload a file and create its ISCC-CODE').first().waitFor();
    const colour = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await page.evaluate('document.documentElement.className')).toContain('dark');
    const inDark = await colour('.opblock-summary-description');
    await screenshots(page, 'docs-site-api');
    await page.getByRole('switch').first().click();
    await expect.poll(() => colour('.opblock-summary-description')).not.toBe(inDark);
    // The next service, without loading the page again.
    await page.getByRole('link', { name: 'API: resolver' }).first().click();
    await page.getByText('/v1/matches/byBinding').first().waitFor();
  });

  it('offers no server and no login in the OpenAPI documents, because the site has neither', async () => {
    const page = await openPage(browser);
    await page.goto(`${url}0.1.0/reference/api/store.html`);
    await page.getByText('/v1/manifests').first().waitFor();
    expect(await page.locator('.opblock').count()).toBeGreaterThan(5);
    expect(await page.locator('.servers, .authorize, .authorization__btn').count()).toBe(0);
  });
});
