/** HTTP routes of manifests and queries. */
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  decodeValue,
  getParameters,
  parseQueryBody,
  postParameters,
  RESULTS_DEFAULT,
} from '../c2pa/binding-query.js';
import { bindingMatches, bindingQuery } from '../c2pa/schema.js';
import { json } from '../http/reply/replies.js';
import { type Reply, type Request, type ResponseSpec, type Route, route } from '../http/routing/route.js';
import { clientKey, type Throttle } from '../limits/throttle.js';
import { StoreRefusal } from './errors.js';
import { fetchQuery, manifestPath, uploadAnswer, uploadQuery } from './schema.js';
import type { Match, StoreService } from './service.js';

export interface RouteOptions {
  readonly uploadBytesMax: number;
  readonly throttle: Throttle;
  readonly operatorTokenSha256: string | undefined;
}

const MANIFEST_TYPE = 'application/c2pa';
const QUERY_BYTES_MAX = 64 * 1024;
const FETCH_CACHING = 'public, max-age=300';

const INVALID: ResponseSpec = { description: 'The request breaks a rule.' };
const UNKNOWN: ResponseSpec = { description: 'The manifest does not exist.' };
const GONE: ResponseSpec = { description: 'The manifest was deleted.' };
const THROTTLED: ResponseSpec = { description: 'The client has sent too many requests; see Retry-After.' };
const BUSY: ResponseSpec = {
  description: 'Too many requests are waiting, or the database is unavailable; see Retry-After.',
};
const FULL: ResponseSpec = { description: 'No space left on the disk.' };

export function manifestRoutes(service: StoreService, options: RouteOptions): Route[] {
  return [upload(service, options), fetch(service, options), remove(service, options)];
}

/** Counts a request before its body is read. */
function limited(kind: 'read' | 'write', { throttle }: RouteOptions) {
  return async ({ clientAddress }: Request): Promise<void> => {
    const wait = await throttle.take(kind, clientAddress);
    if (wait > 0) throw new StoreRefusal('RATE_EXCEEDED', { retryAfter: wait });
  };
}

function upload(service: StoreService, options: RouteOptions): Route {
  return route({
    method: 'POST',
    path: '/v1/manifests',
    operationId: 'storeManifest',
    summary: 'Store and declare a Manifest Store',
    description:
      'Takes a bare C2PA Manifest Store. Uploading the same bytes again changes nothing and gives the same response.',
    tags: ['manifests'],
    query: uploadQuery,
    body: {
      kind: 'bytes',
      bytesMax: options.uploadBytesMax,
      required: true,
      contentTypes: [MANIFEST_TYPE],
      typeFirst: true,
    },
    guard: limited('write', options),
    responses: {
      200: { description: 'Stored, durably.', schema: uploadAnswer },
      400: {
        description: 'The request breaks a rule, or the Manifest Store is refused; a refusal has a `code`.',
      },
      409: { description: 'The id belongs to a different manifest or to a deleted one.' },
      429: THROTTLED,
      503: BUSY,
      507: FULL,
    },
    handler: async ({ body, query, clientAddress, trace }) => {
      const { declare } = query;
      const client = clientKey(clientAddress);
      return json(await service.upload(body, { ...(declare !== undefined && { declare }), client, trace }));
    },
  });
}

function fetch(service: StoreService, options: RouteOptions): Route {
  return route({
    method: 'GET',
    path: '/v1/manifests/{manifestId...}',
    operationId: 'getManifest',
    summary: 'Fetch the bytes of a Manifest Store, unchanged',
    tags: ['manifests'],
    params: manifestPath,
    query: fetchQuery,
    guard: limited('read', options),
    responses: {
      200: { description: 'The Manifest Store.', contentType: MANIFEST_TYPE, file: true },
      404: UNKNOWN,
      410: GONE,
      429: THROTTLED,
      503: BUSY,
    },
    handler: async ({ params }) => {
      const { path, sha256 } = await service.fetch(params.manifestId);
      return {
        status: 200,
        headers: { 'Cache-Control': FETCH_CACHING },
        body: { kind: 'file', path, contentType: MANIFEST_TYPE, etag: `"${sha256}"` },
      };
    },
  });
}

function remove(service: StoreService, options: RouteOptions): Route {
  const count = limited('write', options);
  return route({
    method: 'DELETE',
    path: '/v1/manifests/{manifestId...}',
    operationId: 'deleteManifest',
    summary: 'Delete a manifest and withdraw its declaration',
    description: 'Requires `Authorization: Bearer` with the operator token.',
    tags: ['manifests'],
    params: manifestPath,
    guard: async (request) => {
      await count(request);
      checkOperator(options.operatorTokenSha256, request.header('authorization'));
    },
    security: 'bearer',
    responses: {
      204: { description: 'Deleted. The id stays taken.' },
      401: { description: 'The token is missing or wrong, or the store has no token configured.' },
      404: UNKNOWN,
      410: GONE,
      429: THROTTLED,
      503: BUSY,
      507: FULL,
    },
    handler: async ({ params, trace }) => {
      await service.remove(params.manifestId, trace);
      return { status: 204 };
    },
  });
}

/**
 * @param sha256 of the operator's token, in hex; `undefined` refuses every request
 * @param authorization value of the `Authorization` header
 * @throws {StoreRefusal} without the right token
 */
function checkOperator(sha256: string | undefined, authorization: string | undefined): void {
  const token = /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1];
  if (sha256 === undefined || token === undefined) throw new StoreRefusal('UNAUTHORIZED');
  const given = createHash('sha256').update(token).digest();
  if (!timingSafeEqual(given, Buffer.from(sha256, 'hex'))) throw new StoreRefusal('UNAUTHORIZED');
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
      operationId: 'getManifestIdByBinding',
      summary: 'Find manifests by the value of a soft binding',
      tags,
      query: getParameters,
      guard,
      responses,
      handler: async ({ query: { alg, value, maxResults } }) =>
        matches(await service.query(alg, () => decodeValue(value), maxResults ?? RESULTS_DEFAULT)),
    }),
    route({
      method: 'POST',
      path,
      operationId: 'postManifestIdByBinding',
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

function matches(found: readonly Match[]): Reply {
  return json({ matches: found });
}
