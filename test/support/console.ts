/** The console of all services in a browser. */
import type { Browser, Page } from 'playwright-core';
import { type AllServices, startAllServices } from './all-services.js';
import { launchChromium, openPage, type PageOptions } from './chromium.js';

export interface Console {
  readonly services: AllServices;
  readonly browser: Browser;
  stop(): Promise<void>;
}

/**
 * Starts both side by side. Takes at most `LAUNCH_MS_MAX`.
 *
 * @param variables default: as after `npm start`, no switch is on
 */
export async function startConsole(variables: Readonly<Record<string, string>> = {}): Promise<Console> {
  const [services, browser] = await Promise.all([startAllServices(variables), launchChromium()]);
  const stop = async () => {
    await browser.close();
    await services.stop();
  };
  return { services, browser, stop };
}

/** Opens an address of the console and waits until its parts work. */
export async function visitConsole(browser: Browser, url: string, options: PageOptions = {}): Promise<Page> {
  const page = await openPage(browser, options);
  await page.goto(url);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  return page;
}

/** Lets the server have a file that the page has coded, or has asked for. A build without the module has sent it already. */
export async function sendFile(page: Page, name: string): Promise<void> {
  if (!(await page.evaluate(`document.documentElement.dataset.coder === 'on'`))) return;
  const label = name.replaceAll('.', '\\.');
  await page
    .getByRole('button', { name: new RegExp(`^send (?:it )?to this server: ${label}$`, 'i') })
    .click();
}
