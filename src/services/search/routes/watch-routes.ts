/** Routes of standing queries. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { json } from '../../../http/routing/replies.js';
import { type Route, route } from '../../../http/routing/route.js';
import { afterWatch, noParameters, PAGE_DEFAULT } from '../schema.js';
import { newWatch, WATCH_BYTES_MAX, watch, watchId } from '../watches/settings.js';
import type { Watches } from '../watches/watches.js';
import {
  accessOf,
  BUSY,
  DENIED,
  FULL,
  guarded,
  INVALID,
  NOT_FOUND,
  name,
  type RouteOptions,
} from './route-parts.js';

/** JSON may have spaces. */
const BODY_BYTES_MAX = 2 * WATCH_BYTES_MAX;

const named = name.extend({ id: watchId });
const path = '/indexes/{name}/watches/{id}';
const tags = ['watches'];
const MISSING = { description: 'The index or the watch does not exist.' };
const UNWATCHED = { description: 'The engine of the indexes has no watches.' };
const headers = z.object({
  'last-event-id': z.string().optional().describe('Id of the last event received'),
});

export function watchRoutes(watches: () => Watches, options: RouteOptions): Route[] {
  return [putRoute(watches, options), ...readRoutes(watches, options), deleteRoute(watches, options)];
}

function putRoute(watches: () => Watches, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'write'),
    method: 'PUT',
    path,
    operationId: 'putWatch',
    summary: 'Watch an index with a query',
    description:
      'From now on, each asset that is added, updated or deleted and matches the query, as in a search, is reported once, ' +
      'to a webhook and in the stream of events. Replaces a watch with this id. The key needs the right `read`, too.',
    tags,
    params: named,
    body: { kind: 'json', schema: newWatch, bytesMax: BODY_BYTES_MAX },
    responses: {
      200: { description: 'Replaced durably.', schema: watch },
      201: { description: 'Created durably.', schema: watch },
      400: {
        description: 'The content violates a rule, or the engine or the configuration does not allow it.',
      },
      ...DENIED,
      404: NOT_FOUND,
      409: { description: 'The index has as many watches as the configuration allows.' },
      422: INVALID,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const { params, body } = request;
      accessOf(options.keys, request).require('read', params.name, options.aliasTarget(params.name));
      const { watch, isNew } = await watches().put(params.name, params.id, body);
      return json(watch, isNew ? 201 : 200);
    },
  });
}

function readRoutes(watches: () => Watches, options: RouteOptions): Route[] {
  const failures = { 400: UNWATCHED, ...DENIED, 404: MISSING, 503: BUSY };
  return [
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path: '/indexes/{name}/watches',
      operationId: 'listWatches',
      summary: 'List the watches of an index',
      tags,
      params: name,
      query: afterWatch,
      responses: {
        200: {
          description: 'Sorted by id.',
          schema: z.object({
            watches: z.array(watch),
            next: z.string().nullable().describe('Where to continue; `null` at the end'),
          }),
        },
        ...failures,
        422: INVALID,
      },
      handler: async ({ params, query }) =>
        json(await watches().list(params.name, query.after, query.limit ?? PAGE_DEFAULT)),
    }),
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path,
      operationId: 'getWatch',
      summary: 'Get a watch',
      tags,
      params: named,
      responses: { 200: { description: 'The watch.', schema: watch }, ...failures },
      handler: async ({ params }) => json(await watches().get(params.name, params.id)),
    }),
    eventsRoute(watches, options),
  ];
}

function eventsRoute(watches: () => Watches, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'read'),
    method: 'GET',
    path: `${path}/events`,
    operationId: 'watchEvents',
    summary: 'Stream the events of a watch',
    description:
      'Server-sent events, without an end. A stream begins with all events that are kept, for seven days, or after the ' +
      'event in `Last-Event-ID`. If that event is not kept any more, the first event is `gap`.',
    tags,
    params: named,
    query: noParameters,
    headers,
    responses: {
      200: { description: 'The stream.', contentType: 'text/event-stream', schema: z.string() },
      400: UNWATCHED,
      ...DENIED,
      404: MISSING,
      503: BUSY,
    },
    handler: async ({ params, headers, signal }) => {
      const events = await watches().events(params.name, params.id, headers['last-event-id'], signal);
      const stream = Readable.from(events, { objectMode: false });
      const noCache = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
      return {
        status: 200,
        headers: noCache,
        body: { kind: 'stream', stream, contentType: 'text/event-stream' },
      };
    },
  });
}

function deleteRoute(watches: () => Watches, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'write'),
    method: 'DELETE',
    path,
    operationId: 'deleteWatch',
    summary: 'Delete a watch and its events',
    tags,
    params: named,
    responses: {
      204: { description: 'Deleted durably.' },
      400: UNWATCHED,
      ...DENIED,
      404: MISSING,
      503: BUSY,
    },
    handler: async ({ params }) => {
      await watches().delete(params.name, params.id);
      return { status: 204 };
    },
  });
}
