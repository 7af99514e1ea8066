/** What the service needs of an engine: that of the addon, or one that follows a database. */
import type { SearchEngine } from '../../../native.js';
import type { Metric } from '../../../platform/observe/instruments.js';

export interface EngineProblem {
  readonly reason: string;
  /** Whether reads are answered. */
  readonly isServing: boolean;
}

/** The methods of the addon's engine that serve requests. */
export type Engine = Pick<
  SearchEngine,
  | 'addAssets'
  | 'addLines'
  | 'aliasTarget'
  | 'close'
  | 'createIndex'
  | 'deleteAlias'
  | 'deleteAsset'
  | 'deleteAssets'
  | 'deleteIndex'
  | 'getAlias'
  | 'getAsset'
  | 'getGateway'
  | 'getIndex'
  | 'getPaths'
  | 'listAliases'
  | 'listAssets'
  | 'listIndexes'
  | 'metrics'
  | 'putAlias'
  | 'putPaths'
  | 'renameIndex'
  | 'search'
  | 'searchCode'
  | 'searchUnits'
  | 'takeDecisions'
  | 'unavailableIndexes'
  | 'whenLoaded'
> & {
  /**
   * A reference to an index, which every call accepts in place of its name. Requests with several steps use it: it stays that
   * of this index when the index is renamed, or its alias switched.
   *
   * @throws if the index does not exist
   */
  holdIndex(name: string): string | Promise<string>;
  /**
   * Waits until reads see all changes that were acknowledged before, by any process. Absent if only this process can
   * change the indexes.
   *
   * @returns the age of what reads see in seconds, if the database of the indexes is unreachable
   * @throws {StorageUnavailable} if it has been unreachable for too long
   */
  fresh?(): Promise<number | undefined>;
  /**
   * Identifies the state that reads see; {@link Engine.fresh} resolves without having changed it if that state is current.
   * `undefined` while nothing can be read. Absent if reads ask for the state by themselves.
   */
  version?(): number | undefined;
  /** Metrics that only this kind of engine has. */
  readonly instruments?: readonly Metric[];
  /** Why the engine does not serve all requests, for `/readyz`. */
  problem?(): EngineProblem | undefined;
};
