/** The page of the codes service: upload a file, explain a code, compare two codes. */
import { announce, bar, byId, bytesText, copyButton, element, facts, onDrop, onSubmit } from '../dom.js';
import { explain, follow, type LiveStep, newProgressKey, upload } from './api.js';
import { comparison } from './compare.js';
import { showResult, units } from './result.js';

function uploadForm(): void {
  const form = byId('upload', HTMLFormElement);
  const input = byId('file', HTMLInputElement);
  const cancel = byId('cancel', HTMLButtonElement);
  onDrop(byId('drop', HTMLLabelElement), (files) => {
    input.files = files;
    form.requestSubmit();
  });
  onSubmit(form, byId('upload-error', HTMLElement), async (data) => {
    const file = input.files?.[0];
    if (!file) throw new Error('Choose a file first.');
    const aborting = new AbortController();
    const abort = () => aborting.abort();
    cancel.hidden = false;
    cancel.addEventListener('click', abort);
    try {
      await process(file, data, aborting.signal);
    } catch (error) {
      byId('progress', HTMLDivElement).hidden = true;
      throw error;
    } finally {
      cancel.removeEventListener('click', abort);
      cancel.hidden = true;
    }
  });
}

async function process(file: File, data: FormData, signal: AbortSignal): Promise<void> {
  const status = byId('status', HTMLElement);
  const progress = byId('bar', HTMLProgressElement);
  const steps = byId('steps', HTMLOListElement);
  byId('result', HTMLElement).hidden = true;
  byId('progress', HTMLDivElement).hidden = false;
  progress.value = 0;
  steps.replaceChildren();
  status.textContent = `Uploading ${file.name}, ${bytesText(file.size)}`;
  const progressKey = newProgressKey();
  const options = { granular: data.has('granular'), semantic: data.has('semantic'), progressKey };
  const following = new AbortController();
  const sent = (share: number) => {
    progress.value = share * 100;
    if (share < 1) return;
    // The duration is unknown from here on, so show an indeterminate bar.
    progress.removeAttribute('value');
    status.textContent = `Generating the code of ${file.name}`;
  };
  const live = (known: readonly LiveStep[]) => {
    showSteps(known.map(({ description, ms }) => ({ name: description, ms })));
  };
  void follow(progressKey, live, following.signal);
  const processed = await upload(file, options, sent, signal).finally(() => following.abort());
  progress.value = 100;
  showSteps(processed.steps);
  status.textContent = `Done: ${file.name}`;
  await showResult(processed);
}

/** One line per step, with a bar relative to the longest step. A running step has no time yet. */
function showSteps(steps: readonly { readonly name: string; readonly ms?: number | undefined }[]): void {
  const longest = Math.max(...steps.map(({ ms = 0 }) => ms));
  const lines = steps.map(({ name, ms }) => {
    if (ms === undefined) {
      const dots = element('span', { class: 'tick', 'aria-hidden': 'true' }, '…');
      return element('li', { 'aria-current': 'step' }, dots, element('span', {}, name));
    }
    const time = `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
    const tick = element('span', { class: 'tick', 'aria-hidden': 'true' }, '✓');
    const share = bar(ms / longest, `${name}: ${time}`);
    share.setAttribute('aria-hidden', 'true');
    return element(
      'li',
      {},
      tick,
      element('span', {}, name),
      element('span', { class: 'time' }, time),
      share,
    );
  });
  byId('steps', HTMLOListElement).replaceChildren(...lines);
}

function explainForm(): void {
  const body = byId('explain-body', HTMLElement);
  onSubmit(byId('explain', HTMLFormElement), byId('explain-error', HTMLElement), async (data) => {
    body.hidden = true;
    const found = await explain(String(data.get('code')));
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
    body.replaceChildren(facts(rows), await units(found.units.map((unit) => unit.iscc_unit)));
    body.hidden = false;
    announce(`The code has ${found.units.length} ${found.units.length === 1 ? 'unit' : 'units'}`);
  });
}

function compareForm(): void {
  const body = byId('compare-body', HTMLElement);
  onSubmit(byId('compare', HTMLFormElement), byId('compare-error', HTMLElement), async (data) => {
    body.hidden = true;
    const [a, b] = await Promise.all([
      named('First code', explain(String(data.get('a')))),
      named('Second code', explain(String(data.get('b')))),
    ]);
    const { nodes, summary } = comparison(a.units, b.units);
    body.replaceChildren(...nodes);
    body.hidden = false;
    announce(summary);
  });
}

/** Prefixes errors with the name of the field. */
function named<T>(field: string, work: Promise<T>): Promise<T> {
  return work.catch((error: Error) => {
    throw new Error(`${field}: ${error.message}`);
  });
}

uploadForm();
explainForm();
compareForm();
