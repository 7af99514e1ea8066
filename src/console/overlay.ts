/** Two pictures on top of each other, with a slider that shows more of one or of the other. */

import { element } from './dom.js';
import { t } from './language.js';

const MIDDLE = 50;

/** Folded until it is opened. Pictures of other proportions are stretched to those of the first. */
export function overlay(mine: string, theirs: string, caption: string): HTMLDetailsElement {
  // The card shows both with their names, too.
  const below = element('img', { src: mine, alt: '' });
  const above = element('img', { src: theirs, alt: '' });
  const slider = element('input', {
    type: 'range',
    min: '0',
    max: '100',
    value: String(MIDDLE),
    'aria-label': t('Share of your file beside {0}, in per cent', caption),
  });
  const show = (percent: number) => {
    above.style.clipPath = `inset(0 0 0 ${percent}%)`;
  };
  slider.addEventListener('input', () => show(slider.valueAsNumber));
  show(MIDDLE);
  return element(
    'details',
    { class: 'overlay' },
    element('summary', {}, t('Compare with a slider')),
    element('div', { class: 'layers' }, below, above),
    slider,
    element('div', { class: 'ends hint' }, element('span', {}, caption), element('span', {}, t('Your file'))),
  );
}
