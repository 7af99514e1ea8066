/** What backups and checks of a data directory tell, whichever service it is of. */
import type { DataKind } from './format.js';

/** How many of each thing there are, by a name such as `uploads`. */
export type Counts = Readonly<Record<string, number>>;

/** What was copied of a data directory. */
export interface Copied {
  readonly counts: Counts;
  /** Files that nothing in the data vouches for, relative to the directory: a digest of each is noted. */
  readonly files: readonly string[];
  /** What the operator has to know, a line each. */
  readonly notes: readonly string[];
}

/** Told of every file, row or index that is done. */
export type OnStep = () => void;

/** One thing that is not as it has to be. */
export interface Problem {
  readonly store: DataKind;
  /** What it is about: a file, an id, an index and an id in it. */
  readonly key: string;
  /** The rule that is broken, and what was found instead. */
  readonly rule: string;
}

export type OnProblem = (key: string, rule: string) => void;

/** What a check has seen. */
export interface Checked {
  /** `undefined` where there is nothing to count them by. */
  readonly counts: Counts | undefined;
  readonly notes: readonly string[];
}
