/**
 * An engine whose indexes are in OpenSearch. Any number of processes share them; none keeps more than the names. OpenSearch
 * finds candidates, and Rust applies all rules and scores.
 */
import {
  type ForeignIndex,
  type IndexChange,
  native,
  type QueryOptions,
  type SearchEngine,
  type SearchOptions,
} from '../../../native.js';
import type { Metric } from '../../../platform/observe/instruments.js';
import type { Logger } from '../../../platform/observe/log.js';
import { present } from '../../../platform/present.js';
import { OPENSEARCH_ID } from '../engine/open.js';
import type { Engine, EngineProblem } from '../engine/port.js';
import { Availability } from './availability.js';
import { Client } from './client.js';
import { type DamagedIndex, Damages } from './damages.js';
import { refused } from './errors.js';
import { checkMappings } from './format.js';
import { type OpenSearchLocation, parseLocation } from './location.js';
import { Names, plainName } from './names.js';
import { Queries } from './queries.js';
import { RegistryDocument, type StoredIndex } from './registry.js';
import { type Row, readAssets, WHOLE_QUERY } from './rows.js';
import { sweep } from './sweep.js';
import { Writes } from './writes.js';

/** Candidates per search, unless configured. */
const CANDIDATES = 1000;
/** Assets of a page. */
const PAGE_MAX = 1000;
const BYTES_PER_MIB = 1024 ** 2;

export interface OpenSearchEngineOptions {
  readonly location: string;
  readonly apiKey?: string | undefined;
  readonly engine: SearchOptions;
  /** Candidates per search. */
  readonly candidates?: number;
  readonly log: Logger | undefined;
}

export class OpenSearchEngine implements Engine {
  readonly #options: OpenSearchEngineOptions;
  readonly #client: Client;
  readonly #names: Names;
  readonly #damages: Damages;
  readonly #availability: Availability;
  readonly #writes: Writes;
  readonly #queries: Queries;
  /** Identifies the indexes. */
  readonly id: string;
  readonly instruments: readonly Metric[];

  private constructor(options: OpenSearchEngineOptions, parts: Parts, installation: string) {
    const { location, client, names } = parts;
    this.#options = options;
    this.id = `${OPENSEARCH_ID}${installation}`;
    this.instruments = client.metrics;
    [this.#client, this.#names] = [client, names];
    [this.#damages, this.#availability] = [parts.damages, parts.availability];
    this.#writes = new Writes({ client, location, names });
    this.#queries = new Queries({ client, names, candidates: options.candidates ?? CANDIDATES });
  }

  /** @throws {StorageUnavailable} if no node responds */
  static async open(options: OpenSearchEngineOptions): Promise<OpenSearchEngine> {
    const location = parseLocation(options.location);
    const { log } = options;
    let availability: Availability | undefined;
    const onUnavailable = (error: unknown) => availability?.failed(error);
    const client = new Client({ location, apiKey: options.apiKey, onUnavailable });
    try {
      const document = new RegistryDocument(client, location);
      const { registry } = await document.open();
      await checkMappings(client, location);
      const onLeftover = (error: unknown) =>
        log?.warn({ err: error }, 'an index in OpenSearch was left behind; a later start removes it');
      const names = await Names.open({ client, location, document, onLeftover });
      const damages = new Damages({ client, location, names, log });
      await damages.check();
      await sweep(client, location, registry).catch(onLeftover);
      availability = new Availability({ client, location, log, check: () => damages.check() });
      const parts = { location, client, names, damages, availability };
      return new OpenSearchEngine(options, parts, registry.installation);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** Makes the names those that any process has acknowledged. Assets are always current. */
  async fresh(): Promise<undefined> {
    await this.#names.refresh();
  }

  problem(): EngineProblem | undefined {
    return this.#availability.isAvailable ? undefined : { reason: 'database_unavailable', isServing: false };
  }

  holdIndex = (name: string) => this.#names.hold(name);
  createIndex = (body: Uint8Array) => this.#names.create(body);
  deleteIndex = (name: string) => this.#names.delete(name);
  putAlias = (alias: string, body: Uint8Array) => this.#names.putAlias(alias, body);
  deleteAlias = (alias: string) => this.#names.deleteAlias(alias);
  listAliases = () => this.#names.listAliases();
  getAlias = (alias: string) => this.#names.getAlias(alias);
  aliasTarget = (alias: string) => this.#names.aliasTarget(alias);
  getPaths = (index: string) => this.#names.getPaths(index);
  metrics = () => this.#names.metrics();
  takeDecisions = () => Buffer.from('[]');
  unavailableIndexes = () => Buffer.from(JSON.stringify(this.#damages.known.map(damagedIndex)));
  whenLoaded = async () => {};

  async renameIndex(name: string, body: Uint8Array): Promise<Buffer> {
    const renamed = JSON.parse((await this.#names.rename(name, body)).toString()) as {
      readonly name: string;
    };
    return this.getIndex(renamed.name);
  }

  async putPaths(index: string): Promise<Buffer> {
    await this.getPaths(index);
    throw refused(
      'Indexes in OpenSearch have no declared metadata paths; searches take filters without them',
    );
  }

  async listIndexes(): Promise<Buffer> {
    const { indexes } = await this.#names.refresh();
    const all = Object.entries(indexes).sort(([a], [b]) => (a < b ? -1 : 1));
    const described = await Promise.all(all.map(([name, index]) => this.#described(name, index)));
    return Buffer.from(JSON.stringify(described));
  }

  async getIndex(name: string): Promise<Buffer> {
    const index = await this.#names.lookup(name);
    if (index === undefined) return this.#names.missing(name);
    const real = this.aliasTarget(name) ?? name;
    return this.#on(name, async () => Buffer.from(JSON.stringify(await this.#describe(real, index))));
  }

  addAssets(index: string, body: Uint8Array): Promise<Buffer> {
    return this.#change(index, { form: 'entries', body });
  }

  addLines(index: string, body: Uint8Array, firstLine: number): Promise<Buffer> {
    return this.#change(index, { form: 'lines', body, firstLine });
  }

  deleteAssets(index: string, body: Uint8Array): Promise<Buffer> {
    return this.#change(index, { form: 'deletions', body });
  }

  deleteAsset(index: string, id: string): Promise<Buffer> {
    return this.#change(index, { form: 'deletion', body: Buffer.from(id) });
  }

  #change(name: string, change: IndexChange): Promise<Buffer> {
    return this.#on(name, () => this.#writes.change(name, change));
  }

  async getAsset(index: string, id: string, fields?: string[]): Promise<Buffer> {
    const [foreign, rows] = await this.#rowOf(index, id);
    return native.foreignAsset(foreign, id, rows, fields);
  }

  async getGateway(index: string, id: string): Promise<string | null> {
    const [foreign, rows] = await this.#rowOf(index, id);
    return native.foreignGateway(foreign, id, rows);
  }

  listAssets: SearchEngine['listAssets'] = (...args) => this.#on(args[0], () => this.#page(...args));

  search: SearchEngine['search'] = (name, json, parameters) =>
    this.#on(name, async () => {
      const [foreign, index] = await this.#find(name);
      return this.#queries.search(index, { ...this.#query(foreign, parameters), json });
    });

  searchCode: SearchEngine['searchCode'] = (name, code, parameters) =>
    this.#on(name, async () => {
      const [foreign, index] = await this.#find(name);
      return this.#queries.search(index, { ...this.#query(foreign, parameters), code });
    });

  searchUnits: SearchEngine['searchUnits'] = (name, units, limit, skipFeatureless) =>
    this.#on(name, async () => {
      const [foreign, index] = await this.#find(name);
      const parameters = { limit, ...present({ skipFeatureless: skipFeatureless ?? undefined }) };
      return this.#queries.matches(index, { ...this.#query(foreign, parameters), units });
    });

  /** The result of work on an index. @throws `INDEX_DAMAGED` if it is missing in OpenSearch */
  async #on<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw await this.#damages.explained(name, error);
    }
  }

  #page: SearchEngine['listAssets'] = async (name, after, limit, lines, filters) => {
    const [foreign, index] = await this.#find(name);
    const wanted = await native.foreignAfter(foreign, after ?? undefined, limit, filters ?? []);
    const size = Math.min(wanted.limit, PAGE_MAX);
    const alias = this.#names.alias(index as StoredIndex);
    const { hits } = await this.#client.ask<Listing>(`/${alias}/_search?${WHOLE_QUERY}`, {
      size: size + 1,
      track_total_hits: false,
      sort: [{ key: 'asc' }],
      ...(wanted.key !== undefined && { search_after: [wanted.key] }),
    });
    const rows = hits.hits.slice(0, size).map(({ _source }) => _source);
    const hasMore = hits.hits.length > size;
    return native.foreignPage(foreign, Buffer.from(JSON.stringify(rows)), size, lines, hasMore);
  };

  async close(): Promise<void> {
    this.#availability.close();
    await this.#client.close();
    await this.#names.close();
  }

  #query(index: ForeignIndex, parameters: QueryOptions) {
    return { index, parameters, options: this.#options.engine };
  }

  async #find(name: string): Promise<[ForeignIndex, StoredIndex | undefined]> {
    const index = await this.#names.lookup(name);
    return [{ name: plainName(name), ...(index !== undefined && { state: index.state }) }, index];
  }

  /** The JSON array with the row of an asset, if it is stored. */
  async #rowOf(name: string, id: string): Promise<[ForeignIndex, Buffer]> {
    const [foreign, index] = await this.#find(name);
    const key = native.foreignAssetKey(foreign, id);
    const alias = this.#names.alias(index as StoredIndex);
    const found = await this.#on(name, () => readAssets(this.#client, alias, [key]));
    return [foreign, Buffer.from(JSON.stringify([...found.values()].map(({ row }) => row)))];
  }

  /** The description of an index, also of one that cannot be read. */
  async #described(name: string, index: StoredIndex): Promise<object> {
    try {
      return await this.#describe(name, index);
    } catch (error) {
      return damagedIndex({ name, reason: await this.#damages.reasonOf(name, index, error) });
    }
  }

  async #describe(name: string, index: StoredIndex): Promise<object> {
    const alias = this.#names.alias(index);
    const short = { isShort: true };
    const [{ hits }, { _all }] = await Promise.all([
      this.#client.ask<Counted>(
        `/${alias}/_search?${WHOLE_QUERY}`,
        { size: 0, track_total_hits: true },
        short,
      ),
      this.#client.get<Stats>(`/${alias}/_stats/store?filter_path=_all.primaries.store.size_in_bytes`, short),
    ]);
    const size = Math.floor(_all.primaries.store.size_in_bytes / BYTES_PER_MIB);
    return { name, assets: hits.total.value, size };
  }
}

interface Parts {
  readonly location: OpenSearchLocation;
  readonly client: Client;
  readonly names: Names;
  readonly damages: Damages;
  readonly availability: Availability;
}

interface Listing {
  readonly hits: { readonly hits: readonly { readonly _source: Row }[] };
}

interface Counted {
  readonly hits: { readonly total: { readonly value: number } };
}

interface Stats {
  readonly _all: { readonly primaries: { readonly store: { readonly size_in_bytes: number } } };
}

/** As the local engine describes a damaged index. */
function damagedIndex({ name, reason }: DamagedIndex): object {
  return { name, assets: 0, size: 0, state: 'damaged', reason };
}
