/** Queries with an asset instead of a binding: the same in store and resolver. */
import type { Call, CallOptions } from './http.js';
import type { components, operations } from './openapi/store.js';
import type { Query, ResponseBody } from './operation.js';
import { type Source, uploadOf } from './upload.js';

export type AssetReference = components['schemas']['c2pa.assetReferenceQuery'];
export type ContentMatches = ResponseBody<operations['queryByReference']>;

export interface ContentQueryOptions extends CallOptions, Query<operations['queryByReference']> {}

const MATCHES = ['v1', 'matches'];

/** @param source the asset itself */
export async function contentCall(source: Source, options: ContentQueryOptions): Promise<Call> {
  const { signal: _, ...query } = options;
  const headers = { 'Content-Type': 'application/octet-stream' };
  const path = [...MATCHES, 'byContent'];
  // Repeatable, because the service stores nothing.
  return { method: 'POST', path, query, headers, upload: await uploadOf(source), isRepeatable: true };
}

export function referenceCall(reference: AssetReference, options: ContentQueryOptions): Call {
  const { signal: _, ...query } = options;
  return { method: 'POST', path: [...MATCHES, 'byReference'], query, json: reference, isRepeatable: true };
}
