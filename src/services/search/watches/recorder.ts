/**
 * Records the changes of watched indexes in a folder or in memory, which have no feed of their own. A change is computed by
 * the engine, written to the database of the watches, then applied; the index stores the number of the change in the
 * transaction that applies it. After a crash between the two, the number shows that the last change was not made.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isccIdOf } from '../../../iscc/iscc-id.js';
import type { ChangeOutcome, IndexChange, Rehearsed, SearchEngine } from '../../../native.js';
import { native } from '../../../native.js';
import { Slots } from '../../../platform/slots.js';
import { migrateTables } from '../../../storage/database/migrate.js';
import type { LogSync } from '../../../storage/database/sqlite.js';
import { WATCH_FILE } from '../engine/open.js';
import { responseOf } from '../engine/outcome.js';
import type { WatchHost, WatchPlace } from './host.js';
import {
  FOLDER_WATCHES,
  type FolderWatchDb,
  type FolderWatchTables,
  forgetWatches,
  type WatchDb,
  watchesOf,
} from './tables.js';

/** Bytes of the requests that are committed together. */
const GROUP_BYTES_MAX = 16 * 1024 * 1024;
/** Assets that are read at a time, before they are replaced. */
const READS = 64;
const SCRATCH = 'scratch';
/** Where an index is: its tag, and the number of the last change. */
const POSITION = /^watch\/([\w-]+)\/(\d+)$/;
/** Separates name and number in the engine's references. */
const HELD = '\0';
/** An ISCC-ID; whether it is in the index does not matter. */
const SOME_ID = 'ISCC:MAIAAAAAAAAAAAAA';

/** Methods that change assets, and what their calls do. The first argument is the index. */
const CHANGES: Readonly<Record<string, (args: readonly unknown[]) => IndexChange>> = {
  addAssets: ([, body]) => ({ form: 'entries', body: body as Uint8Array }),
  addLines: ([, body, firstLine]) => ({
    form: 'lines',
    body: body as Uint8Array,
    firstLine: firstLine as number,
  }),
  deleteAssets: ([, body]) => ({ form: 'deletions', body: body as Uint8Array }),
  deleteAsset: ([, id]) => ({ form: 'deletion', body: Buffer.from(String(id)) }),
};

type Write = (...args: unknown[]) => Promise<Buffer>;

interface Waiting {
  readonly change: IndexChange;
  readonly done: (outcome: ChangeOutcome) => void;
  readonly failed: (error: unknown) => void;
}

interface OpenDb {
  readonly db: FolderWatchDb;
  /** Absent in memory. */
  readonly sync?: LogSync;
}

/** An index of this process. */
interface OpenIndex {
  /** Reference of the engine, which stays that of this index. */
  readonly ref: string;
  /** Its number and tag, once it had watches. */
  known: { readonly id: number; readonly tag: string } | undefined;
  /** Whether changes are recorded. */
  isWatched: boolean;
  /** Writes of the engine itself. */
  readonly direct: Set<Promise<unknown>>;
  readonly waiting: Waiting[];
  readonly turn: Slots;
}

export class Recorder implements WatchHost {
  readonly #engine: SearchEngine;
  readonly #folder: string | undefined;
  /** By the number in the reference of the engine. */
  readonly #indexes = new Map<string, Promise<OpenIndex>>();
  /** Recorded changes that are not in their index yet. */
  readonly #unapplied = new Set<number>();
  #db: Promise<OpenDb> | undefined;
  #scratch: Promise<SearchEngine> | undefined;
  #ready: Promise<void> | undefined;
  onChange: () => void = () => {};

  /**
   * From now on, changes of watched indexes by `engine` are recorded.
   *
   * @param folder `undefined` for indexes in memory
   */
  constructor(engine: SearchEngine, folder: string | undefined) {
    [this.#engine, this.#folder] = [engine, folder];
    for (const [name, changeOf] of Object.entries(CHANGES)) {
      const write = (engine[name as 'addAssets'] as Write).bind(engine);
      const recorded: Write = (...args) => this.#write(String(args[0]), changeOf(args), () => write(...args));
      Object.defineProperty(engine, name, { value: recorded, configurable: true });
    }
    const deleteIndex = engine.deleteIndex.bind(engine);
    Object.defineProperty(engine, 'deleteIndex', {
      value: (name: string) => this.#delete(name, () => deleteIndex(name)),
      configurable: true,
    });
  }

  async db(): Promise<WatchDb | undefined> {
    const db = await this.#existing();
    return db && watchesOf(db);
  }

  async idOf(index: string): Promise<number | undefined> {
    return (await this.#open(index)).known?.id;
  }

  async nameOf(id: number): Promise<string | undefined> {
    for (const opening of this.#indexes.values()) {
      const { ref, known } = await opening;
      if (known?.id !== id) continue;
      const index = await this.#engine.getIndex(ref).catch(() => undefined);
      return index && (JSON.parse(index.toString()) as { readonly name: string }).name;
    }
    return undefined;
  }

  async watch<T>(index: string, work: (place: WatchPlace) => Promise<T>): Promise<T> {
    const one = await this.#open(index);
    const result = await one.turn.run(async () => {
      // Later writes wait for their turn.
      one.isWatched = true;
      await Promise.allSettled(one.direct);
      const db = await this.#required();
      one.known ??= await this.#mark(one.ref, db);
      const { id } = one.known;
      try {
        return await db.transaction().execute(async (transaction) => {
          const since = await nextSequence(transaction, 0);
          return work({ transaction: transaction as unknown as WatchPlace['transaction'], index: id, since });
        });
      } finally {
        // Without watches, changes need not be recorded. Requests that wait for their turn are.
        one.isWatched = one.waiting.length > 0 || (await hasWatches(db, id));
      }
    });
    await this.#synced();
    return result;
  }

  commit<T>(work: (transaction: WatchDb) => Promise<T>): Promise<T> {
    return this.#commit((transaction) => work(watchesOf(transaction)));
  }

  isApplied(sequence: number): boolean {
    return !this.#unapplied.has(sequence);
  }

  ready(): Promise<void> {
    this.#ready ??= this.#reconcile();
    return this.#ready;
  }

  async close(): Promise<void> {
    const { db, sync } = (await this.#db) ?? {};
    await sync?.close();
    await Promise.all([db?.destroy(), (await this.#scratch)?.close()]);
  }

  /** Opens all indexes, and removes watches of those that are gone. */
  async #reconcile(): Promise<void> {
    await this.#engine.whenLoaded();
    const db = await this.#existing();
    if (db === undefined) return;
    // Only this process has the folder: a lease is that of one that was killed.
    await db.updateTable('watch_lease').set({ leader: null, leased_until: 0 }).execute();
    const indexes = JSON.parse((await this.#engine.listIndexes()).toString()) as {
      readonly name: string;
      readonly state?: string;
    }[];
    const ids = new Set<number>();
    for (const { name, state } of indexes) {
      // A damaged index may have watches.
      if (state !== undefined) return;
      const id = await this.idOf(name).catch(() => undefined);
      if (id !== undefined) ids.add(id);
    }
    for (const { id } of await db.selectFrom('watched_indexes').select('id').execute())
      if (!ids.has(id)) await this.#forget(id);
  }

  async #write(index: string, change: IndexChange, direct: () => Promise<Buffer>): Promise<Buffer> {
    const one = await this.#openIfPresent(index);
    if (one === undefined) return direct();
    if (!one.isWatched) {
      const writing = direct();
      one.direct.add(writing);
      const done = () => one.direct.delete(writing);
      writing.then(done, done);
      return writing;
    }
    const outcome = await new Promise<ChangeOutcome>((done, failed) => {
      one.waiting.push({ change, done, failed });
      if (one.waiting.length === 1) void one.turn.run(() => this.#commitGroup(one));
    });
    return responseOf(outcome);
  }

  async #delete(name: string, direct: () => Promise<Buffer>): Promise<Buffer> {
    const one = await this.#openIfPresent(name);
    const response = await direct();
    if (one === undefined) return response;
    this.#indexes.delete(indexNumber(one.ref));
    if (one.known !== undefined) await this.#forget(one.known.id);
    return response;
  }

  async #commitGroup(one: OpenIndex): Promise<void> {
    const group = takeGroup(one);
    if (one.waiting.length > 0) void one.turn.run(() => this.#commitGroup(one));
    try {
      const rehearsed = await this.#engine.rehearse(
        one.ref,
        group.map(({ change }) => change),
      );
      if (rehearsed.count > 0) await this.#record(one, group, rehearsed);
      for (const [at, { done }] of group.entries()) done(rehearsed.outcomes[at] as ChangeOutcome);
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }

  /** Records a change, then applies it. */
  async #record(one: OpenIndex, group: readonly Waiting[], rehearsed: Rehearsed): Promise<void> {
    const { id, tag } = one.known as { readonly id: number; readonly tag: string };
    const old_rows = await this.#oldRows(one.ref, group, rehearsed);
    const { rows, deleted, state } = rehearsed;
    const change = { tag: randomUUID(), index_id: id, at: Date.now(), state: JSON.stringify(state) };
    let sequence = 0;
    try {
      await this.#commit(async (transaction) => {
        sequence = await nextSequence(transaction, 1);
        this.#unapplied.add(sequence);
        const row = { ...change, sequence, put_rows: rows.toString(), old_rows };
        await transaction.insertInto('watch_changes').values(row).execute();
      });
      await this.#engine.applyRows(one.ref, { rows, deleted, state, position: positionOf(tag, sequence) });
    } catch (error) {
      // If that fails, too, the record counts as not applied until the folder is opened again.
      await this.#discard(id, (await this.#sequenceIn(one.ref)) ?? sequence);
      this.#unapplied.delete(sequence);
      throw error;
    }
    this.#unapplied.delete(sequence);
    this.onChange();
  }

  /** The assets that the group replaces or deletes, as rows: JSON. */
  async #oldRows(
    ref: string,
    group: readonly Waiting[],
    { rows, deleted, outcomes, state }: Rehearsed,
  ): Promise<string> {
    const mayReplace = group.some(({ change }, at) => replaces(change, outcomes[at]?.response));
    if (!mayReplace && deleted.length === 0) return '[]';
    const changed = mayReplace ? (JSON.parse(rows.toString()) as readonly { readonly key: string }[]) : [];
    const keys = [...changed.map(({ key }) => key), ...deleted].values();
    const entries: Buffer[] = [];
    const read = async () => {
      for (const key of keys) {
        const isccId = isccIdOf(state.realm ?? 0, BigInt(`0x${key.slice(2)}`));
        const entry = await this.#engine.getAsset(ref, isccId).catch(() => undefined);
        if (entry !== undefined) entries.push(entry);
      }
    };
    await Promise.all(Array.from({ length: READS }, read));
    if (entries.length === 0) return '[]';
    const body = Buffer.from(`[${entries.map(String).join()}]`);
    const scratch = await this.#scratchEngine();
    return (await scratch.rehearse(SCRATCH, [{ form: 'entries', body }])).rows.toString();
  }

  async #openIfPresent(index: string): Promise<OpenIndex | undefined> {
    try {
      return await this.#open(index);
    } catch {
      // The engine itself says why.
      return undefined;
    }
  }

  /** @throws {NativeError} if the index does not exist, is being loaded or is damaged */
  async #open(index: string): Promise<OpenIndex> {
    const ref = isHeld(index) ? index : this.#engine.holdIndex(index);
    const number = indexNumber(ref);
    const opening = this.#indexes.get(number) ?? this.#opened(ref);
    this.#indexes.set(number, opening);
    try {
      return await opening;
    } catch (error) {
      this.#indexes.delete(number);
      throw error;
    }
  }

  async #opened(ref: string): Promise<OpenIndex> {
    const [, tag, sequence] = POSITION.exec((await this.#engine.position(ref)) ?? '') ?? [];
    const db = tag === undefined ? undefined : await this.#existing();
    const row = await db
      ?.selectFrom('watched_indexes')
      .select('id')
      .where('tag', '=', tag ?? '')
      .executeTakeFirst();
    const one = { ref, direct: new Set<Promise<unknown>>(), waiting: [], turn: new Slots(1) };
    if (tag === undefined || row === undefined) return { ...one, known: undefined, isWatched: false };
    await this.#discard(row.id, Number(sequence));
    const isWatched = await hasWatches(await this.#required(), row.id);
    return { ...one, known: { id: row.id, tag }, isWatched };
  }

  /** Removes changes of an index that were not applied. The next change gets a later number than any before. */
  async #discard(id: number, applied: number): Promise<void> {
    const db = await this.#required();
    await db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('watch_lease')
        .set({ sequence: applied })
        .where('sequence', '<', applied)
        .execute();
      await transaction
        .deleteFrom('watch_changes')
        .where('index_id', '=', id)
        .where('sequence', '>', applied)
        .execute();
    });
  }

  /** Gives an index a tag, which it stores. */
  async #mark(ref: string, db: FolderWatchDb): Promise<{ readonly id: number; readonly tag: string }> {
    const probe = { form: 'deletion', body: Buffer.from(SOME_ID) };
    for (const outcome of (await this.#engine.rehearse(ref, [probe])).outcomes)
      if (outcome.code === 'READ_ONLY') responseOf(outcome);
    const { state } = await this.#engine.rehearse(ref, []);
    const tag = randomUUID();
    const added = db.insertInto('watched_indexes').values({ tag }).returning('id');
    const { id } = await added.executeTakeFirstOrThrow();
    const position = positionOf(tag, 0);
    await this.#engine.applyRows(ref, { rows: Buffer.from('[]'), deleted: [], state, position });
    return { id, tag };
  }

  async #sequenceIn(ref: string): Promise<number | undefined> {
    const position = await this.#engine.position(ref).catch(() => undefined);
    const sequence = POSITION.exec(position ?? '')?.[2];
    return sequence === undefined ? undefined : Number(sequence);
  }

  /** Removes all of an index that was deleted. */
  async #forget(id: number): Promise<void> {
    const db = await this.#required();
    await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('watched_indexes').where('id', '=', id).execute();
      await forgetWatches(watchesOf(transaction), id);
    });
    this.onChange();
  }

  /** Runs a transaction. The event loop does not wait for the disk. */
  async #commit<T>(work: (transaction: FolderWatchDb) => Promise<T>): Promise<T> {
    const result = await (await this.#required()).transaction().execute(work);
    await this.#synced();
    return result;
  }

  /** Waits until all commits are on disk. */
  async #synced(): Promise<void> {
    await (await this.#db)?.sync?.run();
  }

  async #existing(): Promise<FolderWatchDb | undefined> {
    if (this.#db !== undefined) return (await this.#db).db;
    return this.#file !== undefined && existsSync(this.#file) ? this.#required() : undefined;
  }

  get #file(): string | undefined {
    return this.#folder === undefined ? undefined : path.join(this.#folder, WATCH_FILE);
  }

  async #required(): Promise<FolderWatchDb> {
    this.#db ??= openFolderWatches(this.#file);
    return (await this.#db).db;
  }

  #scratchEngine(): Promise<SearchEngine> {
    this.#scratch ??= (async () => {
      const engine = await native.openSearchEngine('memory://');
      await engine.createIndex(Buffer.from(JSON.stringify({ name: SCRATCH })));
      return engine;
    })();
    return this.#scratch;
  }
}

/** Whether this is a reference of the engine, not a name. */
export function isHeld(index: string): boolean {
  return index.includes(HELD);
}

/** The number of an index in a reference of the engine. */
export function indexNumber(ref: string): string {
  return ref.slice(ref.lastIndexOf(HELD) + 1);
}

async function openFolderWatches(file: string | undefined): Promise<OpenDb> {
  const { LogSync, openSqliteSyncedLater } = await import('../../../storage/database/sqlite.js');
  const db = openSqliteSyncedLater(file ?? ':memory:') as unknown as FolderWatchDb;
  await migrateTables<FolderWatchTables>(db, 'sqlite', file ?? ':memory:', FOLDER_WATCHES);
  return { db, ...(file !== undefined && { sync: new LogSync(file) }) };
}

async function hasWatches(db: FolderWatchDb, index: number): Promise<boolean> {
  const one = db.selectFrom('watches').select('number').where('index_id', '=', index).limit(1);
  return (await one.executeTakeFirst()) !== undefined;
}

/** The last number of a change, after taking `count`. */
async function nextSequence(transaction: FolderWatchDb, count: number): Promise<number> {
  const { sequence } = await transaction
    .updateTable('watch_lease')
    .set((expression) => ({ sequence: expression('sequence', '+', count) }))
    .where('id', '=', 1)
    .returning('sequence')
    .executeTakeFirstOrThrow();
  return sequence;
}

/** The first of the waiting requests; the rest gets its own turn. */
function takeGroup(one: OpenIndex): readonly Waiting[] {
  let bytes = 0;
  const end = one.waiting.findIndex(({ change }, at) => {
    bytes += change.body.byteLength;
    return at > 0 && bytes > GROUP_BYTES_MAX;
  });
  return end < 0 ? one.waiting.splice(0) : one.waiting.splice(0, end);
}

/** Whether a change may have replaced assets, by its response. */
function replaces({ form }: IndexChange, response: Buffer | undefined): boolean {
  if (response === undefined || form.startsWith('deletion')) return false;
  const text = response.toString();
  return form === 'lines' ? !/"updated":0\b/.test(text) : text.includes('"updated"');
}

function positionOf(tag: string, sequence: number): string {
  return `watch/${tag}/${sequence}`;
}
