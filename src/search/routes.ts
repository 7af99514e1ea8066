/** HTTP routes of the search service. */
import { z } from 'zod';
import { pageAssets, startPage } from '../http/docs/pages.js';
import { json } from '../http/reply/replies.js';
import { type Reply, type Request, type ResponseSpec, type Route, route } from '../http/routing/route.js';
import { version } from '../version.js';
import { SearchRefusal } from './errors.js';
import {
  addResult,
  codeParameters,
  entry,
  index,
  LIMIT_DEFAULT,
  newIndex,
  noParameters,
  query,
  searchParameters,
  searchResult,
  status,
} from './schema.js';
import type { SearchService } from './service.js';

export interface RouteOptions {
  readonly bodyBytesMax: number;
  /** @throws {SearchRefusal} if the key is missing or wrong. Without this check, the service is public. */
  readonly checkKey?: (key: string | undefined) => void;
  /** Serves only this index, read-only; every other name and route is 404, before the key is checked. */
  readonly only?: string | undefined;
  /** Mode and network, shown by `/` and `/status`. */
  readonly mode?: ServiceMode;
  /** Members of `/status` that depend on the network. */
  readonly networkStatus?: () => Promise<object>;
}

export type ServiceMode =
  | { readonly mode: 'normal'; readonly network: null }
  | { readonly mode: 'aggregator'; readonly network: string };

const NORMAL: ServiceMode = { mode: 'normal', network: null };

const JSON_TYPE = 'application/json';
const TITLE = 'ISCC search';
const DESCRIPTION = 'Named indexes of ISCC-identified assets, and search for similar content.';

const name = z.object({ name: z.string().describe('Name of the index') });
const asset = name.extend({ iscc_id: z.string().describe('ISCC-ID with prefix') });

const NOT_FOUND: ResponseSpec = { description: 'The index or asset does not exist.' };
const REJECTED: ResponseSpec = { description: 'The content violates a rule.' };
const INVALID: ResponseSpec = {
  description: 'The request violates the schema. Unknown query parameters are violations, too.',
};
const BUSY: ResponseSpec = { description: 'Too many requests are waiting; see Retry-After.' };
const FULL: ResponseSpec = { description: 'The disk is full.' };
const UNAUTHORIZED: ResponseSpec = { description: 'X-API-Key is missing or wrong.' };

export function searchRoutes(service: SearchService, options: RouteOptions): Route[] {
  const isExclusive = options.only !== undefined;
  return [
    ...(isExclusive ? [] : indexRoutes(service, options)),
    ...assetRoutes(service, options).filter(({ method }) => method === 'GET' || !isExclusive),
    ...searchingRoutes(service, options),
    ...statusRoutes(options),
    ...pageAssets('search'),
  ];
}

/** Common to all routes below `/indexes`: unknown parameters are refused, the key is checked before all else. */
function guarded({ checkKey, only }: RouteOptions) {
  const query = noParameters;
  if (checkKey === undefined && only === undefined) return { query };
  const guard = (request: Request) => {
    if (only !== undefined && !request.path.startsWith(`/indexes/${only}/`))
      throw new SearchRefusal('NOT_FOUND');
    checkKey?.(request.header('x-api-key'));
  };
  return checkKey === undefined ? { query, guard } : ({ query, guard, security: 'apiKey' } as const);
}

function body(schema: z.ZodType, { bodyBytesMax }: RouteOptions) {
  return { kind: 'bytes', documented: schema, bytesMax: bodyBytesMax } as const;
}

function indexRoutes(service: SearchService, options: RouteOptions): Route[] {
  const tags = ['indexes'];
  return [
    route({
      ...guarded(options),
      method: 'POST',
      path: '/indexes',
      operationId: 'createIndex',
      summary: 'Create an index',
      tags,
      body: body(newIndex, options),
      responses: {
        201: { description: 'Created durably.', schema: index },
        401: UNAUTHORIZED,
        409: { description: 'An index with this name exists.' },
        422: INVALID,
        507: FULL,
      },
      handler: async (request) =>
        engineJson(await service.create(request.body, request.header('content-type')), 201),
    }),
    route({
      ...guarded(options),
      method: 'GET',
      path: '/indexes',
      operationId: 'listIndexes',
      summary: 'List all indexes',
      tags,
      responses: { 200: { description: 'Sorted by name.', schema: z.array(index) }, 401: UNAUTHORIZED },
      handler: async () => engineJson(await service.list(), 200),
    }),
    route({
      ...guarded(options),
      method: 'GET',
      path: '/indexes/{name}',
      operationId: 'getIndex',
      summary: 'Get the size of an index',
      tags,
      params: name,
      responses: { 200: { description: 'The index.', schema: index }, 401: UNAUTHORIZED, 404: NOT_FOUND },
      handler: async ({ params }) => engineJson(await service.get(params.name), 200),
    }),
    route({
      ...guarded(options),
      method: 'DELETE',
      path: '/indexes/{name}',
      operationId: 'deleteIndex',
      summary: 'Delete an index and its assets',
      tags,
      params: name,
      responses: { 204: { description: 'Deleted.' }, 401: UNAUTHORIZED, 404: NOT_FOUND },
      handler: async ({ params }) => {
        await service.delete(params.name);
        return { status: 204 };
      },
    }),
  ];
}

function assetRoutes(service: SearchService, options: RouteOptions): Route[] {
  const tags = ['assets'];
  return [
    route({
      ...guarded(options),
      method: 'POST',
      path: '/indexes/{name}/assets',
      operationId: 'addAssets',
      summary: 'Add or replace assets, all of them or none',
      tags,
      params: name,
      body: body(z.array(entry), options),
      responses: {
        201: {
          description: 'Added durably and searchable; one result per asset, in the same order.',
          schema: z.array(addResult),
        },
        400: REJECTED,
        401: UNAUTHORIZED,
        404: NOT_FOUND,
        422: INVALID,
        503: BUSY,
        507: FULL,
      },
      handler: async (request) => {
        const { params, body } = request;
        return engineJson(await service.add(params.name, body, request.header('content-type')), 201);
      },
    }),
    route({
      ...guarded(options),
      method: 'GET',
      path: '/indexes/{name}/assets/{iscc_id}',
      operationId: 'getAsset',
      summary: 'Get an asset',
      tags,
      params: asset,
      responses: {
        200: { description: 'The asset.', schema: entry },
        400: REJECTED,
        401: UNAUTHORIZED,
        404: NOT_FOUND,
      },
      handler: async ({ params }) => engineJson(await service.asset(params.name, params.iscc_id), 200),
    }),
    route({
      ...guarded(options),
      method: 'DELETE',
      path: '/indexes/{name}/assets/{iscc_id}',
      operationId: 'deleteAsset',
      summary: 'Delete an asset',
      tags,
      params: asset,
      responses: {
        204: { description: 'Deleted.' },
        400: REJECTED,
        401: UNAUTHORIZED,
        404: NOT_FOUND,
        507: FULL,
      },
      handler: async ({ params }) => {
        await service.deleteAsset(params.name, params.iscc_id);
        return { status: 204 };
      },
    }),
  ];
}

function searchingRoutes(service: SearchService, options: RouteOptions): Route[] {
  const path = '/indexes/{name}/search';
  const tags = ['search'];
  const responses = {
    200: { description: 'Matches, best first.', schema: searchResult },
    400: REJECTED,
    401: UNAUTHORIZED,
    404: NOT_FOUND,
    422: INVALID,
    503: BUSY,
  };
  return [
    route({
      ...guarded(options),
      method: 'POST',
      path,
      operationId: 'search',
      summary: 'Search with a code, units, simprints or a stored asset',
      tags,
      params: name,
      query: searchParameters,
      body: body(query, options),
      responses,
      handler: async (request) => {
        const { params, query, body } = request;
        const type = request.header('content-type');
        const { limit = LIMIT_DEFAULT } = query;
        return engineJson(await service.search(params.name, body, type, limit), 200);
      },
    }),
    route({
      ...guarded(options),
      method: 'GET',
      path,
      operationId: 'searchByCode',
      summary: 'Search with an ISCC-CODE',
      tags,
      params: name,
      query: codeParameters,
      responses,
      handler: async ({ params, query }) => {
        const { iscc_code: code, limit = LIMIT_DEFAULT } = query;
        return engineJson(await service.searchCode(params.name, code, limit), 200);
      },
    }),
  ];
}

function statusRoutes({ mode = NORMAL, networkStatus = async () => ({}) }: RouteOptions): Route[] {
  const state = { version, ...mode };
  return [
    route({
      method: 'GET',
      path: '/status',
      operationId: 'status',
      summary: 'Version and mode of the service; in aggregator mode also the state of each hub',
      tags: ['probes'],
      responses: { 200: { description: 'The state of the service.', schema: status } },
      handler: async () => json({ ...state, ...(await networkStatus()) }),
    }),
    startPage('search', { title: TITLE, description: DESCRIPTION, ...state, docs: '/docs' }),
    route({
      method: 'GET',
      path: '/playground',
      operationId: 'playground',
      summary: 'Former address of the start page',
      hidden: true,
      responses: {},
      handler: () => ({ status: 301, headers: { Location: '/' } }),
    }),
  ];
}

/** The engine's JSON, unchanged. */
function engineJson(bytes: Buffer, status: 200 | 201): Reply {
  return { status, body: { kind: 'bytes', bytes, contentType: JSON_TYPE } };
}
