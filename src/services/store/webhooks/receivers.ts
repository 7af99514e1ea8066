/** Receivers of webhooks: created, listed, disabled and deleted by admins in the dashboard. */
import { randomBytes } from 'node:crypto';
import { derivedKey, webhookSecret } from '../../../platform/signing/webhook.js';
import { type Actor, type AuditAction, recordAudit } from '../../../storage/database/audit.js';
import type { Db } from '../../../storage/database/tables.js';
import { checkedAddress } from '../../../storage/outbox/address.js';
import { CONFIGURED_WEBHOOK, type WebhookRow } from '../../../storage/outbox/tables.js';
import { lockFeed } from '../feed.js';
import { EVENT_TYPES, type EventType } from './events.js';

export interface Receiver {
  readonly key: number;
  /** `undefined` for the receiver of the configuration, whose address may contain a secret. */
  readonly url: string | undefined;
  /** All that it gets. */
  readonly types: readonly EventType[];
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
  readonly delivered: number;
  readonly deliveredAt: number | undefined;
  /** Failed attempts. */
  readonly failed: number;
  readonly lastFailure: { readonly at: number; readonly error: string } | undefined;
  /** Events in the outbox. */
  readonly waiting: number;
}

/** An event in the outbox. */
export interface WaitingEvent {
  readonly webhook: number;
  readonly eventId: string;
  readonly type: string;
  readonly at: number;
  readonly attempts: number;
  readonly nextAt: number;
  readonly error: string | undefined;
}

/** The request breaks a rule; the message is for the operator. */
export class ReceiverRefused extends Error {
  override readonly name = 'ReceiverRefused';
}

export interface ReceiversOptions {
  /** From which the secrets are derived. */
  readonly secretKey: string;
  /** Whether the configuration names a receiver. */
  readonly isConfigured: boolean;
  /** For tests: addresses that need be neither public nor https. */
  readonly allowed?: ReadonlySet<string>;
}

/** Each change of a manifest writes one row per receiver. */
const RECEIVERS_MAX = 20;
const NONCE_BYTES = 16;

export class Receivers {
  readonly #db: Db;
  readonly #options: ReceiversOptions;

  constructor(db: Db, options: ReceiversOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** All receivers by age, that of the configuration first. */
  async list(): Promise<Receiver[]> {
    const rows = await this.#db.selectFrom('webhooks').selectAll().orderBy('key').execute();
    const counts = await this.#db
      .selectFrom('webhook_events')
      .select(({ fn }) => ['webhook', fn.countAll<number | string>().as('events')])
      .groupBy('webhook')
      .execute();
    const waiting = new Map(counts.map(({ webhook, events }) => [webhook, Number(events)]));
    return rows
      .filter(({ key }) => key !== CONFIGURED_WEBHOOK || this.#options.isConfigured)
      .map((row) => receiver(row, waiting.get(row.key) ?? 0));
  }

  /** The oldest events in the outboxes of all receivers. */
  async waiting(limit: number): Promise<WaitingEvent[]> {
    const rows = await this.#db
      .selectFrom('webhook_events')
      .innerJoin('webhooks', 'webhooks.key', 'webhook_events.webhook')
      .selectAll('webhook_events')
      .orderBy('webhook_events.key')
      .limit(limit)
      .execute();
    return rows.map(({ webhook, event_id, type, at, attempts, next_at, error }) => ({
      webhook,
      eventId: event_id,
      type,
      at,
      attempts,
      nextAt: next_at,
      error: error ?? undefined,
    }));
  }

  /**
   * Registers a receiver. The secret is shown once.
   *
   * @param types types of events; empty: all
   * @throws {ReceiverRefused} if the address or a type breaks a rule, or there are too many receivers
   */
  async create(
    { url, types }: { readonly url: string; readonly types: readonly string[] },
    actor: Actor,
  ): Promise<Receiver & { readonly secret: string }> {
    const values = {
      url: checkedUrl(url, this.#options.allowed),
      types: checkedTypes(types).join(' '),
      nonce: randomBytes(NONCE_BYTES).toString('hex'),
      created_at: Date.now(),
    };
    const row = await this.#db.transaction().execute(async (transaction) => {
      // Two admins at the same time must not both find room for one more.
      await lockFeed(transaction, 0);
      const known = await transaction.selectFrom('webhooks').select(['key', 'url']).execute();
      if (known.length > RECEIVERS_MAX)
        throw new ReceiverRefused(`there are ${RECEIVERS_MAX} webhooks; delete one of them first`);
      if (known.some((other) => other.url === values.url))
        throw new ReceiverRefused('there is a webhook with this address');
      const added = await transaction
        .insertInto('webhooks')
        .values(values)
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = { url: added.url, types: added.types };
      await recordAudit(transaction, actor, [{ action: 'webhook-added', subject: String(added.key), after }]);
      return added;
    });
    return { ...receiver(row, 0), secret: webhookSecret(derivedKey(this.#options.secretKey, row.nonce)) };
  }

  /** Stops new events and deliveries; events that wait are kept. A second call changes nothing. */
  disable(key: number, actor: Actor): Promise<void> {
    return this.#set(key, Date.now(), 'webhook-disabled', actor);
  }

  /** Starts deliveries again, also of events that waited. */
  enable(key: number, actor: Actor): Promise<void> {
    return this.#set(key, null, 'webhook-enabled', actor);
  }

  /**
   * Deletes a disabled receiver with the events that wait for it.
   *
   * @throws {ReceiverRefused} if it is enabled or missing
   */
  async delete(key: number, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      const gone = await transaction
        .deleteFrom('webhooks')
        .where('key', '=', key)
        .where('key', '!=', CONFIGURED_WEBHOOK)
        .where('disabled_at', 'is not', null)
        .returningAll()
        .executeTakeFirst();
      if (gone === undefined) throw new ReceiverRefused(`no disabled webhook has the number ${key}`);
      // Also rows that a transaction wrote while an earlier receiver was deleted.
      await transaction
        .deleteFrom('webhook_events')
        .where('webhook', 'not in', (known) => known.selectFrom('webhooks').select('key'))
        .execute();
      const entry = { action: 'webhook-deleted', subject: String(key), before: audited(gone) } as const;
      await recordAudit(transaction, actor, [entry]);
    });
  }

  async #set(key: number, disabled_at: number | null, action: AuditAction, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('webhooks')
        .set({ disabled_at })
        .where('key', '=', key)
        .where('disabled_at', disabled_at === null ? 'is not' : 'is', null)
        .executeTakeFirst();
      const found = await transaction
        .selectFrom('webhooks')
        .selectAll()
        .where('key', '=', key)
        .where('key', '!=', CONFIGURED_WEBHOOK)
        .executeTakeFirst();
      if (found === undefined) throw new ReceiverRefused(`no webhook has the number ${key}`);
      if (numUpdatedRows > 0n)
        await recordAudit(transaction, actor, [{ action, subject: String(key), after: audited(found) }]);
    });
  }

  /** Host names are checked again at each connection. */
}

function checkedUrl(text: string, allowed: ReadonlySet<string> | undefined): string {
  const checked = checkedAddress(text, allowed);
  if ('url' in checked) return checked.url;
  const fix = checked.isPrivate ? '; for a private receiver set MSTORE_WEBHOOK_URL' : '';
  throw new ReceiverRefused(`${checked.refused}${fix}`);
}

function checkedTypes(types: readonly string[]): EventType[] {
  const unknown = types.find((type) => !(EVENT_TYPES as readonly string[]).includes(type));
  if (unknown !== undefined)
    throw new ReceiverRefused(
      `the event ${JSON.stringify(unknown)} must be one of ${EVENT_TYPES.join(', ')}`,
    );
  if (types.length === 0) throw new ReceiverRefused('choose at least one event');
  return EVENT_TYPES.filter((type) => types.includes(type));
}

function audited({ url, types, disabled_at }: WebhookRow): object {
  return { url, types, disabled: disabled_at !== null };
}

function receiver(row: WebhookRow, waiting: number): Receiver {
  const types = row.types.split(' ');
  const { failed_at, error } = row;
  return {
    key: row.key,
    url: row.key === CONFIGURED_WEBHOOK ? undefined : row.url,
    types: row.types === '' ? EVENT_TYPES : EVENT_TYPES.filter((type) => types.includes(type)),
    createdAt: row.created_at,
    disabledAt: row.disabled_at ?? undefined,
    delivered: row.delivered,
    deliveredAt: row.delivered_at ?? undefined,
    failed: row.failed,
    lastFailure: failed_at === null ? undefined : { at: failed_at, error: error ?? '' },
    waiting,
  };
}
