/** A port: the index that holds the declarations. Two implementations: over HTTP, and in this process. */
import type { Trace } from '../observe/trace.js';

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
   * The JSON result of a search with units, unchecked. `undefined` if the index does not exist, which is the case
   * until the first declaration.
   *
   * @throws {BackendFailed}
   */
  search(units: readonly string[], limit: number, trace?: Trace): Promise<unknown>;
  /**
   * The JSON of the asset with an ISCC-ID, unchecked; `undefined` if the asset or the index does not exist.
   *
   * @throws {BackendFailed}
   */
  asset(isccId: string, trace?: Trace): Promise<unknown>;
  /** Whether the service is ready and the index exists. Never rejects. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}
