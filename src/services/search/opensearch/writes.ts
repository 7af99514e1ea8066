/**
 * Changes of assets. Rust computes the response and the rows from the stored assets; each document is written only if it
 * is still the one that was read. The terms of an asset are there before it is, and the sweep removes them after it.
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
import { hasVectors, simprintVectors } from './mapping.js';
import { type Names, plainName } from './names.js';
import { partTerms } from './parts.js';
import type { StoredIndex } from './registry.js';
import {
  documentId,
  type Row,
  readAssets,
  type StoredAsset,
  type Terms,
  type Write,
  writeAll,
  writeTerms,
} from './rows.js';

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
      const alias = names.alias(index, 'assets');
      const stored = await readAssets(client, alias, keys);
      const before = keys.map((key) => (written.has(key) ? written.get(key) : stored.get(key)?.row));
      const rows = Buffer.from(JSON.stringify(before.filter((row) => row !== undefined)));
      const rehearsed = await native.foreignRehearse(foreign, change, rows);
      if (!(await this.#putState(index, rehearsed.state))) continue;
      const writes = await this.#writes(index, rehearsed, stored, written);
      const conflicts = new Set(await writeAll(client, alias, writes.all, copiesOf(this.#options.location)));
      for (const [at, key] of writes.keys.entries())
        if (!conflicts.has(at)) written.set(key, stored.get(key)?.row);
      if (conflicts.size === 0) return rehearsed.response;
    }
    throw busy();
  }

  /** Writes the terms, and returns what else there is to write. */
  async #writes(
    index: StoredIndex,
    { rows, terms, deleted }: ForeignRehearsed,
    stored: ReadonlyMap<string, StoredAsset>,
    written: ReadonlyMap<string, unknown>,
  ): Promise<{ readonly keys: string[]; readonly all: Write[] }> {
    const { client, names, location } = this.#options;
    const termsOf = JSON.parse(terms.toString()) as readonly Terms[];
    const changed = (JSON.parse(rows.toString()) as readonly Row[])
      .map((row, at) => ({ row, terms: termsOf[at] as Terms }))
      .filter(({ row }) => !written.has(row.key));
    for (const kind of ['units', 'simprints'] as const) {
      const all = new Set(changed.flatMap(({ terms }) => terms[kind].filter(hasVectors)));
      await writeTerms(client, names.alias(index, kind), kind, all, copiesOf(location));
    }
    const now = new Date().toISOString();
    const puts = changed.map(({ row, terms }) => put(row, terms, stored.get(row.key), now));
    const removed = deleted.filter((key) => !written.has(key) && stored.has(key));
    const deletions = removed.map((key) => ({ action: { delete: at(key, stored.get(key)) } }));
    return { keys: [...changed.map(({ row }) => row.key), ...removed], all: [...puts, ...deletions] };
  }

  /** Stores the state before the assets that need it. Returns false if another process has changed it. */
  async #putState(index: StoredIndex, state: FollowedState): Promise<boolean> {
    const { client, names } = this.#options;
    if (JSON.stringify(state) === JSON.stringify(index.state)) return true;
    if (state.simprintBits.length > index.state.simprintBits.length)
      await client.send({
        method: 'PUT',
        path: `/${names.alias(index, 'simprints')}/_mapping`,
        body: simprintVectors(state),
        isRead: false,
      });
    return names.putState(index, state);
  }
}

function put(row: Row, terms: Terms, stored: StoredAsset | undefined, now: string): Write {
  const document = {
    ...row,
    created: stored?.created ?? now,
    updated: now,
    unit_terms: terms.units,
    unit_parts: terms.units.filter(hasVectors).flatMap(partTerms),
    simprint_terms: terms.simprints,
  };
  const operation = stored === undefined ? 'create' : 'index';
  return { action: { [operation]: at(row.key, stored) }, document };
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
