import { expect, it } from 'vitest';
import { InlineBudget } from '../../src/services/search/inline-budget.js';

it('blocks again only after as much time as the last search took', () => {
  let now = 1000;
  const budget = new InlineBudget(() => now);
  const search = (ms: number) =>
    budget.run((mayBlock) => {
      if (mayBlock) now += ms;
      return mayBlock;
    });
  expect(search(10)).toBe(true);
  now += 9;
  expect(search(10)).toBe(false);
  now += 1;
  expect(search(3)).toBe(true);
  now += 3;
  expect(search(1)).toBe(true);
});
