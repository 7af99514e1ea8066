/** The events of watches: what they contain, and how they are stored. */
import { createHash } from 'node:crypto';
import type { FoundMatch } from './matcher.js';
import { QUARANTINE_QUERY } from './settings.js';
import type { QuarantineTable, WatchDb, WatchEventTable } from './tables.js';

/** Rows per statement. */
const ROWS_MAX = 500;
/** Begins the ids of events. */
const PREFIX = 'evt_';
export const ONCE_PREFIX = `${PREFIX}once`;
/** Hexadecimal digits of an event's id. */
const ID_DIGITS = 32;

/** An event, and the number of its watch. */
export type Event = Omit<WatchEventTable, 'key'> & { readonly number: number };

/** Stores events of watches that still exist, for streams and webhooks. Returns their number. */
export async function storeEvents(transaction: WatchDb, events: readonly Event[]): Promise<number> {
  let stored = 0;
  for (let at = 0; at < events.length; at += ROWS_MAX) {
    const some = events.slice(at, at + ROWS_MAX);
    const numbers = [...new Set(some.map(({ number }) => number))];
    const rows = await transaction
      .selectFrom('watches')
      .select(['number', 'webhook'])
      .where('number', 'in', numbers)
      .execute();
    const webhooks = new Map(rows.map(({ number, webhook }) => [number, webhook]));
    const wanted = some.filter(({ number }) => webhooks.has(number));
    if (wanted.length === 0) continue;
    const added = await transaction
      .insertInto('watch_events')
      .values(wanted.map(({ number: _, ...event }) => event))
      // A watch with `once` has reported the value.
      .onConflict((conflict) => conflict.column('event_id').doNothing())
      .returning('event_id')
      .execute();
    stored += added.length;
    const ids = new Set(added.map(({ event_id }) => event_id));
    const fresh = wanted.filter(({ event_id }) => ids.delete(event_id));
    const sent = fresh.flatMap(({ number, event_id, type, at, body }) => {
      const webhook = webhooks.get(number) ?? null;
      return webhook === null ? [] : [{ webhook, event_id, type, at, body, next_at: at }];
    });
    if (sent.length > 0) await transaction.insertInto('webhook_events').values(sent).execute();
  }
  return stored;
}

/**
 * The id follows from the change, the asset and the watch, so that a change has one event however often it is compared; with
 * `once`, from the value and the watch.
 */
export function eventOf(
  { watch, isccId, change, matches, found, value }: FoundMatch,
  { name, tag, at }: { readonly name: string; readonly tag: string; readonly at: number },
): Event {
  const isOnce = value !== undefined;
  const source = isOnce ? `${watch.number} ${JSON.stringify(value)}` : `${tag} ${isccId} ${watch.number}`;
  const [id, type] = [idOf(isOnce ? ONCE_PREFIX : PREFIX, source), `asset.${change}`];
  const data = { index: name, watch: watch.id, iscc_id: isccId, matches, ...found, ...(isOnce && { value }) };
  return eventWith(
    { index_id: watch.index, watch: watch.id, number: watch.number, event_id: id, type, at },
    data,
  );
}

function eventWith(event: Omit<Event, 'body'>, data: object): Event {
  const { event_id: id, type, at } = event;
  return { ...event, body: JSON.stringify({ id, type, timestamp: new Date(at).toISOString(), data }) };
}

/** A unit that the flood guard has set aside, and the name of its index. */
export type SetAside = Omit<QuarantineTable, 'decided_at'> & { readonly name: string };

/** Stores an event for each watch of the index that asks for them. Returns their number. */
export async function storeSetAside(
  transaction: WatchDb,
  { name, index_id, unit, matches, past, set_aside_at: at }: SetAside,
): Promise<number> {
  const rows = await transaction
    .selectFrom('watches')
    .select(['number', 'id'])
    .where('index_id', '=', index_id)
    .where('query', '=', QUARANTINE_QUERY)
    .execute();
  const events = rows.map(({ number, id: watch }): Event => {
    const event_id = idOf(PREFIX, `${number} ${unit} ${at}`);
    const data = { index: name, watch, unit, matches, past };
    return eventWith({ index_id, watch, number, event_id, type: 'unit.set_aside', at }, data);
  });
  return storeEvents(transaction, events);
}

function idOf(prefix: string, source: string): string {
  return `${prefix}${createHash('sha256').update(source).digest('hex').slice(0, ID_DIGITS)}`;
}
