/** Standing queries of indexes: made, read and deleted by clients, and the streams of their events. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { present } from '../../../platform/present.js';
import { derivedKey, webhookSecret } from '../../../platform/signing/webhook.js';
import { checkedAddress } from '../../../storage/outbox/address.js';
import type { Engine } from '../engine/port.js';
import { Invalid, SearchRefusal } from '../errors.js';
import type { WatchHost, WatchPlace } from './host.js';
import {
  ID_RULE,
  isWatchId,
  type NewWatch,
  parametersOf,
  QUARANTINE_QUERY,
  WATCH_BYTES_MAX,
  type Watch,
} from './settings.js';
import type { WatchDb, WatchTable } from './tables.js';

const NONCE_BYTES = 16;
/** Events that are read at a time. */
const EVENTS_MAX = 100;
/** Other processes store events, too. */
const POLL_MS = 1000;
/** A comment at least as often: connections that are silent for 10 s are closed. */
const BEAT_MS = 4000;

export interface WatchesParts {
  readonly engine: Engine;
  readonly host: WatchHost;
  readonly watchesMax: number;
  /** From which the secrets of webhooks are derived; `undefined`: watches have streams only. */
  readonly secretKey: string | undefined;
  /** For tests: addresses of webhooks that need not be public. */
  readonly allowed: ReadonlySet<string>;
}

type Stored = Omit<WatchTable, 'number'> & { readonly number: number };

export class Watches {
  readonly #parts: WatchesParts;
  readonly #closing = new AbortController();
  /** Streams that wait for events. */
  #news = new AbortController();

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  /** Creates a watch, or replaces it: it then reports changes from now on. */
  async put(index: string, id: string, body: NewWatch): Promise<{ watch: Watch; isNew: boolean }> {
    const { engine, host, secretKey } = this.#parts;
    if (!isWatchId(id))
      throw new Invalid({ type: 'value_error', loc: ['path', 'id'], msg: ID_RULE, input: id });
    await engine.fresh?.();
    const held = await engine.holdIndex(index);
    const { query, ...settings } = body;
    const url = settings.webhook === undefined ? undefined : this.#address(settings.webhook);
    const kept = JSON.stringify({ ...settings, ...present({ webhook: url }) });
    const interpreted = await this.#interpreted(held, query, kept);
    if (interpreted.length + kept.length > WATCH_BYTES_MAX)
      throw new SearchRefusal('WATCH_TOO_LARGE', { max: WATCH_BYTES_MAX });
    return host.watch(held, async (place) => {
      const before = await storedWatch(place.transaction, place.index, id);
      if (before === undefined) await this.#requireRoom(place);
      const webhook = await receiverOf(place, url, before?.webhook ?? null);
      if (before !== undefined)
        await place.transaction.deleteFrom('watches').where('number', '=', before.number).execute();
      const row = { index_id: place.index, id, query: interpreted, settings: kept, since: place.since };
      const added = await place.transaction
        .insertInto('watches')
        .values({ ...row, webhook: webhook?.key ?? null, created_at: Date.now() })
        .returningAll()
        .executeTakeFirstOrThrow();
      const secret =
        webhook && secretKey !== undefined ? webhookSecret(derivedKey(secretKey, webhook.nonce)) : undefined;
      return { watch: { ...shown(added), ...present({ secret }) }, isNew: before === undefined };
    });
  }

  /** A page of watches by id. */
  async list(
    index: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ watches: Watch[]; next: string | null }> {
    const place = await this.#place(index);
    if (place === undefined) return { watches: [], next: null };
    const rows = await place.db
      .selectFrom('watches')
      .selectAll()
      .where('index_id', '=', place.index)
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit)
      .execute();
    return { watches: rows.map(shown), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  }

  async get(index: string, id: string): Promise<Watch> {
    const { db, row } = await this.#found(index, id);
    return { ...shown(row), ...present({ delivery: await deliveryOf(db, row.webhook) }) };
  }

  /** Deletes a watch with its events, also those that wait for their delivery. */
  async delete(index: string, id: string): Promise<void> {
    const { row } = await this.#found(index, id);
    const held = await this.#parts.engine.holdIndex(index);
    await this.#parts.host.watch(held, async ({ transaction }) => {
      await transaction.deleteFrom('watches').where('number', '=', row.number).execute();
      const events = transaction.deleteFrom('watch_events').where('index_id', '=', row.index_id);
      await events.where('watch', '=', id).execute();
      await removeReceiver(transaction, row.webhook);
    });
    this.notify();
  }

  /** Wakes the streams. */
  notify(): void {
    this.#news.abort();
    this.#news = new AbortController();
  }

  /** Ends all streams. */
  close(): void {
    this.#closing.abort();
    this.notify();
  }

  /**
   * The events of a watch as a stream of server-sent events, those that are kept first. It ends when the watch is deleted,
   * the client is gone, or the service stops.
   *
   * @param lastId id of the last event that the client has
   */
  async events(
    index: string,
    id: string,
    lastId: string | undefined,
    client: AbortSignal,
  ): Promise<AsyncGenerator<string>> {
    const { db, row } = await this.#found(index, id);
    const of = { index: row.index_id, id };
    const start = lastId === undefined ? undefined : await keyOf(db, of, lastId);
    return this.#stream(db, of, { start, isGap: lastId !== undefined && start === undefined }, client);
  }

  async *#stream(
    db: WatchDb,
    of: { readonly index: number; readonly id: string },
    from: { readonly start: number | undefined; readonly isGap: boolean },
    client: AbortSignal,
  ): AsyncGenerator<string> {
    const ending = AbortSignal.any([client, this.#closing.signal]);
    let last = from.start ?? 0;
    // The first piece sends the head of the response.
    yield from.isGap ? 'event: gap\ndata: {}\n\n' : ': events follow\n\n';
    for (let silentMs = performance.now(); !ending.aborted; ) {
      const news = this.#news.signal;
      const rows = await db
        .selectFrom('watch_events')
        .select(['key', 'event_id', 'type', 'body'])
        .where('index_id', '=', of.index)
        .where('watch', '=', of.id)
        .where('key', '>', last)
        .orderBy('key')
        .limit(EVENTS_MAX)
        .execute();
      for (const { event_id, type, body } of rows) yield `id: ${event_id}\nevent: ${type}\ndata: ${body}\n\n`;
      last = rows.at(-1)?.key ?? last;
      if (rows.length > 0) silentMs = performance.now();
      if (rows.length === EVENTS_MAX) continue;
      if ((await storedWatch(db, of.index, of.id)) === undefined) return;
      await pause(POLL_MS, undefined, { signal: AbortSignal.any([ending, news]) }).catch(() => {});
      if (performance.now() - silentMs < BEAT_MS) continue;
      yield ': no events\n\n';
      silentMs = performance.now();
    }
  }

  /** @throws {SearchRefusal} if the address breaks a rule */
  #address(text: string): string {
    const { secretKey, allowed } = this.#parts;
    if (secretKey === undefined) throw new SearchRefusal('WEBHOOKS_OFF');
    const checked = checkedAddress(text, allowed);
    if ('url' in checked) return checked.url;
    throw new Invalid({ type: 'value_error', loc: ['body', 'webhook'], msg: checked.refused, input: text });
  }

  /** The query as the engine reads it, after a search with it. JSON. */
  async #interpreted(held: string, query: NewWatch['query'], settings: string): Promise<string> {
    const { same_as: id, quarantine, ...others } = JSON.parse(settings) as NewWatch;
    const sources = [query, id, quarantine].filter((one) => one !== undefined);
    if (sources.length !== 1) {
      const msg = 'A watch has one of query, same_as and quarantine';
      throw new Invalid({ type: 'value_error', loc: ['body', 'query'], msg, input: query ?? null });
    }
    if (quarantine !== undefined) {
      const other = Object.keys(others).find((name) => name !== 'webhook');
      if (other === undefined) return QUARANTINE_QUERY;
      const msg = 'A watch with quarantine may have a webhook only';
      throw new Invalid({ type: 'value_error', loc: ['body', other], msg, input: null });
    }
    const body = Buffer.from(JSON.stringify(id === undefined ? query : { iscc_id: id }));
    const options = { ...parametersOf(settings), limit: 1 };
    const found = await this.#parts.engine.search(held, body, options);
    const { iscc_id: _, ...own } = (JSON.parse(found.json.toString()) as { query: { iscc_id?: string } })
      .query;
    return JSON.stringify(own);
  }

  async #requireRoom({ transaction, index }: WatchPlace): Promise<void> {
    const { watchesMax } = this.#parts;
    const count = transaction.selectFrom('watches').where('index_id', '=', index);
    const { watches } = await count
      .select(({ fn }) => fn.countAll<number | string>().as('watches'))
      .executeTakeFirstOrThrow();
    if (Number(watches) >= watchesMax) throw new SearchRefusal('WATCHES_FULL', { max: watchesMax });
  }

  /** @throws {NativeError} if the index does not exist */
  async #place(index: string): Promise<{ readonly db: WatchDb; readonly index: number } | undefined> {
    const { engine, host } = this.#parts;
    const id = await host.idOf(await engine.holdIndex(index));
    const db = await host.db();
    return id === undefined || db === undefined ? undefined : { db, index: id };
  }

  async #found(index: string, id: string): Promise<{ readonly db: WatchDb; readonly row: Stored }> {
    const place = await this.#place(index);
    const row = place && (await storedWatch(place.db, place.index, id));
    if (place === undefined || row === undefined) throw new SearchRefusal('NO_WATCH', { id });
    return { db: place.db, row };
  }
}

function storedWatch(db: WatchDb, index: number, id: string): Promise<Stored | undefined> {
  return db
    .selectFrom('watches')
    .selectAll()
    .where('index_id', '=', index)
    .where('id', '=', id)
    .executeTakeFirst();
}

async function keyOf(
  db: WatchDb,
  { index, id }: { readonly index: number; readonly id: string },
  eventId: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('watch_events')
    .select('key')
    .where('event_id', '=', eventId)
    .where('index_id', '=', index)
    .where('watch', '=', id)
    .executeTakeFirst();
  return row?.key;
}

/** The receiver of a watch: the one before if the address is the same, so that its secret stays and its events are sent. */
async function receiverOf(
  { transaction }: WatchPlace,
  url: string | undefined,
  before: number | null,
): Promise<{ readonly key: number; readonly nonce: string } | undefined> {
  if (before !== null) {
    const found = transaction.selectFrom('webhooks').select(['key', 'url', 'nonce']);
    const known = await found.where('key', '=', before).executeTakeFirst();
    if (known !== undefined && known.url === url) return known;
    await removeReceiver(transaction, before);
  }
  if (url === undefined) return undefined;
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  return transaction
    .insertInto('webhooks')
    .values({ url, types: '', nonce, created_at: Date.now() })
    .returning(['key', 'nonce'])
    .executeTakeFirstOrThrow();
}

async function removeReceiver(transaction: WatchDb, key: number | null): Promise<void> {
  if (key === null) return;
  await transaction.deleteFrom('webhook_events').where('webhook', '=', key).execute();
  await transaction.deleteFrom('webhooks').where('key', '=', key).execute();
}

async function deliveryOf(db: WatchDb, key: number | null): Promise<Watch['delivery']> {
  if (key === null) return undefined;
  const row = await db
    .selectFrom('webhooks')
    .select(['delivered', 'failed', 'error'])
    .where('key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { waiting } = await db
    .selectFrom('webhook_events')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .where('webhook', '=', key)
    .executeTakeFirstOrThrow();
  return { ...row, waiting: Number(waiting) };
}

function shown({ id, query, settings, created_at }: Stored): Watch {
  return {
    id,
    query: JSON.parse(query) as Watch['query'],
    ...(JSON.parse(settings) as Partial<Watch>),
    created_at: new Date(created_at).toISOString(),
  };
}
