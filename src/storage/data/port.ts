/** Results of backups and checks of a data directory, common to all services. */
import type { DataKind } from './format.js';

/** Numbers of items by kind, such as `uploads`. */
export type Counts = Readonly<Record<string, number>>;

/** Result of copying a data directory. */
export interface Copied {
  readonly counts: Counts;
  /** Files without a digest in the data itself, relative to the directory. The backup manifest records their digests. */
  readonly files: readonly string[];
  /** Notes for the operator, one line each. */
  readonly notes: readonly string[];
  /** What could not be copied, one line each. */
  readonly problems?: readonly string[];
  /** Head of the audit log's hash chain, if there is one. */
  readonly auditHead?: string | undefined;
  /** Head of the store's transparency log: number of its entries and root. */
  readonly logHead?: string | undefined;
}

/** Called after each processed file, row or index. */
export type OnStep = () => void;

/** A violated rule. */
export interface Problem {
  readonly store: DataKind;
  /** The subject: a file, an id, or an index and an id in it. */
  readonly key: string;
  /** The rule, and what was found instead. */
  readonly rule: string;
}

export type OnProblem = (key: string, rule: string) => void;

/** Result of a check. */
export interface Checked {
  /** `undefined` if they can't be counted. */
  readonly counts: Counts | undefined;
  readonly notes: readonly string[];
  /** Of an index, if it was wanted. */
  readonly digest?: string;
  /** Head of the audit log's hash chain, if there is one. */
  readonly auditHead?: string | undefined;
  /** Head of the store's transparency log: number of its entries and root. */
  readonly logHead?: string | undefined;
}
