/** The HTTP face: which path does what. */
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
import { json } from '../http/reply/replies.js';
import { type Reply, type ResponseSpec, type Route, route } from '../http/routing/route.js';
import { welcome } from './page.js';
import { isccManifestPath, manifestPath } from './schema.js';
import type { ResolverService } from './service.js';

/** Largest request body, also on routes that do not use one. */
export const BODY_BYTES_MAX = 16 * 1024;
const MANIFEST_TYPE = 'application/c2pa';

export interface RouteOptions {
  /** The service's address for clients; that of each request when absent. */
  readonly publicUrl: string | undefined;
}

const UNAVAILABLE: ResponseSpec = { description: 'The search backend or the manifest repository fails.' };
const NOT_FOUND: ResponseSpec = {
  description: 'Unknown id, or the declaration does not point to a C2PA Manifest Store with that id.',
};

export function resolverRoutes(service: ResolverService, options: RouteOptions): Route[] {
  return [
    ...queryRoutes(service, options),
    ...manifestRoutes(service),
    ...serviceRoutes(service, options),
    welcomeRoute(),
  ];
}

function queryRoutes(service: ResolverService, { publicUrl }: RouteOptions): Route[] {
  const path = '/v1/matches/byBinding';
  const tags = ['matches'];
  const responses = {
    200: { description: 'Manifests with such a soft binding, best first.', schema: bindingMatches },
    400: { description: 'A parameter, the Base64 or the ISCC-SEQ is not valid.' },
    500: UNAVAILABLE,
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
    200: { description: 'The Manifest Store as its repository gives it.', contentType: MANIFEST_TYPE },
    404: NOT_FOUND,
    500: UNAVAILABLE,
  };
  return [
    route({
      method: 'GET',
      path: '/v1/iscc/{isccId}/manifests/{manifestId...}',
      operationId: 'getManifestByIsccId',
      summary: 'The manifest of a match, at its endpoint',
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
      summary: 'The manifest of a match of the last hour',
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
      summary: 'Soft-binding algorithms that can be asked for',
      tags,
      responses: { 200: { description: 'By kind.', schema: algorithmList } },
      handler: () => json(algorithmsDocument([], [ISCC_ALGORITHM])),
    }),
    route({
      method: 'GET',
      path: '/v1/services/capabilities',
      operationId: 'getServiceCapabilities',
      summary: 'Version of the specification, and optional capabilities (none)',
      tags,
      responses: { 200: { description: 'The capabilities.', schema: serviceCapabilities } },
      handler: () => json(capabilitiesDocument([])),
    }),
    route({
      method: 'GET',
      path: '/v1/services/status',
      operationId: 'getServiceStatus',
      summary: 'Whether the search backend is ready',
      tags,
      responses: { 200: { description: '`degraded` while it is not.', schema: serviceStatus } },
      handler: async () => json(await service.status()),
    }),
    route({
      method: 'GET',
      path: DISCOVERY_PATH,
      operationId: 'getDiscovery',
      summary: 'Where the API is',
      tags,
      responses: { 200: { description: 'Absolute addresses.', schema: discovery } },
      handler: ({ origin }) => json(discoveryDocument(publicUrl ?? origin)),
    }),
  ];
}

function welcomeRoute(): Route {
  return route({
    method: 'GET',
    path: '/',
    operationId: 'welcome',
    summary: 'What this is',
    hidden: true,
    responses: {},
    handler: (request) => welcome(request.header('accept')),
  });
}

function manifest(bytes: Buffer): Reply {
  return { status: 200, body: { kind: 'bytes', bytes, contentType: MANIFEST_TYPE } };
}
