/** A port: the index that holds the declarations. Two implementations: over HTTP, and in this process. */
import type { Trace } from '../../platform/observe/trace.js';

/** The search service failed or returned an invalid response. */
export class BackendFailed extends Error {
  override readonly name: string = 'BackendFailed';
}

/** The search service is unreachable, starting or overloaded; a later query may succeed. */
export class BackendUnavailable extends BackendFailed {
  override readonly name = 'BackendUnavailable';
}

export interface SearchBackend {
  /**
   * The declarations that match units, best first. Matches without a score or a gateway are left out. Empty if the
   * index does not exist, which is the case until the first declaration.
   *
   * @throws {BackendFailed}
   */
  search(units: readonly string[], limit: number, trace?: Trace): Promise<readonly Hit[]>;
  /**
   * The gateway of a declaration. `undefined` if the declaration or the index does not exist, or has no gateway.
   *
   * @throws {BackendFailed}
   */
  gateway(isccId: string, trace?: Trace): Promise<string | undefined>;
  /**
   * The units of a declaration. `undefined` like {@link gateway}, or if the index has only an ISCC-CODE.
   *
   * @throws {BackendFailed}
   */
  units(isccId: string, trace?: Trace): Promise<readonly string[] | undefined>;
  /**
   * ISCC-IDs of some declarations whose gateway address ends in the id of a manifest, oldest first. If the index has not
   * declared their path, those of the last second, and old ones that were added within the last hour, may be missing.
   *
   * @throws {BackendFailed}
   */
  isccIdsOf(manifestId: string): Promise<readonly string[]>;
  /** Whether the service is ready and the index exists. Never rejects. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

/** A declaration that is similar to the query. */
export interface Hit {
  readonly isccId: string;
  /** 0 to 100. */
  readonly score: number;
  readonly gateway: string;
  /** Whether all units that match are equal. */
  readonly isEqual?: boolean;
  /** Whether the declaration is in the log of a hub. */
  readonly isLogged?: boolean;
}
