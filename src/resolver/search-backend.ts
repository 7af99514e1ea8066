/** A port: the similarity index that holds the declarations. Two engines: over HTTP, and in this process. */

import type { Trace } from '../observe/trace.js';

/** The index could not be asked, or answered what is no answer. */
export class BackendFailed extends Error {
  override readonly name = 'BackendFailed';
}

export interface SearchBackend {
  /**
   * The answer to a search with units as JSON value, not checked.
   *
   * @throws {BackendFailed}
   */
  search(units: readonly string[], limit: number, trace?: Trace): Promise<unknown>;
  /**
   * The asset of an ISCC-ID as JSON value, not checked; `undefined` if there is none.
   *
   * @throws {BackendFailed}
   */
  asset(isccId: string, trace?: Trace): Promise<unknown>;
  /** Whether it would answer. Never rejects. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}
