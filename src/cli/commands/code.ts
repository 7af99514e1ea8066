/** `isccd code FILE…`: the result of `POST /iscc` for local files, one line of JSON each. */
import os from 'node:os';
import { SingleBar } from 'cli-progress';
import { type ResultOptions, resultOf, withPipeline } from '../input/local-pipeline.js';
import { CommandFailed, lines, reasons } from '../terminal/failure.js';

interface CodeOptions extends ResultOptions {
  readonly jobs?: string;
}

/** Fewer files finish before the user could read a progress bar. */
const PROGRESS_FILES_MIN = 4;

/**
 * Prints results in the order of the arguments. A failed file is one line on standard error and does not stop the
 * others; the exit status is then 1.
 */
export async function code(files: readonly string[], options: CodeOptions): Promise<void> {
  const wanted = options.jobs === undefined ? undefined : positive(options.jobs);
  const progress = progressBar(files.length);
  const failures: string[] = [];
  await withPipeline(files.length, wanted, async (pipeline, jobs) => {
    for await (const [file, outcome] of inOrder(files, jobs, (file) => resultOf(pipeline, file, options))) {
      if (outcome instanceof Error) failures.push(`${file}: ${reasons(outcome)}`);
      else process.stdout.write(`${JSON.stringify(outcome)}\n`);
      progress?.increment();
    }
  }).finally(() => progress?.stop());
  if (failures.length > 0) throw new CommandFailed(lines(failures));
}

/** Runs `work` on up to `width` items concurrently; yields results or errors in the order of the items. */
async function* inOrder<T>(
  items: readonly string[],
  width: number,
  work: (item: string) => Promise<T>,
): AsyncGenerator<[string, T | Error]> {
  const started: Promise<T | Error>[] = [];
  const start = (item: string) => work(item).catch((error: unknown) => asError(error));
  for (const [index, item] of items.entries()) {
    while (started.length < Math.min(items.length, index + width))
      started.push(start(items[started.length] ?? ''));
    const outcome = await started[index];
    if (outcome !== undefined) yield [item, outcome];
    delete started[index];
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function positive(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1) throw new CommandFailed('--jobs must be an integer from 1', 2);
  return Math.min(jobs, os.availableParallelism() * 4);
}

/** Only on terminals, to keep pipes and logs clean. */
function progressBar(files: number): SingleBar | undefined {
  if (!process.stderr.isTTY || files < PROGRESS_FILES_MIN) return undefined;
  const bar = new SingleBar({
    format: '{bar} {value}/{total} files, {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
  });
  bar.start(files, 0);
  return bar;
}
