/** Removes what nothing needs any more: terms without assets, and the parts of deleted indexes. */
import type { Client } from './client.js';
import { OpenSearchError, openSearchCause } from './errors.js';
import type { OpenSearchLocation } from './location.js';
import { type Kind, physicalPattern } from './mapping.js';
import type { Names } from './names.js';
import type { Registry } from './registry.js';
import { TOUCHED_MS, WHOLE_QUERY, writeAll } from './rows.js';
import { copiesOf } from './writes.js';

/** A term that a running change may rely on is spared. */
const SPARED_MS = 2 * TOUCHED_MS;
const PAGE = 1000;

export interface SweepOptions {
  readonly client: Client;
  readonly location: OpenSearchLocation;
  readonly names: Names;
  /** Terms written later than this many milliseconds ago are spared. For tests. */
  readonly sparedMs?: number;
}

interface Page {
  readonly hits: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _seq_no: number;
      readonly _primary_term: number;
      readonly sort: readonly unknown[];
    }[];
  };
}

/** Removes terms that no asset has. Returns their number. */
export async function sweepTerms(options: SweepOptions, registry: Registry): Promise<number> {
  let removed = 0;
  for (const index of Object.values(registry.indexes))
    for (const kind of ['units', 'simprints'] as const) {
      const { names } = options;
      const [alias, assets] = [names.alias(index, kind), names.alias(index, 'assets')];
      removed += await sweepKind(options, alias, assets, kind).catch((error: unknown) => {
        // Of a damaged index, nothing is removed.
        if (openSearchCause(error)?.isOfDeleted) return 0;
        throw error;
      });
    }
  return removed;
}

async function sweepKind(options: SweepOptions, alias: string, assets: string, kind: Kind): Promise<number> {
  const { client, location, sparedMs = SPARED_MS } = options;
  const field = kind === 'units' ? 'unit_terms' : 'simprint_terms';
  const before = new Date(Date.now() - sparedMs).toISOString();
  let removed = 0;
  for (let after: readonly unknown[] | undefined; ; ) {
    const { hits } = await client.ask<Page>(`/${alias}/_search?${WHOLE_QUERY}`, {
      size: PAGE,
      _source: false,
      seq_no_primary_term: true,
      query: { range: { touched: { lt: before } } },
      sort: [{ touched: 'asc' }, { _id: 'asc' }],
      ...(after !== undefined && { search_after: after }),
    });
    const found = hits.hits;
    if (found.length === 0) return removed;
    after = found.at(-1)?.sort;
    const used = await usedTerms(
      client,
      assets,
      field,
      found.map(({ _id }) => _id),
    );
    const writes = found
      .filter(({ _id }) => !used.has(_id))
      // Only if no change has relied on it since.
      .map(({ _id, _seq_no, _primary_term }) => ({
        action: { delete: { _id, if_seq_no: _seq_no, if_primary_term: _primary_term } },
      }));
    const conflicts = await writeAll(client, alias, writes, copiesOf(location));
    removed += writes.length - conflicts.length;
  }
}

async function usedTerms(
  client: Client,
  assets: string,
  field: string,
  terms: readonly string[],
): Promise<ReadonlySet<string>> {
  const body = { size: 0, aggs: { used: { terms: { field, include: terms, size: terms.length } } } };
  const found = await client.ask<{
    readonly aggregations: { readonly used: { readonly buckets: readonly { readonly key: string }[] } };
  }>(`/${assets}/_search?${WHOLE_QUERY}`, body);
  return new Set(found.aggregations.used.buckets.map(({ key }) => key));
}

interface Listed {
  readonly index: string;
  readonly 'creation.date': string;
}

/** Removes indexes in OpenSearch that no index needs: those of deleted ones, and of creations that did not end. */
export async function sweepIndexes(options: SweepOptions, registry: Registry): Promise<void> {
  const { client, location, sparedMs = SPARED_MS } = options;
  const uids = new Set(Object.values(registry.indexes).map(({ uid }) => uid));
  const pattern = physicalPattern(location);
  const path = `/_cat/indices/${location.prefix}-u_*?format=json&h=index,creation.date`;
  for (const { index, 'creation.date': created } of await client.get<readonly Listed[]>(path)) {
    const uid = pattern.exec(index)?.[1];
    if (uid === undefined || uids.has(uid) || Date.now() - Number(created) < sparedMs) continue;
    await client.send({ method: 'DELETE', path: `/${index}`, isRead: false }).catch((error: unknown) => {
      if (!(error instanceof OpenSearchError && error.status === 404)) throw error;
    });
  }
}
