/** HTTP routes that describe the store. */
import {
  algorithmsDocument,
  capabilitiesDocument,
  DISCOVERY_PATH,
  discoveryDocument,
  ISCC_ALGORITHM,
  statusDocument,
} from '../c2pa/documents.js';
import { algorithmList, discovery, serviceCapabilities, serviceStatus } from '../c2pa/schema.js';
import { sharedAssets, startPage } from '../http/docs/pages.js';
import { json } from '../http/reply/replies.js';
import { type Route, route } from '../http/routing/route.js';
import { version } from '../version.js';
import { StoreRefusal } from './errors.js';
import { didDocument } from './schema.js';
import type { StoreService } from './service.js';

export const TITLE = 'C2PA manifest store';
export const DESCRIPTION =
  'Stores C2PA Manifest Stores, finds them by their soft bindings, and declares them to a hub.';

const SUMMARY = { title: TITLE, description: DESCRIPTION, version, docs: '/docs' };

export interface ServiceRouteOptions {
  readonly url: string;
  /** Identifiers of the watermarks on the C2PA algorithm list. */
  readonly watermarks: ReadonlySet<string>;
}

export function serviceRoutes(service: StoreService, options: ServiceRouteOptions): Route[] {
  return [
    ...documents(service, options),
    wellKnown(options),
    did(service),
    startPage('store', SUMMARY),
    ...sharedAssets(),
  ];
}

function documents(service: StoreService, { watermarks }: ServiceRouteOptions): Route[] {
  const tags = ['services'];
  return [
    route({
      method: 'GET',
      path: '/v1/services/supportedAlgorithms',
      operationId: 'getSupportedAlgorithms',
      summary: 'Algorithms of the bindings in the store',
      tags,
      responses: { 200: { description: 'Algorithms by kind, sorted.', schema: algorithmList } },
      handler: async () => {
        const algorithms = new Set([ISCC_ALGORITHM, ...(await service.algorithms())]);
        const isWatermark = (alg: string) => watermarks.has(alg);
        return json(
          algorithmsDocument(
            [...algorithms].filter(isWatermark),
            [...algorithms].filter((alg) => !isWatermark(alg)),
          ),
        );
      },
    }),
    route({
      method: 'GET',
      path: '/v1/services/capabilities',
      operationId: 'getCapabilities',
      summary: 'Capabilities in addition to the resolution API',
      tags,
      responses: { 200: { description: 'The capabilities.', schema: serviceCapabilities } },
      handler: () => json(capabilitiesDocument(['storeManifests'])),
    }),
    route({
      method: 'GET',
      path: '/v1/services/status',
      operationId: 'getStatus',
      summary: 'Status; `degraded` while a declaration has been pending for more than 15 minutes',
      tags,
      responses: { 200: { description: 'The status.', schema: serviceStatus } },
      handler: async () => json(statusDocument((await service.isDegraded()) ? 'degraded' : 'ok', Date.now())),
    }),
  ];
}

function wellKnown({ url }: ServiceRouteOptions): Route {
  return route({
    method: 'GET',
    path: DISCOVERY_PATH,
    operationId: 'getDiscovery',
    summary: 'Location of the API',
    tags: ['services'],
    responses: { 200: { description: 'The discovery document.', schema: discovery } },
    handler: () => json(discoveryDocument(url)),
  });
}

function did(service: StoreService): Route {
  return route({
    method: 'GET',
    path: '/.well-known/did.json',
    operationId: 'getDidDocument',
    summary: 'did:web document of the key that signs declarations',
    tags: ['services'],
    responses: {
      200: { description: 'The document.', schema: didDocument },
      404: { description: 'The store does not declare.' },
    },
    handler: () => {
      const document = service.didDocument();
      if (document === undefined) throw new StoreRefusal('NOT_FOUND');
      return json(document);
    },
  });
}
