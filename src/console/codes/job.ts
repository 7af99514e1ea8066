/** One file: its progress, its code, and what other services know of it. It is sent to the server only if the user says so. */

import type { Processed, Result } from '../codes-client.js';
import { upload } from '../codes-client.js';
import { actionButton, bytesText, element, errorLine, messageOf, nameElement, plainName } from '../dom.js';
import { canCodeHere, codeHere } from '../here/here.js';
import type { Coded } from '../here/messages.js';
import { t } from '../language.js';
import { type Part, showPart } from '../parts.js';
import { resultHead, resultView } from './result.js';
import { markFailed, showSteps } from './steps.js';

/** A part of the result of a file, e.g. its matches. `here` if the file has not left this computer. */
export type Lookup = (result: Result, file: File, here?: Coded) => Part;

export interface JobOptions {
  readonly granular: boolean;
  readonly semantic: boolean;
  readonly lookups: readonly Lookup[];
  /** Shown below the result, e.g. a form that adds it to an index. */
  readonly extras: (result: Result, file: File, prefix: string) => readonly Node[];
  /** Gets the result of a copy with embedded metadata. */
  readonly onCopy: (copy: Processed) => void;
  /** Runs the file again, which the user allows to be sent. */
  readonly onSend: (job: Job) => void;
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

/** How a file ended. One that only the server reads waits for the user. */
export type Outcome = 'done' | 'failed' | 'cancelled' | 'asking';

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
  #mayBeSent = !canCodeHere;
  readonly #row: HTMLDetailsElement;
  readonly #head = element('summary');
  readonly #state = element('span', { class: 'state hint' }, t('Waiting'));
  readonly #bar = element('progress', { max: '100', value: '0' });
  readonly #steps = element('ol', { class: 'steps', 'aria-label': t('Steps') });
  readonly #stepsPanel = element('details', { open: '' }, element('summary', {}, t('Steps')), this.#steps);
  readonly #body = element('div');

  constructor(file: File, isOpen: boolean, options: JobOptions) {
    count += 1;
    this.#prefix = `job-${count}`;
    this.file = file;
    this.#options = options;
    this.#bar.setAttribute('aria-label', t('Progress of {0}', plainName(file.name)));
    this.#head.append(element('strong', { class: 'name' }, nameElement(file.name)), this.#state);
    this.#row = element('details', isOpen ? { open: '' } : {}, this.#head, this.#bar, this.#body);
    this.item = element('li', {}, this.#row);
  }

  /** The code of the file, once it is known. */
  get iscc(): string | undefined {
    return this.#result?.iscc;
  }

  /** What the file is, once it is known. */
  get result(): Result | undefined {
    return this.#result;
  }

  get row(): Row {
    const { name: file, size: bytes } = this.file;
    const mediatype = String(this.#result?.mediatype ?? '');
    return { file, iscc: this.iscc ?? '', mediatype, bytes, state: this.#state.textContent };
  }

  cancel(): void {
    this.#aborting.abort();
  }

  /** Lets the next run send the file to the server. */
  allowSending(): void {
    this.#mayBeSent = true;
  }

  /** Processes the file and shows what comes of it. Resolves when all is shown, also after a failure. */
  async run(): Promise<Outcome> {
    try {
      this.#aborting.signal.throwIfAborted();
      if (this.file.size === 0) throw new Error(t('The file is empty.'));
      this.#row.insertBefore(this.#bar, this.#body);
      if (!this.#mayBeSent) return await this.#codeHere();
      this.#body.replaceChildren();
      this.#stepsPanel.open = true;
      this.#row.append(this.#stepsPanel);
      this.#state.textContent = t('Uploading, {0}', bytesText(this.file.size));
      const { result, steps } = await upload(this.file, this.#uploadOptions());
      this.#bar.value = 100;
      showSteps(this.#steps, steps);
      await this.show(result);
      return 'done';
    } catch (error) {
      const { aborted: isCancelled } = this.#aborting.signal;
      this.#state.textContent = isCancelled ? t('Cancelled') : t('Failed');
      this.#bar.remove();
      if (isCancelled) return 'cancelled';
      this.#row.open = true;
      this.#hasFailed = true;
      markFailed(this.#steps);
      this.#body.replaceChildren(errorLine(messageOf(error)));
      return 'failed';
    }
  }

  /** Codes the file in the page, or asks whether it may be sent. */
  async #codeHere(): Promise<Outcome> {
    const { granular, semantic } = this.#options;
    if (semantic) return this.#ask(t('the semantic unit needs a model of the server'));
    this.#state.textContent = t('Reading, {0}', bytesText(this.file.size));
    const attempt = await codeHere({ file: this.file, granular }, this.#aborting.signal, (share) => {
      this.#bar.value = share * 100;
      if (share < 1) return;
      this.#bar.removeAttribute('value');
      this.#state.textContent = t('Generating the code');
    });
    if ('reason' in attempt) return this.#ask(attempt.reason);
    await this.show(attempt.coded.result, attempt.coded);
    return 'done';
  }

  #ask(reason: string): Outcome {
    this.#bar.remove();
    this.#row.open = true;
    this.#state.textContent = t('Not sent');
    const send = this.#sendButton(t('Send to this server'), 'main');
    const why = t(
      'This file has not left your computer: {0}. The server can read more, and deletes the file when it expires.',
      reason,
    );
    this.#body.replaceChildren(element('p', {}, why), element('div', { class: 'buttons' }, send));
    return 'asking';
  }

  #sendButton(label: string, kind: string): HTMLButtonElement {
    const send = () => {
      this.allowSending();
      this.#options.onSend(this);
    };
    const button = actionButton(label, send, kind);
    button.setAttribute('aria-label', `${label}: ${plainName(this.file.name)}`);
    return button;
  }

  /** Says that the file was not sent. */
  #kept(isLookedUp: boolean): HTMLElement {
    const sent = isLookedUp ? `${t('Only its code was sent, to look it up.')} ` : '';
    return element(
      'p',
      {},
      element('strong', {}, t('This file has not left your computer.')),
      ` ${sent}${t('To make a copy with other metadata,')} `,
      this.#sendButton(t('send it to this server'), 'link'),
      '.',
    );
  }

  /** Shows a result and looks it up. @param here if the file has not left this computer */
  async show(result: Result, here?: Coded): Promise<void> {
    this.#bar.remove();
    this.#result = result;
    // Of interest while it runs, and after a failure.
    this.#stepsPanel.open = false;
    this.#head.querySelector('img')?.remove();
    if (result.thumbnail !== undefined) {
      this.#head.prepend(element('img', { class: 'small', src: result.thumbnail, alt: '' }));
    }
    const { lookups, extras, onCopy } = this.#options;
    const view = resultView(result, { prefix: this.#prefix, onCopy });
    const parts = lookups.map((lookup) =>
      showPart(lookup(result, this.file, here), plainName(this.file.name)),
    );
    this.#body.replaceChildren(
      resultHead(result),
      ...(here === undefined ? [] : [this.#kept(lookups.length > 0)]),
      element('div', { class: 'parts' }, ...parts.map(({ section }) => section)),
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
        this.#state.textContent = t('Generating the code');
      },
    };
  }
}
