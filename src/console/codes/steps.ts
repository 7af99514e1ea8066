/** The steps of processing a file, with their times. */

import type { Step } from '../codes-client.js';
import { bar, element } from '../dom.js';
import { fixed, known, t } from '../language.js';

/** One line per step, with a bar relative to the longest step. A running step has no time yet. */
export function showSteps(list: HTMLOListElement, steps: readonly Step[]): void {
  const longest = Math.max(...steps.map(({ ms = 0 }) => ms));
  list.replaceChildren(...steps.map((step) => stepLine(step, longest)));
}

/** Marks the step that was running as the one that failed: the last one, whether it was still running or had ended. */
export function markFailed(list: HTMLOListElement): void {
  const last = list.lastElementChild;
  const tick = last?.querySelector('.tick');
  if (!last || !tick) return;
  last.removeAttribute('aria-current');
  tick.textContent = '✗';
  tick.removeAttribute('aria-hidden');
  tick.setAttribute('role', 'img');
  tick.setAttribute('aria-label', t('failed'));
}

function stepLine({ name, ms }: Step, longest: number): HTMLLIElement {
  if (ms === undefined) {
    const dots = element('span', { class: 'tick', 'aria-hidden': 'true' }, '…');
    return element('li', { 'aria-current': 'step' }, dots, element('span', {}, known(name)));
  }
  const time = `${fixed(ms, ms < 10 ? 1 : 0)} ms`;
  const share = bar(longest === 0 ? 0 : ms / longest, `${known(name)}: ${time}`);
  share.setAttribute('aria-hidden', 'true');
  return element(
    'li',
    {},
    element('span', { class: 'tick', 'aria-hidden': 'true' }, '✓'),
    element('span', {}, known(name)),
    element('span', { class: 'time' }, time),
    share,
  );
}
