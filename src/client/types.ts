/** What the similarity index takes and gives, as its HTTP API has it. */

export interface Simprint {
  /** Base64, URL-safe, without padding. */
  readonly simprint: string;
  readonly offset: number;
  readonly size: number;
}

export interface Entry {
  readonly iscc_id: string;
  readonly iscc_code?: string;
  readonly units?: readonly string[];
  readonly simprints?: Readonly<Record<string, readonly Simprint[]>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface Query {
  readonly iscc_id?: string;
  readonly iscc_code?: string;
  readonly units?: readonly string[];
  /** Base64 by type. */
  readonly simprints?: Readonly<Record<string, readonly string[]>>;
}

export interface IndexInfo {
  readonly name: string;
  readonly assets: number;
  /** MiB. */
  readonly size: number;
  readonly sizes?: Readonly<Record<string, number>>;
}

export interface AddResult {
  readonly iscc_id: string;
  readonly status: 'created' | 'updated';
}

export interface GlobalMatch {
  readonly iscc_id: string;
  /** 0 to 1. */
  readonly score: number;
  readonly types: Readonly<Record<string, number>>;
  readonly unit_scores: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface ChunkMatch {
  readonly iscc_id: string;
  readonly score: number;
  readonly types: Readonly<Record<string, TypeMatch>>;
  readonly source: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface TypeMatch {
  readonly score: number;
  readonly matches: number;
  readonly queried: number;
  readonly chunks: readonly {
    readonly query: string;
    readonly match: string;
    readonly score: number;
    readonly freq: number;
    readonly offset: number;
    readonly size: number;
    readonly content: null;
  }[];
}

export interface SearchResult {
  readonly query: Query;
  readonly global_matches: readonly GlobalMatch[];
  readonly chunk_matches: readonly ChunkMatch[];
}

/** A similarity index service, near or far. */
export interface SearchService {
  createIndex(name: string): Promise<IndexInfo>;
  listIndexes(): Promise<IndexInfo[]>;
  getIndex(name: string): Promise<IndexInfo>;
  deleteIndex(name: string): Promise<void>;
  /** All entries or none. */
  addAssets(index: string, entries: readonly Entry[]): Promise<AddResult[]>;
  getAsset(index: string, isccId: string): Promise<Entry>;
  deleteAsset(index: string, isccId: string): Promise<void>;
  search(index: string, query: Query, limit?: number): Promise<SearchResult>;
  close(): Promise<void>;
}

/** The service refused, or could not do, what it was asked. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
  readonly status: number;
  /** A sentence, or the list of violations of the schema. */
  readonly detail: unknown;

  constructor(status: number, detail: unknown) {
    super(typeof detail === 'string' ? detail : `${status} ${JSON.stringify(detail)}`);
    this.status = status;
    this.detail = detail;
  }
}
