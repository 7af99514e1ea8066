/** `isccd scan DIR…`: codes of all files, and which of them are duplicates, near-duplicates and versions. */
import { createHash } from 'node:crypto';
import { open, realpath, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { orderedResult } from '../../codes/result.js';
import { makeFolder } from '../../data/folder.js';
import { native } from '../../native.js';
import { printable } from '../../printable.js';
import { BatchProgress } from '../batch/progress.js';
import { failureOf, outcomes } from '../batch/run.js';
import type { Source, Unreadable } from '../batch/source.js';
import { isRemote, sourcesOf } from '../batch/sources.js';
import { type PipelineWork, safeName, withPipeline } from '../input/local-pipeline.js';
import { FolderChanges, type Round } from '../scan/folder-changes.js';
import { groupsOf } from '../scan/groups.js';
import { type ScannedFile, ScanRecords } from '../scan/records.js';
import { csvReport, htmlReport, jsonReport, type ScanReport, terminalReport } from '../scan/report.js';
import { isWithin } from '../scan/watched-folder.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, EXIT_CONFIGURATION, lines, reason } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';
import { positive, shortened } from './code.js';

export interface ScanOptions {
  /** Folder for results and reports. */
  readonly out: string;
  readonly distance: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly jobs?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const DISTANCE_MAX = 64;

export async function scan(folders: readonly string[], options: ScanOptions): Promise<void> {
  if (folders.some(isRemote)) throw new CommandFailed('scan reads local folders only', 2);
  const distance = distanceOf(options.distance);
  const jobs = options.jobs === undefined ? undefined : positive(options.jobs);
  await makeOutput(options.out);
  const records = new ScanRecords(options.out);
  await withPipeline({ jobs, fallback: true }, async (work) => {
    const one = new Pass(folders, { ...options, limit: distance }, records, work);
    if (!options.watch) {
      const failures = await one.run('change');
      if (failures.length > 0) throw new CommandFailed(lines(shortened(failures)));
      return;
    }
    const say = (text: string) => process.stderr.write(`isccd: ${printable(text)}\n`);
    // Before the first pass, so that what changes during it is noticed.
    const changes = await FolderChanges.open(folders, { ignored: options.out, say });
    try {
      await one.run('change');
      for await (const round of changes) await one.run(round);
    } finally {
      changes.close();
    }
  });
  records.close();
}

const REPORT_CSV = 'report.csv';
const REPORT_HTML = 'report.html';

/** @throws {CommandFailed} if the reports can't be written to the folder */
async function makeOutput(folder: string): Promise<void> {
  if (folder === '') throw new CommandFailed('--out must name a folder', EXIT_CONFIGURATION);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new CommandFailed(`--out must name a folder that can be written: ${reason(error)}`);
  }
  for (const report of [REPORT_CSV, REPORT_HTML].map((name) => path.join(folder, name))) {
    const found = await stat(report).catch(() => undefined);
    if (found?.isDirectory()) throw new CommandFailed(`${report} is a folder; choose another --out`);
  }
}

function distanceOf(text: string): number {
  const distance = Number(text);
  if (!Number.isInteger(distance) || distance < 0 || distance > DISTANCE_MAX)
    throw new CommandFailed(`--distance must be an integer from 0 to ${DISTANCE_MAX}`, 2);
  return distance;
}

interface PassOptions extends ScanOptions {
  readonly limit: number;
}

/** Makes the missing codes, then all reports. */
class Pass {
  readonly #folders: readonly string[];
  readonly #options: PassOptions;
  readonly #records: ScanRecords;
  readonly #work: PipelineWork;
  /** Digest of the files of the last run. */
  #seen = '';

  constructor(folders: readonly string[], options: PassOptions, records: ScanRecords, work: PipelineWork) {
    this.#folders = folders;
    this.#options = options;
    this.#records = records;
    this.#work = work;
  }

  /** Resolves to one line per file that has no code. A `check` ends early if all files are as in the last run. */
  async run(round: Round): Promise<string[]> {
    const found = await this.#find();
    const seen = digestOf(found);
    if (round === 'check' && seen === this.#seen) return [];
    this.#seen = seen;
    const records = this.#records;
    const missing = found.filter((source) => 'error' in source || !records.has(source));
    await makeCodes(missing, records, this.#work, found.length - missing.length);
    const files = found.flatMap(({ path: file }): ScannedFile[] => {
      const known = records.files.get(file);
      return known === undefined ? [] : [known];
    });
    const failures = found.flatMap(({ path: file }) => {
      const failure = records.failures.get(file);
      return failure === undefined ? [] : [{ path: file, ...failure }];
    });
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const groups = await groupsOf(files, this.#options.limit, this.#work.folder);
    // A folder that is missing is a failure, but no file.
    const count = found.filter((source) => !('error' in source)).length;
    await writeReports({ files: count, bytes, failures, groups }, this.#options, records);
    return failures.map(({ path: file, detail }) => `${file}: ${detail}`);
  }

  async #find(): Promise<(Source | Unreadable)[]> {
    // A file must not be a duplicate of itself, found through a link or by two of the folders.
    const found = new Map<string, Source | Unreadable>();
    const out = path.resolve(this.#options.out);
    for await (const source of sourcesOf(this.#folders, this.#options)) {
      const file = path.resolve(source.path);
      if (isWithin(file, out)) continue;
      const place = await realpath(file).catch(() => file);
      const known = found.get(place);
      if (known === undefined || (isLink(known) && !isLink(source))) found.set(place, source);
    }
    return [...found.values()];
  }
}

function isLink(source: Source | Unreadable): boolean {
  return 'isLink' in source;
}

function digestOf(sources: readonly (Source | Unreadable)[]): string {
  const hash = createHash('sha256');
  for (const source of sources)
    hash.update(
      JSON.stringify('error' in source ? [source.path] : [source.path, source.size, source.modifiedMs]),
    );
  return hash.digest('hex');
}

async function makeCodes(
  sources: readonly (Source | Unreadable)[],
  records: ScanRecords,
  work: PipelineWork,
  skipped: number,
): Promise<void> {
  const progress = new BatchProgress(sources.length, { printsResults: false });
  const { pipeline } = work;
  const { signal } = new AbortController();
  const options = { granular: false, semantic: false, keepText: true };
  try {
    for await (const outcome of outcomes(
      sources,
      async (file) => {
        const source = await pipeline.open(file.path, safeName(file.filename));
        return pipeline.process(source, options, signal);
      },
      work,
    )) {
      const { path: file } = outcome.source;
      if ('error' in outcome) records.addFailure(file, failureOf(outcome.error));
      else {
        const { result, nameWasRead, text } = outcome.result;
        const { modifiedMs = 0 } = 'modifiedMs' in outcome.source ? outcome.source : {};
        const units = result.units.filter((unit) => isTelling(unit, text));
        records.addResult(file, orderedResult(result), { modifiedMs, titled: nameWasRead, units });
      }
      progress.add('result' in outcome ? outcome.result.result.filesize : 0, 'error' in outcome);
    }
  } finally {
    progress.stop();
  }
  const summary = progress.summary(skipped);
  if (summary !== undefined) process.stderr.write(`isccd: ${summary}\n`);
}

/** Not of plain pictures, and not of an empty text: their codes are all alike. */
function isTelling(unit: string, text: string | undefined): boolean {
  return !native.isFeatureless(unit) && !(text === '' && /_TEXT_/.test(kindOf(unit)));
}

function kindOf(unit: string): string {
  return native.compareCodes(unit, unit)[0]?.kind ?? '';
}

async function writeReports(report: ScanReport, options: ScanOptions, records: ScanRecords): Promise<void> {
  await replace(path.join(options.out, REPORT_CSV), [csvReport(report)]);
  const pages = htmlReport(report, (file) => records.thumbnail(file));
  await replace(path.join(options.out, REPORT_HTML), pages);
  if (options.json) printJson(jsonReport(report));
  else process.stdout.write(terminalReport(report, painter(process.stdout)));
}

/** A reader of the file sees the old or the new content. @throws {CommandFailed} */
async function replace(file: string, parts: Iterable<string>): Promise<void> {
  const draft = `${file}.tmp`;
  try {
    await writeFile(draft, '');
    const handle = await open(draft, 'a');
    try {
      for (const part of parts) await handle.write(part);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    throw new CommandFailed(`${file} can't be written: ${reason(error)}`);
  }
}
