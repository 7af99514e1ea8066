/** The tables of the indexes in PostgreSQL, in a schema of their own. */
import type { Generated, Kysely } from 'kysely';
import type { FeedTables } from '../../../storage/feed/feed.js';
import type { WatchTables } from '../watches/tables.js';

export interface SearchTables extends FeedTables<SearchChangeTable>, WatchTables {
  indexes: IndexTable;
  aliases: AliasTable;
  assets: AssetTable;
  simprints: SimprintTable;
  log_rows: LogRowTable;
  dropped: DroppedTable;
  installation: InstallationTable;
}

export interface IndexTable {
  /** Never used again. */
  id: Generated<number>;
  name: string;
  /** Realm of its assets; null before the first one. */
  realm: number | null;
  /** JSON: `[[name, bits], ...]`, in the order the types were added. */
  simprint_types: Generated<string>;
  /** JSON: the declared metadata paths. */
  paths: Generated<string>;
  /** Number of the last change of its assets, or of its creation. */
  changed: number;
  /** Its tag, because the feed forgets changes. */
  tag: string;
  /** Realm of the network whose logs it follows; null for an index that requests change. */
  follows: number | null;
  created: Generated<Date>;
}

export interface AliasTable {
  name: string;
  index_id: number;
}

/** What a client sent of an asset, without its simprints. */
export interface AssetTable {
  index_id: number;
  /** Body of the ISCC-ID: eight bytes. */
  key: Buffer;
  code: string | null;
  units: string[] | null;
  /** JSON, byte for byte. */
  metadata: string | null;
  created: Generated<Date>;
  updated: Generated<Date>;
}

export interface SimprintTable {
  index_id: number;
  key: Buffer;
  /** JSON: simprints by type. */
  body: string;
}

/** State of the follower of an index that follows hub logs, as its engine stores it. */
export interface LogRowTable {
  index_id: number;
  /** Number of the engine's table. */
  part: number;
  key: Buffer;
  /** Null once deleted. */
  value: Buffer | null;
  /** Number of the change that wrote it. */
  sequence: number;
}

/** A batch, or a change of indexes and aliases. */
export interface SearchChangeTable {
  sequence: number;
  /** Null: indexes, aliases or declared paths changed. */
  index_id: number | null;
  /** Assets that were added, replaced or deleted. */
  keys: Buffer[] | null;
  /** Number of keys. */
  count: number;
  /** Random; made by the database. */
  tag: Generated<string>;
}

/** Deleted indexes whose assets are still to be removed. */
export interface DroppedTable {
  index_id: number;
}

/** A single row. */
export interface InstallationTable {
  id: number;
  /** Identifies the database. Caches of another one are not used. */
  name: string;
}

export type SearchDb = Kysely<SearchTables>;
