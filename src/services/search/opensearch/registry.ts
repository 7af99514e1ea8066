/**
 * The document that lists the indexes and aliases, with the state of each index. It is read by its id, so that every
 * process sees the last version at once, and written only if no other process has changed it.
 */
import { randomBytes } from 'node:crypto';
import type { FollowedState } from '../../../native.js';
import { SharedRuns } from '../../../platform/shared-runs.js';
import { FormatRefused } from '../../../storage/data/format.js';
import type { Client } from './client.js';
import { OpenSearchError, openSearchCause } from './errors.js';
import type { OpenSearchLocation } from './location.js';
import { registryCreation, registryIndex } from './mapping.js';

const DOCUMENT = 'registry';
const FORMAT = 1;

export interface StoredIndex {
  /** Part of the names in OpenSearch. Never used again. */
  readonly uid: string;
  readonly state: FollowedState;
}

export interface Registry {
  readonly format: number;
  /** Identifies the indexes of this prefix. */
  readonly installation: string;
  readonly indexes: Readonly<Record<string, StoredIndex>>;
  /** Names of indexes by alias. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** A version of the registry. */
export interface Read {
  readonly registry: Registry;
  /** Sequence number and primary term. */
  readonly version: readonly [number, number];
}

interface Found {
  readonly found: boolean;
  readonly _seq_no: number;
  readonly _primary_term: number;
  readonly _source: Registry;
}

export class RegistryDocument {
  readonly #client: Client;
  readonly #location: OpenSearchLocation;
  readonly #reads = new SharedRuns(() => this.#read());

  constructor(client: Client, location: OpenSearchLocation) {
    this.#client = client;
    this.#location = location;
  }

  /** The registry as it is at the time of the call or later. Calls that wait at the same time share a request. */
  read(): Promise<Read> {
    return this.#reads.run();
  }

  /**
   * Creates the registry if it is missing.
   *
   * @throws {FormatRefused} if it was lost
   */
  async open(): Promise<Read> {
    const present = await this.#readIfPresent();
    if (present !== undefined) return present;
    await this.#refuseIfLost();
    const index = registryIndex(this.#location);
    await ignoring('resource_already_exists_exception', () =>
      this.#client.send({
        method: 'PUT',
        path: `/${index}`,
        body: registryCreation(this.#location),
        isRead: false,
      }),
    );
    const empty: Registry = {
      format: FORMAT,
      installation: randomBytes(16).toString('hex'),
      indexes: {},
      aliases: {},
    };
    await ignoring('version_conflict_engine_exception', () =>
      this.#client.send({ method: 'PUT', path: `/${index}/_create/${DOCUMENT}`, body: empty, isRead: false }),
    );
    return this.read();
  }

  /** With an empty registry in place of a lost one, the sweep would remove all indexes. */
  async #refuseIfLost(): Promise<void> {
    const { prefix, place } = this.#location;
    const parts = await this.#client.get<readonly object[]>(
      `/_cat/indices/${prefix}-u_*?format=json&h=index`,
    );
    // Another process may have created the registry and an index meanwhile.
    if (parts.length === 0 || (await this.#readIfPresent()) !== undefined) return;
    throw new FormatRefused(
      `the registry at ${place} is missing, but ${parts.length} parts of its indexes exist. Restore the index ` +
        `${registryIndex(this.#location)} from a snapshot of OpenSearch, or delete ${prefix}-u_* to begin without indexes`,
    );
  }

  async #readIfPresent(): Promise<Read | undefined> {
    try {
      return await this.read();
    } catch (error) {
      if (openSearchCause(error)?.status === 404) return undefined;
      throw error;
    }
  }

  /** Writes the registry unless it has changed since it was read. Returns whether it is written. */
  async write(registry: Registry, [sequence, term]: Read['version']): Promise<boolean> {
    const path = `/${registryIndex(this.#location)}/_doc/${DOCUMENT}?if_seq_no=${sequence}&if_primary_term=${term}`;
    const written = await ignoring('version_conflict_engine_exception', () =>
      this.#client.send({ method: 'PUT', path, body: registry, isRead: false }),
    );
    return written !== undefined;
  }

  async #read(): Promise<Read> {
    const found = await this.#client.get<Found>(
      `/${registryIndex(this.#location)}/_doc/${DOCUMENT}?preference=_primary`,
      { isShort: true },
    );
    const registry = found._source;
    if (registry.format > FORMAT)
      throw FormatRefused.newer(`the registry at ${this.#location.place}`, registry.format, FORMAT);
    return { registry, version: [found._seq_no, found._primary_term] };
  }
}

/** The result of the request; `undefined` if it fails with an error of this type. */
export async function ignoring<T>(type: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return (await work()) ?? (null as T);
  } catch (error) {
    if (error instanceof OpenSearchError && error.type === type) return undefined;
    throw error;
  }
}
