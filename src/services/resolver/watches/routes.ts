/** Routes of watches for manifests. */
import { z } from 'zod';
import { json } from '../../../http/routing/replies.js';
import { type ResponseSpec, type Route, route } from '../../../http/routing/route.js';
import type { ManifestWatches } from './manifest-watches.js';
import { manifestWatch, manifestWatchPath, newManifestWatch } from './schema.js';

const BODY_BYTES_MAX = 16 * 1024;
const path = '/v1/watches/{id}';
const tags = ['watches'];
const MISSING: ResponseSpec = { description: 'The watch does not exist.' };
const failures = {
  500: { description: 'The search service failed, or the key of the resolver lacks the right `write`.' },
  503: { description: 'The search service is unreachable or busy; see Retry-After.' },
} as const;
const headers = z.object({
  'last-event-id': z.string().optional().describe('Id of the last event received'),
});

/** The routes; none if watches are off. */
export function watchRoutes(watches: ManifestWatches | undefined): Route[] {
  if (watches === undefined) return [];
  return [putRoute(watches), getRoute(watches), eventsRoute(watches), deleteRoute(watches)];
}

function putRoute(watches: ManifestWatches): Route {
  return route({
    method: 'PUT',
    path,
    operationId: 'putManifestWatch',
    summary: 'Watch for manifests of a content',
    description:
      'From now on, each manifest that is declared for a similar content is reported once, to a webhook and in the stream ' +
      'of events. Replaces a watch with this id, which then reports what comes after. An extension of isccd.',
    tags,
    params: manifestWatchPath,
    body: { kind: 'json', schema: newManifestWatch, bytesMax: BODY_BYTES_MAX },
    responses: {
      200: { description: 'Created or replaced durably.', schema: manifestWatch },
      400: { description: 'A value violates a rule, or the engine of the index has no watches.' },
      404: { description: 'The index has no declaration with this ISCC-ID.' },
      409: { description: 'The index has as many watches as the configuration allows.' },
      ...failures,
    },
    handler: async ({ params, body }) => json(await watches.put(params.id, body)),
  });
}

function getRoute(watches: ManifestWatches): Route {
  return route({
    method: 'GET',
    path,
    operationId: 'getManifestWatch',
    summary: 'Get a watch for manifests',
    tags,
    params: manifestWatchPath,
    responses: { 200: { description: 'The watch.', schema: manifestWatch }, 404: MISSING, ...failures },
    handler: async ({ params }) => json(await watches.get(params.id)),
  });
}

function eventsRoute(watches: ManifestWatches): Route {
  return route({
    method: 'GET',
    path: `${path}/events`,
    operationId: 'manifestWatchEvents',
    summary: 'Stream the manifests that a watch reports',
    description:
      'Server-sent events of the search service. `data.value` of each is the address of the manifest. A stream begins with ' +
      'all events, or after the event in `Last-Event-ID`.',
    tags,
    params: manifestWatchPath,
    headers,
    responses: {
      200: { description: 'The stream.', contentType: 'text/event-stream', schema: z.string() },
      404: MISSING,
      ...failures,
    },
    handler: async ({ params, headers, signal }) => ({
      status: 200,
      headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
      body: {
        kind: 'stream',
        stream: await watches.events(params.id, headers['last-event-id'], signal),
        contentType: 'text/event-stream',
      },
    }),
  });
}

function deleteRoute(watches: ManifestWatches): Route {
  return route({
    method: 'DELETE',
    path,
    operationId: 'deleteManifestWatch',
    summary: 'Delete a watch for manifests and its events',
    tags,
    params: manifestWatchPath,
    responses: { 204: { description: 'Deleted durably.' }, 404: MISSING, ...failures },
    handler: async ({ params }) => {
      await watches.delete(params.id);
      return { status: 204 };
    },
  });
}
