/** Indexes that are missing in OpenSearch: they were deleted there, not by a request to this service. */
import type { NativeError } from '../../../native.js';
import type { Logger } from '../../../platform/observe/log.js';
import { SharedRuns } from '../../../platform/shared-runs.js';
import type { Client } from './client.js';
import { OpenSearchError, openSearchCause } from './errors.js';
import type { OpenSearchLocation } from './location.js';
import { publicAlias } from './mapping.js';
import type { Names } from './names.js';
import type { StoredIndex } from './registry.js';

export interface DamagedIndex {
  readonly name: string;
  readonly reason: string;
}

export interface DamagesOptions {
  readonly client: Client;
  readonly location: OpenSearchLocation;
  readonly names: Names;
  readonly log: Logger | undefined;
}

/** Aliases by index in OpenSearch. */
type Aliases = Readonly<Record<string, { readonly aliases: Readonly<Record<string, object>> }>>;

export class Damages {
  readonly #options: DamagesOptions;
  /** By uid, so that a new index of the same name is healthy. */
  #known: ReadonlyMap<string, DamagedIndex> = new Map();

  /** One check at a time: the last one to begin is the last one to end. */
  readonly #checks = new SharedRuns(() => this.#check());

  constructor(options: DamagesOptions) {
    this.#options = options;
  }

  /** Those of the last check. Requests that meet one check, too. */
  get known(): readonly DamagedIndex[] {
    return [...this.#known.values()];
  }

  /**
   * Checks whether all indexes exist in OpenSearch.
   *
   * @throws {StorageUnavailable} if no node responds
   */
  check(): Promise<void> {
    return this.#checks.run();
  }

  async #check(): Promise<void> {
    const { names } = this.#options;
    const before = await names.refresh();
    const present = await this.#present();
    if (present === undefined) return;
    const missing = Object.values(before.indexes).filter((index) => !present.has(names.alias(index)));
    // An index that was deleted between the two requests is not damaged.
    const { indexes } = missing.length === 0 ? before : await names.refresh();
    const damaged = Object.entries(indexes).flatMap(([name, { uid }]) =>
      missing.some((index) => index.uid === uid) ? [[uid, this.#missing(name)] as const] : [],
    );
    this.#replace(new Map(damaged));
  }

  /** Why an index cannot be read. @throws {error} if it is neither missing nor blocked or closed in OpenSearch */
  async reasonOf(name: string, { uid }: StoredIndex, error: unknown): Promise<string> {
    const cause = openSearchCause(error);
    if (cause?.isBlocked)
      return `${publicAlias(this.#options.location, name)} is blocked or closed in OpenSearch`;
    const damaged = cause?.isOfDeleted ? await this.#damaged(uid) : undefined;
    if (damaged === undefined) throw error;
    return damaged.reason;
  }

  /** The error that a request gets: of an index that is missing in OpenSearch, `INDEX_DAMAGED`. @throws if it was deleted */
  async explained(name: string, error: unknown): Promise<unknown> {
    if (openSearchCause(error)?.isOfDeleted !== true) return error;
    const { names } = this.#options;
    const index = names.find(await names.refresh(), name);
    // A request deleted the index while this one was on its way.
    if (index === undefined) return names.missing(name);
    const damaged = await this.#damaged(index.uid);
    return damaged === undefined ? error : damagedError(damaged);
  }

  async #damaged(uid: string): Promise<DamagedIndex | undefined> {
    if (!this.#known.has(uid)) await this.check();
    return this.#known.get(uid);
  }

  /** Names of all indexes in OpenSearch; `undefined` if the user may not list them. */
  async #present(): Promise<ReadonlySet<string> | undefined> {
    const { client, location } = this.#options;
    // From the node that responds: without a cluster manager, searches go on.
    const path = `/${location.prefix}-u_*/_alias?local=true&expand_wildcards=all`;
    try {
      const found = await client.get<Aliases>(path, { isShort: true });
      return new Set(Object.values(found).flatMap(({ aliases }) => Object.keys(aliases)));
    } catch (error) {
      if (error instanceof OpenSearchError) return undefined;
      throw error;
    }
  }

  #missing(name: string): DamagedIndex {
    return { name, reason: `${publicAlias(this.#options.location, name)} is missing in OpenSearch` };
  }

  #replace(next: ReadonlyMap<string, DamagedIndex>): void {
    const { log } = this.#options;
    for (const [uid, { name, reason }] of next)
      if (!this.#known.has(uid)) log?.error({ index: name, reason }, 'an index is damaged');
    for (const [uid, { name }] of this.#known)
      if (!next.has(uid)) log?.info({ index: name }, 'a damaged index is complete again, or deleted');
    this.#known = next;
  }
}

function damagedError({ name, reason }: DamagedIndex): NativeError {
  const message =
    `Index '${name}' is damaged: ${reason}. Restore it from a snapshot of OpenSearch, or delete the index and add its ` +
    'assets again; a store does so by itself';
  return Object.assign(new Error(message), {
    code: 'INDEX_DAMAGED' as const,
    detail: JSON.stringify(message),
  });
}
