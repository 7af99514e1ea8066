/** Port through which a store adds its manifests to a similarity index, so that a resolver finds them without a hub. */
import { ServiceError } from '../client/errors.js';
import type { SearchApi } from '../client/search-api.js';
import { canonicalIsccId, isIsccId } from '../iscc/iscc-id.js';
import { MANIFEST_INDEX_DEFAULT } from '../platform/config/resolver.js';

/** Path of a manifest's address in the metadata of its asset. */
export const GATEWAY_PATH = 'metadata.gateway';

export interface IndexedManifest {
  /** ISCC-ID of the declaration, or a local one. */
  readonly isccId: string;
  /** Searchable units, one or more. */
  readonly units: readonly string[];
  /** The manifest's address. */
  readonly gateway: string;
}

/** An entry of the index. */
export interface ListedManifest {
  readonly isccId: string;
  /** `undefined` in entries that are not of a store. */
  readonly gateway: string | undefined;
}

/** A page of entries. */
export interface ListedManifests {
  readonly manifests: readonly ListedManifest[];
  /** ISCC-ID to continue after; `undefined` at the end. */
  readonly next: string | undefined;
}

/** Entries per page, at most. */
export const LISTED_MAX = 500;

/** A port: an index from units to manifest addresses. */
export interface ManifestIndex {
  /** Creates the index unless it exists. */
  prepare(): Promise<void>;
  /** Makes manifests findable by the end of their address, if the service can. */
  declarePaths(): Promise<void>;
  /** Adds or replaces manifests. Durable when it resolves. */
  add(manifests: readonly IndexedManifest[]): Promise<void>;
  /** Succeeds if the manifest is missing. */
  remove(isccId: string): Promise<void>;
  has(isccId: string): Promise<boolean>;
  /** Up to `limit` entries after an ISCC-ID, by the time in their ISCC-IDs. `undefined` if the service cannot list them. */
  list(after: string | undefined, limit: number): Promise<ListedManifests | undefined>;
  /** Number of manifests; 0 if the index does not exist. */
  size(): Promise<number>;
}

const NOT_FOUND = 404;
const EXISTS = 409;

/** A {@link ManifestIndex} in a similarity index service. Creates the index if it is missing. */
export class SearchManifestIndex implements ManifestIndex {
  readonly #search: SearchApi;
  readonly #index: string;

  constructor(search: SearchApi, index: string = MANIFEST_INDEX_DEFAULT) {
    this.#search = search;
    this.#index = index;
  }

  async prepare(): Promise<void> {
    // An empty index is asked for again and again: this writes nothing if it exists.
    if ((await this.#declaredPaths())?.includes(GATEWAY_PATH)) return;
    await ignoring(EXISTS, this.#search.createIndex(this.#index));
    await this.declarePaths();
  }

  /** Other servers with this API need not have paths, or not for this key: resolvers then read the whole index. */
  async declarePaths(): Promise<void> {
    const declared = await this.#declaredPaths();
    if (declared === undefined || declared.includes(GATEWAY_PATH)) return;
    await unlessRefused(this.#search.putPaths(this.#index, [...declared, GATEWAY_PATH]));
  }

  async #declaredPaths(): Promise<string[] | undefined> {
    const declared = await unlessRefused(this.#search.getPaths(this.#index));
    return declared?.paths.map(({ path }) => path);
  }

  async add(manifests: readonly IndexedManifest[]): Promise<void> {
    if (manifests.length === 0) return;
    const entries = manifests.map(({ isccId, units, gateway }) => ({
      // Some hubs write another length into the header.
      iscc_id: canonicalIsccId(isccId),
      // The index requires two units or more; it counts a repeated unit once.
      units: units.length === 1 ? [...units, ...units] : units,
      metadata: { gateway },
    }));
    try {
      await this.#search.addAssets(this.#index, entries);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== NOT_FOUND) throw error;
      await this.prepare();
      await this.#search.addAssets(this.#index, entries);
    }
  }

  async size(): Promise<number> {
    try {
      return (await this.#search.getIndex(this.#index)).assets;
    } catch (error) {
      if (error instanceof ServiceError && error.status === NOT_FOUND) return 0;
      throw error;
    }
  }

  async has(isccId: string): Promise<boolean> {
    try {
      await this.#search.getAsset(this.#index, canonicalIsccId(isccId));
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.status === NOT_FOUND) return false;
      throw error;
    }
  }

  async list(after: string | undefined, limit: number): Promise<ListedManifests | undefined> {
    const page = await unlessRefused(this.#search.assetLines(this.#index, after, limit));
    return page && { manifests: page.lines.toString().split('\n').flatMap(listed), next: page.next };
  }

  async remove(isccId: string): Promise<void> {
    await ignoring(NOT_FOUND, this.#search.deleteAsset(this.#index, canonicalIsccId(isccId)));
  }
}

/** The entry in a line of an index. */
function listed(line: string): ListedManifest[] {
  if (line === '') return [];
  const entry: { iscc_id?: unknown; metadata?: { gateway?: unknown } | null } = JSON.parse(line);
  const gateway = entry.metadata?.gateway;
  if (!isIsccId(entry.iscc_id)) return [];
  return [{ isccId: entry.iscc_id, gateway: typeof gateway === 'string' ? gateway : undefined }];
}

/** `undefined` if the service refuses the request. A failure of the service throws. */
async function unlessRefused<T>(done: Promise<T>): Promise<T | undefined> {
  try {
    return await done;
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return undefined;
    throw error;
  }
}

async function ignoring(status: number, done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== status) throw error;
  }
}
