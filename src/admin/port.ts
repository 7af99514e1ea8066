/** Ports of the dashboard. */
import type { Actor } from '../database/audit.js';
import type { Declared, LogState } from '../network/declared.js';
import type { HubStatus } from '../network/status.js';

/** The operator's actions. Keys are those of the manifests' rows. */
export interface StoreActions {
  /** Deletes live manifests like the DELETE route, and starts to withdraw their declarations. */
  removeMany(
    keys: readonly number[],
    actor: Actor,
  ): Promise<{ readonly deleted: number; readonly skipped: number }>;
  /** Makes deleted manifests live again whose bytes are kept, and starts to declare those again that were withdrawn. */
  restore(
    keys: readonly number[],
    actor: Actor,
  ): Promise<{ readonly restored: number; readonly skipped: number }>;
  /** Frees the ids of deleted manifests whose declaration is not `declared`. */
  release(
    keys: readonly number[],
    actor: Actor,
  ): Promise<{ readonly released: number; readonly skipped: number }>;
  /** Attempts pending and failed declarations and unfinished withdrawals now. */
  retry(
    keys: readonly number[],
  ): Promise<{ readonly retried: number; readonly waiting: number; readonly skipped: number }>;
}

/** The hubs that this process follows. */
export interface NetworkView {
  hubs(): readonly HubView[];
  /** Whether declarations are in the logs of their hubs; `undefined` for hubs that are not followed. */
  logStates(declared: readonly Declared[]): Promise<readonly (LogState | undefined)[]>;
}

export type HubView = Pick<HubStatus, 'hub_id' | 'url' | 'state' | 'cursor' | 'tree_size' | 'alarm'>;

/** Counts a login attempt of a client. Returns 0 if it is allowed, else the seconds to wait. */
export interface LoginThrottle {
  take(kind: 'login', clientAddress: string): number | Promise<number>;
}
