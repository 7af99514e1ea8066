/** Made from the OpenAPI document by `npm run openapi`. */
export interface paths {
    readonly "/v1/matches/byBinding": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Find manifests by soft binding
         * @description Find manifests by soft binding.
         */
        readonly get: operations["queryByBinding"];
        readonly put?: never;
        /**
         * Find manifests by soft binding, for long values
         * @description Find manifests by soft binding, for long values.
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
    readonly "/v1/rights/byContent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Look up mining and training rights of an asset
         * @description The body is the asset itself. Its metadata, the manifest that it embeds, and the manifests and declarations that match its ISCC-CODE are read; the asset is not kept. An extension of isccd.
         */
        readonly post: operations["getRightsByContent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/rights/byCode": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Look up mining and training rights by code
         * @description The manifests and declarations that match an ISCC-CODE or ISCC-UNIT are read. For many codes, send NDJSON (`Content-Type: application/x-ndjson`): one code per line, as such an object or as a JSON string. The response then has status 200 and one line per code, in the same order and while they arrive: `line` and the report, or `line`, `status` and `detail`. An extension of isccd.
         */
        readonly post: operations["getRightsByCode"];
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
        /**
         * Fetch the manifest of a match from its endpoint
         * @description Fetch the manifest of a match from its endpoint.
         */
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
         * Fetch a manifest of a trusted store, or one that the index has a declaration of
         * @description Fetch a manifest of a trusted store, or one that the index has a declaration of.
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
        readonly Error: {
            readonly detail: string;
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
        readonly RightsReport: {
            /** @description The code that was looked up */
            readonly iscc: string;
            /** @description Per use: `c2pa.data_mining`, `c2pa.ai_training`, `c2pa.ai_generative_training`, `c2pa.ai_inference`, and others that a source names */
            readonly summary: {
                readonly [key: string]: components["schemas"]["RightsSummary"];
            };
            /** @description Whether every source that was found could be read. If not, there may be further statements */
            readonly complete: boolean;
            readonly sources: readonly components["schemas"]["RightsSource"][];
        };
        readonly RightsSummary: {
            /**
             * @description What all its sources say; `conflicting` if they differ, `unspecified` without any
             * @enum {string}
             */
            readonly status: "allowed" | "notAllowed" | "constrained" | "unspecified" | "conflicting";
            /** @description Ids of the sources that it rests on */
            readonly sources: readonly string[];
            /**
             * @description Weakest signature of these sources
             * @enum {string}
             */
            readonly signature?: "trusted" | "valid" | "invalid" | "notChecked" | "none";
            /** @description Whether none of them names this use */
            readonly implied?: boolean;
        };
        readonly RightsSource: {
            /** @description Named by the summary */
            readonly id: string;
            /**
             * @description A C2PA manifest, metadata fields of the file, or an entry of the index that says nothing about rights
             * @enum {string}
             */
            readonly kind: "manifest" | "metadata" | "declaration";
            /**
             * @description In the file itself, or found by its code: then it is about equal or similar content
             * @enum {string}
             */
            readonly place: "file" | "match";
            /**
             * @description `trusted`: valid, by a signer that a trust anchor vouches for; `valid`: by another signer; `invalid`: broken, or of other bytes; `notChecked`: not available or not checked; `none`: unsigned
             * @enum {string}
             */
            readonly signature: "trusted" | "valid" | "invalid" | "notChecked" | "none";
            /** @description Whether the summary rests on its statements */
            readonly counts: boolean;
            /** @description Why it does not count, or why it is not complete */
            readonly problem?: string;
            /** @description Empty if it says nothing about these uses */
            readonly statements: readonly components["schemas"]["RightsStatement"][];
            /** @description The signer; for metadata, the creator or owner that the file names */
            readonly by?: string;
            /** @description Organisation of the signing certificate */
            readonly issuer?: string;
            /** @description RFC 3339, or as in the file */
            readonly since?: string;
            /**
             * @description Who says since when: a time-stamp authority, the hub that issued the ISCC-ID, or the file
             * @enum {string}
             */
            readonly sinceFrom?: "timestamp" | "declaration" | "metadata";
            readonly manifestId?: string;
            /** @description The declaration that led to it */
            readonly isccId?: string;
            /** @description Address in that declaration */
            readonly gateway?: string;
            /** @description 100: the same bytes; less: similar content */
            readonly similarityScore?: number;
        };
        readonly RightsStatement: {
            /** @description The use, in the vocabulary of the summary */
            readonly use: string;
            /** @enum {string} */
            readonly permission: "allowed" | "notAllowed" | "constrained";
            /** @description The entry or metadata field that says so */
            readonly field: string;
            /** @description Its value, unchanged */
            readonly value: string;
            /** @description Whether the field does not name this use, but reserves a wider one that includes it */
            readonly implied: boolean;
            /** @description Policy or constraint: an address or text */
            readonly detail?: string;
        };
        readonly RightsCodeQuery: {
            readonly iscc: string;
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
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
            /** @description The search service or the manifest store is unreachable or busy, or the repositories of the matching manifests are slow; see Retry-After. */
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
            /** @description The search service or the manifest store is unreachable or busy, or the repositories of the matching manifests are slow; see Retry-After. */
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
    readonly getRightsByContent: {
        readonly parameters: {
            readonly query?: {
                /** @description Lowest similarity, in per cent, of the content whose statements count for the summary; default 90. Others are listed */
                readonly minScore?: number;
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
            /** @description The sources and their summary. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RightsReport"];
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
            /** @description The asset is not sent as raw bytes. */
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
            /** @description The search service failed. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service is unreachable, or too many assets are being processed. */
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
    readonly getRightsByCode: {
        readonly parameters: {
            readonly query?: {
                /** @description Lowest similarity, in per cent, of the content whose statements count for the summary; default 90. Others are listed */
                readonly minScore?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RightsCodeQuery"];
            };
        };
        readonly responses: {
            /** @description The sources and their summary. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RightsReport"];
                };
            };
            /** @description The code or a parameter is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The search service failed. */
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
            readonly query?: {
                /** @description Accepted and ignored: the response is the whole Manifest Store */
                readonly returnActiveManifest?: boolean;
            };
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
            /** @description The client has it: `If-None-Match` names its `ETag`, the SHA-256. */
            readonly 304: {
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
            /** @description The search service or the manifest store is unreachable or busy, or the repositories of the matching manifests are slow; see Retry-After. */
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
            readonly query?: {
                /** @description Accepted and ignored: the response is the whole Manifest Store */
                readonly returnActiveManifest?: boolean;
            };
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
            /** @description The client has it: `If-None-Match` names its `ETag`, the SHA-256. */
            readonly 304: {
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
            /** @description The search service or the manifest store is unreachable or busy, or the repositories of the matching manifests are slow; see Retry-After. */
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
            /** @description `degraded` while the search service or the manifest store is unreachable, or there is no index of declarations. */
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
