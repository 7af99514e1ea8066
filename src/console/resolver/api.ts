/** Client of the resolver. */
import { filenameParameter, sendJson } from '../requests.js';

/** What a manifest says of its asset. Texts are claims of its signer. */
export interface Credentials {
  readonly manifestId: string;
  readonly state: 'valid' | 'trusted' | 'invalid';
  readonly failures: readonly string[];
  readonly title?: string;
  readonly format?: string;
  readonly signer?: string;
  readonly issuer?: string;
  readonly time?: string;
  readonly claimGenerator?: string;
  readonly actions: readonly { readonly action: string; readonly digitalSourceType?: string }[];
  readonly ingredients: readonly { readonly title?: string; readonly relationship?: string }[];
  readonly training?: Readonly<Record<string, string>>;
  /** Data URL */
  readonly thumbnail?: string;
}

export interface Match {
  readonly manifestId: string;
  readonly endpoint: string;
  readonly similarityScore: number;
  readonly isccId: string;
  readonly credentials?: Credentials;
}

export interface Checked {
  readonly iscc: string;
  readonly mediatype: string;
  readonly matches: readonly Match[];
  /** Of the file itself. */
  readonly credentials?: Credentials;
}

let limit: Promise<number> | undefined;

/**
 * The largest file that the server checks, in bytes; 0 if it checks none. Asks again after a failure.
 *
 * @throws {RequestFailed}
 */
export function checkLimit(): Promise<number> {
  limit ??= sendJson<{ bytesMax: number }>('resolver', '/check/settings').then(
    ({ bytesMax }) => bytesMax,
    (error: unknown) => {
      limit = undefined;
      throw error;
    },
  );
  return limit;
}

/** Sends a file to be checked. @throws {RequestFailed} */
export function checkFile(file: File, signal?: AbortSignal): Promise<Checked> {
  return sendJson('resolver', `/check?${filenameParameter(file)}`, {
    method: 'POST',
    file,
    ...(signal && { signal }),
  });
}
