/** An engine whose indexes are in PostgreSQL. Every process answers from its own cache and sees all committed changes. */
import type { NativeError, NativeErrorCode, SearchEngine, SearchOptions } from '../../../native.js';
import { native } from '../../../native.js';
import type { Metric } from '../../../platform/observe/instruments.js';
import type { Logger } from '../../../platform/observe/log.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import type { FailoverPool } from '../../../storage/database/failover-pool.js';
import { truncateFeed } from '../../../storage/feed/feed.js';
import { SHARED_ID } from '../engine/open.js';
import type { Engine, EngineProblem } from '../engine/port.js';
import { NAME_PATTERN } from '../schema.js';
import { forgetWatches, watchesOf } from '../watches/tables.js';
import { AdvisoryLock } from './advisory-lock.js';
import { Cache } from './cache.js';
import { Followed } from './followed.js';
import { cacheMetrics } from './metrics.js';
import type { Newest } from './newest.js';
import { openSearchDatabase, type SearchDatabase } from './open.js';
import { openCache } from './open-cache.js';
import { insertIndex, sweepDropped } from './rows.js';
import { SharedLogs } from './shared-logs.js';
import type { SearchDb } from './tables.js';
import { PostgresWatchHost } from './watch-host.js';
import { type NameChange, type Unchanged, unavailable, Writes } from './writes.js';

/** Changes that the feed keeps. A cache that is further behind loads its indexes again. */
const CHANGES_KEPT = 20_000;
/** How often old changes and assets of deleted indexes are removed. */
const CLEAN_MS = 60_000;
/** Pause before an unreachable database is tried again. */
const RETRY_MS = 500;
const SCRATCH = 'scratch';

export interface PostgresEngineOptions {
  readonly location: string;
  /** Folder of the cache. */
  readonly folder: string;
  readonly engine: SearchOptions;
  /** For how long a search may use what it saw last without a question to the database. */
  readonly stalenessMs: number;
  /** For how long searches are answered while the database is unreachable. */
  readonly stalenessSecondsMax: number;
  readonly log: Logger | undefined;
}

export class PostgresEngine implements Engine {
  readonly #options: PostgresEngineOptions;
  readonly #db: SearchDb;
  readonly #newest: Newest;
  readonly #pool: FailoverPool;
  readonly #local: SearchEngine;
  /** Checks request bodies without any effect. */
  readonly #scratch: SearchEngine;
  readonly #cache: Cache;
  readonly #followed: Followed;
  readonly #writes: Writes;
  readonly #loaded: Promise<void>;
  #cleaning: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isAway = false;
  #isStarted = false;
  #isClosed = false;
  /** Identifies the database. */
  readonly id: string;
  readonly instruments: readonly Metric[];
  /** Watches of the indexes. */
  readonly watched: PostgresWatchHost;

  private constructor(
    options: PostgresEngineOptions,
    { db, newest, pool }: SearchDatabase,
    local: SearchEngine,
    scratch: SearchEngine,
    installation: string,
  ) {
    const { log } = options;
    this.#options = options;
    this.id = `${SHARED_ID}${installation}`;
    [this.#db, this.#newest, this.#pool] = [db, newest, pool];
    [this.#local, this.#scratch] = [local, scratch];
    this.#cache = new Cache(local, installation, log);
    const away = (error: unknown) => this.#lost(error);
    this.#followed = new Followed({
      db,
      newest,
      cache: this.#cache,
      log,
      onError: (error) => unavailable(error, away),
      onCurrent: () => this.#found(),
    });
    const [cache, followed] = [this.#cache, this.#followed];
    this.#writes = new Writes({ db, engine: local, cache, followed, log, onUnavailable: away });
    this.instruments = cacheMetrics(() => (performance.now() - followed.currentMs) / 1000);
    this.#loaded = this.#load();
    const whenLoaded = () => this.#loaded;
    this.watched = new PostgresWatchHost({ db, engine: local, cache, whenLoaded, onUnavailable: away });
    this.#cleaning = setInterval(() => void this.#clean(), CLEAN_MS).unref();
  }

  /** Loads the cache in the background. */
  static async open(options: PostgresEngineOptions): Promise<PostgresEngine> {
    const database = await openSearchDatabase(options.location);
    const { db } = database;
    try {
      const { name } = await db
        .selectFrom('installation')
        .select('name')
        .where('id', '=', 1)
        .executeTakeFirstOrThrow();
      const local = await openCache(options.folder, options.engine, options.log);
      const scratch = await native.openSearchEngine('memory://');
      return new PostgresEngine(options, database, local, scratch, name);
    } catch (error) {
      await db.destroy();
      throw error;
    }
  }

  async fresh(): Promise<number | undefined> {
    const { stalenessMs, stalenessSecondsMax } = this.#options;
    this.#requireLoaded();
    const age = () => performance.now() - this.#followed.currentMs;
    if (age() <= stalenessMs) return undefined;
    if (!this.#isAway) {
      try {
        await this.#followed.follow();
        return undefined;
      } catch (error) {
        const reason = unavailable(error, (cause) => this.#lost(cause));
        if (!(reason instanceof StorageUnavailable)) throw reason;
        this.#requireLoaded();
      }
    }
    if (age() > stalenessSecondsMax * 1000)
      throw new StorageUnavailable('The database of the indexes is unavailable');
    return age() / 1000;
  }

  version(): number | undefined {
    return this.#followed.isLoaded ? this.#followed.version : undefined;
  }

  problem(): EngineProblem | undefined {
    if (!this.#isAway) return undefined;
    const stale = (performance.now() - this.#followed.currentMs) / 1000;
    return { reason: 'database_unavailable', isServing: stale <= this.#options.stalenessSecondsMax };
  }

  createIndex(body: Uint8Array): Promise<Buffer> {
    return this.#changeNames(async () => {
      const name = await this.#nameIn(body);
      const local = this.#local;
      if (this.#isTaken(name)) return refuse(local.createIndex(body));
      let id = 0;
      return {
        commit: async (transaction, point) => {
          id = await insertIndex(transaction, { name, follows: null }, point);
        },
        apply: async (point) => {
          const response = await local.createIndex(body);
          await this.#cache.created(id, name, point);
          return response;
        },
      };
    });
  }

  deleteIndex(name: string): Promise<Buffer> {
    return this.#changeNames(async () => {
      const [local, id] = [this.#local, this.#cache.has(name) ? this.#cache.idOf(name) : undefined];
      if (id === undefined || this.#cache.follows(name) || this.#aliasesOf(name).length > 0)
        return refuse(local.deleteIndex(name));
      return {
        commit: async (transaction) => {
          await transaction.insertInto('dropped').values({ index_id: id }).execute();
          await transaction.deleteFrom('indexes').where('id', '=', id).execute();
          await forgetWatches(watchesOf(transaction), id);
        },
        apply: async () => {
          const response = await local.deleteIndex(name);
          this.#cache.forget(id);
          return response;
        },
      };
    });
  }

  renameIndex(name: string, body: Uint8Array): Promise<Buffer> {
    return this.#changeNames(async () => {
      const to = await this.#nameIn(body);
      const [local, id] = [this.#local, this.#cache.has(name) ? this.#cache.idOf(name) : undefined];
      if (id !== undefined && to === name) return { unchanged: await local.renameIndex(name, body) };
      if (id === undefined || this.#cache.follows(name) || this.#isTaken(to))
        return refuse(local.renameIndex(name, body));
      return {
        commit: async (transaction) => {
          await transaction.updateTable('indexes').set({ name: to }).where('id', '=', id).execute();
        },
        apply: async () => {
          const response = await local.renameIndex(name, body);
          this.#cache.renamed(id, to);
          return response;
        },
      };
    });
  }

  putAlias(alias: string, body: Uint8Array): Promise<Buffer> {
    return this.#changeNames(async () => {
      const local = this.#local;
      const index = indexIn(body);
      const id = index !== undefined && this.#cache.has(index) ? this.#cache.idOf(index) : undefined;
      if (id === undefined || this.#cache.has(alias) || !NAME_PATTERN.test(alias))
        return refuse(local.putAlias(alias, body));
      return {
        commit: async (transaction) => {
          await transaction
            .insertInto('aliases')
            .values({ name: alias, index_id: id })
            .onConflict((conflict) => conflict.column('name').doUpdateSet({ index_id: id }))
            .execute();
        },
        apply: () => local.putAlias(alias, body),
      };
    });
  }

  deleteAlias(alias: string): Promise<Buffer> {
    return this.#changeNames(async () => {
      const local = this.#local;
      if (local.aliasTarget(alias) === null) return refuse(local.deleteAlias(alias));
      return {
        commit: async (transaction) => {
          await transaction.deleteFrom('aliases').where('name', '=', alias).execute();
        },
        apply: () => local.deleteAlias(alias),
      };
    });
  }

  putPaths(index: string, body: Uint8Array): Promise<Buffer> {
    return this.#changeNames(async () => {
      const declared = await this.#inScratch(() => this.#scratch.putPaths(SCRATCH, body));
      const all = JSON.parse(declared.toString()) as { readonly paths: readonly { readonly path: string }[] };
      const paths = JSON.stringify(all.paths.map(({ path }) => path));
      const [local, id] = [this.#local, this.#cache.idOf(index)];
      if (id === undefined || this.#cache.follows(index)) return refuse(local.putPaths(index, body));
      return {
        commit: async (transaction) => {
          await transaction.updateTable('indexes').set({ paths }).where('id', '=', id).execute();
        },
        apply: async () => {
          const response = await local.putPaths(index, body);
          this.#cache.declared(id, paths);
          return response;
        },
      };
    });
  }

  addAssets(index: string, body: Uint8Array): Promise<Buffer> {
    return this.#change(index, 'entries', body);
  }

  addLines(index: string, body: Uint8Array, firstLine: number): Promise<Buffer> {
    return this.#change(index, 'lines', body, firstLine);
  }

  deleteAssets(index: string, body: Uint8Array): Promise<Buffer> {
    return this.#change(index, 'deletions', body);
  }

  deleteAsset(index: string, id: string): Promise<Buffer> {
    return this.#change(index, 'deletion', Buffer.from(id));
  }

  listIndexes = () => this.#local.listIndexes();
  getIndex = (name: string) => this.#local.getIndex(name);
  holdIndex = (name: string) => this.#local.holdIndex(name);
  listAliases = () => this.#local.listAliases();
  getAlias = (alias: string) => this.#local.getAlias(alias);
  aliasTarget = (alias: string) => this.#local.aliasTarget(alias);
  getPaths = (index: string) => this.#local.getPaths(index);
  getAsset: SearchEngine['getAsset'] = (...query) => this.#local.getAsset(...query);
  getGateway = (index: string, id: string) => this.#local.getGateway(index, id);
  listAssets: SearchEngine['listAssets'] = (...query) => this.#local.listAssets(...query);
  search: SearchEngine['search'] = (...query) => this.#local.search(...query);
  searchCode: SearchEngine['searchCode'] = (...query) => this.#local.searchCode(...query);
  searchUnits: SearchEngine['searchUnits'] = (...query) => this.#local.searchUnits(...query);
  metrics = () => this.#local.metrics();
  takeDecisions = () => this.#local.takeDecisions();
  whenLoaded = () => this.#loaded;

  unavailableIndexes(): Buffer {
    if (this.#followed.isLoaded) return this.#local.unavailableIndexes();
    const loading = [...this.#cache.loading].map(([name, progress]) => ({
      name,
      state: 'loading',
      progress,
    }));
    // While the cache itself is being read, nothing is known of its indexes.
    const all = loading.length > 0 ? loading : [{ name: '(cache)', state: 'loading', progress: 0 }];
    return Buffer.from(JSON.stringify(all));
  }

  /**
   * The index `name` as one that follows hub logs, for all processes of the database; creates it if it is missing. Its lock
   * decides which process follows them.
   *
   * @throws {NativeError} `CONFLICT` if an index of this name does not follow logs
   */
  async shareLogs(
    name: string,
    realm: number,
  ): Promise<{ readonly index: SharedLogs; readonly leadership: AdvisoryLock }> {
    await this.#changeNames(() => this.#creationOfFollowed(name, realm));
    const [engine, cache, writes] = [this.#local, this.#cache, this.#writes];
    const follow = () => this.#followed.follow();
    const index = new SharedLogs({ engine, cache, writes, index: name, realm, follow });
    return { index, leadership: new AdvisoryLock({ pool: this.#pool, name, log: this.#options.log }) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#cleaning);
    clearTimeout(this.#retry);
    await this.#loaded.catch(() => {});
    await this.#writes.close();
    await this.#followed.close();
    this.#newest.close();
    await Promise.all([this.#local.close(), this.#scratch.close(), this.#db.destroy()]);
  }

  async #creationOfFollowed(name: string, realm: number): Promise<NameChange<void> | Unchanged<void>> {
    if (this.#cache.follows(name)) return { unchanged: undefined };
    if (this.#isTaken(name))
      throw failure('CONFLICT', `the index ${name} of the database was not made from hub logs; delete it`);
    let id = 0;
    return {
      commit: async (transaction, point) => {
        id = await insertIndex(transaction, { name, follows: realm }, point);
      },
      apply: async (point) => {
        await this.#cache.followed(id, name, realm, point);
      },
    };
  }

  async #load(): Promise<void> {
    await this.#local.whenLoaded();
    while (!this.#isClosed) {
      try {
        await this.#followed.start();
        this.#isStarted = true;
        return;
      } catch (error) {
        this.#options.log?.error(
          { err: error },
          'the indexes could not be loaded from the database; trying again',
        );
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #change(index: string, form: string, body: Uint8Array, firstLine?: number): Promise<Buffer> {
    return this.#guarded(async () => {
      const change = { form, body, ...(firstLine !== undefined && { firstLine }) };
      const response = await this.#writes.change(index, change);
      this.watched.onChange();
      return response;
    });
  }

  #changeNames<T>(prepare: () => Promise<NameChange<T> | Unchanged<T>>): Promise<T> {
    return this.#guarded(() => this.#writes.changeNames(prepare));
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    this.#requireLoaded();
    if (this.#isAway) throw new StorageUnavailable('The database of the indexes is unavailable');
    return work();
  }

  /** @throws {NativeError} as the engine does for an index that is being loaded */
  #requireLoaded(): void {
    if (this.#followed.isLoaded) return;
    throw failure('LOADING', 'The indexes are being loaded from the database; try again in a moment');
  }

  #isTaken(name: string): boolean {
    return this.#cache.has(name) || this.#local.aliasTarget(name) !== null;
  }

  #aliasesOf(index: string): readonly unknown[] {
    const all = JSON.parse(this.#local.listAliases().toString()) as readonly { readonly index: string }[];
    return all.filter((alias) => alias.index === index);
  }

  /** The name in the body of a request. @throws {NativeError} if the engine would refuse the body */
  async #nameIn(body: Uint8Array): Promise<string> {
    const created = await this.#scratch.createIndex(body);
    const { name } = JSON.parse(created.toString()) as { readonly name: string };
    await this.#scratch.deleteIndex(name);
    return name;
  }

  async #inScratch<T>(work: () => Promise<T>): Promise<T> {
    await this.#scratch.createIndex(Buffer.from(JSON.stringify({ name: SCRATCH })));
    try {
      return await work();
    } finally {
      await this.#scratch.deleteIndex(SCRATCH);
    }
  }

  /** Tries again until the database responds. */
  #lost(error: unknown): void {
    // The first load has its own attempts.
    if (this.#isAway || this.#isClosed || !this.#isStarted) return;
    this.#isAway = true;
    this.#options.log?.error({ err: error }, 'the database of the indexes is unavailable');
    const attempt = () => {
      this.#followed.follow().catch(() => {
        if (this.#isAway && !this.#isClosed) this.#retry = setTimeout(attempt, RETRY_MS).unref();
      });
    };
    this.#retry = setTimeout(attempt, RETRY_MS).unref();
  }

  #found(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    clearTimeout(this.#retry);
    this.#options.log?.info('the database of the indexes is available again');
  }

  async #clean(): Promise<void> {
    if (this.#isAway) return;
    try {
      await truncateFeed(this.#db, CHANGES_KEPT);
      await sweepDropped(this.#db);
    } catch (error) {
      unavailable(error, (reason) => this.#lost(reason));
    }
  }
}

/** As the engine throws it. */
function failure(code: NativeErrorCode, message: string): NativeError {
  return Object.assign(new Error(message), { code, detail: JSON.stringify(message) });
}

/** The engine's own refusal. */
async function refuse(refused: Promise<Buffer>): Promise<never> {
  await refused;
  throw new Error('the engine accepted what the state of the database excludes');
}

/** Member `index` of a JSON object; `undefined` if the engine would refuse the body. */
function indexIn(body: Uint8Array): string | undefined {
  try {
    const { index, ...rest } = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
    return typeof index === 'string' && Object.keys(rest).length === 0 ? index : undefined;
  } catch {
    return undefined;
  }
}
