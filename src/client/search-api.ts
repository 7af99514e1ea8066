/** The operations of the search service as an interface, and their types under short names. */
import type { components, operations } from './openapi/search.js';
import type { ResponseBody } from './operation.js';

type Schemas = components['schemas'];

export type Entry = Schemas['IsccEntry'];
export type Query = Schemas['IsccQuery'];
export type IndexInfo = Schemas['IsccIndex'] & { readonly assets: number; readonly size: number };
export type AddResult = Schemas['IsccAddResult'];
export type GlobalMatch = Schemas['IsccGlobalMatch'];
export type ChunkMatch = Schemas['IsccChunkMatch'];
export type TypeMatch = ChunkMatch['types'][string];
export type SearchResult = Schemas['IsccSearchResult'];
export type SearchFailure = Schemas['SearchFailure'];
export type Alias = Schemas['Alias'];
export type DeclaredPaths = Schemas['DeclaredPaths'];
/** Parameters of a search besides its query. */
export type SearchParameters = NonNullable<operations['searchPost']['parameters']['query']>;
/** The outcome of a group of lines. */
export interface LinesResult {
  /** Lines of the group, without empty ones. */
  readonly lines: number;
  readonly created: number;
  readonly updated: number;
  readonly refused: readonly RefusedLine[];
}

/** A line that breaks a rule. */
export interface RefusedLine {
  /** Number of the line in the body. */
  readonly line: number;
  readonly iscc_id?: string;
  /** The detail of the error that the asset alone would get. */
  readonly detail?: unknown;
}
export type DeletionResult = Schemas['DeletionResult'];
/** A standing query, and how to tell of its matches. */
export type NewWatch = Schemas['NewWatch'];
export type Watch = Schemas['Watch'];
export type Watches = ResponseBody<operations['listWatches']>;
/** A unit that the flood guard has set aside. */
export type QuarantinedUnit = Schemas['QuarantinedUnit'];
export type QuarantinedUnits = ResponseBody<operations['listQuarantine']>;
export type QuarantineDecision = Schemas['QuarantineDecision']['state'];
/** What a watch reports. */
export type WatchEvent = AssetEvent | UnitSetAside;
/** To a watch with `quarantine`: the flood guard has set a unit aside. */
export interface UnitSetAside {
  readonly id: string;
  readonly type: 'unit.set_aside';
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: Pick<QuarantinedUnit, 'unit' | 'matches' | 'past'> & {
    readonly index: string;
    readonly watch: string;
  };
}
/** A change of an asset that matches a watch, or did before. */
export interface AssetEvent {
  readonly id: string;
  readonly type: 'asset.added' | 'asset.updated' | 'asset.withdrawn';
  /** When the change was stored, RFC 3339. */
  readonly timestamp: string;
  readonly data: {
    readonly index: string;
    readonly watch: string;
    readonly iscc_id: string;
    /** Whether the asset matches now. */
    readonly matches: boolean;
    /** As of a search, without metadata. */
    readonly global_match: Omit<GlobalMatch, 'metadata' | 'unit_scores'> | null;
    readonly chunk_match: Omit<ChunkMatch, 'metadata'> | null;
    /** Of a watch with `once`. */
    readonly value?: unknown;
  };
}
export type Simprint = Schemas['IsccSimprint'];

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
  /**
   * Adds entries as JSON lines, at most 1000 of them and 4 MiB. Lines that break a rule are refused and listed; the
   * others are added.
   */
  addLines(index: string, lines: Uint8Array): Promise<LinesResult>;
  /**
   * Up to `limit` assets after an ISCC-ID as JSON lines, byte for byte as they were added.
   *
   * @param filter lists only assets that meet this condition, for example `metadata.lang = "de"`; its path must be declared
   */
  assetLines(index: string, after: string | undefined, limit: number, filter?: string): Promise<AssetLines>;
  /** The declared metadata paths. */
  getPaths(index: string): Promise<DeclaredPaths>;
  /** Declares these metadata paths instead of the present ones. */
  putPaths(index: string, paths: readonly string[]): Promise<DeclaredPaths>;
  /** Deletes the assets that exist. */
  deleteAssets(index: string, isccIds: readonly string[]): Promise<readonly DeletionResult[]>;
  getAsset(index: string, isccId: string): Promise<Entry>;
  deleteAsset(index: string, isccId: string): Promise<void>;
  /** @param parameters the limit, or all parameters of the search */
  search(index: string, query: Query, parameters?: number | SearchParameters): Promise<SearchResult>;
  close(): Promise<void>;
}

/** A page of assets. */
export interface AssetLines {
  /** One entry per line. */
  readonly lines: Uint8Array;
  /** ISCC-ID to continue after; `undefined` at the end. */
  readonly next: string | undefined;
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
