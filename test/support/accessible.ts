/** Checks pages with axe-core, in light and dark mode, wide and on a phone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE_WIDTH = 360;
/** The rules whose result a colour scheme can change. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

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
      const rules = colorScheme === 'dark' ? RULES_OF_COLOURS : undefined;
      expect({ colorScheme, width, broken: await brokenRules(page, rules) }).toEqual({
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

/** A line per element that breaks a rule of axe-core: one of `rules`, by default of its default rules. */
export async function brokenRules(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules === undefined ? {} : { runOnly: rules };
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
