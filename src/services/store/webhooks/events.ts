/** Events for the webhook receiver. They are written to an outbox by the transaction of the change that they report. */
import { randomUUID } from 'node:crypto';
import type { Insertable, Transaction } from 'kysely';
import type { Tables } from '../../../storage/database/tables.js';
import { CONFIGURED_WEBHOOK } from '../../../storage/outbox/tables.js';

export const EVENT_TYPES = [
  'manifest.stored',
  'manifest.deleted',
  'declaration.declared',
  'declaration.failed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The manifest that an event is about. */
interface AboutManifest {
  readonly manifestId: string;
  readonly manifestUrl: string;
}

export type StoreEvent =
  | {
      readonly type: 'manifest.stored';
      readonly data: AboutManifest & {
        readonly sha256: string;
        readonly size: number;
        readonly trusted: boolean;
        readonly publisher: string | null;
        /** Whether a delete was undone. */
        readonly restored: boolean;
      };
    }
  | {
      readonly type: 'manifest.deleted';
      readonly data: AboutManifest & {
        readonly sha256: string;
        /** `displaced`: a manifest by a trusted signer took the id. */
        readonly reason: 'deleted' | 'displaced';
        /** RFC 3339; null if it can't be restored. */
        readonly restorableUntil: string | null;
      };
    }
  | {
      readonly type: 'declaration.declared';
      readonly data: AboutManifest & { readonly hub: string | null; readonly isccId: string };
    }
  | {
      readonly type: 'declaration.failed';
      readonly data: AboutManifest & { readonly hub: string | null; readonly error: string };
    };

export interface EventLog {
  /** Whether events are kept. */
  readonly isOn: boolean;
  /** @param transaction that of the change */
  record(transaction: Transaction<Tables>, events: readonly StoreEvent[]): Promise<void>;
}

/** For a store whose events no receiver gets. */
export const NO_EVENTS: EventLog = { isOn: false, record: async () => {} };

/** Far below the limit of parameters of both engines. */
const EVENTS_PER_INSERT = 500;

/** The log of a store with this configuration. */
export function eventLog({ webhookUrl }: { readonly webhookUrl: string | undefined }): EventLog {
  const isConfigured = webhookUrl !== undefined;
  return {
    isOn: true,
    record: async (transaction, events) => {
      const receivers = await receiversOf(transaction, isConfigured);
      const at = Date.now();
      const rows = receivers.flatMap(({ key, types }) =>
        events
          .filter(({ type }) => types.length === 0 || types.includes(type))
          .map((event) => outboxRow(event, key, at)),
      );
      for (let from = 0; from < rows.length; from += EVENTS_PER_INSERT) {
        await transaction
          .insertInto('webhook_events')
          .values(rows.slice(from, from + EVENTS_PER_INSERT))
          .execute();
      }
    },
  };
}

interface ReceiverOfEvents {
  readonly key: number;
  /** Empty: all. */
  readonly types: readonly string[];
}

/** Enabled receivers. Read in the transaction, because another process may have changed them. */
async function receiversOf(
  transaction: Transaction<Tables>,
  isConfigured: boolean,
): Promise<ReceiverOfEvents[]> {
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['key', 'types'])
    .where('disabled_at', 'is', null)
    .orderBy('key')
    .execute();
  return rows
    .filter(({ key }) => isConfigured || key !== CONFIGURED_WEBHOOK)
    .map(({ key, types }) => ({ key, types: types.split(' ').filter((type) => type !== '') }));
}

/** The body is final: every attempt sends the same bytes. Each receiver gets an id of its own. */
function outboxRow(
  { type, data }: StoreEvent,
  webhook: number,
  at: number,
): Insertable<Tables['webhook_events']> {
  const event_id = `evt_${randomUUID()}`;
  const body = JSON.stringify({ id: event_id, type, timestamp: new Date(at).toISOString(), data });
  return { event_id, webhook, type, at, body, next_at: at };
}
