/**
 * The store's tables, the same in SQLite and PostgreSQL: times are milliseconds since the epoch, flags 0 or 1,
 * JSON is text, bytes are Buffers.
 */
import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

export interface Tables {
  manifests: ManifestTable;
  bindings: BindingTable;
  binding_counts: BindingCountTable;
  declarations: DeclarationTable;
  feed: FeedTable;
  changes: ChangeTable;
  accounts: AccountTable;
  sessions: SessionTable;
  local_index: LocalIndexTable;
  installation: InstallationTable;
}

export type Flag = 0 | 1;

export interface ManifestTable {
  /** Never reused, even after a release: the index and the feed identify manifests by it. */
  key: Generated<number>;
  /** Unique: the database accepts one of two concurrent uploads. */
  manifest_id: string;
  /** Hex; names the file. */
  sha256: string;
  size: number;
  uploaded_at: number;
  trusted: Flag;
  /** Keyed hash of the client's address. */
  uploader: string;
  /** 0 for a tombstone, which keeps the id taken until the release. */
  live: Flag;
  deleted_at: number | null;
  binding_count: number;
  /** Distinct searchable ISCC-UNITs. */
  unit_count: number;
  /** Version of the rules by which its bindings were indexed. */
  index_version: Generated<number>;
}

/** The indexed bindings of live manifests; a delete removes them. */
export interface BindingTable {
  manifest_key: number;
  ordinal: number;
  alg: string;
  value: Buffer;
  /** JSON array of searchable units as `ISCC:...`, for `io.iscc.v0`. */
  units: string | null;
  /** 1 for another reading of the previous row's block. It is searched, but not counted. */
  alternate: Generated<Flag>;
}

/** Number of live bindings per algorithm, updated in the transactions that change them. */
export interface BindingCountTable {
  alg: string;
  bindings: number;
}

export const DECLARATION_STATUSES = [
  'declared',
  'pending',
  'failed',
  'skipped',
  'disabled',
  'withdrawn',
] as const;

export type DeclarationStatus = (typeof DECLARATION_STATUSES)[number];

/** One row per manifest, tombstones included. Rows of released tombstones stay until they are settled. */
export interface DeclarationTable {
  key: Generated<number>;
  /** Unique; null after the tombstone was released. */
  manifest_key: number | null;
  /** Copy of the manifest's flag, so that one database index serves lists and counts. */
  live: Flag;
  status: DeclarationStatus;
  hub: string | null;
  /** Hub id in the nonces of its notes. */
  hub_id: number | null;
  /** Public key of the last signer; multibase. */
  pubkey: string | null;
  /** URL of the manifest, as declared. */
  gateway: string;
  /** Multihash of the asset; null if there is nothing to declare. */
  datahash: string | null;
  /** JSON of the declared content: `isccCode`, `datahash`, `units`. */
  fields: string | null;
  /** JSON of the last signed note. Stored before it is sent. */
  note: string | null;
  /** 1 if the note is sent with the hub's duplicate check disabled. */
  forced: Generated<Flag>;
  /** JSON of the `Uncertainty`: sends without a definite answer. */
  doubt: string | null;
  /** Unique per hub. */
  iscc_id: string | null;
  /** The last error, shown to the operator. */
  error: string | null;
  attempts: Generated<number>;
  attempted_at: Generated<number>;
  /** 1 while the retry loop has to declare, withdraw or look up. */
  open: Flag;
  /** Id of the attempt that holds the row. Other attempts skip the row until `leased_until`. */
  lease: string | null;
  leased_until: number | null;
  updated_at: number;
}

/** A single row. Its lock orders all writers, so that changes become visible in the order of their numbers. */
export interface FeedTable {
  id: number;
  sequence: number;
  /** Number of the last change that was deleted from the table of changes. */
  forgotten: Generated<number>;
}

/** Changes that all processes apply to their in-memory index. Old ones are deleted. */
export interface ChangeTable {
  sequence: number;
  manifest_key: number;
  /** 1: the manifest was stored; 0: it was deleted. */
  live: Flag;
}

export interface AccountTable {
  key: Generated<number>;
  username: string;
  /** argon2id. */
  password_hash: string;
  can_delete: Flag;
  disabled: Flag;
  created_at: number;
  last_login: number | null;
}

export interface SessionTable {
  /** SHA-256 of the token in hex. Only the browser has the token. */
  token_hash: string;
  account_key: number;
  csrf: string;
  created_at: number;
  expires_at: number;
  /** Message on the session's next page. */
  flash: string | null;
}

/** Entries of the similarity index. Written before an entry is added, so that each one can be removed. */
export interface LocalIndexTable {
  manifest_key: number;
  iscc_id: string;
  /** 1 if the ISCC-ID comes from a declaration, 0 if it is local. */
  declared: Flag;
  /** 1 after the entry was added. */
  done: Flag;
}

/** A single row. */
export interface InstallationTable {
  id: number;
  /** Equal to the id in the data folder. */
  name: string;
}

export type ManifestRow = Selectable<ManifestTable>;
export type BindingRow = Selectable<BindingTable>;
export type DeclarationRow = Selectable<DeclarationTable>;
export type DeclarationInsert = Insertable<DeclarationTable>;
export type DeclarationUpdate = Updateable<DeclarationTable>;
export type AccountRow = Selectable<AccountTable>;
