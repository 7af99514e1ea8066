/** One file: its progress, its code, and what other services know of it. */
import { bytesText, element, errorLine, messageOf, nameElement, plainName } from '../dom.js';
import { type Part, showPart } from '../parts.js';
import type { Processed, Result } from './api.js';
import { upload } from './api.js';
import { resultHead, resultView } from './result.js';
import { markFailed, showSteps } from './steps.js';

/** A part of the result of a file, e.g. its matches. */
export type Lookup = (result: Result, file: File) => Part;

export interface JobOptions {
  readonly granular: boolean;
  readonly semantic: boolean;
  readonly lookups: readonly Lookup[];
  /** Shown below the result, e.g. a form that adds it to an index. */
  readonly extras: (result: Result, file: File, prefix: string) => readonly Node[];
  /** Gets the result of a copy with embedded metadata. */
  readonly onCopy: (copy: Processed) => void;
}

/** A file in a table. */
export interface Row {
  readonly file: string;
  /** Empty if it has no code. */
  readonly iscc: string;
  readonly mediatype: string;
  readonly bytes: number;
  /** In a few words. */
  readonly state: string;
}

/** How a file ended. */
export type Outcome = 'done' | 'failed' | 'cancelled';

let count = 0;

export class Job {
  /** The row of the file. */
  readonly item: HTMLLIElement;
  readonly file: File;
  readonly #options: JobOptions;
  readonly #aborting = new AbortController();
  readonly #prefix: string;
  #result: Result | undefined;
  #hasFailed = false;
  readonly #row: HTMLDetailsElement;
  readonly #head = element('summary');
  readonly #state = element('span', { class: 'state hint' }, 'Waiting');
  readonly #bar = element('progress', { max: '100', value: '0' });
  readonly #steps = element('ol', { class: 'steps', 'aria-label': 'Steps' });
  readonly #stepsPanel = element('details', { open: '' }, element('summary', {}, 'Steps'), this.#steps);
  readonly #body = element('div');

  constructor(file: File, isOpen: boolean, options: JobOptions) {
    count += 1;
    this.#prefix = `job-${count}`;
    this.file = file;
    this.#options = options;
    this.#bar.setAttribute('aria-label', `Upload of ${plainName(file.name)}`);
    this.#head.append(element('strong', { class: 'name' }, nameElement(file.name)), this.#state);
    this.#row = element(
      'details',
      isOpen ? { open: '' } : {},
      this.#head,
      this.#bar,
      this.#body,
      this.#stepsPanel,
    );
    this.item = element('li', {}, this.#row);
  }

  /** The code of the file, once it is known. */
  get iscc(): string | undefined {
    return this.#result?.iscc;
  }

  get row(): Row {
    const { name: file, size: bytes } = this.file;
    const mediatype = String(this.#result?.mediatype ?? '');
    return { file, iscc: this.iscc ?? '', mediatype, bytes, state: this.#state.textContent };
  }

  cancel(): void {
    this.#aborting.abort();
  }

  /** Processes the file and shows what comes of it. Resolves when all is shown, also after a failure. */
  async run(): Promise<Outcome> {
    try {
      this.#aborting.signal.throwIfAborted();
      if (this.file.size === 0) throw new Error('The file is empty.');
      this.#state.textContent = `Uploading, ${bytesText(this.file.size)}`;
      const { result, steps } = await upload(this.file, this.#uploadOptions());
      this.#bar.value = 100;
      showSteps(this.#steps, steps);
      await this.show(result);
      return 'done';
    } catch (error) {
      const { aborted: isCancelled } = this.#aborting.signal;
      this.#state.textContent = isCancelled ? 'Cancelled' : 'Failed';
      this.#bar.remove();
      if (isCancelled) return 'cancelled';
      this.#row.open = true;
      this.#hasFailed = true;
      markFailed(this.#steps);
      this.#body.replaceChildren(errorLine(messageOf(error)));
      return 'failed';
    }
  }

  /** Shows a result and looks it up. */
  async show(result: Result): Promise<void> {
    this.#bar.remove();
    this.#result = result;
    // Of interest while it runs, and after a failure.
    this.#stepsPanel.open = false;
    if (result.thumbnail !== undefined) {
      this.#head.prepend(element('img', { class: 'small', src: result.thumbnail, alt: '' }));
    }
    const { lookups, extras, onCopy } = this.#options;
    const view = resultView(result, { prefix: this.#prefix, onCopy });
    const parts = lookups.map((lookup) => showPart(lookup(result, this.file), plainName(this.file.name)));
    this.#body.replaceChildren(
      resultHead(result),
      ...parts.map(({ section }) => section),
      view,
      ...extras(result, this.file, this.#prefix),
    );
    this.#state.textContent = result.iscc;
    const verdicts = await Promise.all(parts.map(({ verdict }) => verdict));
    if (verdicts.length > 0) this.#state.textContent = verdicts.join(' · ');
  }

  #uploadOptions() {
    const { granular, semantic } = this.#options;
    return {
      granular,
      semantic,
      signal: this.#aborting.signal,
      onSteps: (steps: Parameters<typeof showSteps>[1]) => {
        showSteps(this.#steps, steps);
        if (this.#hasFailed) markFailed(this.#steps);
      },
      onSent: (share: number) => {
        this.#bar.value = share * 100;
        if (share < 1) return;
        // The duration is unknown from here on, so show an indeterminate bar.
        this.#bar.removeAttribute('value');
        this.#state.textContent = 'Generating the code';
      },
    };
  }
}
