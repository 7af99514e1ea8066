/** Receivers of webhooks for the dashboard. */
import type { Refused, WebhookActions } from '../services/dashboard/port.js';
import { EVENT_TYPES } from '../services/store/webhooks/events.js';
import { ReceiverRefused, Receivers, type ReceiversOptions } from '../services/store/webhooks/receivers.js';
import type { Db } from '../storage/database/tables.js';

export function webhookActions(db: Db, options: ReceiversOptions): WebhookActions {
  const receivers = new Receivers(db, options);
  return {
    types: EVENT_TYPES,
    list: () => receivers.list(),
    waiting: (limit) => receivers.waiting(limit),
    create: (wanted, actor) => orRefused(receivers.create(wanted, actor)),
    disable: (key, actor) => refusal(receivers.disable(key, actor)),
    enable: (key, actor) => refusal(receivers.enable(key, actor)),
    delete: (key, actor) => refusal(receivers.delete(key, actor)),
  };
}

async function refusal(change: Promise<void>): Promise<Refused | undefined> {
  return orRefused(change.then(() => undefined));
}

async function orRefused<T>(change: Promise<T>): Promise<T | Refused> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ReceiverRefused) return { refused: error.message };
    throw error;
  }
}
