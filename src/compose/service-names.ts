/** The services in start order. In a file of its own, so that reading the names does not load any configuration. */
export const SERVICE_NAMES = ['codes', 'search', 'store', 'resolver'] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
