/** The route that lists manifests for holders of a token. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { prefers } from '../../../http/head/accept.js';
import { LINES_TYPE } from '../../../http/request/streamed.js';
import { json, nextLink } from '../../../http/routing/replies.js';
import { type Request, type Route, route } from '../../../http/routing/route.js';
import { THROTTLED } from '../../../platform/limits/throttle.js';
import type { Listing } from '../manifests/listing.js';
import { LIST_LIMIT_DEFAULT, listedManifest, listQuery } from '../schema.js';
import { type Callers, publisherOf } from '../tokens/callers.js';

const PATH = '/v1/manifests';

export interface ListRouteOptions {
  readonly callers: Callers;
  /** Counts a request. */
  readonly count: (request: Request) => Promise<void>;
}

export function listRoute(listing: Listing, { callers, count }: ListRouteOptions): Route {
  const scope = 'read:manifests';
  return route({
    method: 'GET',
    path: PATH,
    operationId: 'listManifests',
    summary: 'List the manifests of a publisher',
    // JSON lines are described in words: as a second response they would make generated clients return a union.
    description:
      'An extension of the C2PA definition. Requires `Authorization: Bearer` with an upload token that has the scope ' +
      '`read:manifests`: the response has the live manifests of its publisher. With the operator token, it has all. ' +
      'Manifests are in the order in which they were stored. `Link` with `rel="next"` leads to the next page, and is ' +
      'absent on the last. With `Accept: application/x-ndjson` and without `limit`, the response has all, one per line.',
    tags: ['manifests'],
    query: listQuery,
    guard: async (request) => {
      await count(request);
      await callers.authorized(request, scope);
    },
    security: 'bearer',
    responses: {
      200: {
        description: 'The manifests.',
        schema: z.array(listedManifest),
        headers: { Link: { description: 'The next page, if there is one.', schema: z.string() } },
      },
      400: { description: 'A parameter breaks a rule.' },
      401: { description: 'The token is missing or invalid.' },
      403: { description: 'The upload token lacks the scope.' },
      429: THROTTLED,
      503: { description: 'The database is unavailable; see Retry-After.' },
    },
    handler: async (request) => {
      const { after = 0, limit } = request.query;
      const selection = { publisher: publisherOf(await callers.authorized(request, scope)), after };
      const asLines = prefers(request.header('accept'), LINES_TYPE, 'application/json');
      const headers = { Vary: 'Accept, Authorization', 'Cache-Control': 'private, no-cache' };
      if (asLines && limit === undefined) {
        const stream = Readable.from(listing.lines(selection), { objectMode: false });
        return { status: 200, headers, body: { kind: 'stream', stream, contentType: LINES_TYPE } };
      }
      const size = limit ?? LIST_LIMIT_DEFAULT;
      const { manifests, next } = await listing.page(selection, size);
      const link = nextLink(listing.address, next, size);
      if (!asLines) return { ...json(manifests), headers: { ...headers, ...link } };
      const text = manifests.map((manifest) => `${JSON.stringify(manifest)}\n`).join('');
      return {
        status: 200,
        headers: { ...headers, ...link },
        body: { kind: 'text', text, contentType: LINES_TYPE },
      };
    },
  });
}
