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
}

export type Flag = 0 | 1;

export interface ManifestTable {
  /** Never given twice, also not after a release: the index and the feed know manifests by it. */
  key: Generated<number>;
  /** Unique: of two uploads at once the database takes one. */
  manifest_id: string;
  /** Hex; names the file. */
  sha256: string;
  size: number;
  uploaded_at: number;
  trusted: Flag;
  /** Keyed hash of the client's address. */
  uploader: string;
  /** 0 for a tombstone, which keeps the id taken until it is released. */
  live: Flag;
  deleted_at: number | null;
  binding_count: number;
  /** Distinct searchable ISCC-UNITs. */
  unit_count: number;
}

/** The indexed bindings of live manifests; a delete removes them. */
export interface BindingTable {
  manifest_key: number;
  ordinal: number;
  alg: string;
  value: Buffer;
  /** JSON array of searchable units as `ISCC:...`, for `io.iscc.v0`. */
  units: string | null;
}

/** Live bindings per algorithm, kept in the transactions that change them. */
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

/** One row per manifest, tombstones included; and rows that outlive a released tombstone until they are settled. */
export interface DeclarationTable {
  key: Generated<number>;
  /** Unique; null once its tombstone is released. */
  manifest_key: number | null;
  /** The manifest's flag again, so that one index answers lists and counts. */
  live: Flag;
  status: DeclarationStatus;
  hub: string | null;
  /** The number in the nonces of its notes. */
  hub_id: number | null;
  /** Of who declared, or tried last; multibase. */
  pubkey: string | null;
  /** The manifest's address, as it is declared. */
  gateway: string;
  /** Multihash of the asset; null if there is nothing to declare. */
  datahash: string | null;
  /** JSON of what is declared: `isccCode`, `datahash`, `units`. */
  fields: string | null;
  /** JSON of the last signed note. It is here before it is sent. */
  note: string | null;
  /** 1 if the note is sent past the hub's check for duplicates. */
  forced: Generated<Flag>;
  /** JSON of what is known of sends that had no definite answer. */
  doubt: string | null;
  /** Unique per hub. */
  iscc_id: string | null;
  /** The last answer or failure, for the operator. */
  error: string | null;
  attempts: Generated<number>;
  attempted_at: Generated<number>;
  /** 1 while the retry loop has work with it: to declare, to withdraw, or to find out. */
  open: Flag;
  /** Names the process's attempt that works on it; others keep off until `leased_until`. */
  lease: string | null;
  leased_until: number | null;
  updated_at: number;
}

/** One row. Its lock orders all writers, so that changes become visible in the order of their numbers. */
export interface FeedTable {
  id: number;
  sequence: number;
  /** Number of the last change that is no longer in the table of changes. */
  forgotten: Generated<number>;
}

/** What the in-memory indexes of all processes follow; the oldest are forgotten in time. */
export interface ChangeTable {
  sequence: number;
  manifest_key: number;
  /** 1: its bindings came; 0: they went. */
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
  /** SHA-256 of the token in hex; the token itself is only in the browser. */
  token_hash: string;
  account_key: number;
  csrf: string;
  created_at: number;
  expires_at: number;
  /** What the session's next page tells. */
  flash: string | null;
}

/** What the similarity index beside the store was told; written before it is told, so that nothing is forgotten. */
export interface LocalIndexTable {
  manifest_key: number;
  iscc_id: string;
  /** 1 if the ISCC-ID is a declaration's, 0 for a local one. */
  declared: Flag;
  /** 1 once the index has it. */
  done: Flag;
}

export type ManifestRow = Selectable<ManifestTable>;
export type BindingRow = Selectable<BindingTable>;
export type DeclarationRow = Selectable<DeclarationTable>;
export type DeclarationInsert = Insertable<DeclarationTable>;
export type DeclarationUpdate = Updateable<DeclarationTable>;
export type AccountRow = Selectable<AccountTable>;
