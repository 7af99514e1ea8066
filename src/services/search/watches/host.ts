/** What watches need of the engine whose indexes they watch. */
import type { Transaction } from 'kysely';
import type { WatchDb, WatchTables } from './tables.js';

export interface WatchHost {
  /** The database of the watches; `undefined` before the first watch. */
  db(): Promise<WatchDb | undefined>;
  /** The number of an index that has or had watches, by its name, an alias or a reference. */
  idOf(index: string): Promise<number | undefined>;
  /** The name of an index at present; `undefined` if it was deleted. */
  nameOf(id: number): Promise<string | undefined>;
  /**
   * Runs `work` while no change of the index is being committed. From then on, changes of the index are recorded.
   *
   * @throws {NativeError} if the index does not exist, or follows logs of hubs
   */
  watch<T>(index: string, work: (at: WatchPlace) => Promise<T>): Promise<T>;
  /** Runs a transaction, which is durable when this resolves. */
  commit<T>(work: (transaction: WatchDb) => Promise<T>): Promise<T>;
  /** Whether a recorded change is in the index. */
  isApplied(sequence: number): boolean;
  /** Resolves when it is known of all recorded changes whether they are in their indexes. */
  ready(): Promise<void>;
  /** Called after a commit of a watched index. */
  onChange: () => void;
  close(): Promise<void>;
}

/** Where a watch begins. */
export interface WatchPlace {
  readonly transaction: Transaction<WatchTables>;
  readonly index: number;
  /** The last change before. */
  readonly since: number;
}
