/** Checks pages with axe-core, in light and dark mode, wide and on a phone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE_WIDTH = 360;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Fails with the elements that break a rule. Also fails if the page scrolls sideways on a phone. */
export async function expectAccessible(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [size.width, PHONE_WIDTH]) {
      await page.setViewportSize({ width, height: size.height });
      expect({ colorScheme, width, broken: await brokenRules(page) }).toEqual({
        colorScheme,
        width,
        broken: [],
      });
    }
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.setViewportSize(size);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** A line per element that breaks a rule of axe-core, with its default rules. */
export async function brokenRules(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(`${AXE}; axe.run()`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
