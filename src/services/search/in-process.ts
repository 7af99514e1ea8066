/** The search API in this process, without HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { z } from 'zod';
import type { InProcessIndexes, LocalSearch, WatchApi } from '../../c2pa/local-search.js';
import { serviceError } from '../../client/errors.js';
import type {
  AddResult,
  AssetLines,
  DeclaredPaths,
  DeletionResult,
  Entry,
  IndexInfo,
  LinesResult,
  Query,
  SearchParameters,
  SearchResult,
} from '../../client/search-api.js';
import { isNativeError } from '../../native.js';
import { EngineSearch } from './engine/local-search.js';
import { openEngine, searchFolder } from './engine/open.js';
import type { Engine } from './engine/port.js';
import { ERRORS, engineFailure } from './errors.js';
import { isOpenSearch } from './opensearch/location.js';
import { isPostgres } from './postgres/location.js';
import { searchParameters } from './schema.js';
import { engineParameters } from './selection.js';
import { Recorder } from './watches/recorder.js';

export class InProcessSearch implements InProcessIndexes {
  readonly #engine: Engine;
  readonly #release: () => Promise<void>;
  readonly #loaded: Promise<void>;
  /** Reads the same indexes without JSON. */
  readonly local: LocalSearch;
  readonly watches?: WatchApi;

  private constructor(
    engine: Engine,
    release: () => Promise<void>,
    loaded: Promise<void>,
    watches?: WatchApi,
  ) {
    if (watches !== undefined) this.watches = watches;
    this.#engine = engine;
    this.#release = release;
    this.#loaded = loaded;
    this.local = new EngineSearch(engine, loaded);
  }

  /**
   * Opens `memory://`, `lmdb:///path`, `usearch:///path`, `postgresql://...` or `opensearch+https://...`. Rejects while
   * another process, for example a server, has the folder open. All indexes of a database are loaded into a temporary
   * folder.
   *
   * @param apiKey of OpenSearch
   */
  static async open(location: string, apiKey?: string): Promise<InProcessSearch> {
    if (isPostgres(location)) return InProcessSearch.#openShared(location);
    if (isOpenSearch(location)) return InProcessSearch.#openForeign(location, apiKey);
    const engine = await openEngine(location);
    // A service reports the changes when it opens the folder.
    const recorder = new Recorder(engine, searchFolder(location));
    const release = () => engine.close().then(() => recorder.close());
    return new InProcessSearch(engine, release, Promise.resolve());
  }

  /** Wraps an open engine with its watches; its owner closes it. Calls wait until its indexes are loaded. */
  static over(engine: Engine, loaded: Promise<void>, watches?: WatchApi): InProcessSearch {
    return new InProcessSearch(engine, async () => {}, loaded, watches);
  }

  static async #openShared(location: string): Promise<InProcessSearch> {
    const { PostgresEngine } = await import('./postgres/engine.js');
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-indexes-'));
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      const engine = await PostgresEngine.open({
        location,
        folder,
        engine: { sync: false, loadsInBackground: true },
        stalenessMs: 0,
        stalenessSecondsMax: 0,
        log: undefined,
      });
      return new InProcessSearch(engine, () => engine.close().then(remove), engine.whenLoaded());
    } catch (error) {
      await remove();
      throw error;
    }
  }

  static async #openForeign(location: string, apiKey: string | undefined): Promise<InProcessSearch> {
    const { OpenSearchEngine } = await import('./opensearch/engine.js');
    const engine = await OpenSearchEngine.open({ location, apiKey, engine: {}, log: undefined });
    return new InProcessSearch(engine, () => engine.close(), Promise.resolve());
  }

  async createIndex(name: string): Promise<IndexInfo> {
    return (await parse(this.#call((engine) => engine.createIndex(toJson({ name }))))) as IndexInfo;
  }

  async listIndexes(): Promise<IndexInfo[]> {
    return (await parse(this.#call((engine) => engine.listIndexes()))) as IndexInfo[];
  }

  async getIndex(name: string): Promise<IndexInfo> {
    return (await parse(this.#call((engine) => engine.getIndex(name)))) as IndexInfo;
  }

  async deleteIndex(name: string): Promise<void> {
    await parse(this.#call((engine) => engine.deleteIndex(name)));
  }

  async addAssets(index: string, entries: readonly Entry[]): Promise<AddResult[]> {
    return (await parse(this.#call((engine) => engine.addAssets(index, toJson(entries))))) as AddResult[];
  }

  async addLines(index: string, lines: Uint8Array): Promise<LinesResult> {
    return (await parse(this.#call((engine) => engine.addLines(index, lines, 1)))) as LinesResult;
  }

  async getPaths(index: string): Promise<DeclaredPaths> {
    return (await parse(this.#call((engine) => engine.getPaths(index)))) as DeclaredPaths;
  }

  async putPaths(index: string, paths: readonly string[]): Promise<DeclaredPaths> {
    return (await parse(this.#call((engine) => engine.putPaths(index, toJson({ paths }))))) as DeclaredPaths;
  }

  async assetLines(
    index: string,
    after: string | undefined,
    limit: number,
    filter?: string,
  ): Promise<AssetLines> {
    const filters = filter === undefined ? undefined : [filter];
    const page = this.#call((engine) => engine.listAssets(index, after, limit, true, filters));
    const { entries: lines, next } = await orServiceError(page);
    return { lines, next };
  }

  async deleteAssets(index: string, isccIds: readonly string[]): Promise<DeletionResult[]> {
    return (await parse(
      this.#call((engine) => engine.deleteAssets(index, toJson(isccIds))),
    )) as DeletionResult[];
  }

  async getAsset(index: string, isccId: string): Promise<Entry> {
    return (await parse(this.#call((engine) => engine.getAsset(index, isccId)))) as Entry;
  }

  async deleteAsset(index: string, isccId: string): Promise<void> {
    await parse(this.#call((engine) => engine.deleteAsset(index, isccId)));
  }

  async search(
    index: string,
    query: Query,
    parameters: number | SearchParameters = {},
  ): Promise<SearchResult> {
    const named = typeof parameters === 'object' ? parameters : { limit: parameters };
    const wanted = engineParameters(checked(named));
    const found = this.#call(async (engine) => (await engine.search(index, toJson(query), wanted)).json);
    return (await parse(found)) as SearchResult;
  }

  async #call<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    await this.#loaded;
    await this.#engine.fresh?.();
    return work(this.#engine);
  }

  async close(): Promise<void> {
    await this.#release();
  }
}

/** The parameters as the service reads them. @throws {ServiceError} 422 */
function checked(parameters: SearchParameters): z.output<typeof searchParameters> {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    Array.isArray(value) ? value : String(value),
  ]);
  const parsed = searchParameters.safeParse(Object.fromEntries(texts));
  if (parsed.success) return parsed.data;
  const detail = parsed.error.issues.map(({ path, message }) => ({ loc: ['query', ...path], msg: message }));
  throw serviceError({ status: 422, body: { detail } });
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

async function parse(response: Promise<Buffer>): Promise<unknown> {
  const json = await orServiceError(response);
  return json.length === 0 ? undefined : JSON.parse(json.toString());
}

/** @throws {ServiceError} with the status that the HTTP service would return */
async function orServiceError<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw asServiceError(error);
  }
}

/** A closed engine has no status: the service would not respond. */
function asServiceError(error: unknown): unknown {
  if (isNativeError(error, 'INVALID_STATE')) return error;
  const { status, detail } = engineFailure(error) ?? INTERNAL;
  const failure = serviceError({ status, body: { detail: JSON.parse(detail) } });
  failure.cause = error;
  return failure;
}

const INTERNAL = { status: ERRORS.INTERNAL[0], detail: JSON.stringify(ERRORS.INTERNAL[1]) };
