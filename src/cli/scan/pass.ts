/** One run over the folders of a scan: the missing codes, then all reports. */
import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { native } from '../../native.js';
import { type ProcessOptions, sumOnlyResult } from '../../services/codes/pipeline/pipeline.js';
import { orderedResult } from '../../services/codes/result.js';
import { BatchProgress } from '../batch/progress.js';
import { failureOf, type LocalSource, outcomes } from '../batch/run.js';
import type { Source, Unreadable } from '../batch/source.js';
import type { WalkOptions } from '../batch/walk.js';
import { type PipelineWork, safeName } from '../input/local-pipeline.js';
import type { Round } from './folder-changes.js';
import { type FoundFile, foundFiles } from './found-files.js';
import type { InventoryEntry } from './inventory.js';
import { isBelow } from './labels.js';
import type { Finding, ScanRecords } from './records.js';
import { type ReportOptions, report } from './reports.js';

export interface PassOptions extends WalkOptions, ReportOptions {
  /** Whether the reports are about all files of the records, not only those of this pass. */
  readonly isWorkspace: boolean;
}

export class Pass {
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
    const { out, isWorkspace } = this.#options;
    const found = await foundFiles(this.#folders, this.#options, path.resolve(out));
    const sources = found.map(({ source }) => source);
    const seen = digestOf(sources);
    if (round === 'check' && seen === this.#seen) return [];
    this.#seen = seen;
    const { locate } = this.#options.naming;
    const isKnown = (source: Source) => this.#records.has(locate(source.path), source, this.#options);
    const missing = sources.filter((source) => 'error' in source || !isKnown(source));
    await this.#code(missing, sources.length - missing.length);
    if (isWorkspace) this.#addToWorkspace(found);
    const entries = isWorkspace ? workspaceEntries(this.#records) : found.flatMap(this.#entries);
    await report(entries, this.#options, this.#records, this.#work.folder);
    return found.flatMap(this.#entries).flatMap(({ path: file, failure, sameFileAs }) => {
      return failure === undefined || sameFileAs !== undefined ? [] : [`${file}: ${failure.detail}`];
    });
  }

  /** The entries of all names of a file. */
  readonly #entries = ({ source, names }: FoundFile): InventoryEntry[] => {
    const { locate, show } = this.#options.naming;
    const first = show(source.path);
    const known = this.#records.get(locate(source.path), first);
    const others = names.map((name) => ({ ...known, path: show(name), sameFileAs: first }));
    return [{ ...known, path: first, isFile: !('error' in source) }, ...others];
  };

  async #code(sources: readonly (Source | Unreadable)[], skipped: number): Promise<void> {
    const { locate, show } = this.#options.naming;
    const { passages = false, clips = false } = this.#options;
    const progress = new BatchProgress(sources.length, { printsResults: false });
    try {
      for await (const outcome of outcomes(
        sources,
        (file) => findingOf(file, this.#work, { granular: passages || clips, granularMedia: clips }),
        this.#work,
      )) {
        const { path: file } = outcome.source;
        const [location, shown] = [locate(file), show(file)];
        if ('error' in outcome) this.#records.addFailure(location, shown, failureOf(outcome.error));
        else {
          const { modifiedMs } = outcome.source;
          this.#records.addFinding(location, shown, { ...outcome.result, modifiedMs });
        }
        const isFailure = 'error' in outcome || outcome.result.error !== undefined;
        progress.add('result' in outcome ? outcome.result.result.filesize : 0, isFailure);
      }
    } finally {
      progress.stop();
    }
    const summary = progress.summary(skipped);
    if (summary !== undefined) process.stderr.write(`isccd: ${summary}\n`);
  }

  /** Records other names and the folders, and forgets files that are missing now. */
  #addToWorkspace(found: readonly FoundFile[]): void {
    const { naming, include = [], exclude = [] } = this.#options;
    const seen = new Set<string>();
    const unread: string[] = [];
    for (const { source, names } of found) {
      const location = naming.locate(source.path);
      seen.add(location);
      // What is below a folder that cannot be read may still exist.
      if ('error' in source) unread.push(location);
      for (const name of names) {
        seen.add(naming.locate(name));
        this.#records.addName(naming.locate(name), location);
      }
    }
    const roots = this.#folders.map((folder) => ({ folder, label: naming.locate(folder) }));
    const isFiltered = include.length + exclude.length > 0;
    const isGone = (location: string) =>
      !seen.has(location) &&
      roots.some(({ label }) => isBelow(location, label)) &&
      !unread.some((one) => isBelow(location, one));
    const gone = isFiltered ? [] : [...this.#records.locations()].filter(isGone);
    for (const location of gone) this.#records.remove(location);
    for (const { folder, label } of roots)
      if (!unread.includes(label))
        this.#records.addFolder({
          label,
          folder: path.resolve(folder),
          host: os.hostname(),
          scannedMs: Date.now(),
        });
  }
}

/** All files of the records, by name. */
export function workspaceEntries(records: ScanRecords): InventoryEntry[] {
  const entries = [...records.locations()].map((location) => {
    const known = records.get(location, location);
    // Another name has the codes of its file.
    const first = known?.sameFileAs === undefined ? undefined : records.get(known.sameFileAs, location);
    return { ...first, ...known, path: location, isFile: known?.file !== undefined };
  });
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function digestOf(sources: readonly (Source | Unreadable)[]): string {
  const hash = createHash('sha256');
  for (const source of sources)
    hash.update(
      JSON.stringify('error' in source ? [source.path] : [source.path, source.size, source.modifiedMs]),
    );
  return hash.digest('hex');
}

/** The codes of a file. One that cannot be decoded has those of its bytes. */
async function findingOf(
  file: LocalSource,
  { pipeline }: PipelineWork,
  choice: Pick<ProcessOptions, 'granular' | 'granularMedia'>,
): Promise<Finding> {
  const source = await pipeline.open(file.path, safeName(file.filename));
  const { signal } = new AbortController();
  try {
    const { result, nameWasRead, symmetries, contentIdentifier } = await pipeline.process(
      source,
      { ...choice, semantic: false },
      signal,
    );
    const silent = silentUnits(result.units, result.characters === 0);
    const more = { symmetries, contentIdentifier, clipsSought: choice.granularMedia };
    return { result: orderedResult(result), titled: nameWasRead, silent, ...more };
  } catch (error) {
    const result = orderedResult(sumOnlyResult(source));
    return { result, titled: false, silent: [], error: failureOf(error) };
  }
}

/** Those of plain pictures and of an empty text: such codes are all alike. */
export function silentUnits(units: readonly string[], isTextEmpty: boolean): string[] {
  return units.filter((unit) => native.isFeatureless(unit) || (isTextEmpty && /_TEXT_/.test(kindOf(unit))));
}

function kindOf(unit: string): string {
  return native.compareCodes(unit, unit)[0]?.kind ?? '';
}
