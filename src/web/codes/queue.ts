/** The files of the page: two at a time, each with a row of its own. */
import { announce, byId, counted, onSubmit, reveal } from '../dom.js';
import { credentialsLookup } from '../resolver/lookup.js';
import { addPanel } from '../search/add.js';
import { matchesLookup } from '../search/lookup.js';
import { findNeighbours, has } from '../services.js';
import type { Processed } from './api.js';
import { Job, type JobOptions } from './job.js';

const PARALLEL_MAX = 2;

let running = 0;
let finished = 0;
let added = 0;
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
  const done = await Promise.all(batch.map(enqueue));
  if (isAlone && done[0]) reveal(section);
  announce(isAlone ? `Done: ${only.name}` : `${counted(files.length, 'file', 'files')} done`);
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

function enqueue(job: Job): Promise<boolean> {
  return new Promise((resolve) => {
    jobs.add(job);
    waiting.push(async () => {
      const isDone = await job.run();
      jobs.delete(job);
      finished += 1;
      showStatus(job.file.name);
      resolve(isDone);
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
  const isDone = finished === added;
  const status = byId('status', HTMLElement);
  status.textContent =
    isDone && added === 1 ? `Done: ${last}` : `${finished} of ${counted(added, 'file', 'files')} done`;
  byId('cancel', HTMLButtonElement).hidden = isDone;
}
