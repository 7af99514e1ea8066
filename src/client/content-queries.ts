/** Queries with an asset instead of a binding: the same in store and resolver. */
import type { Call, CallOptions } from './http.js';
import type { components, operations } from './openapi/store.js';
import type { Query, ResponseBody } from './operation.js';
import { type Source, uploadOf } from './upload.js';

export type AssetReference = components['schemas']['c2pa.assetReferenceQuery'];
export type ContentMatches = ResponseBody<operations['queryByReference']>;

export interface ContentQueryOptions extends CallOptions, Query<operations['queryByReference']> {}

/** The name of an asset. */
export interface AssetName {
  /** The Meta-Code of an asset without a title is made from it. Default: that of the source, if it is a file. */
  readonly filename?: string;
}

const MATCHES = ['v1', 'matches'];

/** @param source the asset itself */
export async function contentCall(source: Source, options: ContentQueryOptions & AssetName): Promise<Call> {
  const { signal: _, ...query } = options;
  return assetCall([...MATCHES, 'byContent'], source, query);
}

/** A request whose body is an asset. Without a `filename` in the query, a file has its own name. */
export async function assetCall(
  path: Call['path'],
  source: Source,
  query: NonNullable<Call['query']> & AssetName,
): Promise<Call> {
  const upload = await uploadOf(source);
  const named = { ...query, filename: query.filename ?? upload.filename };
  const headers = { 'Content-Type': 'application/octet-stream' };
  // Repeatable, because the service stores nothing.
  return { method: 'POST', path, query: named, headers, upload, isRepeatable: true };
}

export function referenceCall(reference: AssetReference, options: ContentQueryOptions): Call {
  const { signal: _, ...query } = options;
  return { method: 'POST', path: [...MATCHES, 'byReference'], query, json: reference, isRepeatable: true };
}
