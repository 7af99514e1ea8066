/** Port between the store and the declarations to a hub. */
import type { Trace } from '../../platform/observe/trace.js';
import type { DeclarationInsert } from '../../storage/database/tables.js';
import type { IndexedBinding } from './validation/validator.js';

/** A manifest that is about to be stored. */
export interface NewManifest {
  readonly manifestId: string;
  readonly manifestUrl: string;
  readonly uploadedAt: number;
  readonly bindings: readonly IndexedBinding[];
}

/** Outcome of an operator's retry at the time of the response. */
export interface Retried {
  readonly retried: number;
  /** Not attempted yet; the attempts continue in the background. */
  readonly waiting: number;
  /** Nothing to do, or not attempted because the hub is unreachable. */
  readonly skipped: number;
}

/** The row of a declaration, without the columns that the manifest's row supplies. */
export type NewDeclaration = Omit<DeclarationInsert, 'manifest_key' | 'live'>;

/** Where a store declares, as columns of a declaration. */
export type DeclarationTarget = Pick<NewDeclaration, 'hub' | 'hub_id' | 'pubkey'>;

export interface Declarer {
  /** `undefined` if the store does not declare. */
  readonly target: DeclarationTarget | undefined;
  /** First state of a declaration. It is written in the manifest's own transaction, before any call to a hub. */
  initial(manifest: NewManifest, wanted: boolean): NewDeclaration;
  /** Called after a new manifest is stored. Makes one attempt within a time limit. Never rejects. */
  onStored(key: number, trace?: Trace): Promise<void>;
  /** Called after a delete. Makes one attempt to withdraw within a time limit. Never rejects. */
  onDeleted(key: number, trace?: Trace): Promise<void>;
  /** Attempts the unfinished declarations and withdrawals of these manifests now. */
  retry(keys: readonly number[]): Promise<Retried>;
  /** The did:web document of the key; `undefined` if the store does not declare. */
  didDocument(): object | undefined;
  /** Starts the retries in the background. */
  start(): void;
  close(): Promise<void>;
}

/** A store that declares nothing. Withdrawals of earlier declarations wait until there is a key and a hub again. */
export const NO_DECLARER: Declarer = {
  target: undefined,
  initial: ({ manifestUrl, uploadedAt }) => ({
    status: 'disabled',
    gateway: manifestUrl,
    open: 0,
    updated_at: uploadedAt,
  }),
  onStored: async () => {},
  onDeleted: async () => {},
  retry: async (keys) => ({ retried: 0, waiting: 0, skipped: keys.length }),
  didDocument: () => undefined,
  start: () => {},
  close: async () => {},
};
