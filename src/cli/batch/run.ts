/** Runs a command's work on many sources: concurrently, with results in the order of the sources. */
import { isNativeError } from '../../native.js';
import { Slots } from '../../platform/slots.js';
import { CodesRefusal, Unavailable } from '../../services/codes/errors.js';
import { reason } from '../terminal/failure.js';
import { type LocalFile, type Source, SourceFailed, type Unreadable } from './source.js';

/** What came of one source. */
export type Outcome<T> =
  | { readonly source: Source; readonly result: T }
  | { readonly source: Source | Unreadable; readonly error: unknown };

export interface RunOptions {
  /** Number of sources in progress. */
  readonly jobs: number;
  /** Folder for content that is not local. */
  readonly folder: string;
}

/** Results that may wait for an earlier one per job, so that one long film does not stop the others. */
const WAITING_PER_JOB_MAX = 64;

/** A source with its content on this machine. */
export interface LocalSource {
  readonly path: string;
  readonly filename: string;
}

/** Calls `work` for every source; yields outcomes in the order of the sources. */
export async function* outcomes<T>(
  sources: readonly (Source | Unreadable)[],
  work: (file: LocalSource, source: Source) => Promise<T>,
  { jobs, folder }: RunOptions,
): AsyncGenerator<Outcome<T>> {
  const slots = new Slots(jobs);
  const started: Promise<Outcome<T>>[] = [];
  let next = 0;
  while (next < sources.length || started.length > 0) {
    while (next < sources.length && started.length < jobs * WAITING_PER_JOB_MAX) {
      const source = sources[next++] as Source | Unreadable;
      started.push(slots.run(() => outcomeOf(source, work, folder)));
    }
    const outcome = await started.shift();
    if (outcome !== undefined) yield outcome;
  }
}

async function outcomeOf<T>(
  source: Source | Unreadable,
  work: (file: LocalSource, source: Source) => Promise<T>,
  folder: string,
): Promise<Outcome<T>> {
  if ('error' in source) return { source, error: source.error };
  let local: LocalFile | undefined;
  try {
    local = await source.fetch(folder);
    const { path, filename = source.filename } = local;
    const result = await work({ path, filename }, source);
    await local.verify?.();
    return { source, result };
  } catch (error) {
    // A change explains the error.
    return {
      source,
      error: await (local?.verify?.() ?? Promise.resolve()).then(
        () => error,
        (change) => change,
      ),
    };
  } finally {
    await local?.discard?.();
  }
}

/** A failure as lines and reports show it. */
export interface Failure {
  /** Constant name for programs. */
  readonly code: string;
  readonly detail: string;
}

const INTERNAL = 'INTERNAL';

export function failureOf(error: unknown): Failure {
  const detail = reason(error);
  if (error instanceof CodesRefusal || error instanceof Unavailable || error instanceof SourceFailed)
    return { code: error.code, detail };
  if (isNativeError(error, 'IO')) return { code: 'UNREADABLE', detail };
  return { code: isNativeError(error) ? error.code : INTERNAL, detail };
}
