/** A real Chromium: from the PATH, or Debian's package. It can reach only this machine. Used outside of tests too. */
import { type Browser, chromium } from 'playwright-core';
import { debianProgram } from './set-up.js';

/**
 * Prefers the headless shell, which is the browser without a window of its own.
 *
 * @throws with the command to run if Chromium is missing and cannot be installed
 */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: debianProgram(
      ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
      'chromium-headless-shell fonts-dejavu-core',
    ),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      // Pictures of pages do not depend on settings of the machine.
      ...['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb'],
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
}
