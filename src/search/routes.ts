/** The HTTP face: which path does what. */
import { z } from 'zod';
import { page, pageAssets } from '../http/docs/pages.js';
import { type Reply, type Request, type ResponseSpec, type Route, route } from '../http/routing/route.js';
import { version } from '../version.js';
import { addResult, entry, index, newIndex, query, searchResult, status } from './schema.js';
import type { Answer, SearchService } from './service.js';

export interface RouteOptions {
  readonly bodyBytesMax: number;
  /** @throws SearchRefusal without the right key; without it everybody may do everything */
  readonly checkKey?: (key: string | undefined) => void;
}

const JSON_TYPE = 'application/json';
const TITLE = 'ISCC search';
const DESCRIPTION = 'Named indexes of ISCC-identified assets, and search for similar content.';

const name = z.object({ name: z.string().describe('Name of the index') });
const asset = name.extend({ iscc_id: z.string().describe('ISCC-ID with prefix') });
const limit = z
  .string()
  .optional()
  .describe('Most matches in the answer, 1 to 10,000; scores do not depend on it')
  .meta({ type: 'integer', minimum: 1, maximum: 10_000, default: 100 });
const limited = z.object({ limit });
const byCode = limited.extend({
  iscc_code: z.string().optional().describe('ISCC-CODE with prefix; required'),
});

const NOT_FOUND: ResponseSpec = { description: 'There is no such index or asset.' };
const REJECTED: ResponseSpec = { description: 'The content breaks a rule.' };
const INVALID: ResponseSpec = { description: 'The request breaks the schema.' };
const BUSY: ResponseSpec = { description: 'Too many requests are waiting.' };
const FULL: ResponseSpec = { description: 'There is no space left to write to.' };
const UNAUTHORIZED: ResponseSpec = { description: 'X-API-Key is missing or wrong.' };

export function searchRoutes(service: SearchService, options: RouteOptions): Route[] {
  return [
    ...indexRoutes(service, options),
    ...assetRoutes(service, options),
    ...searching(service, options),
    ...statusRoutes(),
    ...pageAssets('search'),
  ];
}

/** What every route to indexes has: the key is checked before the body is read. */
function guarded({ checkKey }: RouteOptions) {
  if (checkKey === undefined) return {};
  return { guard: (request: Request) => checkKey(request.header('x-api-key')), security: 'apiKey' } as const;
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
        201: { description: 'Created, durably.', schema: index },
        401: UNAUTHORIZED,
        409: { description: 'There is an index of that name.' },
        422: INVALID,
        507: FULL,
      },
      handler: async (request) =>
        answer(await service.create(request.body, request.header('content-type')), 201),
    }),
    route({
      ...guarded(options),
      method: 'GET',
      path: '/indexes',
      operationId: 'listIndexes',
      summary: 'List all indexes',
      tags,
      responses: { 200: { description: 'Sorted by name.', schema: z.array(index) }, 401: UNAUTHORIZED },
      handler: async () => answer(await service.list(), 200),
    }),
    route({
      ...guarded(options),
      method: 'GET',
      path: '/indexes/{name}',
      operationId: 'getIndex',
      summary: 'Size of an index',
      tags,
      params: name,
      responses: { 200: { description: 'The index.', schema: index }, 401: UNAUTHORIZED, 404: NOT_FOUND },
      handler: async ({ params }) => answer(await service.get(params.name), 200),
    }),
    route({
      ...guarded(options),
      method: 'DELETE',
      path: '/indexes/{name}',
      operationId: 'deleteIndex',
      summary: 'Delete an index and all that is in it',
      tags,
      params: name,
      responses: { 204: { description: 'Deleted.' }, 401: UNAUTHORIZED, 404: NOT_FOUND },
      handler: async ({ params }) => answer(await service.delete(params.name), 204),
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
      summary: 'Add or replace assets, all or none',
      tags,
      params: name,
      body: body(z.array(entry), options),
      responses: {
        201: {
          description: 'Durable and searchable; one result per asset, in their order.',
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
        return answer(await service.add(params.name, body, request.header('content-type')), 201);
      },
    }),
    route({
      ...guarded(options),
      method: 'GET',
      path: '/indexes/{name}/assets/{iscc_id}',
      operationId: 'getAsset',
      summary: 'An asset as it was added',
      tags,
      params: asset,
      responses: {
        200: { description: 'The asset.', schema: entry },
        400: REJECTED,
        401: UNAUTHORIZED,
        404: NOT_FOUND,
      },
      handler: async ({ params }) => answer(await service.asset(params.name, params.iscc_id), 200),
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
      handler: async ({ params }) => answer(await service.deleteAsset(params.name, params.iscc_id), 204),
    }),
  ];
}

function searching(service: SearchService, options: RouteOptions): Route[] {
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
      query: limited,
      body: body(query, options),
      responses,
      handler: async (request) => {
        const { params, query, body } = request;
        const type = request.header('content-type');
        return answer(await service.search(params.name, body, type, query.limit), 200);
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
      query: byCode,
      responses,
      handler: async ({ params, query }) =>
        answer(await service.searchCode(params.name, query.iscc_code, query.limit), 200),
    }),
  ];
}

const STATE = { version, mode: 'normal', network: null } as const;

/** The same address for programs. */
function welcome(): Reply {
  const value = { title: TITLE, description: DESCRIPTION, ...STATE, docs: '/docs' };
  return { status: 200, body: { kind: 'json', value } };
}

function statusRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/status',
      operationId: 'status',
      summary: 'Version and mode',
      tags: ['probes'],
      responses: { 200: { description: 'The state of the service.', schema: status } },
      handler: () => ({ status: 200, body: { kind: 'json', value: STATE } }),
    }),
    route({
      method: 'GET',
      path: '/',
      operationId: 'welcome',
      summary: 'What this is',
      hidden: true,
      responses: {},
      handler: (request) => {
        const wantsPage = request.header('accept')?.includes('text/html') ?? false;
        const reply = wantsPage ? page('search') : welcome();
        return { ...reply, headers: { ...reply.headers, Vary: 'Accept' } };
      },
    }),
    route({
      method: 'GET',
      path: '/playground',
      operationId: 'playground',
      summary: 'Where the page was',
      hidden: true,
      responses: {},
      handler: () => ({ status: 301, headers: { Location: '/' } }),
    }),
  ];
}

/** The engine's answer; `success` is the status of the route where the engine has no complaint. */
function answer({ status, body }: Answer, success: number): Reply {
  if (status !== 200) {
    const retry = status === 503 ? { headers: { 'Retry-After': '1' } } : {};
    return { status, ...retry, body: { kind: 'bytes', bytes: body, contentType: JSON_TYPE } };
  }
  if (success === 204) return { status: success };
  return { status: success, body: { kind: 'bytes', bytes: body, contentType: JSON_TYPE } };
}
