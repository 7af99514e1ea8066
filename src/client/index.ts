/** Typed clients of isccd's services. */
export { LocalSearch } from './local-search.js';
export { SearchClient, type SearchClientOptions } from './search-client.js';
export * from './types.js';
