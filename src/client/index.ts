/** Typed clients of isccd's services, over HTTP. Needs no native addon. */
export * from './codes-client.js';
export * from './errors.js';
export type { CallOptions, ClientOptions, Download } from './http.js';
export { type ImportCount, type ImportSource, type ImportStep, importFrom } from './import.js';
export { type ResolvedMatch, ResolverClient } from './resolver-client.js';
export type { RetryOptions } from './retry.js';
export { SearchClient, type SearchClientOptions } from './search-client.js';
export * from './store-client.js';
export * from './types.js';
export type { OnProgress, Progress, Source } from './upload.js';
