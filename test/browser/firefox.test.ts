/** The console in Firefox: a dropped photo is coded in the page and found, under the policy of the page. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { wasmJpegProblem } from '../../scripts/build-wasm.mjs';
import { codeOf, picture } from '../content/support.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { LAUNCH_MS_MAX } from '../support/chromium.js';
import { FirefoxPage } from '../support/firefox.js';
import { keepOriginal } from '../support/originals.js';

const TEST_MS_MAX = 180_000;
const NAME = 'copy.png';

let services: AllServices;
beforeAll(async () => {
  services = await startAllServices();
  return () => services.stop();
}, LAUNCH_MS_MAX);

/** One browser per test, because its page has no context of its own. */
async function visit(fragment = ''): Promise<FirefoxPage> {
  const page = await FirefoxPage.open();
  onTestFinished(() => page.close());
  await page.goto(`${services.url.codes}/${fragment}`);
  await page.until(`'ready' in document.documentElement.dataset`);
  return page;
}

/** Drops a picture on the page. */
async function drop(page: FirefoxPage, bytes: Buffer): Promise<void> {
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (char) => char.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], '${NAME}', { type: 'image/png' }));
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
  })()`);
}

async function textOf(page: FirefoxPage, selector: string): Promise<string> {
  return String(await page.evaluate(`document.querySelector('${selector}')?.textContent ?? ''`));
}

test.skipIf(wasmJpegProblem() !== undefined)(
  'a dropped photo shows its original and its manifest, without leaving the page',
  async () => {
    await keepOriginal(services, await codeOf(services.url.codes, await picture(61)));

    const page = await visit();
    await drop(page, await picture(61, 240, 160));
    await page.until(`document.querySelector('#status').textContent === 'Done: ${NAME}'`);
    const result = await textOf(page, '#jobs > li');
    expect(result).toContain('This file has not left your computer.');
    expect(result).toContain('The original');
    expect(result).toContain('1 manifest: unknown signer');
    expect(
      await page.evaluate(`document.querySelectorAll('#jobs img.thumbnail, #jobs svg.glyph').length`),
    ).toBeGreaterThan(1);
    const uploads = page.requests.filter((url) => new URL(url).pathname === '/api/v1/iscc');
    expect(uploads).toEqual([]);
    const hosts = new Set(
      page.requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).hostname),
    );
    expect([...hosts]).toEqual(['127.0.0.1']);
    expect(page.problems).toEqual([]);
  },
  TEST_MS_MAX,
);

test(
  'the policy of the page refuses scripts, styles and pictures of others',
  async () => {
    const page = await visit();
    const refused = await page.evaluate(`new Promise((resolve) => {
      const refused = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        refused.push(effectiveDirective);
        if (refused.length === 3) resolve(refused.sort().join());
      });
      const script = document.createElement('script');
      script.textContent = 'document.title = "changed"';
      const style = document.createElement('style');
      style.textContent = 'body { display: none }';
      const image = new Image();
      image.src = 'http://127.0.0.1:9/tracker.png';
      document.head.append(script, style, image);
    })`);
    expect(refused).toBe('img-src,script-src-elem,style-src-elem');
    expect(await page.evaluate('document.title')).not.toBe('changed');
    expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('block');
  },
  TEST_MS_MAX,
);

test(
  'tabs, links to results and the language work',
  async () => {
    const page = await visit('#code=ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY');
    await page.until(`document.querySelector('#answer-body').textContent.includes('Multiformat')`);
    await page.evaluate(`document.querySelector('a[href="#tab=index"]').click()`);
    await page.until(`!document.querySelector('#index-tab').hidden`);
    await page.evaluate(`document.querySelector('#language').click()`);
    await page.until(`document.documentElement.lang === 'de' && 'ready' in document.documentElement.dataset`);
    expect(await textOf(page, '#indexes-title')).toBe('Indexe');
    expect(page.problems).toEqual([]);
  },
  TEST_MS_MAX,
);
