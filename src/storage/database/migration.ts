/** What a migration is made of. */
import type { Transaction } from 'kysely';
import type { Engine } from './tables.js';

/** One step of a migration. */
export type MigrationStep<T> = (transaction: Transaction<T>, engine: Engine) => Promise<void>;

/** The tables of a program. */
export interface Schema<T> {
  /** All steps in order. Their number is the version. */
  readonly steps: readonly MigrationStep<T>[];
  /**
   * The oldest version whose programs can go on with these tables, beside programs of this version. The steps after it only
   * add tables, columns that may be left out, and indexes, and nothing that later programs need of each row.
   */
  readonly compatibleSince: number;
  /** A table that has existed since version 1, and which other programs with a table `schema_version` lack. */
  readonly table: string;
}
