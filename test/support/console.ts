/** The console of all services in a browser. */
import type { Browser, Page } from 'playwright-core';
import { type AllServices, startAllServices } from './all-services.js';
import { launchChromium, openPage, type PageOptions } from './chromium.js';

export interface Console {
  readonly services: AllServices;
  readonly browser: Browser;
  stop(): Promise<void>;
}

/** Starts both side by side, as after `npm start`: no switch is on. Takes at most `LAUNCH_MS_MAX`. */
export async function startConsole(): Promise<Console> {
  const [services, browser] = await Promise.all([startAllServices(), launchChromium()]);
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
