/** The services by name, in the order they start. Alone in its file: who only needs names loads no configuration. */
export const SERVICE_NAMES = ['codes', 'search', 'store', 'resolver'] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
