/** Events for the webhook receiver. They are written to an outbox by the transaction of the change that they report. */
import { randomUUID } from 'node:crypto';
import type { Insertable, Transaction } from 'kysely';
import type { Tables } from '../../database/tables.js';

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

/** A store without a receiver. */
export const NO_EVENTS: EventLog = { isOn: false, record: async () => {} };

/** Far below the limit of parameters of both engines. */
const EVENTS_PER_INSERT = 500;

const OUTBOX: EventLog = {
  isOn: true,
  record: async (transaction, events) => {
    const at = Date.now();
    for (let from = 0; from < events.length; from += EVENTS_PER_INSERT) {
      const rows = events.slice(from, from + EVENTS_PER_INSERT).map((event) => outboxRow(event, at));
      await transaction.insertInto('webhook_events').values(rows).execute();
    }
  },
};

/** The log of a store with this configuration. */
export function eventLog({ webhookUrl }: { readonly webhookUrl: string | undefined }): EventLog {
  return webhookUrl === undefined ? NO_EVENTS : OUTBOX;
}

/** The body is final: every attempt sends the same bytes. */
function outboxRow({ type, data }: StoreEvent, at: number): Insertable<Tables['webhook_events']> {
  const event_id = `evt_${randomUUID()}`;
  const body = JSON.stringify({ id: event_id, type, timestamp: new Date(at).toISOString(), data });
  return { event_id, type, at, body, next_at: at };
}
