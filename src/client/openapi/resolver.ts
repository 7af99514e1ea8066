/** Made from the OpenAPI document by `npm run openapi`. */
export interface paths {
    readonly "/v1/matches/byBinding": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Find manifests by soft binding */
        readonly get: operations["getManifestsByBinding"];
        readonly put?: never;
        /** Find manifests by soft binding, for long values */
        readonly post: operations["queryManifestsByBinding"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/iscc/{isccId}/manifests/{manifestId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Fetch the manifest of a match from its endpoint */
        readonly get: operations["getManifestByIsccId"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/manifests/{manifestId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Fetch a manifest that was matched within the last hour
         * @description For clients that ignore `endpoint`.
         */
        readonly get: operations["getManifestById"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/services/supportedAlgorithms": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the supported soft-binding algorithms */
        readonly get: operations["getSupportedSoftBindings"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/services/capabilities": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Specification version and optional capabilities (none) */
        readonly get: operations["getServiceCapabilities"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/services/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Status of the service */
        readonly get: operations["getServiceStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/c2pa-soft-binding-resolution": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Discovery document */
        readonly get: operations["getDiscovery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/healthz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Liveness probe */
        readonly get: operations["liveness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly "c2pa.softBindingQueryResult": {
            readonly matches: readonly {
                /** @description Label of the active manifest */
                readonly manifestId: string;
                /**
                 * Format: uri
                 * @description The manifest is at `{endpoint}/manifests/{manifestId}`; if absent, at this service
                 */
                readonly endpoint?: string;
                /** @description 100 for an exact match or an equal Instance-Code, otherwise the best similarity of a unit */
                readonly similarityScore?: number;
                /** @description ISCC-ID of the declaration of the manifest (extension) */
                readonly isccId?: string;
            }[];
        };
        readonly Error: {
            readonly detail: string;
        };
        readonly "c2pa.softBindingQuery": {
            /** @description Identifier of the soft-binding algorithm */
            readonly alg: string;
            /** @description The binding value in Base64 */
            readonly value: string;
        };
        readonly "c2pa.softBindingAlgList": {
            readonly watermarks: readonly {
                readonly alg: string;
            }[];
            readonly fingerprints: readonly {
                readonly alg: string;
            }[];
        };
        readonly "c2pa.serviceCapabilities": {
            readonly c2paSpecificationVersion: string;
            readonly supportedCapabilities: readonly ("queryByContent" | "queryByReference" | "storeManifests" | "storeBindings")[];
        };
        readonly "c2pa.serviceStatus": {
            /** @enum {string} */
            readonly status: "ok" | "degraded" | "down";
            /**
             * Format: date-time
             * @description UTC, whole seconds
             */
            readonly timestamp: string;
        };
        readonly "c2pa.wellKnownDiscovery": {
            /** Format: uri */
            readonly apiEndpoint: string;
            readonly c2paSpecificationVersion: string;
            /** Format: uri */
            readonly capabilitiesEndpoint: string;
            /** Format: uri */
            readonly statusEndpoint: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getManifestsByBinding: {
        readonly parameters: {
            readonly query: {
                /** @description Identifier of the soft-binding algorithm */
                readonly alg: string;
                /** @description The binding value in Base64, percent-encoded */
                readonly value: string;
                /** @description Maximum number of matches; values above 100 count as 100 */
                readonly maxResults?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Manifests with a similar soft binding, best first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.softBindingQueryResult"];
                };
            };
            /** @description A parameter, the Base64 or the ISCC-SEQ is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service or the manifest repository failed. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service is unreachable or busy; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly queryManifestsByBinding: {
        readonly parameters: {
            readonly query?: {
                /** @description Maximum number of matches; values above 100 count as 100 */
                readonly maxResults?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["c2pa.softBindingQuery"];
            };
        };
        readonly responses: {
            /** @description Manifests with a similar soft binding, best first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.softBindingQueryResult"];
                };
            };
            /** @description A parameter, the Base64 or the ISCC-SEQ is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Length Required. */
            readonly 411: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service or the manifest repository failed. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service is unreachable or busy; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getManifestByIsccId: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description ISCC-ID without prefix, in upper or lower case */
                readonly isccId: string;
                /** @description Label of the active manifest, percent-encoded or with slashes */
                readonly manifestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The Manifest Store, unchanged. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/c2pa": string;
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unknown id, or the declaration does not point to a C2PA Manifest Store with this id. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service or the manifest repository failed. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service is unreachable or busy; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getManifestById: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Label of the active manifest, percent-encoded or with slashes */
                readonly manifestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The Manifest Store, unchanged. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/c2pa": string;
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unknown id, or the declaration does not point to a C2PA Manifest Store with this id. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service or the manifest repository failed. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service is unreachable or busy; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getSupportedSoftBindings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description By kind. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.softBindingAlgList"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getServiceCapabilities: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The capabilities. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.serviceCapabilities"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getServiceStatus: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description `degraded` while the search service is unreachable or has no index of declarations. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.serviceStatus"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getDiscovery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Absolute addresses. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.wellKnownDiscovery"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly liveness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The process is alive. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @enum {string} */
                        readonly status: "ok";
                    };
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
