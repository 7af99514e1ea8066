/** HTTP routes of manifests and queries. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  decodeValue,
  getParameters,
  parseQueryBody,
  postParameters,
  RESULTS_DEFAULT,
  URL_VALUE_CHARS_MAX,
  URL_VALUE_TOO_LONG,
} from '../../c2pa/binding-query.js';
import type { ContentQueries } from '../../c2pa/content-routes.js';
import { bindingMatches, bindingQuery } from '../../c2pa/schema.js';
import { prefers } from '../../http/head/accept.js';
import { matchesIfMatch, quotedTag } from '../../http/reply/conditional.js';
import { json } from '../../http/routing/replies.js';
import { type Reply, type Request, type ResponseSpec, type Route, route } from '../../http/routing/route.js';
import { clientKey, THROTTLED, type Throttle } from '../../platform/limits/throttle.js';
import type { SigningKey } from '../../platform/signing/key.js';
import type { BlobRange } from '../../storage/blobs/port.js';
import type { Match } from './bindings/ranking.js';
import { StoreRefusal } from './errors.js';
import type { StoreLog } from './log/store-log.js';
import type { Listing } from './manifests/listing.js';
import type { Receipts } from './receipts.js';
import { listRoute } from './routes/list-routes.js';
import { logRoutes } from './routes/log-routes.js';
import { receiptRoutes } from './routes/receipt-routes.js';
import { fetchQuery, MANIFEST_TYPE, manifestPath, uploadAnswer, uploadQuery } from './schema.js';
import type { StoreService } from './service.js';
import { type Callers, publisherOf } from './tokens/callers.js';
import { TokenLimit } from './tokens/token-limit.js';
import type { ManifestViews } from './views.js';

export interface RouteOptions {
  readonly uploadBytesMax: number;
  readonly throttle: Throttle;
  readonly callers: Callers;
}

const QUERY_BYTES_MAX = 64 * 1024;
const SUMMARY_TYPE = 'application/json';
const FETCH_CACHING = 'public, max-age=300';
const FETCH_HEADERS = { 'Cache-Control': FETCH_CACHING, Vary: 'Accept' };

const INVALID: ResponseSpec = { description: 'The request breaks a rule.' };
const UNKNOWN: ResponseSpec = { description: 'The manifest does not exist.' };
const GONE: ResponseSpec = { description: 'The manifest was deleted.' };
const BUSY: ResponseSpec = {
  description: 'Too many requests are waiting, or the database is unavailable; see Retry-After.',
};
const DAMAGED: ResponseSpec = { description: `${BUSY.description} Or the stored file is damaged.` };
const SCOPE: ResponseSpec = { description: 'The upload token lacks the scope.' };
const FULL: ResponseSpec = { description: 'No space left on the disk.' };

export interface ManifestReaders {
  readonly views: ManifestViews;
  readonly listing: Listing;
  readonly receipts: Receipts;
  readonly log: StoreLog;
  readonly key: SigningKey | undefined;
}

export function manifestRoutes(
  service: StoreService,
  { views, listing, receipts, log, key }: ManifestReaders,
  options: RouteOptions,
): Route[] {
  return [
    upload(service, receipts, options),
    listRoute(listing, { callers: options.callers, count: limited('read', options) }),
    fetch(service, views, options),
    thumbnail(views, options),
    ...receiptRoutes(receipts, limited('read', options)),
    ...logRoutes(log, key, limited('read', options)),
    remove(service, options),
  ];
}

/** Counts a request before its body is read. */
function limited(kind: 'read' | 'write', { throttle }: RouteOptions) {
  return async ({ clientAddress }: Request): Promise<void> => {
    const wait = await throttle.take(kind, clientAddress);
    if (wait > 0) throw new StoreRefusal('RATE_EXCEEDED', { retryAfter: wait });
  };
}

function upload(service: StoreService, receipts: Receipts, options: RouteOptions): Route {
  const count = limited('write', options);
  return route({
    method: 'POST',
    path: '/v1/manifests',
    operationId: 'storeManifest',
    summary: 'Store and declare a Manifest Store',
    description:
      'Takes a bare C2PA Manifest Store. Uploading the same bytes again changes nothing and gives the same response. ' +
      'With `Authorization: Bearer` and an upload token, the manifest belongs to the publisher of the token.',
    tags: ['manifests'],
    query: uploadQuery,
    body: {
      kind: 'bytes',
      bytesMax: options.uploadBytesMax,
      required: true,
      contentTypes: [MANIFEST_TYPE],
      typeFirst: true,
    },
    guard: async (request) => {
      await count(request);
      await options.callers.uploader(request);
    },
    security: 'bearer',
    securityOptional: true,
    responses: {
      200: { description: 'Stored, durably.', schema: uploadAnswer },
      400: {
        description: 'The request breaks a rule, or the Manifest Store is refused; a refusal has a `code`.',
      },
      401: { description: 'The upload token is invalid, or missing and required.' },
      403: SCOPE,
      409: { description: 'The id belongs to a different manifest or to a deleted one.' },
      429: THROTTLED,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const { body, query, clientAddress, trace } = request;
      const { declare } = query;
      const client = clientKey(clientAddress);
      const publisher = publisherOf(await options.callers.uploader(request));
      const answer = await service.upload(body, {
        ...(declare !== undefined && { declare }),
        client,
        publisher,
        trace,
      });
      if (!query.returnReceipt) return json(answer);
      const issued = await receipts.afterUpload(answer.manifestId);
      return json({ ...answer, ...(issued && { receipt: issued }) });
    },
  });
}

function fetch(service: StoreService, views: ManifestViews, options: RouteOptions): Route {
  return route({
    method: 'GET',
    path: '/v1/manifests/{manifestId...}',
    operationId: 'getManifestById',
    summary: 'Fetch the bytes of a Manifest Store, unchanged',
    // JSON is described in words: as a second response it would make generated clients return a union.
    description:
      'With `Accept: application/json`, the response is a summary (extension): `manifestId`, `manifestUrl`, `sha256`, ' +
      '`size`, `storedAt`, `trusted`, `declaration`, what the manifest claims (`title`, `format`, `signer`, `issuer`, ' +
      '`time`, `claimGenerator`, `actions`, `ingredients`, `training`), and `thumbnailUrl` if it has a thumbnail. A ' +
      'client that accepts `application/c2pa` equally, by name or by `*/*`, gets the bytes. With `detailed=1` in ' +
      'addition, it is all that the Manifest Store contains, as the detailed JSON of the c2pa library: `active_manifest`, ' +
      '`manifests` with claims, assertions and signatures, `validation_results` and `validation_state` (`Trusted`, ' +
      '`Valid` or `Invalid`; that the asset is not available does not count). Byte strings are Base64, pictures are left ' +
      'out. A Manifest Store above 10 MiB has no such form (404).',
    tags: ['manifests'],
    params: manifestPath,
    query: fetchQuery,
    guard: limited('read', options),
    responses: {
      200: { description: 'The Manifest Store.', contentType: MANIFEST_TYPE, file: true },
      400: INVALID,
      404: UNKNOWN,
      410: GONE,
      429: THROTTLED,
      503: DAMAGED,
    },
    handler: async (request) => {
      const { manifestId } = request.params;
      if (prefers(request.header('accept'), SUMMARY_TYPE, MANIFEST_TYPE)) {
        const isDetailed = request.query.detailed === true;
        return tagged(
          isDetailed ? await views.details(manifestId) : JSON.stringify(await views.summary(manifestId)),
        );
      }
      const found = await service.fetch(manifestId);
      const bytes = await service.read(found);
      const read = async ({ start, end }: BlobRange) => Readable.from([bytes.subarray(start, end)]);
      const etag = quotedTag(found.sha256);
      return {
        status: 200,
        headers: FETCH_HEADERS,
        body: { kind: 'content', bytes: bytes.length, read, contentType: MANIFEST_TYPE, etag },
      };
    },
  });
}

/** JSON with an entity tag of its own, so that caches do not mix it up with the bytes of the manifest. */
function tagged(text: string): Reply {
  const tag = createHash('sha256').update(text).digest('hex');
  return {
    status: 200,
    headers: { ...FETCH_HEADERS, ETag: quotedTag(tag) },
    body: { kind: 'text', text, contentType: SUMMARY_TYPE },
  };
}

function thumbnail(views: ManifestViews, options: RouteOptions): Route {
  return route({
    method: 'GET',
    path: '/v1/manifests/{manifestId}/thumbnail',
    operationId: 'getManifestThumbnail',
    summary: 'Fetch the thumbnail of the asset that a manifest contains',
    description:
      'An extension of the C2PA definition: JPEG, PNG or WebP, at most 512 KiB. Slashes of the id have to be ' +
      'percent-encoded.',
    tags: ['manifests'],
    params: manifestPath,
    guard: limited('read', options),
    responses: {
      200: { description: 'The picture.', contentType: '*/*' },
      404: { description: 'The manifest does not exist or has no thumbnail.' },
      410: GONE,
      429: THROTTLED,
      503: BUSY,
    },
    handler: async ({ params }) => {
      const { contentType, bytes, sha256 } = await views.thumbnail(params.manifestId);
      return {
        status: 200,
        headers: {
          'Cache-Control': FETCH_CACHING,
          ETag: quotedTag(`thumbnail-${sha256}`),
        },
        body: { kind: 'bytes', bytes, contentType },
      };
    },
  });
}

function remove(service: StoreService, options: RouteOptions): Route {
  const limit = new TokenLimit(options.callers, options.throttle);
  return route({
    method: 'DELETE',
    path: '/v1/manifests/{manifestId...}',
    operationId: 'deleteManifest',
    summary: 'Delete a manifest and withdraw its declaration',
    description:
      'Requires `Authorization: Bearer` with the operator token, or with an upload token of the publisher that has the ' +
      'scope `delete:manifests`. With `If-Match` and the ETag of the bytes, only these are deleted.',
    tags: ['manifests'],
    params: manifestPath,
    guard: (request) => limit.check(request, 'delete:manifests', 'takedown'),
    security: 'bearer',
    responses: {
      204: { description: 'Deleted. The id stays taken.' },
      401: { description: 'The token is missing or wrong, or the store has no token configured.' },
      403: { description: 'The upload token lacks the scope, or the manifest belongs to another publisher.' },
      404: UNKNOWN,
      410: GONE,
      412: { description: 'The stored bytes have another ETag than `If-Match` names.' },
      429: THROTTLED,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const { params, clientAddress, trace } = request;
      const wanted = request.header('if-match');
      const isExpected = (sha256: string) => matchesIfMatch(wanted, quotedTag(sha256));
      const publisher = publisherOf(await options.callers.authorized(request, 'delete:manifests'));
      const actor = { kind: 'token', name: publisher, origin: clientAddress } as const;
      await service.remove(params.manifestId, { actor, publisher, isExpected }, trace);
      return { status: 204 };
    },
  });
}

export function queryRoutes(service: StoreService, options: RouteOptions): Route[] {
  const path = '/v1/matches/byBinding';
  const tags = ['matches'];
  const guard = limited('read', options);
  const responses = {
    200: { description: 'Matches, best first.', schema: bindingMatches },
    400: INVALID,
    429: THROTTLED,
    503: BUSY,
  };
  return [
    route({
      method: 'GET',
      path,
      operationId: 'queryByBinding',
      summary: 'Find manifests by the value of a soft binding',
      tags,
      query: getParameters,
      guard,
      responses: { ...responses, ...URL_VALUE_TOO_LONG },
      handler: async ({ query: { alg, value, maxResults } }) => {
        if (value.length > URL_VALUE_CHARS_MAX) throw new StoreRefusal('QUERY_TOO_LONG');
        return matches(await service.query(alg, () => decodeValue(value), maxResults ?? RESULTS_DEFAULT));
      },
    }),
    route({
      method: 'POST',
      path,
      operationId: 'queryByLargeBinding',
      summary: 'Find manifests by a long value of a soft binding',
      tags,
      query: postParameters,
      body: { kind: 'bytes', bytesMax: QUERY_BYTES_MAX, documented: bindingQuery },
      guard,
      responses,
      handler: async ({ body, query }) => {
        const { alg, value } = parseQueryBody(body);
        return matches(
          await service.query(alg, () => decodeValue(value), query.maxResults ?? RESULTS_DEFAULT),
        );
      },
    }),
  ];
}

/** Queries by an asset count as reads. */
export function contentQueries(
  service: StoreService,
  content: Pick<ContentQueries, 'coder' | 'references' | 'reader'>,
  options: RouteOptions,
): ContentQueries {
  return {
    ...content,
    guard: limited('read', options),
    checkAlgorithm: (alg) => service.checkAlgorithm(alg),
    find: (bindings, maxResults) => service.queryAny(bindings, maxResults),
  };
}

function matches(found: readonly Match[]): Reply {
  return json({ matches: found });
}
