/** The tables of an outbox: receivers of webhooks, and the events that wait for them. Several databases have them. */
import type { Generated, Kysely, Selectable } from 'kysely';

export interface OutboxTables {
  webhook_events: WebhookEventTable;
  webhooks: WebhookTable;
}

/** Key of the receiver in the configuration, which has no address in the database. */
export const CONFIGURED_WEBHOOK = 0;

/** Events that wait for their delivery, one row per receiver. */
export interface WebhookEventTable {
  key: Generated<number>;
  /** Key of the receiver. */
  webhook: number;
  /** For the receiver, to recognise repeated deliveries. */
  event_id: string;
  type: string;
  at: number;
  /** JSON, as it is sent. */
  body: string;
  attempts: Generated<number>;
  /** No attempt before. */
  next_at: number;
  /** Why the last attempt failed. */
  error: Generated<string | null>;
}

/** Receivers of webhooks. One process sends to a receiver at a time; others wait until `leased_until`. */
export interface WebhookTable {
  key: Generated<number>;
  url: string;
  /** Types of events, separated by spaces; empty: all. */
  types: string;
  /** The secret is derived from it and from the secret key of the service. */
  nonce: string;
  created_at: number;
  disabled_at: Generated<number | null>;
  /** Number of deliveries. */
  delivered: Generated<number>;
  /** Time of the last one. */
  delivered_at: Generated<number | null>;
  /** Number of failed attempts. */
  failed: Generated<number>;
  failed_at: Generated<number | null>;
  /** Why the last failed attempt failed. */
  error: Generated<string | null>;
  leader: Generated<string | null>;
  leased_until: Generated<number>;
}

export type WebhookRow = Selectable<WebhookTable>;
export type WebhookEventRow = Selectable<WebhookEventTable>;

/** The part of a database that the outbox uses. Kysely can't infer columns of tables that are a type parameter. */
export type OutboxDb = Kysely<OutboxTables>;

export function outboxOf<Tables extends OutboxTables>(db: Kysely<Tables>): OutboxDb {
  return db as unknown as OutboxDb;
}
