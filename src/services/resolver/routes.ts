/** HTTP routes of the resolver. */
import {
  getParameters,
  parseQueryBody,
  postParameters,
  RESULTS_DEFAULT,
  URL_VALUE_CHARS_MAX,
  URL_VALUE_TOO_LONG,
} from '../../c2pa/binding-query.js';
import { type ContentQueries, contentCapabilities, contentRoutes } from '../../c2pa/content-routes.js';
import { algorithmsDocument, DISCOVERY_PATH, ISCC_ALGORITHM } from '../../c2pa/documents.js';
import type { ManifestReader, ManifestValidation } from '../../c2pa/manifest-reader.js';
import { bindingMatches, bindingQuery } from '../../c2pa/schema.js';
import { type ServiceDescription, serviceRoutes } from '../../c2pa/service-routes.js';
import type { ContentCoder } from '../../content/coder.js';
import { pageAssets, startPage } from '../../http/docs/pages.js';
import { json } from '../../http/routing/replies.js';
import { type Reply, type ResponseSpec, type Route, route } from '../../http/routing/route.js';
import { native } from '../../native.js';
import { version } from '../../platform/version.js';
import { checkRoutes } from './check.js';
import { ResolverRefusal } from './errors.js';
import { type RightsOptions, rightsRoutes } from './rights/routes.js';
import { fetchQuery, isccManifestPath, manifestPath } from './schema.js';
import type { ResolverService } from './service.js';
import type { ManifestWatches } from './watches/manifest-watches.js';
import { watchRoutes } from './watches/routes.js';

export const TITLE = 'ISCC soft-binding resolver';

const START_PAGE = {
  service: 'resolver',
  title: 'isccd: soft-binding resolver',
};

const SUMMARY = { title: TITLE, version, docs: '/docs', discovery: DISCOVERY_PATH };

/** Largest request body, also on routes that do not use one. */
export const BODY_BYTES_MAX = 16 * 1024;
const MANIFEST_TYPE = 'application/c2pa';
const FETCH_CACHING = 'public, max-age=300';

export interface RouteOptions {
  /** The service's address for clients; if undefined, the address of each request. */
  readonly publicUrl: string | undefined;
  /** Queries by an asset; `undefined` if they are off. */
  readonly content?: Pick<ContentQueries, 'coder' | 'references'> | undefined;
  readonly reader: ManifestReader;
  /** Knows whom the resolver trusts. */
  readonly validator: ManifestValidation;
  /** Codes the files that the start page checks; `undefined` if it can't. */
  readonly coder?: ContentCoder | undefined;
  /** Look-ups of rights; `undefined` if they are off. */
  readonly rights?: RightsOptions | undefined;
  /** Watches for manifests; `undefined` if they are off. */
  readonly watches?: ManifestWatches | undefined;
}

const FAILED: ResponseSpec = { description: 'The search service or the manifest repository failed.' };
const UNAVAILABLE: ResponseSpec = {
  description:
    'The search service or the manifest store is unreachable or busy, or the repositories of the matching manifests are slow; see Retry-After.',
};
const NOT_FOUND: ResponseSpec = {
  description: 'Unknown id, or the declaration does not point to a C2PA Manifest Store with this id.',
};

export function resolverRoutes(service: ResolverService, options: RouteOptions): Route[] {
  return [
    ...queryRoutes(service, options),
    ...contentRoutes(contentQueries(service, options)),
    ...rightsRoutes(options.rights),
    ...watchRoutes(options.watches),
    ...checkRoutes(service, { ...options, looksUpRights: options.rights !== undefined }),
    ...manifestRoutes(service),
    ...serviceRoutes(description(service, options)),
    startPage(START_PAGE, SUMMARY),
    ...pageAssets(),
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
      operationId: 'queryByBinding',
      summary: 'Find manifests by soft binding',
      tags,
      query: getParameters,
      responses: { ...responses, ...URL_VALUE_TOO_LONG },
      handler: async ({ query, origin, trace }) => {
        const { maxResults = RESULTS_DEFAULT, ...binding } = query;
        if (binding.value.length > URL_VALUE_CHARS_MAX) throw new ResolverRefusal('QUERY_TOO_LONG');
        return json({ matches: await service.matches(binding, maxResults, publicUrl ?? origin, trace) });
      },
    }),
    route({
      method: 'POST',
      path,
      operationId: 'queryByLargeBinding',
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

function contentQueries(
  service: ResolverService,
  { publicUrl, content, reader }: RouteOptions,
): ContentQueries | undefined {
  return (
    content && {
      ...content,
      reader,
      checkAlgorithm: (alg) => service.checkAlgorithm(alg),
      find: (bindings, maxResults, { origin, trace }) =>
        service.matchesOf(bindings, maxResults, publicUrl ?? origin, trace),
    }
  );
}

function manifestRoutes(service: ResolverService): Route[] {
  const tags = ['manifests'];
  const responses = {
    200: { description: 'The Manifest Store, unchanged.', contentType: MANIFEST_TYPE },
    304: { description: 'The client has it: `If-None-Match` names its `ETag`, the SHA-256.' },
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
      query: fetchQuery,
      responses,
      handler: async ({ params, trace }) =>
        manifest(await service.manifestOf(params.isccId, params.manifestId, trace)),
    }),
    route({
      method: 'GET',
      path: '/v1/manifests/{manifestId...}',
      operationId: 'getManifestById',
      summary: 'Fetch a manifest of a trusted store, or one that the index has a declaration of',
      tags,
      params: manifestPath,
      query: fetchQuery,
      responses,
      handler: async ({ params, trace }) => manifest(await service.manifestById(params.manifestId, trace)),
    }),
  ];
}

function description(service: ResolverService, { publicUrl, content }: RouteOptions): ServiceDescription {
  return {
    title: TITLE,
    baseOf: ({ origin }) => publicUrl ?? origin,
    algorithms: () => algorithmsDocument([], [ISCC_ALGORITHM]),
    capabilities: contentCapabilities(content !== undefined),
    status: () => service.status(),
    statusNote:
      '`degraded` while the search service or the manifest store is unreachable, or there is no index of declarations.',
  };
}

async function manifest(bytes: Buffer): Promise<Reply> {
  return {
    status: 200,
    headers: { ETag: `"${await native.sha256(bytes)}"`, 'Cache-Control': FETCH_CACHING },
    body: { kind: 'bytes', bytes, contentType: MANIFEST_TYPE },
  };
}
