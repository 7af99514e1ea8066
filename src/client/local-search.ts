/** A similarity index in this process, without a server. */
import type { SearchAnswer, SearchEngine } from '../native.js';
import { serviceError } from './errors.js';
import { openEngine } from './open-engine.js';
import type { AddResult, Entry, IndexInfo, Query, SearchResult, SearchService } from './types.js';

const DONE = 200;
const LIMIT_DEFAULT = 100;

export class LocalSearch implements SearchService {
  readonly #engine: SearchEngine;
  readonly #isOwner: boolean;

  private constructor(engine: SearchEngine, isOwner: boolean) {
    this.#engine = engine;
    this.#isOwner = isOwner;
  }

  /**
   * Opens `memory://`, `lmdb:///path` or `usearch:///path`. Rejects while another process, for example
   * a server, works on the folder.
   */
  static async open(location: string): Promise<LocalSearch> {
    return new LocalSearch(await openEngine(location), true);
  }

  /** Over an engine that is open already, and that its owner closes. */
  static over(engine: SearchEngine): LocalSearch {
    return new LocalSearch(engine, false);
  }

  async createIndex(name: string): Promise<IndexInfo> {
    return read(await this.#engine.createIndex(bytes({ name }))) as IndexInfo;
  }

  async listIndexes(): Promise<IndexInfo[]> {
    return read(await this.#engine.listIndexes()) as IndexInfo[];
  }

  async getIndex(name: string): Promise<IndexInfo> {
    return read(await this.#engine.getIndex(name)) as IndexInfo;
  }

  async deleteIndex(name: string): Promise<void> {
    read(await this.#engine.deleteIndex(name));
  }

  async addAssets(index: string, entries: readonly Entry[]): Promise<AddResult[]> {
    return read(await this.#engine.addAssets(index, bytes(entries))) as AddResult[];
  }

  async getAsset(index: string, isccId: string): Promise<Entry> {
    return read(await this.#engine.getAsset(index, isccId)) as Entry;
  }

  async deleteAsset(index: string, isccId: string): Promise<void> {
    read(await this.#engine.deleteAsset(index, isccId));
  }

  async search(index: string, query: Query, limit = LIMIT_DEFAULT): Promise<SearchResult> {
    return read(await this.#engine.search(index, bytes(query), limit)) as SearchResult;
  }

  async close(): Promise<void> {
    if (this.#isOwner) await this.#engine.close();
  }
}

function bytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function read(answer: SearchAnswer): unknown {
  const body: unknown = answer.body.length === 0 ? undefined : JSON.parse(answer.body.toString());
  if (answer.status === DONE) return body;
  throw serviceError({ status: answer.status, body });
}
