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
import { json } from '../http/reply/replies.js';
import { type Reply, type Route, route } from '../http/routing/route.js';
import { version } from '../version.js';
import { Refused } from './errors.js';
import { didDocument } from './schema.js';
import type { StoreService } from './service.js';

export const TITLE = 'C2PA manifest store';
export const DESCRIPTION =
  'Stores C2PA Manifest Stores, finds them by their soft bindings, and declares them to a hub.';

export interface ServiceRouteOptions {
  readonly url: string;
  /** Identifiers of the watermarks on the C2PA algorithm list. */
  readonly watermarks: ReadonlySet<string>;
}

export function serviceRoutes(service: StoreService, options: ServiceRouteOptions): Route[] {
  return [...documents(service, options), wellKnown(options), did(service), welcome()];
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
      if (document === undefined) throw new Refused('NOT_FOUND');
      return json(document);
    },
  });
}

function welcome(): Route {
  return route({
    method: 'GET',
    path: '/',
    operationId: 'welcome',
    summary: 'Welcome page',
    hidden: true,
    responses: {},
    handler: (request) => {
      const wantsPage = request.header('accept')?.includes('text/html') ?? false;
      const reply = wantsPage
        ? page()
        : json({ title: TITLE, description: DESCRIPTION, version, docs: '/docs' });
      return { ...reply, headers: { ...reply.headers, Vary: 'Accept' } };
    },
  });
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${TITLE}</title>
<h1>${TITLE}</h1>
<p>${DESCRIPTION}</p>
<ul>
<li><a href="/docs">Documentation</a> and the <a href="/openapi/openapi.yaml">OpenAPI document</a></li>
<li><a href="/v1/services/status">Status</a>, <a href="/v1/services/supportedAlgorithms">algorithms</a></li>
<li><a href="/admin/">Dashboard of the operator</a></li>
</ul>
</html>
`;

function page(): Reply {
  return {
    status: 200,
    headers: { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'" },
    body: { kind: 'text', text: PAGE, contentType: 'text/html; charset=utf-8' },
  };
}
