/** Assets in OpenSearch: reading and writing their documents. */
import { StorageUnavailable } from '../../../storage/data/unavailable.js';
import type { Client } from './client.js';
import { partError, UNAVAILABLE } from './errors.js';

/** Bytes of a bulk request. */
const BULK_BYTES_MAX = 8 << 20;
/** Documents of a bulk request, so that a busy node responds in time. Those with vectors take milliseconds each. */
const BULK_DOCUMENTS_MAX = 500;
/** Documents of a request that reads by id. */
const IDS_MAX = 5000;
/** How long a shard may wait for its copies. */
const WRITE_TIMEOUT = '10s';

/** A search that some shards do not answer fails. */
export const WHOLE_QUERY = 'allow_partial_search_results=false';
/** Reads see all acknowledged writes. */
const PRIMARY = 'preference=_primary';

/** What Rust reads and writes of an asset. */
export interface Row {
  readonly key: string;
  readonly code: string | null;
  readonly units: readonly string[] | null;
  readonly metadata: string | null;
  readonly simprints: string | null;
}

/** A stored asset and its version. */
export interface StoredAsset {
  readonly row: Row;
  readonly sequence: number;
  readonly term: number;
}

/** Keys are `\x` and 16 hexadecimal digits. */
export function documentId(key: string): string {
  return key.slice(2);
}

interface Many {
  readonly docs: readonly {
    readonly _id: string;
    readonly found?: boolean;
    readonly _seq_no: number;
    readonly _primary_term: number;
    readonly _source?: Row;
    readonly error?: { readonly type: string; readonly reason: string };
  }[];
}

/** The stored assets with these keys, in their last version. */
export async function readAssets(
  client: Client,
  alias: string,
  keys: readonly string[],
): Promise<Map<string, StoredAsset>> {
  const found = new Map<string, StoredAsset>();
  for (const part of parts(keys, IDS_MAX)) {
    const body = { ids: part.map(documentId) };
    const short = { isShort: keys.length === 1 };
    const { docs } = await client.ask<Many>(`/${alias}/_mget?${PRIMARY}`, body, short);
    for (const { error, found: isFound, _source, _seq_no, _primary_term } of docs) {
      if (error !== undefined) throw partError(error);
      if (isFound && _source !== undefined)
        found.set(_source.key, { row: _source, sequence: _seq_no, term: _primary_term });
    }
  }
  return found;
}

/** A document to write. */
export interface Write {
  /** Name of the operation and its parameters. */
  readonly action: object;
  readonly document?: object;
}

interface Bulk {
  readonly errors: boolean;
  readonly items: readonly Readonly<
    Record<
      string,
      { readonly status: number; readonly error?: { readonly type: string; readonly reason: string } }
    >
  >[];
}

/**
 * Writes documents; when it returns, they are visible to searches and have as many copies as `copies` says.
 *
 * @returns positions of those that another process has changed meanwhile
 * @throws {StorageUnavailable} if some may not be written
 */
export async function writeAll(
  client: Client,
  alias: string,
  writes: readonly Write[],
  copies: number,
): Promise<number[]> {
  const conflicts: number[] = [];
  const bulks = [...bulksOf(writes)];
  const isOne = bulks.length === 1;
  const parameters = `require_alias=true&refresh=${isOne ? 'wait_for' : 'false'}&wait_for_active_shards=${copies}&timeout=${WRITE_TIMEOUT}`;
  for (const { start, body } of bulks) {
    const sending = { method: 'POST', path: `/${alias}/_bulk?${parameters}`, body, isRead: false } as const;
    const { items } = await client.send<Bulk>(sending);
    for (const [number, item] of items.entries()) {
      const [done] = Object.values(item);
      if (done?.status === 409) conflicts.push(start + number);
      else if (done?.error !== undefined) throw partError(done.error, done.status);
    }
  }
  // One wait for all, on every shard.
  if (bulks.length > 1) await refresh(client, alias);
  return conflicts;
}

/** @throws {StorageUnavailable} if a shard may not show what was written */
async function refresh(client: Client, alias: string): Promise<void> {
  const { _shards } = await client.send<{ readonly _shards: { readonly failed: number } }>({
    method: 'POST',
    path: `/${alias}/_refresh`,
    isRead: true,
  });
  if (_shards.failed > 0) throw new StorageUnavailable(UNAVAILABLE);
}

/** The bodies of bulk requests, and the position of the first write of each. */
function* bulksOf(writes: readonly Write[]): Generator<{ readonly start: number; readonly body: string }> {
  for (let at = 0; at < writes.length; ) {
    let body = '';
    const start = at;
    const end = Math.min(start + BULK_DOCUMENTS_MAX, writes.length);
    for (; at < end && (at === start || body.length < BULK_BYTES_MAX); at += 1) {
      const { action, document } = writes[at] as Write;
      body += `${JSON.stringify(action)}\n`;
      if (document !== undefined) body += `${JSON.stringify(document)}\n`;
    }
    yield { start, body };
  }
}

export function* parts<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
