/** The files of the page: two at a time, each with a row of its own. */

import { csv, type Grouped } from './codes/csv.js';
import { Job, type JobOptions, type Outcome } from './codes/job.js';
import type { Processed } from './codes-client.js';
import { announce, byId, type Child, counted, nameElement, onFilesChosen, plainName, reveal } from './dom.js';
import { number, t } from './language.js';
import { forgetLink, linkTo, rememberLink } from './link.js';
import { credentialsLookups } from './resolver/lookup.js';
import { addPanel } from './search/add.js';
import { chosenIndex } from './search/indexes.js';
import { matchesLookup } from './search/lookup.js';
import { findNeighbours, has } from './services.js';
import { type CodedFile, closenessText, similarFiles, similarTable } from './similar.js';
import { goToTab } from './tabs.js';

const PARALLEL_MAX = 2;
const WORDS: Readonly<Record<Outcome, string>> = {
  done: t('Done'),
  failed: t('Failed'),
  cancelled: t('Cancelled'),
  asking: t('Not sent'),
};

let running = 0;
const finished = new Map<Job, Outcome>();
const waiting: (() => Promise<void>)[] = [];
const jobs = new Set<Job>();
/** All files of the page, in the order in which they came. */
const all: Job[] = [];

/** Starts with the files at once. Resolves when all of them are done. */
export async function addFiles(files: readonly File[]): Promise<void> {
  const [only, ...others] = files;
  if (only === undefined) throw new Error(t('Choose a file first.'));
  // Their answers decide what is looked up.
  await findNeighbours();
  const isAlone = others.length === 0;
  const section = byId('result', HTMLElement);
  byId('answer', HTMLElement).hidden = true;
  forgetLink();
  byId('hero', HTMLElement).classList.add('answered');
  reveal(section);
  const options = currentOptions();
  const batch = files.map((file) => new Job(file, isAlone, options));
  byId('jobs', HTMLOListElement).prepend(...batch.map(({ item }) => item));
  all.push(...batch);
  showStatus();
  const outcomes = await Promise.all(batch.map(enqueue));
  const [first = 'done'] = outcomes;
  if (isAlone) rememberResult(batch[0]);
  announce(isAlone ? `${WORDS[first]}: ${plainName(only.name)}` : summary(outcomes, files.length));
}

/** The fields that choose files, which start at once, and the button that cancels. */
export function fileFields(): void {
  for (const id of ['file', 'camera']) onFilesChosen(id, addFiles);
  const link = byId('csv', HTMLAnchorElement);
  link.addEventListener('click', () => {
    URL.revokeObjectURL(link.href);
    const table = csv(groupedRows());
    link.href = URL.createObjectURL(new Blob([table], { type: 'text/csv' }));
  });
  byId('cancel', HTMLButtonElement).addEventListener('click', () => {
    for (const job of jobs) job.cancel();
  });
  byId('send-all', HTMLButtonElement).addEventListener('click', () => {
    for (const job of asking()) {
      job.allowSending();
      sendNow(job);
    }
  });
}

/** The files that have a code, with their jobs. */
function codedFiles(): (CodedFile & { readonly job: Job })[] {
  return all.flatMap((job) =>
    job.result === undefined ? [] : [{ job, name: job.file.name, result: job.result }],
  );
}

function groupedRows(): Parameters<typeof csv>[0] {
  const files = codedFiles();
  const grouped = new Map<Job | undefined, Grouped>();
  for (const [at, group] of similarFiles(files).entries())
    for (const { file, closeness } of group)
      grouped.set(files[file]?.job, { group: at + 1, closest: closenessText(closeness) });
  return all.map((job) => ({ ...job.row, grouped: grouped.get(job) }));
}

function currentOptions(): JobOptions {
  const data = new FormData(byId('ask', HTMLFormElement));
  const lookups = [
    ...(has('search') && data.has('find-matches') ? [matchesLookup(chosenIndex())] : []),
    ...(has('resolver') && data.has('find-credentials') ? credentialsLookups() : []),
  ];
  return {
    granular: data.has('granular'),
    semantic: data.has('semantic'),
    lookups,
    extras: (result, file, prefix) => (has('search') ? [addPanel(result, file, prefix)] : []),
    onCopy: (copy) => showCopy(copy),
    onSend: sendNow,
  };
}

/** Files that wait for the user's word. */
function asking(): Job[] {
  return all.filter((job) => finished.get(job) === 'asking');
}

/** Runs a file again, which may be sent now. */
function sendNow(job: Job): void {
  finished.delete(job);
  showStatus();
  void enqueue(job).then((outcome) => {
    if (all.length === 1) rememberResult(job);
    const isAlone = all.length === 1;
    announce(
      isAlone
        ? `${WORDS[outcome]}: ${plainName(job.file.name)}`
        : summary([...finished.values()], all.length),
    );
  });
}

/** A row for the copy of a file. */
export function showCopy({ result }: Processed): void {
  goToTab('find');
  const copy = new File([], String(result.filename));
  const job = new Job(copy, true, { ...currentOptions(), lookups: [] });
  byId('jobs', HTMLOListElement).prepend(job.item);
  void job.show(result).then(() => {
    announce(t('The copy has the code {0}', result.iscc));
    byId('hero', HTMLElement).classList.add('answered');
    reveal(byId('result', HTMLElement));
  });
}

/** The address of the page leads to the result that it shows. */
function rememberResult(job: Job | undefined): void {
  const code = job?.iscc;
  if (code !== undefined) rememberLink(linkTo(code, has('search') ? chosenIndex() : ''));
}

function enqueue(job: Job): Promise<Outcome> {
  return new Promise((resolve) => {
    jobs.add(job);
    waiting.push(async () => {
      const outcome = await job.run();
      jobs.delete(job);
      finished.set(job, outcome);
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
  const added = all.length;
  const isFinished = finished.size === added;
  const [first = 'done'] = finished.values();
  const text: Child[] =
    isFinished && added === 1
      ? [`${WORDS[first]}: `, nameElement(last)]
      : [summary([...finished.values()], added)];
  const status = byId('status', HTMLElement);
  // The row of a single file says the same, so this is for screen readers.
  status.classList.toggle('quiet', isFinished && added === 1);
  status.replaceChildren(...text);
  byId('cancel', HTMLButtonElement).hidden = isFinished;
  byId('csv', HTMLElement).hidden = !isFinished || added === 1;
  const table = isFinished && added > 1 ? similarTable(codedFiles()) : undefined;
  byId('similar', HTMLElement).replaceChildren(...(table === undefined ? [] : [table]));
  const send = byId('send-all', HTMLButtonElement);
  const waits = asking().length;
  send.hidden = waits < 2;
  send.textContent = t('Send {0} files to this server', waits);
}

/** E.g. `1 of 3 files done, 2 failed`. */
function summary(outcomes: readonly Outcome[], total: number): string {
  const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
  const others = (['failed', 'cancelled', 'asking'] as const).filter((outcome) => count(outcome) > 0);
  const parts = others.map((outcome) => `, ${number(count(outcome))} ${WORDS[outcome].toLowerCase()}`);
  return t('{0} of {1} done', count('done'), counted(total, 'file', 'files')) + parts.join('');
}
