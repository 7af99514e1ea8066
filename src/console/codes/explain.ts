/** The form that explains a code. */
import { announce, byId, copyButton, counted, element, facts, onSubmit } from '../dom.js';
import { unitItem, unitList } from '../unit-item.js';
import { explain } from './api.js';

/** Fills the form and runs it. */
export function explainCode(code: string): void {
  byId('explain-code', HTMLInputElement).value = code;
  byId('explain', HTMLFormElement).requestSubmit();
}

export function explainForm(): void {
  const body = byId('explain-body', HTMLElement);
  onSubmit(byId('explain', HTMLFormElement), byId('explain-error', HTMLElement), async (data, signal) => {
    body.hidden = true;
    const found = await explain(String(data.get('code')));
    signal.throwIfAborted();
    const forms = [
      ['ISCC', found.iscc],
      ['Readable', found.readable],
      ['Multiformat', found.multiformat],
      ['Decomposed', found.decomposed],
    ] as const;
    const rows = forms.map(([name, text]) => {
      const copy = copyButton(text, `the ${name} form`);
      return [name, element('span', {}, element('code', {}, text), ' ', copy)] as const;
    });
    const items = found.units.map((unit) => unitItem(unit.readable, unit.hash_bits, unit.iscc_unit));
    body.replaceChildren(facts(rows), unitList(items, 'ISCC-UNITs of the code'));
    body.hidden = false;
    announce(`The code has ${counted(found.units.length, 'unit', 'units')}`);
  });
}
