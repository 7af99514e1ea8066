/** Made from the OpenAPI document by `npm run openapi`. */
export interface paths {
    readonly "/v1/manifests": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the manifests of a publisher
         * @description An extension of the C2PA definition. Requires `Authorization: Bearer` with an upload token that has the scope `read:manifests`: the response has the live manifests of its publisher. With the operator token, it has all. Manifests are in the order in which they were stored. `Link` with `rel="next"` leads to the next page, and is absent on the last. With `Accept: application/x-ndjson` and without `limit`, the response has all, one per line.
         */
        readonly get: operations["listManifests"];
        readonly put?: never;
        /**
         * Store and declare a Manifest Store
         * @description Takes a bare C2PA Manifest Store. Uploading the same bytes again changes nothing and gives the same response. With `Authorization: Bearer` and an upload token, the manifest belongs to the publisher of the token.
         */
        readonly post: operations["storeManifest"];
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
         * Fetch the bytes of a Manifest Store, unchanged
         * @description With `Accept: application/json`, the response is a summary (extension): `manifestId`, `manifestUrl`, `sha256`, `size`, `storedAt`, `trusted`, `declaration`, what the manifest claims (`title`, `format`, `signer`, `issuer`, `time`, `claimGenerator`, `actions`, `ingredients`, `training`), and `thumbnailUrl` if it has a thumbnail. A client that accepts `application/c2pa` equally, by name or by `*\/*`, gets the bytes. With `detailed=1` in addition, it is all that the Manifest Store contains, as the detailed JSON of the c2pa library: `active_manifest`, `manifests` with claims, assertions and signatures, `validation_results` and `validation_state` (`Trusted`, `Valid` or `Invalid`; that the asset is not available does not count). Byte strings are Base64, pictures are left out. A Manifest Store above 10 MiB has no such form (404).
         */
        readonly get: operations["getManifestById"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a manifest and withdraw its declaration
         * @description Requires `Authorization: Bearer` with the operator token, or with an upload token of the publisher that has the scope `delete:manifests`. With `If-Match` and the ETag of the bytes, only these are deleted.
         */
        readonly delete: operations["deleteManifest"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/manifests/{manifestId}/thumbnail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Fetch the thumbnail of the asset that a manifest contains
         * @description An extension of the C2PA definition: JPEG, PNG or WebP, at most 512 KiB. Slashes of the id have to be percent-encoded.
         */
        readonly get: operations["getManifestThumbnail"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/manifests/{manifestId}/receipt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Fetch the signed receipt of a manifest
         * @description An extension of the C2PA definition: what the store has stored and when, signed with its did:web key. `isccd store verify-receipt` verifies it offline. Slashes of the id have to be percent-encoded.
         */
        readonly get: operations["getManifestReceipt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/matches/byBinding": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Find manifests by the value of a soft binding
         * @description Find manifests by the value of a soft binding.
         */
        readonly get: operations["queryByBinding"];
        readonly put?: never;
        /**
         * Find manifests by a long value of a soft binding
         * @description Find manifests by a long value of a soft binding.
         */
        readonly post: operations["queryByLargeBinding"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/matches/byContent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Find manifests by an asset
         * @description The body is the asset itself. Its ISCC-CODE and the soft bindings of the manifest that it embeds are computed and matched; the asset is not kept.
         */
        readonly post: operations["uploadFile"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/matches/byReference": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Find manifests by an asset at a URL
         * @description Downloads the asset and continues like `byContent`. Only public https addresses are requested.
         */
        readonly post: operations["queryByReference"];
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
        /**
         * List the supported soft-binding algorithms
         * @description List the supported soft-binding algorithms.
         */
        readonly get: operations["getSupportedBindings"];
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
        /**
         * Specification version and optional capabilities
         * @description Specification version and optional capabilities.
         */
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
        /**
         * Status of the service
         * @description Status of the service.
         */
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
        /**
         * Discovery document
         * @description Discovery document.
         */
        readonly get: operations["getWellKnown"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/did.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * did:web document of the key that signs declarations
         * @description did:web document of the key that signs declarations.
         */
        readonly get: operations["getDidDocument"];
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
        /**
         * Liveness probe
         * @description Liveness probe.
         */
        readonly get: operations["liveness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/readyz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Readiness probe
         * @description Readiness probe.
         */
        readonly get: operations["readiness"];
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
        readonly Upload: {
            /** @description Label of the active manifest */
            readonly manifestId: string;
            /**
             * Format: uri
             * @description URL of the manifest; gateway of its declaration
             */
            readonly manifestUrl: string;
            readonly declaration: components["schemas"]["Declaration"];
            readonly receipt?: components["schemas"]["Receipt"];
        };
        readonly Declaration: {
            /**
             * @description Status of the declaration to the hub
             * @enum {string}
             */
            readonly status: "declared" | "pending" | "failed" | "skipped" | "disabled" | "withdrawn";
            /** @description ISCC-ID of the declaration, if declared */
            readonly isccId?: string;
            /** @description Hub of the declaration */
            readonly hub?: string;
        };
        readonly Receipt: {
            /** @constant */
            readonly type: "IsccdStoreReceipt";
            /** @description Label of the active manifest */
            readonly manifestId: string;
            /** Format: uri */
            readonly manifestUrl: string;
            /** @description SHA-256 of the Manifest Store in hex */
            readonly sha256: string;
            /** @description Bytes of the Manifest Store */
            readonly size: number;
            /**
             * Format: date-time
             * @description By the clock of the store
             */
            readonly storedAt: string;
            /** @description ISCC-SIG: Ed25519 over the canonical JSON (RFC 8785) of all members except `proof` */
            readonly signature: {
                readonly version: string;
                readonly controller: string;
                readonly pubkey: string;
                readonly proof: string;
            };
        };
        readonly Error: {
            readonly detail: string;
            /** @description For a refused Manifest Store: status code of the first failure */
            readonly code?: string;
        };
        readonly ListedManifest: {
            /** @description Title of the asset */
            readonly title?: string;
            /** @description Media type of the asset */
            readonly format?: string;
            /** @description Common name of the signing certificate */
            readonly signer?: string;
            /** @description Time of the signature by a time-stamp authority, RFC 3339 */
            readonly time?: string;
            /** @description Position in the list, for `after` */
            readonly key: number;
            /** @description Label of the active manifest */
            readonly manifestId: string;
            /** Format: uri */
            readonly manifestUrl: string;
            /** @description SHA-256 of the Manifest Store in hex */
            readonly sha256: string;
            /** @description Bytes of the Manifest Store */
            readonly size: number;
            /** Format: date-time */
            readonly storedAt: string;
            /** @description Whether a trust anchor vouches for the signer */
            readonly trusted: boolean;
            /** @description Owner of the upload token; absent for an anonymous upload */
            readonly publisher?: string;
            readonly declaration: components["schemas"]["Declaration"];
        };
        readonly "c2pa.softBindingQueryResult": {
            readonly matches?: readonly {
                /** @description Unique identifier of a matched C2PA Manifest */
                readonly manifestId: string;
                /** @description Endpoint of a Soft Binding Resolution API from which the C2PA Manifest may be obtained. If the endpoint is absent then the C2PA Manifest is available from same endpoint the query was sent to using the /manifests endpoint */
                readonly endpoint?: string;
                /** @description An integer score in the range (0-100) representing the strength of match, if appropriate, where 0 is the weakest possible match and 100 is the strongest possible match */
                readonly similarityScore?: number;
                /** @description ISCC-ID of the declaration of the manifest (extension) */
                readonly isccId?: string;
            }[];
        };
        readonly "c2pa.softBindingQuery": {
            /** @description A string identifying the soft binding algorithm and version of that algorithm used */
            readonly alg: string;
            /** @description A base64-encoded string describing, in algorithm specific format, the value of the soft binding to be used as the query */
            readonly value: string;
        };
        readonly ContentMatches: {
            readonly matches?: readonly {
                /** @description Unique identifier of a matched C2PA Manifest */
                readonly manifestId: string;
                /** @description Endpoint of a Soft Binding Resolution API from which the C2PA Manifest may be obtained. If the endpoint is absent then the C2PA Manifest is available from same endpoint the query was sent to using the /manifests endpoint */
                readonly endpoint?: string;
                /** @description An integer score in the range (0-100) representing the strength of match, if appropriate, where 0 is the weakest possible match and 100 is the strongest possible match */
                readonly similarityScore?: number;
                /** @description ISCC-ID of the declaration of the manifest (extension) */
                readonly isccId?: string;
            }[];
            /** @description ISCC-CODE of the asset (extension) */
            readonly iscc: string;
        };
        readonly "c2pa.assetReferenceQuery": {
            /**
             * Format: uri
             * @description https URL of the asset on a public host. It should be signed and expire soon
             */
            readonly referenceUrl: string;
            /** @description Size in bytes; a larger asset is refused */
            readonly assetLength: number;
            /** @description Media type; an asset of another type is refused */
            readonly assetType?: string;
            /** @description Not supported: must be absent or empty */
            readonly region?: readonly unknown[];
        };
        /** @description list of the names of soft binding algorithms supported by this service. The authoritative list of name is available here: https://github.com/c2pa-org/softbinding-algorithm-list */
        readonly "c2pa.softBindingAlgList": {
            readonly watermarks?: readonly {
                /**
                 * @description Unique identifier of a fingerprint algorithm
                 * @example foo.bar.watermark.1
                 */
                readonly alg: string;
            }[];
            readonly fingerprints?: readonly {
                /**
                 * @description Unique identifier of a watermark algorithm
                 * @example foo.bar.fingerprint.1
                 */
                readonly alg: string;
            }[];
        };
        /** @description Capabilities of the soft binding resolution service */
        readonly "c2pa.serviceCapabilities": {
            /**
             * @description Version of the C2PA specification whose Soft Binding Resolution API semantics are implemented by this service endpoint, formatted as a Semantic Versioning (SemVer) string per https://semver.org. This value is not an independent API version and shall match the OpenAPI info.version field for the API definition implemented by the service endpoint
             * @example 2.4.0
             */
            readonly c2paSpecificationVersion: string;
            /**
             * @description List of optional capabilities supported by this service instance. Absence of a capability name from this list unambiguously indicates the capability is not supported. Clients should ignore unknown values, allowing future versions of this specification to introduce new capability names without breaking existing implementations. Known values are: queryByContent (POST /matches/byContent), queryByReference (POST /matches/byReference), storeManifests (POST /manifests and DELETE /manifests/{manifestId}), storeBindings (POST and PUT /bindings).
             * @example [
             *       "queryByContent",
             *       "storeManifests",
             *       "storeBindings"
             *     ]
             */
            readonly supportedCapabilities: readonly string[];
        };
        /** @description Operational status of the soft binding resolution service */
        readonly "c2pa.serviceStatus": {
            /**
             * @description Current operational status of the service
             * @example ok
             * @enum {string}
             */
            readonly status: "ok" | "degraded" | "down";
            /**
             * Format: date-time
             * @description Time at which the status was generated
             * @example 2024-01-01T00:00:00Z
             */
            readonly timestamp?: string;
        };
        /** @description Discovery information for a C2PA Soft Binding Resolution service */
        readonly "c2pa.wellKnownDiscovery": {
            /**
             * Format: uri
             * @description Base URI of the versioned C2PA Soft Binding Resolution API. The path segment, such as /v1, identifies the major compatibility version of the HTTP API surface and does not change for every C2PA specification minor or patch release
             * @example /v1
             */
            readonly apiEndpoint: string;
            /**
             * @description Version of the C2PA specification whose Soft Binding Resolution API semantics are implemented by this service endpoint, formatted as a Semantic Versioning (SemVer) string per https://semver.org. This value is not an independent API version and shall match the OpenAPI info.version field for the API definition implemented by the service endpoint
             * @example 2.4.0
             */
            readonly c2paSpecificationVersion: string;
            /**
             * Format: uri
             * @description URI of the capabilities endpoint for this service
             * @example /v1/services/capabilities
             */
            readonly capabilitiesEndpoint?: string;
            /**
             * Format: uri
             * @description URI of the status endpoint for this service
             * @example /v1/services/status
             */
            readonly statusEndpoint?: string;
        };
        readonly DidDocument: {
            readonly id: string;
        } & {
            readonly [key: string]: unknown;
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
    readonly listManifests: {
        readonly parameters: {
            readonly query?: {
                /** @description Key to continue after; the manifest may have been deleted */
                readonly after?: number;
                /** @description Maximum number of manifests */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The manifests. */
            readonly 200: {
                headers: {
                    /** @description The next page, if there is one. */
                    readonly Link?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["ListedManifest"][];
                };
            };
            /** @description A parameter breaks a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token is missing or invalid. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upload token lacks the scope. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description The database is unavailable; see Retry-After. */
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
    readonly storeManifest: {
        readonly parameters: {
            readonly query?: {
                /** @description Whether to declare the manifest; default: `MSTORE_DECLARE_DEFAULT` */
                readonly declare?: boolean;
                /** @description Whether the response has a signed receipt; ignored if the store has no key (`MSTORE_SECKEY`) */
                readonly returnReceipt?: boolean;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/c2pa": string;
            };
        };
        readonly responses: {
            /** @description Stored, durably. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The request breaks a rule, or the Manifest Store is refused; a refusal has a `code`. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upload token is invalid, or missing and required. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upload token lacks the scope. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The id belongs to a different manifest or to a deleted one. */
            readonly 409: {
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
            /** @description Unsupported Media Type. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many requests are waiting, or the database is unavailable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No space left on the disk. */
            readonly 507: {
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
            readonly query?: {
                /** @description Accepted and ignored: the response is the whole Manifest Store */
                readonly returnActiveManifest?: boolean;
                /** @description With `Accept: application/json`: whether the response has all that the Manifest Store contains */
                readonly detailed?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /** @description Label of the active manifest */
                readonly manifestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The Manifest Store. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/c2pa": string;
                };
            };
            /** @description The requested range. */
            readonly 206: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/c2pa": string;
                };
            };
            /** @description The client already has this version. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request breaks a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The manifest does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The manifest was deleted. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Range Not Satisfiable. */
            readonly 416: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many requests are waiting, or the database is unavailable; see Retry-After. */
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
    readonly deleteManifest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Label of the active manifest */
                readonly manifestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. The id stays taken. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
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
            /** @description The token is missing or wrong, or the store has no token configured. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upload token lacks the scope, or the manifest belongs to another publisher. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The manifest does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The manifest was deleted. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The stored bytes have another ETag than `If-Match` names. */
            readonly 412: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many requests are waiting, or the database is unavailable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No space left on the disk. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getManifestThumbnail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Label of the active manifest */
                readonly manifestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The picture. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
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
            /** @description The manifest does not exist or has no thumbnail. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The manifest was deleted. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many requests are waiting, or the database is unavailable; see Retry-After. */
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
    readonly getManifestReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Label of the active manifest */
                readonly manifestId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Receipt"];
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
            /** @description The manifest does not exist, or the store has no key. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The manifest was deleted. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many requests are waiting, or the database is unavailable; see Retry-After. */
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
    readonly queryByBinding: {
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
            /** @description Matches, best first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.softBindingQueryResult"];
                };
            };
            /** @description The request breaks a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many requests are waiting, or the database is unavailable; see Retry-After. */
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
    readonly queryByLargeBinding: {
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
            /** @description Matches, best first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["c2pa.softBindingQueryResult"];
                };
            };
            /** @description The request breaks a rule. */
            readonly 400: {
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
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many requests are waiting, or the database is unavailable; see Retry-After. */
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
    readonly uploadFile: {
        readonly parameters: {
            readonly query?: {
                /** @description Only match by this soft-binding algorithm; default: by all that the asset has */
                readonly alg?: string;
                /** @description Maximum number of matches; values above 100 count as 100 */
                readonly maxResults?: number;
                /** @description Algorithm of an additional soft binding of the asset */
                readonly hintAlg?: string;
                /** @description Value of that soft binding in Base64, percent-encoded */
                readonly hintValue?: string;
            };
            readonly header?: {
                /** @description Base64 of the UTF-8 file name, as for `POST /api/v1/iscc`: the Meta-Code of an asset without a title is made from it. Default: `asset`. An extension of isccd. */
                readonly "x-upload-filename"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description Manifests that match the asset, best first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ContentMatches"];
                };
            };
            /** @description A parameter or the asset is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The asset is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The asset is not sent as raw bytes; of a fetched asset, its type is not supported or not the claimed one. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The asset can not be processed; see `code`. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description Too many assets are being processed; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No space left on the disk. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly queryByReference: {
        readonly parameters: {
            readonly query?: {
                /** @description Only match by this soft-binding algorithm; default: by all that the asset has */
                readonly alg?: string;
                /** @description Maximum number of matches; values above 100 count as 100 */
                readonly maxResults?: number;
                /** @description Algorithm of an additional soft binding of the asset */
                readonly hintAlg?: string;
                /** @description Value of that soft binding in Base64, percent-encoded */
                readonly hintValue?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["c2pa.assetReferenceQuery"];
            };
        };
        readonly responses: {
            /** @description Manifests that match the asset, best first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ContentMatches"];
                };
            };
            /** @description A parameter or the asset is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The asset is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The asset is not sent as raw bytes; of a fetched asset, its type is not supported or not the claimed one. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The asset can not be processed; see `code`. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The client has sent too many requests; see Retry-After. */
            readonly 429: {
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
            /** @description The asset could not be downloaded. */
            readonly 502: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many assets are being processed; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No space left on the disk. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly getSupportedBindings: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Algorithms by kind, sorted. */
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
            /** @description `degraded` while a declaration has been pending for more than 15 minutes. */
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
    readonly getWellKnown: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Location of the API. */
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
    readonly getDidDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DidDocument"];
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
            /** @description The store does not declare. */
            readonly 404: {
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
                        /** @constant */
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
    readonly readiness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The service is ready. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly status: "ready";
                    } & {
                        readonly [key: string]: unknown;
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
            /** @description The service is not ready. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly status: "not_ready";
                        readonly reason: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
}
