/** HTTP routes of the resolver. */
import { getParameters, parseQueryBody, postParameters, RESULTS_DEFAULT } from '../c2pa/binding-query.js';
import {
  algorithmsDocument,
  capabilitiesDocument,
  DISCOVERY_PATH,
  discoveryDocument,
  ISCC_ALGORITHM,
} from '../c2pa/documents.js';
import {
  algorithmList,
  bindingMatches,
  bindingQuery,
  discovery,
  serviceCapabilities,
  serviceStatus,
} from '../c2pa/schema.js';
import { sharedAssets, startPage } from '../http/docs/pages.js';
import { json } from '../http/reply/replies.js';
import { type Reply, type ResponseSpec, type Route, route } from '../http/routing/route.js';
import { version } from '../version.js';
import { isccManifestPath, manifestPath } from './schema.js';
import type { ResolverService } from './service.js';

export const TITLE = 'ISCC soft-binding resolver';

const SUMMARY = { title: TITLE, version, docs: '/docs', discovery: DISCOVERY_PATH };

/** Largest request body, also on routes that do not use one. */
export const BODY_BYTES_MAX = 16 * 1024;
const MANIFEST_TYPE = 'application/c2pa';

export interface RouteOptions {
  /** The service's address for clients; if undefined, the address of each request. */
  readonly publicUrl: string | undefined;
}

const FAILED: ResponseSpec = { description: 'The search service or the manifest repository failed.' };
const UNAVAILABLE: ResponseSpec = {
  description: 'The search service is unreachable or busy; see Retry-After.',
};
const NOT_FOUND: ResponseSpec = {
  description: 'Unknown id, or the declaration does not point to a C2PA Manifest Store with this id.',
};

export function resolverRoutes(service: ResolverService, options: RouteOptions): Route[] {
  return [
    ...queryRoutes(service, options),
    ...manifestRoutes(service),
    ...serviceRoutes(service, options),
    startPage('resolver', SUMMARY),
    ...sharedAssets(),
  ];
}

function queryRoutes(service: ResolverService, { publicUrl }: RouteOptions): Route[] {
  const path = '/v1/matches/byBinding';
  const tags = ['matches'];
  const responses = {
    200: { description: 'Manifests with a similar soft binding, best first.', schema: bindingMatches },
    400: { description: 'A parameter, the Base64 or the ISCC-SEQ is invalid.' },
    500: FAILED,
    503: UNAVAILABLE,
  };
  return [
    route({
      method: 'GET',
      path,
      operationId: 'getManifestsByBinding',
      summary: 'Find manifests by soft binding',
      tags,
      query: getParameters,
      responses,
      handler: async ({ query, origin, trace }) => {
        const { maxResults = RESULTS_DEFAULT, ...binding } = query;
        return json({ matches: await service.matches(binding, maxResults, publicUrl ?? origin, trace) });
      },
    }),
    route({
      method: 'POST',
      path,
      operationId: 'queryManifestsByBinding',
      summary: 'Find manifests by soft binding, for long values',
      tags,
      query: postParameters,
      body: { kind: 'bytes', bytesMax: BODY_BYTES_MAX, lengthRequired: true, documented: bindingQuery },
      responses,
      handler: async ({ query, body, origin, trace }) => {
        const { maxResults = RESULTS_DEFAULT } = query;
        const binding = parseQueryBody(body);
        return json({ matches: await service.matches(binding, maxResults, publicUrl ?? origin, trace) });
      },
    }),
  ];
}

function manifestRoutes(service: ResolverService): Route[] {
  const tags = ['manifests'];
  const responses = {
    200: { description: 'The Manifest Store, unchanged.', contentType: MANIFEST_TYPE },
    404: NOT_FOUND,
    500: FAILED,
    503: UNAVAILABLE,
  };
  return [
    route({
      method: 'GET',
      path: '/v1/iscc/{isccId}/manifests/{manifestId...}',
      operationId: 'getManifestByIsccId',
      summary: 'Fetch the manifest of a match from its endpoint',
      tags,
      params: isccManifestPath,
      responses,
      handler: async ({ params, trace }) =>
        manifest(await service.manifestOf(params.isccId, params.manifestId, trace)),
    }),
    route({
      method: 'GET',
      path: '/v1/manifests/{manifestId...}',
      operationId: 'getManifestById',
      summary: 'Fetch a manifest that was matched within the last hour',
      description: 'For clients that ignore `endpoint`.',
      tags,
      params: manifestPath,
      responses,
      handler: async ({ params, trace }) => manifest(await service.recentManifest(params.manifestId, trace)),
    }),
  ];
}

function serviceRoutes(service: ResolverService, { publicUrl }: RouteOptions): Route[] {
  const tags = ['services'];
  return [
    route({
      method: 'GET',
      path: '/v1/services/supportedAlgorithms',
      operationId: 'getSupportedSoftBindings',
      summary: 'List the supported soft-binding algorithms',
      tags,
      responses: { 200: { description: 'By kind.', schema: algorithmList } },
      handler: () => json(algorithmsDocument([], [ISCC_ALGORITHM])),
    }),
    route({
      method: 'GET',
      path: '/v1/services/capabilities',
      operationId: 'getServiceCapabilities',
      summary: 'Specification version and optional capabilities (none)',
      tags,
      responses: { 200: { description: 'The capabilities.', schema: serviceCapabilities } },
      handler: () => json(capabilitiesDocument([])),
    }),
    route({
      method: 'GET',
      path: '/v1/services/status',
      operationId: 'getServiceStatus',
      summary: 'Status of the service',
      tags,
      responses: {
        200: {
          description: '`degraded` while the search service is unreachable or has no index of declarations.',
          schema: serviceStatus,
        },
      },
      handler: async () => json(await service.status()),
    }),
    route({
      method: 'GET',
      path: DISCOVERY_PATH,
      operationId: 'getDiscovery',
      summary: 'Discovery document',
      tags,
      responses: { 200: { description: 'Absolute addresses.', schema: discovery } },
      handler: ({ origin }) => json(discoveryDocument(publicUrl ?? origin)),
    }),
  ];
}

function manifest(bytes: Buffer): Reply {
  return { status: 200, body: { kind: 'bytes', bytes, contentType: MANIFEST_TYPE } };
}
