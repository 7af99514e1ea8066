/** The operations of the search service as an interface, and their types under short names. */
import type { components } from './openapi/search.js';

type Schemas = components['schemas'];

export type Entry = Schemas['Entry'];
export type Query = Schemas['Query'];
export type IndexInfo = Schemas['Index'];
export type AddResult = Schemas['AddResult'];
export type GlobalMatch = Schemas['GlobalMatch'];
export type ChunkMatch = Schemas['ChunkMatch'];
export type TypeMatch = ChunkMatch['types'][string];
export type SearchResult = Schemas['SearchResult'];
export type Simprint = NonNullable<NonNullable<Entry['simprints']>[string]>[number];

/**
 * A port: the search service over HTTP (`SearchClient`) or in the same process. Every method rejects with a
 * `ServiceError` if the service refuses or fails.
 */
export interface SearchApi {
  createIndex(name: string): Promise<IndexInfo>;
  listIndexes(): Promise<readonly IndexInfo[]>;
  getIndex(name: string): Promise<IndexInfo>;
  deleteIndex(name: string): Promise<void>;
  /** Adds or replaces all entries, or none. */
  addAssets(index: string, entries: readonly Entry[]): Promise<readonly AddResult[]>;
  getAsset(index: string, isccId: string): Promise<Entry>;
  deleteAsset(index: string, isccId: string): Promise<void>;
  search(index: string, query: Query, limit?: number): Promise<SearchResult>;
  close(): Promise<void>;
}

/** A match of a search with units. */
export interface UnitMatch {
  readonly isccId: string;
  /** 0 to 1. */
  readonly score: number;
  /** Score per matching unit type. */
  readonly types: Readonly<Record<string, number>>;
  /** Member `gateway` of the asset's metadata, if it is a string. */
  readonly gateway?: string;
}

/** The search service in the same process. In addition, it has typed calls, which need no JSON. */
export interface LocalSearchApi extends SearchApi {
  /** The matches of `search(index, { units }, limit)`. */
  searchUnits(index: string, units: readonly string[], limit: number): Promise<readonly UnitMatch[]>;
  /** Member `gateway` of an asset's metadata; `undefined` if it is not a string. */
  getGateway(index: string, isccId: string): Promise<string | undefined>;
}
