/** The search API in this process, without HTTP. */
import { serviceError } from '../../client/errors.js';
import type { AddResult, Entry, IndexInfo, Query, SearchApi, SearchResult } from '../../client/search-api.js';
import type { SearchAnswer, SearchEngine } from '../../native.js';
import { LIMIT_DEFAULT } from '../schema.js';
import { openEngine } from './open.js';

const OK = 200;

export class InProcessSearch implements SearchApi {
  readonly #engine: SearchEngine;
  readonly #isOwner: boolean;

  private constructor(engine: SearchEngine, isOwner: boolean) {
    this.#engine = engine;
    this.#isOwner = isOwner;
  }

  /**
   * Opens `memory://`, `lmdb:///path` or `usearch:///path`. Rejects while another process, for example a server,
   * has the folder open.
   */
  static async open(location: string): Promise<InProcessSearch> {
    return new InProcessSearch(await openEngine(location), true);
  }

  /** Wraps an open engine; its owner closes it. */
  static over(engine: SearchEngine): InProcessSearch {
    return new InProcessSearch(engine, false);
  }

  async createIndex(name: string): Promise<IndexInfo> {
    return parse(await this.#engine.createIndex(toJson({ name }))) as IndexInfo;
  }

  async listIndexes(): Promise<IndexInfo[]> {
    return parse(await this.#engine.listIndexes()) as IndexInfo[];
  }

  async getIndex(name: string): Promise<IndexInfo> {
    return parse(await this.#engine.getIndex(name)) as IndexInfo;
  }

  async deleteIndex(name: string): Promise<void> {
    parse(await this.#engine.deleteIndex(name));
  }

  async addAssets(index: string, entries: readonly Entry[]): Promise<AddResult[]> {
    return parse(await this.#engine.addAssets(index, toJson(entries))) as AddResult[];
  }

  async getAsset(index: string, isccId: string): Promise<Entry> {
    return parse(await this.#engine.getAsset(index, isccId)) as Entry;
  }

  async deleteAsset(index: string, isccId: string): Promise<void> {
    parse(await this.#engine.deleteAsset(index, isccId));
  }

  async search(index: string, query: Query, limit = LIMIT_DEFAULT): Promise<SearchResult> {
    return parse(await this.#engine.search(index, toJson(query), limit)) as SearchResult;
  }

  async close(): Promise<void> {
    if (this.#isOwner) await this.#engine.close();
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** @throws {ServiceError} for every status but 200, as the HTTP client does */
function parse({ status, body }: SearchAnswer): unknown {
  const value: unknown = body.length === 0 ? undefined : JSON.parse(body.toString());
  if (status === OK) return value;
  throw serviceError({ status, body: value });
}
