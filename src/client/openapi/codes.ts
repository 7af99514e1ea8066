/** Made from the OpenAPI document by `npm run openapi`. */
export interface paths {
    readonly "/api/v1/iscc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Upload a file and create its ISCC-CODE
         * @description The body is the raw file. An unsupported media type yields the two-unit ISCC-SUM. `semantic` adds a fifth unit to texts and images; without a configured model it is refused with 422. With `Prefer: respond-async` the response is 202 with the state of a job, as `GET /jobs/{id}` returns it, and the job in `Location`.
         */
        readonly post: operations["create-iscc"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/progress/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the progress of an upload
         * @description Long poll for an upload by `POST /iscc?progress={key}` from the same client. Responds when a step begins or ends, after 8 s without a change, or after 1 s if there is no such upload yet.
         */
        readonly get: operations["get-progress"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/iscc/{media_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the stored result of an upload
         * @description Get the stored result of an upload.
         */
        readonly get: operations["get-iscc"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/media": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Upload a file without processing it
         * @description Upload a file without processing it.
         */
        readonly post: operations["upload-file"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/media/{media_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download the file
         * @description Download the file.
         */
        readonly get: operations["download-file"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete the file and its results
         * @description Delete the file and its results.
         */
        readonly delete: operations["delete-file"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/metadata/{media_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Extract the metadata embedded in a file
         * @description Extract the metadata embedded in a file.
         */
        readonly get: operations["extract-metadata"];
        readonly put?: never;
        /**
         * Embed metadata into a copy and create its ISCC-CODE
         * @description The original is not changed. The response describes the copy: its metadata is read from the copy afresh, and `not_embedded` names the submitted fields that the copy does not show. A given value replaces the old one. With `Prefer: respond-async` the response is 202 with the state of a job, as `GET /jobs/{id}` returns it, and the job in `Location`.
         */
        readonly post: operations["embed-metadata"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the state of a job
         * @description A job is what a request with `Prefer: respond-async` started. With `Accept: text/event-stream` the response is a stream of events named `job` with the same JSON; it ends with the job, or with an event `error` if the state of the job cannot be read any more.
         */
        readonly get: operations["getJob"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Cancel a job
         * @description Stops the processing, frees the worker and forgets the job. A finished upload is kept.
         */
        readonly delete: operations["cancelJob"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/explain/{iscc}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Decompose an ISCC
         * @description Decompose an ISCC.
         */
        readonly get: operations["explain-iscc"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/simprint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create simprints of plain text
         * @description The text may have as many bytes as an upload, and the JSON body up to 128 MiB.
         */
        readonly post: operations["create-simprints"];
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
        readonly IsccMetadata: {
            /** Format: uri */
            readonly "@context": string;
            /** @enum {string} */
            readonly "@type": "CreativeWork" | "TextDigitalDocument" | "ImageObject" | "AudioObject" | "VideoObject";
            /** Format: uri */
            readonly $schema: string;
            /** @description ISCC-CODE with its `ISCC:` prefix */
            readonly iscc: string;
            /** @description Title of the work */
            readonly name?: string;
            readonly description?: string;
            /** @description Data-URL with further metadata */
            readonly meta?: string;
            readonly creator?: string;
            readonly license?: string;
            readonly acquire?: string;
            readonly credit?: string;
            readonly rights?: string;
            readonly identifier?: string;
            readonly keywords?: string;
            /** @enum {string} */
            readonly mode?: "text" | "image" | "audio" | "video";
            readonly filename: string;
            /** @description Bytes */
            readonly filesize: number;
            readonly mediatype: string;
            /** @description Seconds */
            readonly duration?: number;
            readonly fps?: number;
            /** @description Pixels */
            readonly width?: number;
            /** @description Pixels */
            readonly height?: number;
            readonly characters?: number;
            readonly language?: string;
            readonly features?: readonly components["schemas"]["FeatureSet"][];
            /** @description ISCC-UNITs of 256 bits */
            readonly units: readonly string[];
            readonly generator: string;
            /** @description Data-URL of a WebP image */
            readonly thumbnail?: string;
            readonly metahash?: string;
            readonly datahash: string;
            /** @description Why there is no Content-Code: an error code and its text, with `fallback=sum` */
            readonly note?: string;
            readonly media_id: string;
            /**
             * Format: uri
             * @description Download URL of the file
             */
            readonly content: string;
        };
        readonly FeatureSet: {
            /** @enum {string} */
            readonly maintype: "content" | "semantic";
            /** @enum {string} */
            readonly subtype: "text";
            readonly version: number;
            /** @description Unit of offsets and sizes: UTF-8 bytes if true, else characters */
            readonly byte_offsets: boolean;
            /** @description 256-bit simprints, base64url */
            readonly simprints: readonly string[];
            readonly offsets: readonly number[];
            readonly sizes: readonly number[];
        };
        readonly Problem: {
            /** @description The HTTP status in words */
            readonly title: string;
            readonly status: number;
            /** @description What is wrong, for people */
            readonly detail: string;
            /** @description What is wrong, for programs: a constant name */
            readonly code: string;
            /** @description Internal cause; in development only */
            readonly cause?: string;
        };
        readonly Progress: {
            readonly changes: number;
            /** @description Whether the upload has been answered */
            readonly done: boolean;
            /** @description In starting order */
            readonly steps: readonly {
                readonly name: string;
                readonly description: string;
                /** @description Milliseconds; absent until the step ends */
                readonly ms?: number;
                /** @description How much of the step is done; for films and long sound */
                readonly percent?: number;
            }[];
        };
        readonly StoredIsccMetadata: {
            /** Format: uri */
            readonly "@context": string;
            /** @enum {string} */
            readonly "@type": "CreativeWork" | "TextDigitalDocument" | "ImageObject" | "AudioObject" | "VideoObject";
            /** Format: uri */
            readonly $schema: string;
            /** @description ISCC-CODE with its `ISCC:` prefix */
            readonly iscc: string;
            /** @description Title of the work */
            readonly name?: string;
            readonly description?: string;
            /** @description Data-URL with further metadata */
            readonly meta?: string;
            readonly creator?: string;
            readonly license?: string;
            readonly acquire?: string;
            readonly credit?: string;
            readonly rights?: string;
            readonly identifier?: string;
            readonly keywords?: string;
            /** @enum {string} */
            readonly mode?: "text" | "image" | "audio" | "video";
            readonly filename: string;
            /** @description Bytes */
            readonly filesize: number;
            readonly mediatype: string;
            /** @description Seconds */
            readonly duration?: number;
            readonly fps?: number;
            /** @description Pixels */
            readonly width?: number;
            /** @description Pixels */
            readonly height?: number;
            readonly characters?: number;
            readonly language?: string;
            readonly features?: readonly components["schemas"]["FeatureSet"][];
            /** @description ISCC-UNITs of 256 bits */
            readonly units: readonly string[];
            readonly generator: string;
            /** @description Data-URL of a WebP image */
            readonly thumbnail?: string;
            readonly metahash?: string;
            readonly datahash: string;
            /** @description Why there is no Content-Code: an error code and its text, with `fallback=sum` */
            readonly note?: string;
        };
        readonly UploadResponse: {
            readonly media_id: string;
            /**
             * Format: uri
             * @description Download URL of the file
             */
            readonly content: string;
        };
        readonly EmbeddedMetadata: {
            /** @description Title of the work */
            readonly name?: string;
            readonly description?: string;
            /** @description Data-URL with further metadata */
            readonly meta?: string;
            readonly creator?: string;
            readonly license?: string;
            readonly acquire?: string;
            readonly credit?: string;
            readonly rights?: string;
            readonly identifier?: string;
        };
        readonly InlineMetadata: {
            readonly name?: string | null;
            readonly description?: string | null;
            readonly meta?: string | null;
            readonly identifier?: string | null;
            readonly creator?: string | null;
            /** Format: uri */
            readonly license?: string | null;
            /** Format: uri */
            readonly acquire?: string | null;
            readonly credit?: string | null;
            readonly rights?: string | null;
            readonly keywords?: (string | readonly string[]) | null;
        };
        readonly EmbedResult: {
            /** Format: uri */
            readonly "@context": string;
            /** @enum {string} */
            readonly "@type": "CreativeWork" | "TextDigitalDocument" | "ImageObject" | "AudioObject" | "VideoObject";
            /** Format: uri */
            readonly $schema: string;
            /** @description ISCC-CODE with its `ISCC:` prefix */
            readonly iscc: string;
            /** @description Title of the work */
            readonly name?: string;
            readonly description?: string;
            /** @description Data-URL with further metadata */
            readonly meta?: string;
            readonly creator?: string;
            readonly license?: string;
            readonly acquire?: string;
            readonly credit?: string;
            readonly rights?: string;
            readonly identifier?: string;
            readonly keywords?: string;
            /** @enum {string} */
            readonly mode?: "text" | "image" | "audio" | "video";
            readonly filename: string;
            /** @description Bytes */
            readonly filesize: number;
            readonly mediatype: string;
            /** @description Seconds */
            readonly duration?: number;
            readonly fps?: number;
            /** @description Pixels */
            readonly width?: number;
            /** @description Pixels */
            readonly height?: number;
            readonly characters?: number;
            readonly language?: string;
            readonly features?: readonly components["schemas"]["FeatureSet"][];
            /** @description ISCC-UNITs of 256 bits */
            readonly units: readonly string[];
            readonly generator: string;
            /** @description Data-URL of a WebP image */
            readonly thumbnail?: string;
            readonly metahash?: string;
            readonly datahash: string;
            /** @description Why there is no Content-Code: an error code and its text, with `fallback=sum` */
            readonly note?: string;
            readonly media_id: string;
            /**
             * Format: uri
             * @description Download URL of the file
             */
            readonly content: string;
            /** @description Submitted fields that a fresh extraction of the copy does not show; absent if it shows all */
            readonly not_embedded?: readonly string[];
        };
        readonly Job: {
            readonly id: string;
            /** @enum {string} */
            readonly state: "running" | "done" | "failed" | "cancelled";
            /** @description Name of the step that began last */
            readonly stage?: string;
            /** @description What the step does */
            readonly description?: string;
            /** @description Estimated share of the work that is done */
            readonly percent: number;
            /** @description The stored file, when done */
            readonly media_id?: string;
            /** @description Root-relative URL of the result, when done */
            readonly location?: string;
            /** @description Why the job failed */
            readonly error?: {
                readonly status: number;
                readonly code: string;
                readonly detail: string;
            };
        };
        readonly IsccDetail: {
            readonly iscc: string;
            readonly readable: string;
            readonly multiformat: string;
            readonly decomposed: string;
            readonly units: readonly components["schemas"]["IsccUnit"][];
        };
        readonly IsccUnit: {
            readonly iscc_unit: string;
            readonly readable: string;
            readonly hash_hex: string;
            readonly hash_uint: string;
            readonly hash_bits: string;
            /**
             * @description Present for an Image-Code without features, whose matches mean nothing
             * @constant
             */
            readonly featureless?: true;
        };
        readonly SimprintRequest: {
            readonly text: string;
        };
        readonly Simprints: {
            readonly CONTENT_TEXT_V0: readonly string[];
            readonly SEMANTIC_TEXT_V0?: readonly string[];
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
    readonly "create-iscc": {
        readonly parameters: {
            readonly query?: {
                /** @description Add the experimental Semantic-Code unit (text and images) */
                readonly semantic?: boolean;
                /** @description Include granular simprints in `features` (text) */
                readonly granular?: boolean;
                /** @description `sum`: a damaged, encrypted or too short file gets an ISCC-SUM with a `note` instead of an error */
                readonly fallback?: "sum" | "off";
                /** @description Key chosen by the client to query `/progress/{key}` */
                readonly progress?: string;
            };
            readonly header?: {
                /** @description As for `POST /media`; may be absent if the file comes from a source, which names it */
                readonly "x-upload-filename"?: string;
                /** @description Address of the file, instead of a body; so is the first line of a body of type `text/uri-list`. Only for servers in `CODEWEB_SOURCES` */
                readonly "x-upload-source"?: string;
                /** @description Base64 of the UTF-8 title, which replaces the title in the file */
                readonly "x-upload-name"?: string;
                /** @description Base64 of the UTF-8 description, which replaces that in the file */
                readonly "x-upload-description"?: string;
                /** @description Extended metadata for the Meta-Code: a base64 Data-URL, as `isccd seed isrc` prints it, its base64, or the base64 of a JSON object */
                readonly "x-upload-meta"?: string;
                /** @description Base64 of a JSON object with `name`, `description` and `meta`; the single headers have priority */
                readonly "x-upload-metadata"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    /** @description Root-relative URL of the stored file */
                    readonly Location?: string;
                    /** @description Processing steps in milliseconds */
                    readonly "Server-Timing"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccMetadata"];
                };
            };
            /** @description Invalid file name, body size or query value */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address in X-Upload-Source is not among the sources of the service */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description ISCC processing error */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The source did not send the file */
            readonly 502: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many jobs are waiting */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No space left to store the file */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "get-progress": {
        readonly parameters: {
            readonly query?: {
                /** @description `changes` of the last response; waits up to 8 s for more */
                readonly after?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The `progress` key of an upload of the same client */
                readonly key: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Steps so far */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Progress"];
                };
            };
            /** @description Invalid query value */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Malformed key */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "get-iscc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of an upload */
                readonly media_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The result */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StoredIsccMetadata"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or expired upload */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage of uploads does not respond */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "upload-file": {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Base64 of the UTF-8 file name. Characters that file systems reserve are removed; of a Windows path only the last part is kept. */
                readonly "x-upload-filename": string;
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
            /** @description Created */
            readonly 201: {
                headers: {
                    /** @description Root-relative URL of the stored file */
                    readonly Location?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UploadResponse"];
                };
            };
            /** @description Invalid file name or body size */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage of uploads does not respond */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No space left to store the file */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "download-file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of an upload */
                readonly media_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The uploaded bytes */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
            /** @description The requested range. */
            readonly 206: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
            /** @description The client already has this version. */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Where the bytes are (CODEWEB_S3_REDIRECT) */
            readonly 307: {
                headers: {
                    /** @description Signed address, valid for 5 minutes */
                    readonly Location?: string;
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
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Private files are on and the caller is not the uploader */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or expired upload */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Range Not Satisfiable. */
            readonly 416: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage of uploads does not respond */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "delete-file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of an upload */
                readonly media_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Deleted */
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
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Private files are on and the caller is not the uploader */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or expired upload */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The storage of uploads does not respond */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "extract-metadata": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of an upload */
                readonly media_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The fields present in the file */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EmbeddedMetadata"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or expired upload */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many jobs are waiting */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "embed-metadata": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of an upload */
                readonly media_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["InlineMetadata"];
            };
        };
        readonly responses: {
            /** @description Created */
            readonly 201: {
                headers: {
                    /** @description Root-relative URL of the stored file */
                    readonly Location?: string;
                    /** @description Processing steps in milliseconds */
                    readonly "Server-Timing"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EmbedResult"];
                };
            };
            /** @description Invalid field */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Private files are on and the caller is not the uploader */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown or expired upload */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Embedding or processing failed */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many jobs are waiting */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No space left to store the file */
            readonly 507: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly getJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of a job of the same client */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Bad Request. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown job, or the job of another client */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of jobs of other instances cannot be read */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly cancelJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Id of a job of the same client */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Cancelled */
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
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unknown job, or the job of another client */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state of jobs of other instances cannot be read */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "explain-iscc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description An ISCC in any form, with or without the `ISCC:` prefix */
                readonly iscc: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Units and other forms of the code */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IsccDetail"];
                };
            };
            /** @description Not a valid ISCC */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly "create-simprints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SimprintRequest"];
            };
        };
        readonly responses: {
            /** @description Simprints by type */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Simprints"];
                };
            };
            /** @description Missing, empty or too long text, or a body that is not JSON */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Simprint processing error */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many jobs are waiting */
            readonly 503: {
                headers: {
                    /** @description Seconds */
                    readonly "Retry-After"?: number;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
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
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
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
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/problem+json": components["schemas"]["Problem"];
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
