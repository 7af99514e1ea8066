/** The routes of the service: parameters, responses and documentation. */
import { z } from 'zod';
import { sentFilename } from '../../content/sent-filename.js';
import { contentDisposition } from '../../http/reply/disposition.js';
import { json } from '../../http/routing/replies.js';
import type { Reply, Request, ResponseSpec, Route } from '../../http/routing/route.js';
import { route } from '../../http/routing/route.js';
import type { BlobRange } from '../../storage/blobs/port.js';
import { retryLater } from './error-form.js';
import { CodesRefusal } from './errors.js';
import { accepted, jobRoutes, prefersAsync } from './job-routes.js';
import { STEPS, serverTiming } from './pipeline/stopwatch.js';
import { orderedResult } from './result.js';
import * as schema from './schema.js';
import type { CodesService, Processed } from './service.js';
import { metadataFromHeaders, type UploadMetadataHeaders } from './upload-metadata.js';
import type { MediaId } from './uploads/media-id.js';
import type { Upload } from './uploads/open-upload.js';
import type { UploadQuota } from './uploads/quota.js';

export interface RoutesOptions {
  readonly uploadBytesMax: number;
  /** Public address of the service. Default: the origin of each request. */
  readonly siteAddress: string | undefined;
  /** Whether requests may ask to be answered before their work is done. */
  readonly jobs: boolean;
  /** Bytes per read of a download. */
  readonly readBytes: number;
  /** Whether downloads of files on other machines are redirected there. */
  readonly redirects: boolean;
  readonly quota: UploadQuota;
}

const BASE = '/api/v1';
/** An escape such as \u0041 uses six bytes for one byte of text. */
const JSON_BYTES_PER_TEXT_BYTE = 6;
const JSON_FRAME_BYTES = 1024;
/** JSON bodies are held in memory. */
const SIMPRINT_BODY_MAX_BYTES = 128 * 1024 * 1024;
const EMBED_BODY_MAX_BYTES = 1024 * 1024;

const FORBIDDEN: ResponseSpec = { description: 'Private files are on and the caller is not the uploader' };
const UNKNOWN: ResponseSpec = { description: 'Unknown or expired upload' };
const UNPROCESSABLE: ResponseSpec = { description: 'ISCC processing error' };
const BUSY = retryLater('Too many jobs are waiting');
const FULL: ResponseSpec = { description: 'No space left to store the file' };
const AWAY = retryLater('The storage of uploads does not respond');
const ELSEWHERE = { Location: { description: 'Signed address, valid for 5 minutes', schema: z.string() } };
const LOCATION = {
  Location: { description: 'Root-relative URL of the stored file', schema: z.string() },
};
const PROCESSED = {
  ...LOCATION,
  'Server-Timing': { description: 'Processing steps in milliseconds', schema: z.string() },
};

/** Only words: as a second documented response, 202 would make generated clients return a union. */
const RESPOND_ASYNC =
  'With `Prefer: respond-async` the response is 202 with the state of a job, as `GET /jobs/{id}` returns it, and ' +
  'the job in `Location`.';

const THROTTLED = retryLater('The client has sent too much (CODEWEB_RATE_WRITE, CODEWEB_RATE_BYTES)');

/** Before the body of an upload is read. */
function uploadGuard({ quota }: RoutesOptions) {
  return async (request: Request): Promise<void> => {
    // `curl -F` is a common first try.
    if (/^multipart\//i.test(request.header('content-type') ?? '')) throw new CodesRefusal('MULTIPART');
    await quota.file(request.clientAddress, declaredBytes(request));
  };
}

function declaredBytes(request: Pick<Request, 'header'>): number | undefined {
  const length = request.header('content-length');
  return length === undefined ? undefined : Number(length);
}

export function codesRoutes(service: CodesService, options: RoutesOptions): readonly Route[] {
  return [
    ...isccRoutes(service, options),
    ...mediaRoutes(service, options),
    ...metadataRoutes(service, options),
    ...jobRoutes(service),
    ...textRoutes(service, options),
  ];
}

function isccRoutes(service: CodesService, options: RoutesOptions): Route[] {
  return [
    route({
      method: 'POST',
      path: `${BASE}/iscc`,
      operationId: 'create-iscc',
      summary: 'Upload a file and create its ISCC-CODE',
      description:
        'The body is the raw file. An unsupported media type yields the two-unit ISCC-SUM. `semantic` adds a fifth ' +
        `unit to texts and images; without a configured model it is refused with 422. ${RESPOND_ASYNC}`,
      tags: ['iscc'],
      headers: schema.processHeaders,
      query: schema.processQuery,
      body: { kind: 'stream', bytesMax: options.uploadBytesMax },
      guard: uploadGuard(options),
      responses: {
        201: { description: 'Created', schema: schema.isccResult, headers: PROCESSED },
        400: { description: 'Invalid file name, body size or query value' },
        403: { description: 'The address in X-Upload-Source is not among the sources of the service' },
        422: UNPROCESSABLE,
        429: THROTTLED,
        502: { description: 'The source did not send the file' },
        503: BUSY,
        507: FULL,
      },
      handler: async (request) => {
        const { query, clientAddress } = request;
        if (!options.jobs || !prefersAsync(request))
          return created(await service.uploadAndProcess(watched(request), query), request, options);
        return accepted(service, clientAddress, await service.startProcessing(watched(request), query));
      },
    }),
    progressRoute(service),
    route({
      method: 'GET',
      path: `${BASE}/iscc/{media_id}`,
      operationId: 'get-iscc',
      summary: 'Get the stored result of an upload',
      tags: ['iscc'],
      params: schema.mediaIdParams,
      responses: {
        200: { description: 'The result', schema: schema.storedResult },
        404: UNKNOWN,
        503: AWAY,
      },
      handler: async ({ params }) => ({
        status: 200,
        headers: { 'Content-Disposition': 'inline' },
        body: { kind: 'json', value: orderedResult(await service.result(params.media_id)), indent: 2 },
      }),
    }),
  ];
}

/** Extension: the browser page shows each step during processing. */
function progressRoute(service: CodesService): Route {
  return route({
    method: 'GET',
    path: `${BASE}/progress/{key}`,
    operationId: 'get-progress',
    summary: 'Get the progress of an upload',
    description:
      'Long poll for an upload by `POST /iscc?progress={key}` from the same client. Responds when a step begins or ' +
      'ends, after 8 s without a change, or after 1 s if there is no such upload yet.',
    tags: ['iscc'],
    params: schema.progressParams,
    query: schema.progressQuery,
    responses: {
      200: { description: 'Steps so far', schema: schema.progress },
      400: { description: 'Invalid query value' },
      404: { description: 'Malformed key' },
    },
    handler: async ({ params, query, clientAddress, signal }) => {
      const { steps, ...rest } = await service.progress(clientAddress, params.key, query.after ?? 0, signal);
      const described = steps.map((step) => ({ ...step, description: STEPS[step.name] }));
      return { ...json({ ...rest, steps: described }), headers: { 'Cache-Control': 'no-store' } };
    },
  });
}

function mediaRoutes(service: CodesService, options: RoutesOptions): Route[] {
  return [
    route({
      method: 'POST',
      path: `${BASE}/media`,
      operationId: 'upload-file',
      summary: 'Upload a file without processing it',
      tags: ['media'],
      headers: schema.uploadHeaders,
      query: schema.uploadQuery,
      body: { kind: 'stream', bytesMax: options.uploadBytesMax, required: true },
      guard: uploadGuard(options),
      responses: {
        201: { description: 'Created', schema: schema.uploadResult, headers: LOCATION },
        400: { description: 'Invalid file name or body size' },
        429: THROTTLED,
        503: AWAY,
        507: FULL,
      },
      handler: async (request) => {
        const id = await service.upload(upload(request));
        return stored(id, { content: contentUrl(id, request, options), media_id: id });
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/media/{media_id}`,
      operationId: 'download-file',
      summary: 'Download the file',
      tags: ['media'],
      params: schema.mediaIdParams,
      responses: {
        200: { description: 'The uploaded bytes', contentType: '*/*', file: true },
        307: { description: 'Where the bytes are (CODEWEB_S3_REDIRECT)', headers: ELSEWHERE },
        403: FORBIDDEN,
        404: UNKNOWN,
        503: AWAY,
      },
      handler: (request) => download(service, request.params.media_id, request, options),
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/media/{media_id}`,
      operationId: 'delete-file',
      summary: 'Delete the file and its results',
      tags: ['media'],
      params: schema.mediaIdParams,
      responses: { 204: { description: 'Deleted' }, 403: FORBIDDEN, 404: UNKNOWN, 503: AWAY },
      handler: async ({ params, clientAddress }) => {
        await service.remove(params.media_id, clientAddress);
        return { status: 204 };
      },
    }),
  ];
}

function metadataRoutes(service: CodesService, options: RoutesOptions): Route[] {
  return [
    route({
      method: 'GET',
      path: `${BASE}/metadata/{media_id}`,
      operationId: 'extract-metadata',
      summary: 'Extract the metadata embedded in a file',
      tags: ['metadata'],
      params: schema.mediaIdParams,
      responses: {
        200: { description: 'The fields present in the file', schema: schema.embeddedMetadata },
        404: UNKNOWN,
        503: BUSY,
      },
      handler: async ({ params, clientAddress, signal }) =>
        json(await service.metadata(params.media_id, clientAddress, signal)),
    }),
    route({
      method: 'POST',
      path: `${BASE}/metadata/{media_id}`,
      operationId: 'embed-metadata',
      summary: 'Embed metadata into a copy and create its ISCC-CODE',
      description:
        'The original is not changed. The response describes the copy: its metadata is read from the copy afresh, and ' +
        '`not_embedded` names the submitted fields that the copy does not show. A given value replaces the old one. ' +
        RESPOND_ASYNC,
      tags: ['metadata'],
      params: schema.mediaIdParams,
      body: { kind: 'json', schema: schema.embedRequest, bytesMax: EMBED_BODY_MAX_BYTES },
      guard: ({ clientAddress }) => options.quota.request(clientAddress),
      responses: {
        201: { description: 'Created', schema: schema.embedResult, headers: PROCESSED },
        400: { description: 'Invalid field' },
        403: FORBIDDEN,
        404: UNKNOWN,
        422: { description: 'Embedding or processing failed' },
        429: THROTTLED,
        503: BUSY,
        507: FULL,
      },
      handler: async (request) => {
        const { params, body, clientAddress, signal } = request;
        if (options.jobs && prefersAsync(request)) {
          const job = await service.startEmbedding(params.media_id, body, clientAddress);
          return accepted(service, clientAddress, job);
        }
        const copy = await service.embed(params.media_id, body, clientAddress, signal);
        return created(copy, request, options);
      },
    }),
  ];
}

function textRoutes(service: CodesService, options: RoutesOptions): Route[] {
  const bodyBytes = options.uploadBytesMax * JSON_BYTES_PER_TEXT_BYTE + JSON_FRAME_BYTES;
  return [
    route({
      method: 'GET',
      path: `${BASE}/explain/{iscc}`,
      operationId: 'explain-iscc',
      summary: 'Decompose an ISCC',
      tags: ['iscc'],
      params: schema.isccParams,
      responses: {
        200: { description: 'Units and other forms of the code', schema: schema.explanation },
        400: { description: 'Not a valid ISCC' },
      },
      handler: ({ params }) => ({
        status: 200,
        body: { kind: 'text', text: service.explain(params.iscc), contentType: 'application/json' },
      }),
    }),
    route({
      method: 'POST',
      path: `${BASE}/simprint`,
      operationId: 'create-simprints',
      summary: 'Create simprints of plain text',
      description: 'The text may have as many bytes as an upload, and the JSON body up to 128 MiB.',
      tags: ['simprint'],
      body: {
        kind: 'stream',
        documented: schema.simprintRequest,
        required: true,
        bytesMax: Math.min(bodyBytes, SIMPRINT_BODY_MAX_BYTES),
      },
      responses: {
        200: { description: 'Simprints by type', schema: schema.simprintResult },
        400: { description: 'Missing, empty or too long text, or a body that is not JSON' },
        422: { description: 'Simprint processing error' },
        503: BUSY,
      },
      handler: async ({ body, signal }) => json(await service.simprint(body, signal)),
    }),
  ];
}

function upload(
  request: Parameters<typeof sentFilename>[0] & Request<unknown, unknown, unknown, Upload['body']>,
): Upload {
  return {
    sentFilename: sentFilename(request),
    // Some programs send the header without a value.
    contentType: request.header('content-type') || undefined,
    clientAddress: request.clientAddress,
    body: request.body,
    declaredBytes: declaredBytes(request),
    signal: request.signal,
  };
}

function watched(
  request: Parameters<typeof upload>[0] & {
    readonly query: { readonly progress?: string | undefined };
    readonly headers: UploadMetadataHeaders & { readonly 'x-upload-source'?: string | undefined };
  },
): Upload {
  const { headers, query } = request;
  const source = request.headers['x-upload-source'];
  return { ...upload(request), progressKey: query.progress, given: metadataFromHeaders(headers), source };
}

async function download(
  service: CodesService,
  id: MediaId,
  { method, clientAddress }: Pick<Request, 'method' | 'clientAddress'>,
  options: RoutesOptions,
): Promise<Reply> {
  const { blob, filename, contentType } = await service.download(id, clientAddress);
  // The content type is the uploader's claim; the HTTP layer sends X-Content-Type-Options: nosniff.
  const headers = { 'Cache-Control': 'private, no-cache' };
  const disposition = { type: 'attachment', filename } as const;
  const common = { contentType, etag: `"${id}"`, disposition };
  if ('path' in blob) {
    const { path } = blob;
    return { status: 200, headers, body: { kind: 'file', path, ...common, chunkBytes: options.readBytes } };
  }
  // A signed address holds for one method.
  if (options.redirects && method === 'GET') {
    const address = await blob.address({
      contentType,
      contentDisposition: contentDisposition(disposition.type, filename),
      cacheControl: headers['Cache-Control'],
    });
    return { status: 307, headers: { ...headers, Location: address } };
  }
  const read = (range: BlobRange) => blob.read(range);
  return { status: 200, headers, body: { kind: 'content', bytes: blob.bytes, read, ...common } };
}

function created(
  { id, result, steps, notEmbedded = [] }: Processed,
  request: Request,
  options: RoutesOptions,
): Reply {
  const links = { media_id: id, content: contentUrl(id, request, options) };
  const missing = notEmbedded.length > 0 ? { not_embedded: notEmbedded } : {};
  const value = orderedResult(result, { ...links, ...missing });
  return stored(id, value, { 'Server-Timing': serverTiming(steps) });
}

function stored(id: MediaId, value: object, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 201, headers: { Location: mediaPath(id), ...headers }, body: { kind: 'json', value } };
}

function contentUrl(id: MediaId, request: Pick<Request, 'origin'>, options: RoutesOptions): string {
  return (options.siteAddress ?? request.origin) + mediaPath(id);
}

function mediaPath(id: MediaId): string {
  return `${BASE}/media/${id}`;
}
