/** Where declarations plug in: the store tells what becomes of manifests, and stores the declaration with them. */
import type { Transaction } from 'kysely';
import type { DeclarationInsert, DeclarationRow, DeclarationUpdate, Tables } from '../database/tables.js';
import type { Trace } from '../observe/trace.js';
import type { IndexedBinding } from './validator.js';

/** A manifest that is about to be stored. */
export interface NewManifest {
  readonly manifestId: string;
  readonly manifestUrl: string;
  readonly uploadedAt: number;
  readonly bindings: readonly IndexedBinding[];
}

/** What became of an operator's wish by the time of the answer. */
export interface Retried {
  readonly retried: number;
  /** Those that the hub has not been asked about yet: that goes on. */
  readonly waiting: number;
  /** Those with nothing to do, or not tried because the hub is out of reach. */
  readonly skipped: number;
}

export interface Declarer {
  /** The first state of a declaration, written in the manifest's own transaction: before any hub is called. */
  initial(manifest: NewManifest, wanted: boolean): Omit<DeclarationInsert, 'manifest_key' | 'live'>;
  /** After a new manifest was stored: one attempt, in limited time. Never rejects. */
  onStored(key: number, trace?: Trace): Promise<void>;
  /** In the delete's transaction: what changes about the declaration of a manifest that is no more. */
  onTombstone(row: DeclarationRow): DeclarationUpdate;
  /** After a delete: one attempt to withdraw, in limited time. Never rejects. */
  onDeleted(key: number, trace?: Trace): Promise<void>;
  /** In the release's transaction, before the tombstone goes. */
  onRelease(transaction: Transaction<Tables>, row: DeclarationRow): Promise<void>;
  /** An operator's wish: tries unfinished declarations and withdrawals of these manifests now. */
  retry(keys: readonly number[]): Promise<Retried>;
  /** The did:web document of the key; `undefined` when nothing is declared. */
  didDocument(): object | undefined;
  /** Begins to retry in the background. */
  start(): void;
  close(): Promise<void>;
}

/** A store that declares nothing. */
export const NO_DECLARER: Declarer = {
  initial: ({ manifestUrl, uploadedAt }) => ({
    status: 'disabled',
    gateway: manifestUrl,
    open: 0,
    updated_at: uploadedAt,
  }),
  onStored: async () => {},
  // Withdrawn once there is a key and a hub again.
  onTombstone: ({ status }) => (status === 'declared' ? { open: 1 } : {}),
  onDeleted: async () => {},
  onRelease: dropSettled,
  retry: async (keys) => ({ retried: 0, waiting: 0, skipped: keys.length }),
  didDocument: () => undefined,
  start: () => {},
  close: async () => {},
};

/** What is settled goes with its tombstone; what may still be accepted by a hub stays until it is known. */
export async function dropSettled(transaction: Transaction<Tables>, { key }: DeclarationRow): Promise<void> {
  await transaction.deleteFrom('declarations').where('key', '=', key).where('open', '=', 0).execute();
}
