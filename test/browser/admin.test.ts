/** The operator dashboard in a real browser: with and without JavaScript, by keyboard, and for screen readers. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN,
  type Dashboard,
  OPERATOR,
  PASSWORD,
  READER,
  startDashboard,
} from '../admin/support/dashboard.js';
import { seed } from '../admin/support/seed.js';
import { brokenRules } from '../support/accessible.js';
import {
  faintTexts,
  focused,
  LAUNCH_MS_MAX,
  launchChromium,
  openPage,
  overflowWhenNarrow,
  type PageOptions,
  screenshots,
  unnamed,
} from '../support/chromium.js';

let dashboard: Dashboard;
let browser: Browser;
beforeAll(async () => {
  [dashboard, browser] = await Promise.all([startDashboard(), launchChromium()]);
  const statuses = ['declared', 'pending', 'failed', 'disabled', 'skipped'] as const;
  await seed(
    dashboard.database.db,
    Array.from({ length: 250 }, (_, at) => ({
      isTrusted: at % 4 === 0,
      summary: { title: `name ISCC:KEC${'A'.repeat(52)}` },
      status: statuses[at % statuses.length] ?? 'disabled',
      ...(at % 5 === 0 && {
        isccId: `ISCC:MAIWFP4UOU5${2 + (at % 6)}${String.fromCharCode(65 + (Math.floor(at / 5) % 26))}${at < 130 ? 'A' : 'B'}AA`,
      }),
      ...(at % 5 === 2 && { error: '422 did_unauthorized: the controller does not list the key' }),
    })),
  );
}, LAUNCH_MS_MAX);
afterAll(async () => {
  await browser?.close();
  await dashboard?.close();
});

async function loggedIn(options: PageOptions = {}, username = OPERATOR): Promise<Page> {
  const page = await openPage(browser, options);
  await page.goto(`${dashboard.url}/admin/`);
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Pixels of tables that their boxes do not show. */
const CUT_OFF = `[...document.querySelectorAll('.table')].map((box) => box.scrollWidth - box.clientWidth)`;
const LABEL_TOPS = `[...document.querySelectorAll('.filters label')].map((label) => Math.round(label.getBoundingClientRect().top))`;

/** Rows of the manifest table. */
function rows(page: Page) {
  return page.locator('tbody tr');
}

describe('the dashboard', () => {
  test('logs in and out by keyboard only', async () => {
    const page = await openPage(browser);
    await page.goto(`${dashboard.url}/admin/manifests/?status=failed`);
    await screenshots(page, 'admin-login');
    // The browser focuses the first field when it paints the page.
    await expect.poll(() => focused(page)).toBe('username');
    await page.keyboard.type(OPERATOR);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .filter({ hasText: 'The user name, the password or the code is wrong.' })
      .waitFor();
    await screenshots(page, 'admin-login-wrong');
    await expect.poll(() => focused(page)).toBe('password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/admin/manifests/?status=failed');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  test('shows counts, the list, filters and pages', async () => {
    const page = await loggedIn();
    await screenshots(page, 'admin-overview');
    expect(await overflowWhenNarrow(page)).toBe(0);
    await page.getByRole('link', { name: 'Manifests', exact: true }).click();
    expect(await rows(page).count()).toBe(100);
    await screenshots(page, 'admin-list');
    expect(await overflowWhenNarrow(page)).toBe(0);
    await page.getByRole('link', { name: 'Next' }).first().click();
    await page.getByText('Page 2 of 3').first().waitFor();
    await page.getByLabel('Declaration').selectOption('failed');
    await page.getByLabel('Search', { exact: true }).fill('0000-4000');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '50 manifests' }).waitFor();
    await rows(page).first().getByRole('link').click();
    await page.getByText('did_unauthorized').waitFor();
    await screenshots(page, 'admin-detail');
    expect(await overflowWhenNarrow(page)).toBe(0);
  });

  test('shows whole tables and labels in one line at 1280 pixels', async () => {
    const page = await loggedIn({ viewport: { width: 1280, height: 800 } }, ADMIN);
    await page.goto(`${dashboard.url}/admin/manifests/confirm/?action=delete&key=249`);
    await page.getByRole('button', { name: 'Delete 1 manifest' }).click();
    for (const name of ['manifests', 'audit']) {
      await page.goto(`${dashboard.url}/admin/${name}/`);
      await page.locator('tbody tr').first().waitFor();
      expect([name, Math.max(...(await page.evaluate<number[]>(CUT_OFF)))]).toEqual([name, 0]);
      // Labels begin at the same height, or a line further down.
      const tops = [...new Set(await page.evaluate<number[]>(LABEL_TOPS))].sort((a, b) => a - b);
      const gaps = tops.slice(1).map((top, at) => top - (tops[at] ?? 0));
      expect([name, gaps.filter((gap) => gap < 40)]).toEqual([name, []]);
    }
  });

  test('gives every control a name for screen readers', async () => {
    const page = await loggedIn();
    for (const path of ['/admin/', '/admin/manifests/', '/admin/manifests/2/']) {
      await page.goto(dashboard.url + path);
      const tree = await page.locator('body').ariaSnapshot();
      expect([path, unnamed(tree)]).toEqual([path, []]);
      for (const part of ['- banner:', '- navigation "Dashboard":', '- main:', 'heading', '[level=1]']) {
        expect(tree).toContain(part);
      }
    }
    await page.goto(`${dashboard.url}/admin/manifests/`);
    const headers = await page.getByRole('columnheader').allTextContents();
    expect(headers.slice(1)).toEqual([
      ...['Manifest', 'Title', 'Signer', 'Uploaded', 'Size', 'Trusted', 'Bindings', 'Units'],
      ...['Declaration', 'ISCC-ID and hub', 'Deleted'],
    ]);
    expect(await page.getByRole('rowheader').count()).toBe(100);
  });

  test.each(['tokens', 'accounts', 'audit'])(
    'shows /admin/%s/ on phones, to screen readers and in dark mode',
    async (name) => {
      const page = await loggedIn({}, ADMIN);
      await page.goto(`${dashboard.url}/admin/${name}/`);
      const tree = await page.locator('body').ariaSnapshot();
      expect(unnamed(tree)).toEqual([]);
      for (const part of ['- banner:', '- navigation "Dashboard":', '- main:', 'heading', '[level=1]'])
        expect(tree).toContain(part);
      await screenshots(page, `admin-${name}`);
      expect(await overflowWhenNarrow(page)).toBe(0);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await faintTexts(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await faintTexts(page)).toEqual([]);
    },
  );

  test('selects all rows with one checkbox if JavaScript is on', async () => {
    const page = await loggedIn();
    await page.goto(`${dashboard.url}/admin/manifests/`);
    await page.getByLabel('Select all on this page').check();
    expect(await page.getByText('100 selected').isVisible()).toBe(true);
    await page.getByLabel('With selected manifests').selectOption('retry');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Retry 100 manifests' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await page.goBack();
    await page.getByText('100 selected').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    expect(await rows(page).count()).toBe(100);
  });

  test.each([true, false])('deletes after confirmation (JavaScript: %s)', async (javaScriptEnabled) => {
    const page = await loggedIn({ javaScriptEnabled });
    await page.goto(`${dashboard.url}/admin/manifests/?deleted=no&page=2`);
    const id = (await rows(page).first().getByRole('link').textContent()) ?? '';
    await page.getByLabel(`Select ${id}`).check();
    await rows(page).nth(1).getByRole('checkbox').check();
    await page.getByLabel('With selected manifests').selectOption('delete');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Delete these manifests?' }).waitFor();
    await screenshots(page, `admin-confirm-${javaScriptEnabled}`);
    expect(await page.getByText(id).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Delete 2 manifests' }).click();
    await page.getByRole('status').filter({ hasText: '2 manifests deleted.' }).waitFor();
    expect(new URL(page.url()).search).toBe('?deleted=no&page=2');
    await screenshots(page, `admin-done-${javaScriptEnabled}`);
    await page.goto(`${dashboard.url}/admin/manifests/?q=${encodeURIComponent(id)}`);
    expect(await rows(page).first().textContent()).toMatch(/20\d\d-.* UTC\s*$/);
    await page.reload();
    expect(await page.getByText('2 manifests deleted.').count()).toBe(0);
  });

  test('sends a form once if its button is clicked twice, and returns to the question', async () => {
    const page = await loggedIn({}, ADMIN);
    // The second click happens after the first request is sent, and before its response.
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 300, downloadThroughput: -1, uploadThroughput: -1 };
    await network.send('Network.emulateNetworkConditions', slow);
    await page.goto(`${dashboard.url}/admin/tokens/`);
    await page.getByLabel('Publisher').fill('press');
    await page.getByRole('button', { name: 'Create' }).dblclick({ delay: 80 });
    await page.getByRole('heading', { name: 'Token 1 of press' }).waitFor();
    await page.getByRole('heading', { name: '1 token', exact: true }).waitFor();
    await page.goto(`${dashboard.url}/admin/manifests/5/`);
    await page.getByRole('button', { name: 'Delete and withdraw declarations' }).click();
    await page.getByRole('button', { name: 'Delete 1 manifest' }).dblclick({ delay: 80 });
    await page.getByRole('status').filter({ hasText: '1 manifest deleted.' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('button', { name: 'Delete 1 manifest' }).isEnabled()).toBe(true);
  });

  test.each([390, 1280, 2560])('keeps rows of long titles low, %i pixels wide', async (width) => {
    const page = await loggedIn({ viewport: { width, height: 900 } });
    await page.goto(`${dashboard.url}/admin/manifests/`);
    const title = await rows(page).first().locator('.title').boundingBox();
    expect(title?.width).toBeGreaterThan(150);
    expect(title?.height).toBeLessThan(130);
  });

  test('keeps counts on one line', async () => {
    const page = await loggedIn();
    await page.evaluate("document.querySelector('.metrics dt').textContent = 'x'.repeat(400)");
    const count = await page.locator('.metrics dd').first().boundingBox();
    expect(count?.height).toBeLessThan(40);
  });

  test('gives a long name next to a time a line of its own', async () => {
    const page = await loggedIn();
    const names = page.getByRole('region', { name: 'Last uploads' }).locator('dt');
    expect(await names.count()).toBeGreaterThan(0);
    expect((await names.first().boundingBox())?.width).toBeGreaterThan(100);
  });

  test('hides actions from read-only accounts', async () => {
    const page = await loggedIn({}, READER);
    await page.goto(`${dashboard.url}/admin/manifests/`);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0);
    await rows(page).first().getByRole('link').click();
    await page.getByRole('heading', { name: 'Bindings' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Actions' }).count()).toBe(0);
  });
});
