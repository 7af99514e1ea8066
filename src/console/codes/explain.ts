/** What is in a code. */

import type { Explained } from '../codes-client.js';
import { copyButton, counted, element, facts } from '../dom.js';
import { t } from '../language.js';
import type { Found } from '../parts.js';
import { unitItem, unitList } from '../unit-item.js';

export function explanation(found: Explained): Found {
  const forms = [
    ['ISCC', found.iscc],
    [t('Readable'), found.readable],
    [t('Multiformat'), found.multiformat],
    [t('Decomposed'), found.decomposed],
  ] as const;
  const rows = forms.map(([name, text]) => {
    const copy = copyButton(text, t('the {0} form', name));
    return [name, element('span', {}, element('code', {}, text), ' ', copy)] as const;
  });
  const items = found.units.map((unit) => unitItem(unit.readable, unit.hash_bits, unit.iscc_unit));
  return {
    verdict: counted(items.length, 'unit', 'units'),
    body: [unitList(items, t('ISCC-UNITs of the code')), facts(rows)],
  };
}
