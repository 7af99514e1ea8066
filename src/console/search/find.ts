/** Searches in one index or in all. */

import { messageOf } from '../dom.js';
import { t } from '../language.js';
import { RequestFailed } from '../requests.js';
import { type ChunkMatch, getAsset, type Match, type Query, search } from './api.js';
import { ALL, indexesLoaded, usableIndexes } from './indexes.js';
import { queryOfEntry } from './passages.js';

/** An asset that matches by its units, by passages, or by both. */
export interface FoundAsset {
  readonly index: string;
  readonly isccId: string;
  readonly metadata: unknown;
  readonly whole: Match | undefined;
  readonly passages: ChunkMatch | undefined;
}

export interface Search {
  /** With the units that the service derived. */
  readonly query: Query;
  /** Best first. */
  readonly assets: readonly FoundAsset[];
  /** Number of indexes that were searched. */
  readonly indexes: number;
  /** Indexes that could not be searched, and why. */
  readonly failures: readonly string[];
}

/** @throws if no index could be searched */
export async function searchIn(index: string, query: Query, limit: number): Promise<Search> {
  const names = index === ALL ? await usableNames() : [index];
  const asked = query.iscc_id === undefined ? query : await queryOfAsset(query.iscc_id, names);
  const results = await Promise.allSettled(names.map((name) => searchOne(name, asked, limit)));
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = found;
  const errors = results.flatMap((result, at) =>
    result.status === 'rejected' ? [{ name: names[at], error: result.reason as unknown }] : [],
  );
  if (first === undefined) throw errors[0]?.error;
  return {
    query: first.query,
    assets: found
      .flatMap(({ assets }) => assets)
      .sort((a, b) => scoreOf(b) - scoreOf(a))
      .slice(0, limit),
    indexes: found.length,
    failures: errors.map(({ name, error }) => `${name}: ${messageOf(error)}`),
  };
}

/** The score of an asset, 0 to 1. */
export function scoreOf({ whole, passages }: FoundAsset): number {
  return Math.max(whole?.score ?? 0, passages?.score ?? 0);
}

/** @throws if no index can be searched */
async function usableNames(): Promise<string[]> {
  const problem = await indexesLoaded();
  const names = usableIndexes().map(({ name }) => name);
  if (names.length === 0) throw problem ?? new Error(t('There is no index to search.'));
  return names;
}

/**
 * The query that finds a stored asset and what is similar to it in all indexes. A search by its ISCC-ID would leave out
 * the asset itself, and fail in the indexes that do not have it.
 */
async function queryOfAsset(isccId: string, names: readonly string[]): Promise<Query> {
  const results = await Promise.allSettled(names.map((name) => getAsset(name, isccId)));
  const errors: unknown[] = [];
  for (const result of results) {
    if (result.status === 'fulfilled') return queryOfEntry(result.value);
    errors.push(result.reason);
  }
  const isMissing = (error: unknown) => error instanceof RequestFailed && error.status === 404;
  if (errors.length > 1 && errors.every(isMissing))
    throw new Error(t('None of these {0} indexes has the asset {1}.', names.length, isccId));
  throw errors.find((error) => !isMissing(error)) ?? errors[0];
}

async function searchOne(index: string, query: Query, limit: number) {
  const { query: asked, global_matches: wholes, chunk_matches: chunks } = await search(index, query, limit);
  const ids = new Set([...wholes, ...chunks].map(({ iscc_id: id }) => id));
  const assets = [...ids].map((isccId): FoundAsset => {
    const whole = wholes.find(({ iscc_id: id }) => id === isccId);
    const passages = chunks.find(({ iscc_id: id }) => id === isccId);
    return { index, isccId, metadata: whole?.metadata ?? passages?.metadata, whole, passages };
  });
  return { query: asked, assets };
}
