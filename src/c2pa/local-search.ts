/** Port: what a resolver reads of the search service in the same process. Typed results and failures, without HTTP and JSON. */
import type { NewWatch, SearchApi, UnitMatch, Watch } from '../client/search-api.js';

/** The search service of this process could not respond to a valid query. */
export class LocalSearchFailed extends Error {
  override readonly name = 'LocalSearchFailed';
  /** Whether a later query may succeed: the index is being loaded, its database is unreachable, or the service is closed. */
  readonly isTransient: boolean;

  constructor(isTransient: boolean, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the search service of this process failed: ${reason}`, { cause });
    this.isTransient = isTransient;
  }
}

/** All methods return `undefined` if the index does not exist. @throws {LocalSearchFailed} */
export interface LocalSearch {
  /** The assets that match units, best first. */
  searchUnits(
    index: string,
    units: readonly string[],
    limit: number,
  ): Promise<readonly UnitMatch[] | undefined>;
  /** Member `gateway` of an asset's metadata. `undefined` also if the asset is missing, or it is not a string. */
  gateway(index: string, isccId: string): Promise<string | undefined>;
  /** An asset as JSON. `undefined` also if it is missing. */
  asset(index: string, isccId: string): Promise<unknown>;
  /** Assets as JSON lines, by ISCC-ID. `undefined` also if the index has not declared the path of the condition. */
  assetLines(
    index: string,
    after: string | undefined,
    limit: number,
    condition?: string,
  ): Promise<Uint8Array | undefined>;
  /** `true`; `undefined` if the index does not exist. */
  has(index: string): Promise<true | undefined>;
}

/** Port: the watches of indexes, over HTTP or of this process. @throws {ServiceError} with the status of the search service */
export interface WatchApi {
  putWatch(index: string, id: string, watch: NewWatch): Promise<Watch>;
  getWatch(index: string, id: string): Promise<Watch>;
  deleteWatch(index: string, id: string): Promise<void>;
  /** Server-sent events. */
  watchStream(
    index: string,
    id: string,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array | string>>;
}

/** The search service of this process: what its clients call, and typed reads of the same indexes. */
export interface InProcessIndexes extends SearchApi {
  /** Absent if the indexes were opened without their service. */
  readonly watches?: WatchApi | undefined;
  readonly local: LocalSearch;
}
