/**
 * Changes of assets. Rust computes the response and the rows from the stored assets; each document is written only if it
 * is still the one that was read.
 */
import {
  type FollowedState,
  type ForeignRehearsed,
  type IndexChange,
  type NativeError,
  native,
} from '../../../native.js';
import type { Client } from './client.js';
import type { OpenSearchLocation } from './location.js';
import { foundBy, simprintVectors, type Terms } from './mapping.js';
import { type Names, plainName } from './names.js';
import type { StoredIndex } from './registry.js';
import { documentId, type Row, readAssets, type StoredAsset, type Write, writeAll } from './rows.js';

/** How often a change is tried again because another process changes the same assets. */
const TRIES_MAX = 16;

export interface WritesOptions {
  readonly client: Client;
  readonly location: OpenSearchLocation;
  readonly names: Names;
}

/** Copies of a change before it is acknowledged: two, if there is more than one. */
export function copiesOf({ replicas }: OpenSearchLocation): number {
  return Math.min(replicas + 1, 2);
}

export class Writes {
  readonly #options: WritesOptions;

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  /** The response to a change, once it is durable and visible. */
  async change(name: string, change: IndexChange): Promise<Buffer> {
    const { names, client } = this.#options;
    /** What was stored before, of assets that are already written. */
    const written = new Map<string, Row | undefined>();
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const index = names.find(await names.refresh(), name);
      const foreign = { name: plainName(name), ...(index !== undefined && { state: index.state }) };
      const keys = await native.foreignKeys(foreign, change);
      if (index === undefined) return names.missing(name);
      const alias = names.alias(index);
      const stored = await readAssets(client, alias, keys);
      const before = keys.map((key) => (written.has(key) ? written.get(key) : stored.get(key)?.row));
      const rows = Buffer.from(JSON.stringify(before.filter((row) => row !== undefined)));
      const rehearsed = await native.foreignRehearse(foreign, change, rows);
      if (!(await this.#putState(index, rehearsed.state))) continue;
      const writes = writesOf(rehearsed, stored, written);
      const conflicts = new Set(await writeAll(client, alias, writes.all, copiesOf(this.#options.location)));
      for (const [at, key] of writes.keys.entries())
        if (!conflicts.has(at)) written.set(key, stored.get(key)?.row);
      if (conflicts.size === 0) return rehearsed.response;
    }
    throw busy();
  }

  /** Stores the state before the assets that need it. Returns false if another process has changed it. */
  async #putState(index: StoredIndex, state: FollowedState): Promise<boolean> {
    const { client, names } = this.#options;
    if (JSON.stringify(state) === JSON.stringify(index.state)) return true;
    if (state.simprintBits.length > index.state.simprintBits.length)
      await client.send({
        method: 'PUT',
        path: `/${names.alias(index)}/_mapping`,
        body: simprintVectors(state),
        isRead: false,
      });
    return names.putState(index, state);
  }
}

/** What there is to write, and its keys. */
function writesOf(
  { rows, terms, deleted }: ForeignRehearsed,
  stored: ReadonlyMap<string, StoredAsset>,
  written: ReadonlyMap<string, unknown>,
): { readonly keys: string[]; readonly all: Write[] } {
  const termsOf = JSON.parse(terms.toString()) as readonly Terms[];
  const puts = (JSON.parse(rows.toString()) as readonly Row[])
    .map((row, at) => put(row, termsOf[at] as Terms, stored.get(row.key)))
    .filter(({ document }) => !written.has(document.key));
  const removed = deleted.filter((key) => !written.has(key) && stored.has(key));
  const deletions = removed.map((key) => ({ action: { delete: at(key, stored.get(key)) } }));
  return { keys: [...puts.map(({ document }) => document.key), ...removed], all: [...puts, ...deletions] };
}

function put(row: Row, terms: Terms, stored: StoredAsset | undefined): Write & { readonly document: Row } {
  const operation = stored === undefined ? 'create' : 'index';
  return { action: { [operation]: at(row.key, stored) }, document: { ...row, ...foundBy(terms) } };
}

/** The document, and its version if there is one. */
function at(key: string, stored: StoredAsset | undefined): object {
  const _id = documentId(key);
  return stored === undefined ? { _id } : { _id, if_seq_no: stored.sequence, if_primary_term: stored.term };
}

function busy(): NativeError {
  const message = 'Too many requests change the same assets; try again in a moment';
  return Object.assign(new Error(message), { code: 'BUSY' as const, detail: JSON.stringify(message) });
}
