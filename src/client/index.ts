/** Typed HTTP clients of isccd's services. Needs no native addon. */
export type { Bytes } from './arguments.js';
export * from './codes-client.js';
export type { AssetName, AssetReference, ContentMatches, ContentQueryOptions } from './content-queries.js';
export * from './errors.js';
export type { CallOptions, ClientOptions, Download } from './http.js';
export {
  type ManifestWatch,
  type NewManifestWatch,
  type ResolvedMatch,
  ResolverClient,
  type RightsOptions,
  type RightsReport,
} from './resolver-client.js';
export type { RetryOptions } from './retry.js';
export * from './search-api.js';
export { SearchClient, type SearchClientOptions } from './search-client.js';
export * from './store-client.js';
export type { OnProgress, Progress, Source } from './upload.js';
export type { WatchGap } from './watch-events.js';
