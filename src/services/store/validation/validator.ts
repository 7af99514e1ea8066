/** Ports to the native validator and the native index of soft bindings. */

/** One ISCC-UNIT of an ISCC-SEQ. */
export interface SeqUnit {
  /** Canonical, `ISCC:...`. */
  readonly iscc: string;
  /** Fields of the header. */
  readonly mainType: number;
  readonly subType: number;
  readonly body: Uint8Array;
  /** A declaration may name it: known SubType, version 0 and 256 bits. */
  readonly declarable: boolean;
  /** A query may match by it: declarable and not a Meta-Code. */
  readonly searchable: boolean;
}

export interface IndexedBinding {
  readonly alg: string;
  readonly value: Buffer;
  /** Another reading of the previous binding's block. */
  readonly alternate?: boolean;
  /**
   * Of an `io.iscc.v0` value: the searchable units and the first declarable Meta-Code, in order. Empty for other
   * algorithms.
   */
  readonly units: readonly SeqUnit[];
}

export type ManifestReport =
  | {
      readonly outcome: 'accepted';
      readonly manifestId: string;
      readonly trusted: boolean;
      /** Name of the trust list that vouches for the signer. */
      readonly trustList?: string;
      readonly bindings: readonly IndexedBinding[];
      readonly skipped: readonly { readonly alg: string; readonly reason: string }[];
      /** Algorithms of its bindings that are not on the list. Their values are found by equality. */
      readonly unlisted: readonly string[];
      /** JSON of what the active manifest says; may be empty. */
      readonly summary: string;
      /** End of the signing certificate, in seconds since 1970. */
      readonly certificateExpires?: number;
      /** Addresses of OCSP responses about its signers; empty unless the validator asks responders. */
      readonly ocspAddresses?: readonly string[];
      /** When the first OCSP response about its signers gets too old, in seconds since 1970. */
      readonly ocspExpires?: number;
    }
  | { readonly outcome: 'refused'; readonly code: string; readonly text: string };

export type AcceptedManifest = Extract<ManifestReport, { outcome: 'accepted' }>;

/** An OCSP response, and the address in a report that it was fetched from. */
export interface FetchedOcsp {
  readonly address: string;
  readonly der: Buffer;
}

export interface Validator {
  /** Rejects with the `NativeError` codes `BUSY` and `TIMEOUT`. */
  validate(bytes: Uint8Array, fetched?: FetchedOcsp[]): Promise<ManifestReport>;
  /**
   * The detailed JSON of a C2PA reader; `null` if the store is unreadable or too large, or takes too long. Rejects with
   * the `NativeError` code `BUSY`.
   */
  details(bytes: Uint8Array): Promise<string | null>;
}

export interface BindingEntry {
  readonly key: number;
  readonly trusted: boolean;
  readonly uploadedAt: number;
  readonly bindings: { readonly alg: string; readonly value: Uint8Array }[];
}

/** Sorted by score, trusted, earlier upload. All entries that tie with the last one are included. */
export interface BindingMatches {
  readonly keys: Float64Array;
  readonly scores: Uint8Array;
}

export interface BindingIndex {
  /** Replaces manifests that are already in the index. */
  insertBatch(manifests: BindingEntry[]): Promise<void>;
  remove(key: number): Promise<boolean>;
  /** Rejects with the `NativeError` codes `BUSY` and, for a value that cannot be searched, `INVALID_ARGUMENT`. */
  query(alg: string, value: Uint8Array, threshold: number, maxResults: number): Promise<BindingMatches>;
}
