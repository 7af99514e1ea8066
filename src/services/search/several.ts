/** Runs several queries. Those that wait at the same time share a pass over the index. */
import { isNativeError, type SearchFound } from '../../native.js';
import type { Engine } from './engine/port.js';
import { engineFailure } from './errors.js';
import type { SearchParameters } from './selection.js';
import { whenNotBusy } from './transfer/add-lines.js';

/** Queries of one request that may wait at the same time: a few passes, so that other requests get their turn. */
const WAITING_MAX = 32;

/** One result per query, in order. It stops when the client is gone. */
export async function* searchAll(
  engine: Engine,
  index: string,
  queries: readonly Buffer[],
  { signal, ...parameters }: SearchParameters & { readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const search = (query: Buffer) => {
    const result = orFailure(whenNotBusy(() => engine.search(index, query, parameters), signal));
    // It may fail while an earlier one is awaited, or after the client is gone.
    result.catch(() => {});
    return result;
  };
  const waiting: Promise<Buffer>[] = [];
  for (const query of queries) {
    if (signal.aborted) return;
    waiting.push(search(query));
    if (waiting.length >= WAITING_MAX) yield (await waiting.shift()) as Buffer;
  }
  for (const result of waiting) yield await result;
}

/** The result, or the error that the query alone would get. */
async function orFailure(result: Promise<SearchFound>): Promise<Buffer> {
  try {
    return (await result).json;
  } catch (error) {
    const failure = engineFailure(error);
    // The response has begun: a fault of one query must not cut it off.
    if (failure === undefined && !isNativeError(error)) throw error;
    const { status, detail } = failure ?? { status: 500, detail: '"Internal Server Error"' };
    return Buffer.from(`{"status":${status},"detail":${detail}}`);
  }
}
