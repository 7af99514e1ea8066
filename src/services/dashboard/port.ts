/** Ports of the dashboard. */
import type { SentFilename } from '../../content/sent-filename.js';
import type { Declared, LogState } from '../../network/declared.js';
import type { HubStatus } from '../../network/status.js';
import type { Actor } from '../../storage/database/audit.js';

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

export interface FoundMatches {
  /** ISCC-CODE of the file. */
  readonly iscc: string;
  /** Live manifests, best first. */
  readonly matches: readonly { readonly manifestId: string; readonly similarityScore: number }[];
}

/** Searches with a file, which is not kept. */
export interface FileSearch {
  /** Largest file. */
  readonly bytesMax: number;
  find(asset: {
    readonly body: AsyncIterable<Uint8Array>;
    readonly mediatype: string | undefined;
    readonly sentFilename: SentFilename;
    readonly clientAddress: string;
    readonly signal: AbortSignal;
  }): Promise<FoundMatches | Refused>;
}

/** Thumbnails in live manifests, read from their bytes. */
export interface Thumbnails {
  has(manifestId: string): Promise<boolean>;
  /** `undefined` if the manifest has none, is deleted, or cannot be read. */
  of(manifestId: string): Promise<{ readonly contentType: string; readonly bytes: Buffer } | undefined>;
}

/** What is shown with its thumbnail, if it has one. */
export type Pictured<T> = T & { readonly hasThumbnail: boolean };

export interface TokenView {
  readonly key: number;
  readonly publisher: string;
  readonly scopes: readonly string[];
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly usedAt: number | undefined;
}

/** A token with its secret, which only this object has. */
export interface NewToken extends TokenView {
  readonly token: string;
}

/** Why nothing was done; for the operator. */
export interface Refused {
  readonly refused: string;
}

/** Upload tokens of publishers. Changes are audited. */
export interface TokenActions {
  /** All that a token can have. */
  readonly scopes: readonly string[];
  list(): Promise<readonly TokenView[]>;
  create(
    wanted: { readonly publisher: string; readonly scopes: readonly string[]; readonly days?: number },
    actor: Actor,
  ): Promise<NewToken | Refused>;
  revoke(key: number, actor: Actor): Promise<TokenView | Refused>;
}

export interface WebhookView {
  readonly key: number;
  /** `undefined`: that of the configuration, which the dashboard does not change. */
  readonly url: string | undefined;
  readonly types: readonly string[];
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
  readonly delivered: number;
  readonly deliveredAt: number | undefined;
  /** Failed attempts. */
  readonly failed: number;
  readonly lastFailure: { readonly at: number; readonly error: string } | undefined;
  /** Events that wait for their delivery. */
  readonly waiting: number;
}

/** A webhook with its secret, which only this object has. */
export interface NewWebhook extends WebhookView {
  readonly secret: string;
}

/** An event that waits for its delivery. */
export interface WaitingDelivery {
  readonly webhook: number;
  readonly eventId: string;
  readonly type: string;
  readonly at: number;
  readonly attempts: number;
  readonly nextAt: number;
  readonly error: string | undefined;
}

/** Receivers of webhooks. Changes are audited. */
export interface WebhookActions {
  /** All types of events. */
  readonly types: readonly string[];
  list(): Promise<readonly WebhookView[]>;
  /** The oldest waiting events. */
  waiting(limit: number): Promise<readonly WaitingDelivery[]>;
  create(
    wanted: { readonly url: string; readonly types: readonly string[] },
    actor: Actor,
  ): Promise<NewWebhook | Refused>;
  disable(key: number, actor: Actor): Promise<Refused | undefined>;
  enable(key: number, actor: Actor): Promise<Refused | undefined>;
  delete(key: number, actor: Actor): Promise<Refused | undefined>;
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
