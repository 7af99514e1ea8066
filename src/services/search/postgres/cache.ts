/**
 * The indexes of a database in a local engine: a cache that may be lost. Each index stores its position in the database's
 * feed in the transaction that applies the changes, so that a cache is either usable or recognised as not.
 */
import { randomBytes } from 'node:crypto';
import { type FollowedIndex, type FollowedState, isNativeError, type SearchEngine } from '../../../native.js';
import type { Logger } from '../../../platform/observe/log.js';
import { BEGINNING, History, isSamePoint, type Point } from '../../../storage/feed/history.js';
import {
  type AssetRows,
  allLogRows,
  assetCount,
  changedPages,
  copiedAssets,
  type Registry,
  readRegistry,
  type StoredIndex,
} from './rows.js';
import type { SearchDb } from './tables.js';

/** More changes than this are not applied one by one: the index is loaded again. */
const CHANGED_ASSETS_MAX = 200_000;
/** Seconds between log lines of a load. */
const PROGRESS_SECONDS = 5;
/** Characters of a temporary name. */
const NAME_BYTES = 15;

/** Where a cached index is: database, index, number and tag of the last change. */
const POSITION = /^([\w-]+)\/(\d+)\/(\d+)\/([\da-f-]+)$/;

const NO_STATE: FollowedState = { simprintTypes: [], simprintBits: [] };
const NO_ROWS: AssetRows = { rows: '[]', deleted: [] };

interface Cached {
  readonly name: string;
  readonly id: number;
  readonly point: Point;
}

export class Cache {
  readonly #engine: SearchEngine;
  readonly #installation: string;
  readonly #log: Logger | undefined;
  /** Local names by the id of the index. */
  readonly #names = new Map<number, string>();
  readonly #paths = new Map<number, string>();
  /** Ids of indexes that follow logs. */
  readonly #following = new Set<number>();
  /** Indexes that are being loaded, with the done part. */
  readonly loading = new Map<string, number>();

  constructor(engine: SearchEngine, installation: string, log: Logger | undefined) {
    this.#engine = engine;
    this.#installation = installation;
    this.#log = log;
  }

  /** Grows with each deletion of a follower's state: what was derived from it is invalid. */
  resets = 0;

  /** The id of an index, by its name or an alias. */
  idOf(name: string): number | undefined {
    const target = this.#engine.aliasTarget(name) ?? name;
    for (const [id, known] of this.#names) if (known === target) return id;
    return undefined;
  }

  /** Whether an index has this name. */
  has(name: string): boolean {
    return [...this.#names.values()].includes(name);
  }

  /** Whether an index of this name follows logs, so that requests can't change it. */
  follows(name: string): boolean {
    const id = this.idOf(name);
    return id !== undefined && this.#following.has(id);
  }

  /**
   * Brings the cache to the state of a snapshot of the database, whatever it contains.
   *
   * @param db a transaction that reads one snapshot
   */
  async open(db: SearchDb, registry: Registry): Promise<void> {
    const cached = await this.#cached();
    this.#names.clear();
    this.#paths.clear();
    this.#following.clear();
    for (const { name } of registry.indexes) this.loading.set(name, 0);
    for (const { name } of cached.foreign) await this.#discard(name);
    const behind = new Map<number, Point>();
    for (const { id, name, point } of cached.known) {
      const index = registry.indexes.find((one) => one.id === id);
      const isUsable =
        index !== undefined &&
        (await isInHistory(db, index, point)) &&
        (await changeCount(db, id, point.sequence)) <= CHANGED_ASSETS_MAX;
      if (!isUsable) {
        await this.#discard(name);
        continue;
      }
      this.#names.set(id, name);
      this.#paths.set(id, await this.#declared(name));
      if (index.follows !== null) this.#following.add(id);
      if (point.sequence < index.last.sequence) behind.set(id, point);
    }
    await this.reconcile(db, registry);
    for (const [id, point] of behind) {
      const index = registry.indexes.find((one) => one.id === id) as StoredIndex;
      const { last } = index;
      await this.applyAll(index, changedPages(db, index, point.sequence, last.sequence), point, last);
    }
    this.loading.clear();
  }

  /** Makes names, aliases and declared paths those of the database; creates and loads missing indexes. */
  async reconcile(db: SearchDb, { indexes, aliases }: Registry): Promise<void> {
    const engine = this.#engine;
    const wanted = new Map(indexes.map((index) => [index.id, index]));
    const names = new Set(indexes.map(({ name }) => name));
    for (const { name, index } of this.#aliases()) {
      const target = aliases.get(name);
      if (target === undefined || names.has(name) || this.#names.get(target) !== index)
        await engine.deleteAlias(name);
    }
    for (const [id, name] of [...this.#names]) if (!wanted.has(id)) await this.deleted(id, name);
    await this.#rename(wanted);
    for (const index of indexes) {
      if (!this.#names.has(index.id)) await this.#load(db, index.id, index.name);
      else this.loading.delete(index.name);
      // The engine itself declares the paths of indexes that follow logs.
      if (index.follows === null && this.#paths.get(index.id) !== index.paths) {
        await engine.putPaths(index.name, Buffer.from(`{"paths":${index.paths}}`));
        this.#paths.set(index.id, index.paths);
      }
    }
    for (const [alias, id] of aliases) {
      const name = this.#names.get(id) as string;
      if (engine.aliasTarget(alias) !== name) await engine.putAlias(alias, json({ index: name }));
    }
  }

  /** Applies changed assets of an index; all of them, and the position, become durable together. */
  async apply(
    index: Pick<StoredIndex, 'id' | 'state'>,
    { rows, deleted, log = [] }: AssetRows,
    point: Point,
  ): Promise<void> {
    const name = this.#names.get(index.id);
    if (name === undefined) throw new Error(`the cache has no index ${index.id}`);
    await this.#engine.applyRows(name, {
      rows: typeof rows === 'string' ? Buffer.from(rows) : rows,
      deleted,
      log,
      state: index.state,
      position: this.#position(index.id, point),
    });
    if (log.some(({ value }) => value === undefined)) this.resets += 1;
  }

  /** Applies pages of the changes after one number up to another one. An interrupted call can be repeated. */
  async applyAll(
    index: StoredIndex,
    pages: Iterable<AssetRows> | AsyncIterable<AssetRows>,
    after: Point,
    upTo: Point,
  ): Promise<void> {
    let last = NO_ROWS;
    for await (const page of pages) {
      if (last !== NO_ROWS) await this.apply(index, last, after);
      last = page;
    }
    await this.apply(index, last, upTo);
  }

  /** An index was created in the engine. */
  async created(id: number, name: string, point: Point): Promise<void> {
    this.#names.set(id, name);
    this.#paths.set(id, '[]');
    await this.apply({ id, state: NO_STATE }, NO_ROWS, point);
  }

  /** An index that follows logs of a realm was created in the database. */
  async followed(id: number, name: string, realm: number, point: Point): Promise<FollowedIndex> {
    const index = await this.#engine.followLogs(name, realm);
    this.#following.add(id);
    await this.created(id, name, point);
    return index;
  }

  renamed(id: number, name: string): void {
    this.#names.set(id, name);
  }

  declared(id: number, paths: string): void {
    this.#paths.set(id, paths);
  }

  forget(id: number): void {
    this.#names.delete(id);
    this.#paths.delete(id);
    this.#following.delete(id);
  }

  async deleted(id: number, name: string): Promise<void> {
    await this.#discard(name);
    this.forget(id);
  }

  async #declared(name: string): Promise<string> {
    const { paths } = JSON.parse((await this.#engine.getPaths(name)).toString()) as {
      readonly paths: readonly { readonly path: string }[];
    };
    return JSON.stringify(paths.map(({ path }) => path));
  }

  /** Without a tag it matches nothing: the index is loaded again at the next start. */
  #position(id: number, { sequence, tag = '' }: Point): string {
    return `${this.#installation}/${id}/${sequence}/${tag}`;
  }

  #aliases(): readonly { readonly name: string; readonly index: string }[] {
    return JSON.parse(this.#engine.listAliases().toString());
  }

  /** The indexes in the folder: those of this database, and others, which are of no use. */
  async #cached(): Promise<{ known: Cached[]; foreign: { name: string }[] }> {
    const all = JSON.parse((await this.#engine.listIndexes()).toString()) as readonly { name: string }[];
    const [known, foreign]: [Cached[], { name: string }[]] = [[], []];
    const ids = new Set<number>();
    for (const { name } of all) {
      const position = await this.#engine.position(name).catch((error: unknown) => {
        if (isNativeError(error, 'INDEX_DAMAGED')) return null;
        throw error;
      });
      const [, installation, id, sequence, tag] = POSITION.exec(position ?? '') ?? [];
      const cached = { name, id: Number(id), point: { sequence: Number(sequence), tag } };
      if (installation !== this.#installation || ids.has(cached.id)) foreign.push({ name });
      else known.push(cached);
      ids.add(cached.id);
    }
    return { known, foreign };
  }

  async #discard(name: string): Promise<void> {
    for (const alias of this.#aliases()) if (alias.index === name) await this.#engine.deleteAlias(alias.name);
    await this.#engine.discardIndex(name);
  }

  /** Renames in two steps where a name is still that of another index. */
  async #rename(wanted: ReadonlyMap<number, StoredIndex>): Promise<void> {
    const changed = [...this.#names].filter(([id, name]) => wanted.get(id)?.name !== name);
    for (const [id] of changed) {
      const target = wanted.get(id)?.name ?? '';
      if (this.has(target)) await this.#renameOne(id, `z${randomBytes(NAME_BYTES).toString('hex')}`);
      else await this.#renameOne(id, target);
    }
    for (const [id] of changed) {
      const target = wanted.get(id)?.name ?? '';
      if (this.#names.get(id) !== target) await this.#renameOne(id, target);
    }
  }

  async #renameOne(id: number, to: string): Promise<void> {
    await this.#engine.renameIndex(this.#names.get(id) as string, json({ name: to }));
    this.#names.set(id, to);
  }

  /** Loads all assets of an index. Without a position until the end: an interrupted load starts again. */
  async #load(db: SearchDb, id: number, name: string): Promise<void> {
    // Of the same snapshot as the assets. The index may have been deleted since it was found.
    const known = (await readRegistry(db)).indexes.find((one) => one.id === id);
    const state = known?.state ?? NO_STATE;
    const total = await assetCount(db, id);
    if (total > 0) this.#log?.info({ index: name, assets: total }, 'loading the index from the database');
    this.loading.set(name, 0);
    const follows = known?.follows ?? null;
    if (follows === null) await this.#engine.createIndex(json({ name }));
    else {
      await this.#engine.followLogs(name, follows);
      this.#following.add(id);
    }
    this.#names.set(id, name);
    this.#paths.set(id, '[]');
    let [done, logged] = [0, performance.now()];
    for await (const { rows, count } of copiedAssets(db, id)) {
      await this.#engine.applyRows(name, { rows, deleted: [], state });
      done += count;
      this.loading.set(name, done / Math.max(total, 1));
      if (performance.now() - logged < PROGRESS_SECONDS * 1000) continue;
      this.#log?.info({ index: name, assets: total, loaded: done }, 'loading the index from the database');
      logged = performance.now();
    }
    if (follows !== null)
      for await (const log of allLogRows(db, id))
        await this.#engine.applyRows(name, { rows: Buffer.from('[]'), deleted: [], log, state });
    await this.apply({ id, state }, NO_ROWS, known?.last ?? BEGINNING);
    // Also an index that was loaded before, and of which its follower remembers parts.
    if (follows !== null) this.resets += 1;
    this.loading.delete(name);
  }
}

/** Whether the cached state of an index is one that the index had in this database, with all changes since then. */
async function isInHistory(db: SearchDb, index: StoredIndex, point: Point): Promise<boolean> {
  if (point.sequence === index.last.sequence) return isSamePoint(point, index.last);
  return point.sequence < index.last.sequence && (await new History(db).has(point));
}

async function changeCount(db: SearchDb, index: number, after: number): Promise<number> {
  const { count } = await db
    .selectFrom('changes')
    .select((all) => all.fn.coalesce(all.fn.sum<number>('count'), all.lit(0)).as('count'))
    .where('index_id', '=', index)
    .where('sequence', '>', after)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
