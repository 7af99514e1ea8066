/** The files of the page: two at a time, each with a row of its own. */
import { announce, byId, type Child, counted, nameElement, onSubmit, plainName, reveal } from '../dom.js';
import { credentialsLookup } from '../resolver/lookup.js';
import { addPanel } from '../search/add.js';
import { matchesLookup } from '../search/lookup.js';
import { findNeighbours, has } from '../services.js';
import type { Processed } from './api.js';
import { Job, type JobOptions, type Outcome } from './job.js';

const PARALLEL_MAX = 2;
const WORDS: Readonly<Record<Outcome, string>> = { done: 'Done', failed: 'Failed', cancelled: 'Cancelled' };

let running = 0;
let added = 0;
const finished: Outcome[] = [];
const waiting: (() => Promise<void>)[] = [];
const jobs = new Set<Job>();

/** Starts with the files at once. Resolves when all of them are done. */
export async function addFiles(files: readonly File[]): Promise<void> {
  const [only, ...others] = files;
  if (only === undefined) throw new Error('Choose a file first.');
  // Their answers decide what is looked up.
  await findNeighbours();
  const isAlone = others.length === 0;
  const section = byId('result', HTMLElement);
  section.hidden = false;
  const options = currentOptions();
  const batch = files.map((file) => new Job(file, isAlone, options));
  byId('jobs', HTMLOListElement).prepend(...batch.map(({ item }) => item));
  added += batch.length;
  showStatus();
  const outcomes = await Promise.all(batch.map(enqueue));
  const [first = 'done'] = outcomes;
  if (isAlone && first === 'done') reveal(section);
  announce(isAlone ? `${WORDS[first]}: ${plainName(only.name)}` : summary(outcomes, files.length));
}

/** The form of the page. */
export function uploadForm(): void {
  const form = byId('upload', HTMLFormElement);
  const input = byId('file', HTMLInputElement);
  const cancel = byId('cancel', HTMLButtonElement);
  cancel.addEventListener('click', () => {
    for (const job of jobs) job.cancel();
  });
  onSubmit(form, byId('upload-error', HTMLElement), async () => {
    const files = [...(input.files ?? [])];
    input.value = '';
    // Further files can be added meanwhile.
    void addFiles(files);
  });
}

function currentOptions(): JobOptions {
  const data = new FormData(byId('upload', HTMLFormElement));
  const lookups = [
    ...(has('search') && data.has('find-matches') ? [matchesLookup(String(data.get('index') ?? ''))] : []),
    ...(has('resolver') && data.has('find-credentials') ? [credentialsLookup()] : []),
  ];
  return {
    granular: data.has('granular'),
    semantic: data.has('semantic'),
    lookups,
    extras: (result, file, prefix) => (has('search') ? [addPanel(result, file, prefix)] : []),
    onCopy: (copy) => showCopy(copy),
  };
}

/** A row for the copy of a file. */
function showCopy({ result }: Processed): void {
  const copy = new File([], String(result.filename));
  const job = new Job(copy, true, { ...currentOptions(), lookups: [] });
  byId('jobs', HTMLOListElement).prepend(job.item);
  void job.show(result).then(() => {
    announce(`The copy has the code ${result.iscc}`);
    reveal(byId('result', HTMLElement));
  });
}

function enqueue(job: Job): Promise<Outcome> {
  return new Promise((resolve) => {
    jobs.add(job);
    waiting.push(async () => {
      const outcome = await job.run();
      jobs.delete(job);
      finished.push(outcome);
      showStatus(job.file.name);
      resolve(outcome);
    });
    next();
  });
}

function next(): void {
  while (running < PARALLEL_MAX) {
    const run = waiting.shift();
    if (run === undefined) return;
    running += 1;
    void run().finally(() => {
      running -= 1;
      next();
    });
  }
}

function showStatus(last = ''): void {
  const isFinished = finished.length === added;
  const [first = 'done'] = finished;
  const text: Child[] =
    isFinished && added === 1 ? [`${WORDS[first]}: `, nameElement(last)] : [summary(finished, added)];
  byId('status', HTMLElement).replaceChildren(...text);
  byId('cancel', HTMLButtonElement).hidden = isFinished;
}

/** E.g. `1 of 3 files done, 2 failed`. */
function summary(outcomes: readonly Outcome[], total: number): string {
  const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
  const others = (['failed', 'cancelled'] as const).filter((outcome) => count(outcome) > 0);
  const parts = others.map((outcome) => `, ${count(outcome)} ${outcome}`);
  return `${count('done')} of ${counted(total, 'file', 'files')} done${parts.join('')}`;
}
