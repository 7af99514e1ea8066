/**
 * The store's tables, the same in SQLite and PostgreSQL: times are milliseconds since the epoch, flags 0 or 1,
 * JSON is text, bytes are Buffers.
 */
import type { Generated, Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { FeedTable } from '../feed/feed.js';
import type { OutboxTables } from '../outbox/tables.js';

export interface Tables extends OutboxTables {
  manifests: ManifestTable;
  catalogue: CatalogueTable;
  ingredients: IngredientTable;
  bindings: BindingTable;
  kept_bindings: BindingTable;
  binding_counts: BindingCountTable;
  declarations: DeclarationTable;
  feed: FeedTable;
  changes: ChangeTable;
  accounts: AccountTable;
  sessions: SessionTable;
  login_failures: LoginFailureTable;
  failed_logins: FailedLoginTable;
  audit: AuditTable;
  audit_chain: AuditChainTable;
  log_entries: LogEntryTable;
  log_head: LogHeadTable;
  index_ledger: IndexLedgerTable;
  index_entries: IndexEntryTable;
  installation: InstallationTable;
  upload_tokens: UploadTokenTable;
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
  /** Algorithms of its soft bindings that were not on the list, as a JSON array, or null. */
  unknown_algorithms: string | null;
  /** When trust may end: with the signer's certificate, or an OCSP response about it. Null once that was handled. */
  certificate_expires: number | null;
  /** JSON of the summary: title, signer and others. */
  summary: string | null;
  /** Owner of the upload token; null for an anonymous upload. */
  publisher: Generated<string | null>;
  /**
   * Of a tombstone whose id a manifest by a trusted signer took: key of that manifest. Its own id has a suffix, so that
   * no lookup finds it.
   */
  displaced_by: Generated<number | null>;
  /** Of a tombstone that can be restored: its bytes and bindings are kept until then. */
  kept_until: Generated<number | null>;
  /** Time of the last restore. */
  restored_at: Generated<number | null>;
}

/** One narrow row per manifest, for lists and searches. */
export interface CatalogueTable {
  manifest_key: number;
  manifest_id: string;
  uploaded_at: number;
  size: number;
  /** Triggers copy the flags. */
  trusted: Flag;
  live: Flag;
  /** Empty if the manifest has no title. */
  title: string;
  /** Common name of the signing certificate; empty if it is unknown. */
  signer: string;
  /** Id, title, signer, issuer and SHA-256 in lower case, a line each. */
  search: string;
}

/** Manifests that a manifest names as its ingredients. */
export interface IngredientTable {
  manifest_key: number;
  ordinal: number;
  ingredient_id: string;
  relationship: string;
}

/** The indexed bindings of live manifests, those of the file first; a delete removes them. */
export interface BindingTable {
  manifest_key: number;
  ordinal: number;
  alg: string;
  value: Buffer;
  /** JSON array of searchable units as `ISCC:...`, for `io.iscc.v0`. */
  units: string | null;
  /** 1 for another reading of the previous row's block. It is searched, but not counted. */
  alternate: Generated<Flag>;
  /** Of a binding that a publisher added: SHA-256 of its value in hex. Null for those of the file. */
  added: Generated<string | null>;
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
  uncertainty: string | null;
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
  /** What was reported to the webhook receiver last: `failed`, or `declared` and the ISCC-ID. */
  notified: Generated<string | null>;
}

/** Changes that all processes apply to their in-memory index. Old ones are deleted. */
export interface ChangeTable {
  /** Some numbers have no change. */
  sequence: number;
  manifest_key: number;
  /** 1: the manifest was stored; 0: it was deleted. */
  live: Flag;
  /** Random; made by the database. */
  tag: Generated<string>;
}

/** Roles of accounts, each with the rights of all before it. */
export const ROLES = ['viewer', 'operator', 'deleter', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export interface AccountTable {
  key: Generated<number>;
  username: string;
  /** argon2id. */
  password_hash: string;
  role: Generated<Role>;
  disabled: Flag;
  created_at: number;
  last_login: number | null;
  /** The secret of the second factor is derived from it and from the secret key of the store. Null: no second factor. */
  totp_nonce: Generated<string | null>;
  /** The same for a second factor that was not confirmed yet. */
  totp_pending: Generated<string | null>;
  /** Time step of the last accepted code: no code is accepted twice. */
  totp_step: Generated<number | null>;
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
  /** Address of the client that logged in. */
  origin: Generated<string | null>;
  /** Its `User-Agent`. */
  browser: Generated<string | null>;
}

/** Failed logins in a row. Names without an account have rows too, so that a lock does not reveal which names exist. */
export interface LoginFailureTable {
  /**
   * Name of the account, for all browsers that are not known; the name and a browser's number; or the keyed hash of a
   * name that no account has.
   */
  subject: string;
  failures: number;
  /** Attempts are refused before. */
  locked_until: number;
  failed_at: number;
}

/** Failed logins of a day (UTC), one row per account. When the day is over, the row becomes an entry of the audit log. */
export interface FailedLoginTable {
  /** Start of the day. */
  day: number;
  /** Empty: all names that no account has. */
  account: string;
  failures: number;
  /** Attempts that were refused because of a lock. */
  refused: number;
  first_at: number;
  last_at: number;
  /** Keyed hash of the client's network at the last failure. */
  origin: string | null;
}

/** Kinds of actors: an account of the dashboard, a command, a holder of the operator token, or the store itself. */
export const ACTOR_KINDS = ['account', 'command', 'token', 'store'] as const;

/** Append-only: triggers refuse updates and deletes. */
export interface AuditTable {
  key: Generated<number>;
  at: number;
  actor_kind: (typeof ACTOR_KINDS)[number];
  /** Name of the account, or of the system's user. */
  actor: string | null;
  /** Address of the client, or name of the machine. */
  origin: string | null;
  action: string;
  /** What was changed: a manifest id or the name of an account. */
  subject: string | null;
  /** JSON, or null. */
  state_before: string | null;
  state_after: string | null;
  /** Of the chain. */
  hash: string;
}

/** A single row: the head of the audit log's hash chain. */
export interface AuditChainTable {
  id: number;
  entries: number;
  hash: string;
}

/** What the store's transparency log records. */
export const LOG_ACTS = ['stored', 'deleted', 'displaced', 'restored', 'released'] as const;

export type LogAct = (typeof LOG_ACTS)[number];

/** The store's transparency log. Append-only: triggers refuse updates and deletes. */
export interface LogEntryTable {
  /** Number of the entry, from 0, without gaps. */
  leaf: number;
  act: LogAct;
  at: number;
  /** SHA-256 of what the entry is about. */
  statement: Buffer;
  /** The manifest may have been released. */
  manifest_key: number;
  /** Roots of the perfect subtrees that the entry completes, from its own hash up, 32 bytes each. */
  nodes: Buffer;
}

/** A single row: the head of the log. */
export interface LogHeadTable {
  id: number;
  /** Number of entries. */
  size: number;
  /** Roots of the largest perfect subtrees, left to right, 32 bytes each. */
  peaks: Buffer;
}

/** One row per similarity index that processes feed from this database. */
export interface IndexLedgerTable {
  /** Address of the index, or the id of its folder and its name. */
  index_id: string;
  /** Number of the last change applied to the index; null if it has to be filled from the start. */
  sequence: number | null;
  /** Its tag. */
  tag: Generated<string | null>;
  /** Id of the process that feeds the index. Others wait until `leased_until`. */
  leader: string | null;
  leased_until: Generated<number>;
  /** Last time at which the index had all changes. */
  synced_at: number | null;
  /** Start of the current failures; null while the index can be written. */
  failing_since: number | null;
  error: string | null;
}

/** 0: to be added; 1: added; 2: refused by the search service. */
export type EntryState = 0 | 1 | 2;

/** Entries of a similarity index. Written before an entry is added, so that each one can be removed. */
export interface IndexEntryTable {
  index_id: string;
  manifest_key: number;
  iscc_id: string;
  /** 1 if the ISCC-ID comes from a declaration, 0 if it is local. */
  declared: Flag;
  state: EntryState;
}

/** Tokens of publishers. A revoked one stays, for the record. */
export interface UploadTokenTable {
  key: Generated<number>;
  publisher: string;
  /** SHA-256 of the token in hex. Only the publisher has the token. */
  token_hash: string;
  /** Separated by spaces. */
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** Time of a use, at most a minute before the last one. */
  used_at: number | null;
}

/** A single row. */
export interface InstallationTable {
  /** 1. The row 0 is there while a readiness probe tests whether the database can be written. */
  id: number;
  /** Equal to the id in the data folder. */
  name: string;
  /** Digest of the rules by which the manifests were validated. */
  rules: string | null;
}

export type ManifestRow = Selectable<ManifestTable>;
export type BindingRow = Selectable<BindingTable>;
export type DeclarationRow = Selectable<DeclarationTable>;
export type DeclarationInsert = Insertable<DeclarationTable>;
export type DeclarationUpdate = Updateable<DeclarationTable>;
export type IndexLedgerUpdate = Updateable<IndexLedgerTable>;
export type AccountRow = Selectable<AccountTable>;
export type FailedLoginRow = Selectable<FailedLoginTable>;
export type AuditRow = Selectable<AuditTable>;
export type UploadTokenRow = Selectable<UploadTokenTable>;

export type Engine = 'sqlite' | 'postgres';

/**
 * The first statement of a transaction must be a write. SQLite takes the write lock there; it may refuse the lock to a
 * transaction that has read before.
 */
export type Db = Kysely<Tables>;
