/** How a store's manifests become findable in a similarity index, and so by the resolver, without a hub. */
import { ServiceError } from '../client/errors.js';
import type { SearchApi } from '../client/search-api.js';

/** Name of the index that stores write to and resolvers read, unless they are told another. */
export const MANIFEST_INDEX_DEFAULT = 'c2pa';

export interface IndexedManifest {
  /** Of the declaration, or a local one. */
  readonly isccId: string;
  /** Searchable units, one or more. */
  readonly units: readonly string[];
  /** The manifest's address. */
  readonly gateway: string;
}

/** A port: an index that knows where manifests are. */
export interface ManifestIndex {
  /** Adds or replaces; durable when it resolves. */
  add(manifests: readonly IndexedManifest[]): Promise<void>;
  /** What is not there counts as removed. */
  remove(isccId: string): Promise<void>;
  /** How many manifests it has. */
  size(): Promise<number>;
}

const NOT_FOUND = 404;
const EXISTS = 409;

/** A {@link ManifestIndex} in a similarity index service. Creates the index when it is missing. */
export class SearchManifestIndex implements ManifestIndex {
  readonly #search: SearchApi;
  readonly #index: string;

  constructor(search: SearchApi, index: string = MANIFEST_INDEX_DEFAULT) {
    this.#search = search;
    this.#index = index;
  }

  /** Creates the index unless it is there. */
  async prepare(): Promise<void> {
    await unless(EXISTS, this.#search.createIndex(this.#index));
  }

  async add(manifests: readonly IndexedManifest[]): Promise<void> {
    if (manifests.length === 0) return;
    const entries = manifests.map(({ isccId, units, gateway }) => ({
      iscc_id: isccId,
      // The index wants two units or more; one that is there twice counts once.
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

  async remove(isccId: string): Promise<void> {
    await unless(NOT_FOUND, this.#search.deleteAsset(this.#index, isccId));
  }
}

async function unless(status: number, done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== status) throw error;
  }
}
