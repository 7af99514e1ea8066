/** Typed clients of isccd's services. */
export { type ImportCount, type ImportSource, type ImportStep, importFrom } from './import.js';
export { LocalSearch } from './local-search.js';
export { SearchClient, type SearchClientOptions } from './search-client.js';
export * from './types.js';
