/** The steps of processing a file, with their times. */
import { bar, element } from '../dom.js';
import type { Step } from './api.js';

/** One line per step, with a bar relative to the longest step. A running step has no time yet. */
export function showSteps(list: HTMLOListElement, steps: readonly Step[]): void {
  const longest = Math.max(...steps.map(({ ms = 0 }) => ms));
  list.replaceChildren(...steps.map((step) => stepLine(step, longest)));
}

function stepLine({ name, ms }: Step, longest: number): HTMLLIElement {
  if (ms === undefined) {
    const dots = element('span', { class: 'tick', 'aria-hidden': 'true' }, '…');
    return element('li', { 'aria-current': 'step' }, dots, element('span', {}, name));
  }
  const time = `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
  const share = bar(longest === 0 ? 0 : ms / longest, `${name}: ${time}`);
  share.setAttribute('aria-hidden', 'true');
  return element(
    'li',
    {},
    element('span', { class: 'tick', 'aria-hidden': 'true' }, '✓'),
    element('span', {}, name),
    element('span', { class: 'time' }, time),
    share,
  );
}
