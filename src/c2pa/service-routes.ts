/** Routes that describe a soft-binding service: algorithms, capabilities, status, discovery. For store and resolver. */
import { json } from '../http/routing/replies.js';
import { type Request, type Route, route } from '../http/routing/route.js';
import { apiDocument, capabilitiesDocument, DISCOVERY_PATH, discoveryDocument } from './documents.js';
import {
  type AlgorithmList,
  algorithmList,
  discovery,
  type ServiceCapabilities,
  type ServiceStatus,
  serviceCapabilities,
  serviceStatus,
} from './schema.js';

export interface ServiceDescription {
  readonly title: string;
  /** The service's public address, without a trailing slash. */
  readonly baseOf: (request: Pick<Request, 'origin'>) => string;
  readonly algorithms: () => AlgorithmList | Promise<AlgorithmList>;
  readonly capabilities: ServiceCapabilities['supportedCapabilities'];
  readonly status: () => Promise<ServiceStatus>;
  /** When the status is `degraded`. */
  readonly statusNote: string;
}

export function serviceRoutes(service: ServiceDescription): Route[] {
  return [...stateRoutes(service), ...entryRoutes(service)];
}

const tags = ['services'];

function stateRoutes({ algorithms, capabilities, status, statusNote }: ServiceDescription): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/services/supportedAlgorithms',
      operationId: 'getSupportedBindings',
      summary: 'List the supported soft-binding algorithms',
      tags,
      responses: { 200: { description: 'Algorithms by kind, sorted.', schema: algorithmList } },
      handler: async () => json(await algorithms()),
    }),
    route({
      method: 'GET',
      path: '/v1/services/capabilities',
      operationId: 'getServiceCapabilities',
      summary: 'Specification version and optional capabilities',
      tags,
      responses: { 200: { description: 'The capabilities.', schema: serviceCapabilities } },
      handler: () => json(capabilitiesDocument(capabilities)),
    }),
    route({
      method: 'GET',
      path: '/v1/services/status',
      operationId: 'getServiceStatus',
      summary: 'Status of the service',
      tags,
      responses: { 200: { description: statusNote, schema: serviceStatus } },
      handler: async () => json(await status()),
    }),
  ];
}

/** By these, programs find the API. */
function entryRoutes({ title, baseOf }: ServiceDescription): Route[] {
  return [
    // With a slash, too: reviewers of the C2PA's list open either form of the base address.
    ...['/v1', '/v1/'].map((path) =>
      route({
        method: 'GET',
        path,
        operationId: 'getApi',
        summary: 'Links to the parts of the API',
        hidden: true,
        responses: { 200: { description: 'Absolute addresses.' } },
        handler: (request) => json(apiDocument(title, baseOf(request))),
      }),
    ),
    route({
      method: 'GET',
      path: DISCOVERY_PATH,
      operationId: 'getWellKnown',
      summary: 'Discovery document',
      tags,
      responses: { 200: { description: 'Location of the API.', schema: discovery } },
      handler: (request) => json(discoveryDocument(baseOf(request))),
    }),
  ];
}
