/** The page of the codes service: try an upload, explain a code, compare two. */
import { bitPicture, similarity } from '../bits.js';
import { byId, copyButton, element, facts, onSubmit } from '../dom.js';
import { explain, type Step, type Unit, upload } from './api.js';
import { showResult, units } from './result.js';

function uploadForm(): void {
  const form = byId('upload', HTMLFormElement);
  const file = byId('file', HTMLInputElement);
  acceptDrops(byId('drop', HTMLLabelElement), file, form);
  onSubmit(form, byId('upload-error', HTMLElement), async (data) => {
    const chosen = file.files?.[0];
    if (!chosen) throw new Error('Choose a file first.');
    const bar = byId('bar', HTMLProgressElement);
    const steps = byId('steps', HTMLOListElement);
    byId('progress', HTMLDivElement).hidden = false;
    steps.replaceChildren(element('li', {}, `Uploading ${chosen.name}`));
    const options = { granular: data.has('granular'), semantic: data.has('semantic') };
    const answer = await upload(chosen, options, (share) => {
      bar.value = share * 100;
      if (share === 1 && steps.childElementCount === 1) steps.append(element('li', {}, 'Processing'));
    });
    steps.replaceChildren(...answer.steps.map(stepLine), element('li', {}, 'Done'));
    await showResult(answer.result);
  });
}

function stepLine(step: Step): HTMLLIElement {
  const time = step.milliseconds === undefined ? '' : `: ${step.milliseconds.toFixed(1)} ms`;
  return element('li', {}, `${step.name}${time}`);
}

function acceptDrops(area: HTMLElement, input: HTMLInputElement, form: HTMLFormElement): void {
  for (const type of ['dragenter', 'dragover']) {
    area.addEventListener(type, (event) => {
      event.preventDefault();
      area.classList.add('over');
    });
  }
  area.addEventListener('dragleave', () => area.classList.remove('over'));
  area.addEventListener('drop', (event) => {
    event.preventDefault();
    area.classList.remove('over');
    if (!event.dataTransfer?.files.length) return;
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

function explainForm(): void {
  const body = byId('explain-body', HTMLDivElement);
  onSubmit(byId('explain', HTMLFormElement), byId('explain-error', HTMLElement), async (data) => {
    body.replaceChildren();
    const found = await explain(String(data.get('code')));
    const rows = [
      ['ISCC', element('span', {}, element('code', {}, found.iscc), ' ', copyButton(found.iscc, 'the ISCC'))],
      ['Readable', element('code', {}, found.readable)],
      ['Multiformat', element('code', {}, found.multiformat)],
      ['Decomposed', element('code', {}, found.decomposed)],
    ] as const;
    body.replaceChildren(facts(rows), await units(found.units.map((unit) => unit.iscc_unit)));
  });
}

function compareForm(): void {
  const body = byId('compare-body', HTMLDivElement);
  onSubmit(byId('compare', HTMLFormElement), byId('compare-error', HTMLElement), async (data) => {
    body.replaceChildren();
    const [a, b] = await Promise.all([explain(String(data.get('a'))), explain(String(data.get('b')))]);
    const rows = a.units.flatMap((unit) => {
      const other = b.units.find((candidate) => kind(candidate) === kind(unit));
      return other ? [compared(unit, other)] : [];
    });
    if (rows.length === 0) throw new Error('The codes have no unit of the same type.');
    body.replaceChildren(element('ul', { class: 'units' }, ...rows));
  });
}

/** Units compare when main type, subtype and version agree. */
function kind(unit: Unit): string {
  return unit.readable.split('-').slice(0, 3).join('-');
}

function compared(unit: Unit, other: Unit): HTMLLIElement {
  const share = similarity(unit.hash_bits, other.hash_bits);
  const common = Math.min(unit.hash_bits.length, other.hash_bits.length);
  const percent = `${(share * 100).toFixed(1)} %`;
  const label = `${kind(unit)}: ${percent} of ${common} bits equal`;
  const meter = element('meter', {
    min: '0',
    max: '1',
    low: '0.75',
    value: String(share),
    'aria-label': label,
  });
  const picture = bitPicture(unit.hash_bits.slice(0, common), label, other.hash_bits);
  return element('li', {}, element('strong', {}, kind(unit)), ` ${percent} `, meter, picture);
}

uploadForm();
explainForm();
compareForm();
