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

export type DeclarationStatus = 'disabled' | 'skipped' | 'pending' | 'failed' | 'declared' | 'withdrawn';

/** One row per manifest. */
export interface DeclarationTable {
  manifest_key: number;
  /** The manifest's flag again, so that one index answers lists and counts. */
  live: Flag;
  status: DeclarationStatus;
  hub: string | null;
  hub_id: number | null;
  pubkey: string | null;
  /** JSON of what is declared: `iscc_code`, `datahash`, `units`. */
  fields: string | null;
  /** JSON of the signed note, as sent. */
  note: string | null;
  nonce: string | null;
  note_at: number | null;
  iscc_id: string | null;
  /** The last answer or failure, for the operator. */
  error: string | null;
  attempts: number;
  attempted_at: number | null;
  /** 1 while a withdrawal is wanted and not done. */
  withdraw: Flag;
  withdraw_attempts: number;
  /** Until then one process works on this declaration and others keep off. */
  leased_until: number | null;
  updated_at: number;
}

/** One row. Its lock orders all writers, so that changes become visible in the order of their numbers. */
export interface FeedTable {
  id: number;
  sequence: number;
}

/** What the in-memory indexes of all processes follow. */
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
}

export type ManifestRow = Selectable<ManifestTable>;
export type BindingRow = Selectable<BindingTable>;
export type DeclarationRow = Selectable<DeclarationTable>;
export type DeclarationInsert = Insertable<DeclarationTable>;
export type DeclarationUpdate = Updateable<DeclarationTable>;
export type AccountRow = Selectable<AccountTable>;
export type SessionRow = Selectable<SessionTable>;
