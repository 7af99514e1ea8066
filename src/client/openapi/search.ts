/** Made from the OpenAPI document by `npm run openapi`. */
export interface paths {
    readonly "/indexes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List all indexes
         * @description List all indexes. A key needs the right `read`.
         */
        readonly get: operations["listIndexes"];
        readonly put?: never;
        /**
         * Create an index
         * @description Create an index. A key needs the right `admin`.
         */
        readonly post: operations["createIndex"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/indexes/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the size of an index
         * @description Get the size of an index. A key needs the right `read`.
         */
        readonly get: operations["getIndex"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an index and its assets
         * @description Delete an index and its assets. A key needs the right `admin`.
         */
        readonly delete: operations["deleteIndex"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/indexes/{name}/paths": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the declared metadata paths of an index
         * @description List the declared metadata paths of an index. A key needs the right `read`.
         */
        readonly get: operations["getPaths"];
        /**
         * Declare the metadata paths of an index
         * @description Replaces the list. The index keeps a look-up table per declared path: it speeds up searches with `filter`, without changing their results, and makes listings with `filter` possible. Present assets are added in the background; requests continue meanwhile. A key needs the right `admin`.
         */
        readonly put: operations["putPaths"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/indexes/{name}/rename": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rename an index
         * @description Durable and atomic. Requests that use the index continue; later ones find it under its new name only. Its aliases point to the new name. A key needs the right `admin`.
         */
        readonly post: operations["renameIndex"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the index of an alias
         * @description Get the index of an alias. A key needs the right `read`.
         */
        readonly get: operations["getAlias"];
        /**
         * Point an alias to an index
         * @description Creates the alias, or switches it durably and atomically: each request uses either the old index or the new one. An alias can be used wherever the name of an index can, except to rename or delete the index. A key needs the right `admin`.
         */
        readonly put: operations["putAlias"];
        readonly post?: never;
        /**
         * Delete an alias
         * @description Delete an alias. A key needs the right `admin`.
         */
        readonly delete: operations["deleteAlias"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/aliases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List all aliases
         * @description List all aliases. A key needs the right `read`.
         */
        readonly get: operations["listAliases"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/indexes/{name}/assets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List assets
         * @description In the order of the numbers in their ISCC-IDs, that is, by time. A page may be shorter than `limit`; `Link` with `rel="next"` leads to the next one, and is absent on the last. With `Accept: application/x-ndjson` and without `limit`, the response has all assets, one per line. `filter` lists only assets that meet all conditions; one of them must use a declared path that is ready (`PUT /indexes/{name}/paths`), and ends_with a text with `/`. A key needs the right `read`.
         */
        readonly get: operations["listAssets"];
        readonly put?: never;
        /**
         * Add or replace assets
         * @description A JSON array is added completely or not at all. NDJSON (`Content-Type: application/x-ndjson`) is added while it arrives: the response has status 200 and one line per group of up to 1000 lines, sent once the group is durable: `{"lines":1000,"created":998,"updated":1,"refused":[{"line":7,"detail":"…"}]}`. A line that breaks a rule is refused, and the others are added. A failure ends the response with a line that has `line`, `status` and `detail`. The body may be encoded with gzip or zstd (`Content-Encoding`). A key needs the right `write`.
         */
        readonly post: operations["addAssets"];
        /**
         * Delete several assets
         * @description Delete several assets. A key needs the right `write`.
         */
        readonly delete: operations["deleteAssets"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/indexes/{name}/assets/{iscc_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an asset
         * @description Get an asset. A key needs the right `read`.
         */
        readonly get: operations["getAsset"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an asset
         * @description Delete an asset. A key needs the right `write`.
         */
        readonly delete: operations["deleteAsset"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/indexes/{name}/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Search with an ISCC-CODE
         * @description Search with an ISCC-CODE. A key needs the right `read`.
         */
        readonly get: operations["searchGet"];
        readonly put?: never;
        /**
         * Search with a code, units, simprints or a stored asset
         * @description Search with a code, units, simprints or a stored asset. A key needs the right `read`.
         */
        readonly post: operations["searchPost"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/indexes/{name}/searches": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Search with several queries
         * @description Up to 1000 queries, which share passes over the index. The results are in the order of the queries; a query that fails has `{"status", "detail"}` in its place. The parameters are for all queries. With `Content-Type: application/x-ndjson`, the request has one query per line and the response one result per line, sent as soon as it is known. A key needs the right `read`.
         */
        readonly post: operations["searchSeveral"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Version and mode of the service; in aggregator mode also the state of each hub
         * @description Version and mode of the service; in aggregator mode also the state of each hub.
         */
        readonly get: operations["status"];
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
        readonly IsccIndex: {
            readonly name: string;
            readonly assets?: number;
            /** @description MiB on disk, rounded down */
            readonly size?: number;
            /** @description MiB per component */
            readonly sizes?: {
                readonly [key: string]: number;
            };
            /**
             * @description Absent if the index is ready. Requests to other indexes are 503
             * @enum {string}
             */
            readonly state?: "loading" | "damaged";
            /** @description Share of the check and of the loading that is done */
            readonly progress?: number;
            /** @description Why the index is damaged */
            readonly reason?: string;
            /** @description Segments of a large index */
            readonly segments?: readonly components["schemas"]["IndexSegment"][];
        };
        readonly IndexSegment: {
            /**
             * @description `growing` takes new assets; a `full` one is frozen in the background if it is large, and `sealed` when it is in a file
             * @enum {string}
             */
            readonly kind: "growing" | "full" | "frozen" | "sealed";
            readonly assets: number;
            /** @description Replaced and deleted assets that are not removed yet */
            readonly dead: number;
            readonly columns: readonly components["schemas"]["SegmentColumn"][];
        };
        readonly SegmentColumn: {
            /** @description Unit type, for example `CONTENT_TEXT_V0`, or `SIMPRINT_` and the name of a simprint type */
            readonly type: string;
            /** @description Length of the units or simprints */
            readonly bits: number;
            /** @description Units or simprints; in a column with lists or a graph, different ones */
            readonly rows: number;
            /** @description Whether searches for near copies do not compare all rows */
            readonly lists: boolean;
            /** @description Whether it has an HNSW graph */
            readonly graph: boolean;
            /**
             * @description State of the graph, if there is to be one; one that misses too many matches is refused
             * @enum {string}
             */
            readonly graph_state?: "building" | "opening" | "ready" | "refused";
            /** @description Share of the rows that are in a graph that is being built */
            readonly graph_progress?: number;
            /** @description Share of the matches that the graph found in its last trial */
            readonly graph_recall?: number;
        };
        readonly HttpError: {
            readonly detail: string | readonly {
                readonly type: string;
                readonly loc: readonly (string | number)[];
                readonly msg: string;
                readonly input?: unknown;
                readonly ctx?: {
                    readonly [key: string]: unknown;
                };
            }[];
        };
        readonly DeclaredPaths: {
            readonly paths: readonly {
                readonly path: string;
                /**
                 * @description `building`: assets from before the declaration are being added; conditions do not use it yet
                 * @enum {string}
                 */
                readonly state: "building" | "ready";
            }[];
        };
        readonly Alias: {
            readonly name: string;
            /** @description Name of the index that it stands for */
            readonly index: string;
        };
        /**
         * @example {
         *       "iscc_id": "ISCC:MAIGIIFJRDGEQQAA",
         *       "iscc_code": "ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY",
         *       "metadata": {
         *         "name": "Example"
         *       }
         *     }
         */
        readonly IsccEntry: {
            /** @description ISCC-ID with prefix */
            readonly iscc_id: string;
            /** @description ISCC-CODE with prefix */
            readonly iscc_code?: string | null;
            /** @description ISCC-UNITs, prefix optional */
            readonly units?: readonly string[] | null;
            /** @description Simprints by type. An update keeps the types that it does not name; `null` removes a type */
            readonly simprints?: {
                readonly [key: string]: readonly components["schemas"]["IsccSimprint"][] | null;
            } | null;
            /** @description Any JSON object; returned byte for byte */
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly IsccSimprint: {
            /** @description Simprint in the standard or URL-safe base64 alphabet */
            readonly simprint: string;
            readonly offset: number;
            readonly size: number;
        };
        readonly IsccAddResult: {
            /** @description ISCC-ID with prefix */
            readonly iscc_id: string;
            /** @enum {string} */
            readonly status: "created" | "updated";
        };
        readonly DeletionResult: {
            /** @description ISCC-ID with prefix */
            readonly iscc_id: string;
            /** @enum {string} */
            readonly status: "deleted" | "not_found";
        };
        /**
         * @example {
         *       "iscc_code": "ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY"
         *     }
         */
        readonly IsccQuery: {
            /** @description Searches with the stored content of this asset; other fields are ignored */
            readonly iscc_id?: string | null;
            /** @description ISCC-CODE with prefix */
            readonly iscc_code?: string | null;
            readonly units?: readonly string[] | null;
            readonly simprints?: {
                readonly [key: string]: readonly string[];
            } | null;
        };
        readonly IsccSearchResult: {
            /** @description The query as interpreted, with derived members. Absent members may be `null` */
            readonly query: components["schemas"]["IsccQuery"];
            readonly global_matches: readonly components["schemas"]["IsccGlobalMatch"][];
            readonly chunk_matches: readonly components["schemas"]["IsccChunkMatch"][];
            /** @description With `not_in`: units of the query that were not searched */
            readonly suppressed?: readonly string[];
            /** @description With `cursor`: where the next page starts */
            readonly next_cursor?: string | null;
        };
        readonly IsccGlobalMatch: {
            /** @description ISCC-ID with prefix */
            readonly iscc_id: string;
            readonly score: number;
            /** @description Scores of the unit types that reach the threshold */
            readonly types: {
                readonly [key: string]: number;
            };
            /** @description Same as `types` */
            readonly unit_scores: {
                readonly [key: string]: number;
            };
            /** @description Any JSON object; returned byte for byte */
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            /** @description With `explain=bits`: for each unit of the query, the nearest unit of the match */
            readonly explain?: readonly components["schemas"]["ComparedUnit"][];
        };
        readonly ComparedUnit: {
            /** @description ISCC-UNIT of the query */
            readonly unit: string;
            /** @description Unit type, for example `CONTENT_TEXT_V0` */
            readonly type: string;
            /** @description Compared bits */
            readonly bits: number;
            /** @description Differing bits */
            readonly distance: number;
        };
        readonly IsccChunkMatch: {
            /** @description ISCC-ID with prefix */
            readonly iscc_id: string;
            readonly score: number;
            readonly types: {
                readonly [key: string]: {
                    readonly score: number;
                    readonly matches: number;
                    readonly queried: number;
                    readonly chunks: readonly components["schemas"]["IsccMatchedChunk"][];
                };
            };
            readonly source: string | null;
            /** @description Any JSON object; returned byte for byte */
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly IsccMatchedChunk: {
            readonly query: string;
            readonly match: string;
            readonly score: number;
            readonly freq: number;
            readonly offset: number;
            readonly size: number;
            /** @description Always `null`: the index does not hold contents */
            readonly content: string | null;
        };
        readonly SearchFailure: {
            readonly status: number;
            readonly detail: unknown;
        };
        readonly Status: {
            readonly version: string;
            /** @enum {string} */
            readonly mode: "normal" | "aggregator";
            readonly network: string | null;
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
    readonly listIndexes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Sorted by name. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["IsccIndex"][];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly createIndex: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["IsccIndex"];
            };
        };
        readonly responses: {
            /** @description Created durably. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccIndex"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description An index with this name exists. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The disk is full. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly getIndex: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The index. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccIndex"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly deleteIndex: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. */
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
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index has aliases. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly getPaths: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The paths. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeclaredPaths"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly putPaths: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Paths such as `metadata.lang`; names with other characters than letters, digits, `_` and `-` in quotes */
                    readonly paths: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description Declared durably. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeclaredPaths"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The disk is full. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly renameIndex: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                };
            };
        };
        readonly responses: {
            /** @description The index. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccIndex"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The name is that of another index or alias. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The disk is full. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly getAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the alias, with the rules of index names */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alias. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly putAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the alias, with the rules of index names */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Name of an index */
                    readonly index: string;
                };
            };
        };
        readonly responses: {
            /** @description The alias. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description The content violates a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Not Found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The name is that of another index or alias. */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The disk is full. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly deleteAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the alias, with the rules of index names */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. The index stays. */
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
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly listAliases: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Sorted by name. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Alias"][];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly listAssets: {
        readonly parameters: {
            readonly query?: {
                /** @description ISCC-ID to continue after; the asset does not have to exist */
                readonly after?: string;
                /** @description Maximum number of matches, 1 to 10,000; scores do not depend on it */
                readonly limit?: number;
                /** @description Condition on the metadata: `metadata.PATH = VALUE`, `metadata.PATH ends_with STRING` or `metadata.PATH exists`, for example `metadata.lang = "de"`. VALUE is a JSON string, number, boolean or null; an array matches if one of its items does. May be repeated: all must hold */
                readonly filter?: readonly string[];
            };
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The assets, byte for byte as they were added. */
            readonly 200: {
                headers: {
                    /** @description The next page, if there is one. */
                    readonly Link?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["IsccEntry"][];
                };
            };
            /** @description The content violates a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly addAssets: {
        readonly parameters: {
            readonly query?: {
                /** @description For NDJSON: number of lines at the start to leave out, to resume an interrupted upload */
                readonly skip?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": readonly components["schemas"]["IsccEntry"][];
            };
        };
        readonly responses: {
            /** @description Added durably and searchable; one result per asset, in the same order. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["IsccAddResult"][];
                };
            };
            /** @description The content violates a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The content encoding is unknown. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The disk is full. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly deleteAssets: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": readonly string[];
            };
        };
        readonly responses: {
            /** @description Deleted durably; one result per ISCC-ID, in the same order. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["DeletionResult"][];
                };
            };
            /** @description The content violates a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The disk is full. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly getAsset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
                /** @description ISCC-ID with prefix */
                readonly iscc_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The asset. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccEntry"];
                };
            };
            /** @description The content violates a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly deleteAsset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
                /** @description ISCC-ID with prefix */
                readonly iscc_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The content violates a rule. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Unprocessable Entity. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The disk is full. */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly searchGet: {
        readonly parameters: {
            readonly query: {
                /** @description Maximum number of matches, 1 to 10,000; scores do not depend on it */
                readonly limit?: number;
                /** @description Whether to leave out featureless Image-Codes, whose matches mean nothing. Default: `INDEXSVC_SKIP_FEATURELESS` */
                readonly skip_featureless?: boolean;
                /** @description Lowest similarity of a matching unit. At least `INDEXSVC_MATCH_THRESHOLD_UNITS`; only for indexes that match similar units */
                readonly threshold?: number;
                /** @description Lowest similarity of a matching simprint. At least `INDEXSVC_MATCH_THRESHOLD_SIMPRINTS`; only for indexes that match similar units */
                readonly threshold_simprints?: number;
                /** @description Unit types to search with, separated by commas, for example `CONTENT_IMAGE_V0,DATA_NONE_V0`. Other units of the query are not searched */
                readonly unit_types?: string;
                /** @description ISCC-IDs that are no matches, separated by commas */
                readonly exclude?: string;
                /** @description Lowest score of a match */
                readonly min_score?: number;
                /** @description Condition on the metadata: `metadata.PATH = VALUE`, `metadata.PATH ends_with STRING` or `metadata.PATH exists`, for example `metadata.lang = "de"`. VALUE is a JSON string, number, boolean or null; an array matches if one of its items does. May be repeated: all must hold */
                readonly filter?: readonly string[];
                /** @description Name of another index. Units of the query that match there are not searched; the response has their texts in `suppressed` */
                readonly not_in?: string;
                /** @description `*` for the first page, then the `next_cursor` of the last response, which is `null` at the end. Pages have `limit` matches */
                readonly cursor?: string;
                /** @description `bits`: each global match has the compared and the differing bits of each unit of the query */
                readonly explain?: "bits";
                /** @description Whether to search without graphs, which may miss matches in large indexes */
                readonly exact?: boolean;
                /** @description ISCC-CODE with prefix */
                readonly iscc_code: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Matches, best first. */
            readonly 200: {
                headers: {
                    /** @description `true` if all matches were found for certain, `false` if HNSW graphs were used */
                    readonly "Search-Exact"?: "true" | "false";
                    /** @description Time in ms in lists, graphs and scans, shared by searches that ran together, and how many columns were searched so */
                    readonly "Server-Timing"?: string;
                    /** @description Only with indexes in PostgreSQL, in responses to all reads: age in seconds of the state that the response shows, while the database is unreachable */
                    readonly "Isccd-Stale"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccSearchResult"];
                };
            };
            /** @description The content violates a rule, or the search would take more processor time than `INDEXSVC_SEARCH_SECONDS_MAX`: the detail then names the lowest threshold at which it is accepted. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly searchPost: {
        readonly parameters: {
            readonly query?: {
                /** @description Maximum number of matches, 1 to 10,000; scores do not depend on it */
                readonly limit?: number;
                /** @description Whether to leave out featureless Image-Codes, whose matches mean nothing. Default: `INDEXSVC_SKIP_FEATURELESS` */
                readonly skip_featureless?: boolean;
                /** @description Lowest similarity of a matching unit. At least `INDEXSVC_MATCH_THRESHOLD_UNITS`; only for indexes that match similar units */
                readonly threshold?: number;
                /** @description Lowest similarity of a matching simprint. At least `INDEXSVC_MATCH_THRESHOLD_SIMPRINTS`; only for indexes that match similar units */
                readonly threshold_simprints?: number;
                /** @description Unit types to search with, separated by commas, for example `CONTENT_IMAGE_V0,DATA_NONE_V0`. Other units of the query are not searched */
                readonly unit_types?: string;
                /** @description ISCC-IDs that are no matches, separated by commas */
                readonly exclude?: string;
                /** @description Lowest score of a match */
                readonly min_score?: number;
                /** @description Condition on the metadata: `metadata.PATH = VALUE`, `metadata.PATH ends_with STRING` or `metadata.PATH exists`, for example `metadata.lang = "de"`. VALUE is a JSON string, number, boolean or null; an array matches if one of its items does. May be repeated: all must hold */
                readonly filter?: readonly string[];
                /** @description Name of another index. Units of the query that match there are not searched; the response has their texts in `suppressed` */
                readonly not_in?: string;
                /** @description `*` for the first page, then the `next_cursor` of the last response, which is `null` at the end. Pages have `limit` matches */
                readonly cursor?: string;
                /** @description `bits`: each global match has the compared and the differing bits of each unit of the query */
                readonly explain?: "bits";
                /** @description Whether to search without graphs, which may miss matches in large indexes */
                readonly exact?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["IsccQuery"];
            };
        };
        readonly responses: {
            /** @description Matches, best first. */
            readonly 200: {
                headers: {
                    /** @description `true` if all matches were found for certain, `false` if HNSW graphs were used */
                    readonly "Search-Exact"?: "true" | "false";
                    /** @description Time in ms in lists, graphs and scans, shared by searches that ran together, and how many columns were searched so */
                    readonly "Server-Timing"?: string;
                    /** @description Only with indexes in PostgreSQL, in responses to all reads: age in seconds of the state that the response shows, while the database is unreachable */
                    readonly "Isccd-Stale"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccSearchResult"];
                };
            };
            /** @description The content violates a rule, or the search would take more processor time than `INDEXSVC_SEARCH_SECONDS_MAX`: the detail then names the lowest threshold at which it is accepted. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly searchSeveral: {
        readonly parameters: {
            readonly query?: {
                /** @description Maximum number of matches, 1 to 10,000; scores do not depend on it */
                readonly limit?: number;
                /** @description Whether to leave out featureless Image-Codes, whose matches mean nothing. Default: `INDEXSVC_SKIP_FEATURELESS` */
                readonly skip_featureless?: boolean;
                /** @description Lowest similarity of a matching unit. At least `INDEXSVC_MATCH_THRESHOLD_UNITS`; only for indexes that match similar units */
                readonly threshold?: number;
                /** @description Lowest similarity of a matching simprint. At least `INDEXSVC_MATCH_THRESHOLD_SIMPRINTS`; only for indexes that match similar units */
                readonly threshold_simprints?: number;
                /** @description Unit types to search with, separated by commas, for example `CONTENT_IMAGE_V0,DATA_NONE_V0`. Other units of the query are not searched */
                readonly unit_types?: string;
                /** @description ISCC-IDs that are no matches, separated by commas */
                readonly exclude?: string;
                /** @description Lowest score of a match */
                readonly min_score?: number;
                /** @description Condition on the metadata: `metadata.PATH = VALUE`, `metadata.PATH ends_with STRING` or `metadata.PATH exists`, for example `metadata.lang = "de"`. VALUE is a JSON string, number, boolean or null; an array matches if one of its items does. May be repeated: all must hold */
                readonly filter?: readonly string[];
                /** @description Name of another index. Units of the query that match there are not searched; the response has their texts in `suppressed` */
                readonly not_in?: string;
                /** @description `*` for the first page, then the `next_cursor` of the last response, which is `null` at the end. Pages have `limit` matches */
                readonly cursor?: string;
                /** @description `bits`: each global match has the compared and the differing bits of each unit of the query */
                readonly explain?: "bits";
                /** @description Whether to search without graphs, which may miss matches in large indexes */
                readonly exact?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /** @description Name of the index */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": readonly components["schemas"]["IsccQuery"][];
            };
        };
        readonly responses: {
            /** @description One result per query. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly (components["schemas"]["IsccSearchResult"] | components["schemas"]["SearchFailure"])[];
                };
            };
            /** @description The content violates a rule, or the search would take more processor time than `INDEXSVC_SEARCH_SECONDS_MAX`: the detail then names the lowest threshold at which it is accepted. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description X-API-Key is missing or unknown. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The API key lacks the right for this request. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The index or asset does not exist. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Payload Too Large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description The request violates the schema. Unknown query parameters are violations, too. */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
        };
    };
    readonly status: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state of the service. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Status"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
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
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
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
                    readonly "application/json": components["schemas"]["HttpError"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HttpError"];
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
