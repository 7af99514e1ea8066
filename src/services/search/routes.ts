/** HTTP routes of the search service. */
import { z } from 'zod';
import { pageAssets, startPage } from '../../http/docs/pages.js';
import { json } from '../../http/routing/replies.js';
import { type Route, route } from '../../http/routing/route.js';
import { version } from '../../platform/version.js';
import type { Quarantine } from './flood/quarantine.js';
import type { Access } from './keys/access.js';
import { aliasRoutes } from './routes/alias-routes.js';
import { assetRoutes } from './routes/asset-routes.js';
import { pathRoutes } from './routes/path-routes.js';
import { quarantineRoutes } from './routes/quarantine-routes.js';
import {
  accessOf,
  BUSY,
  body,
  coveredBody,
  DENIED,
  engineJson,
  FULL,
  guarded,
  INVALID,
  NOT_FOUND,
  name,
  type RouteOptions,
  type ServiceMode,
} from './routes/route-parts.js';
import { searchingRoutes } from './routes/search-routes.js';
import { watchRoutes } from './routes/watch-routes.js';
import { index, status } from './schema.js';
import type { SearchService } from './service.js';
import type { Watches } from './watches/watches.js';

const START_PAGE = {
  service: 'search',
  title: 'isccd: similarity search',
};

const NORMAL: ServiceMode = { mode: 'normal', network: null };

const TITLE = 'ISCC search';
const DESCRIPTION = 'Named indexes of ISCC-identified assets, and search for similar content.';

/**
 * @param watches throws if the engine has none
 * @param quarantine throws if the flood guard is off
 */
export function searchRoutes(
  service: SearchService,
  options: RouteOptions,
  watches: () => Watches,
  quarantine: () => Quarantine,
): Route[] {
  const isExclusive = options.only !== undefined;
  return [
    ...(isExclusive
      ? []
      : [
          ...indexRoutes(service, options),
          ...pathRoutes(service, options),
          ...aliasRoutes(service, options),
          ...watchRoutes(watches, options),
          ...quarantineRoutes(quarantine, options),
        ]),
    ...assetRoutes(service, options).filter(({ operationId }) => operationId === 'getAsset' || !isExclusive),
    ...searchingRoutes(service, options),
    ...statusRoutes(options),
    ...(options.networkRoutes ?? []),
    ...pageAssets(),
  ];
}

function indexRoutes(service: SearchService, options: RouteOptions): Route[] {
  const tags = ['indexes'];
  return [
    createRoute(service, options, tags),
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path: '/indexes',
      operationId: 'listIndexes',
      summary: 'List all indexes',
      tags,
      responses: { 200: { description: 'Sorted by name.', schema: z.array(index) }, ...DENIED, 503: BUSY },
      handler: async (request) => {
        const access = accessOf(options.keys, request);
        const all = await service.list();
        return access.coversAll ? engineJson(all, 200) : json(coveredOf(all, access));
      },
    }),
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path: '/indexes/{name}',
      operationId: 'getIndex',
      summary: 'Get the size of an index',
      tags,
      params: name,
      responses: { 200: { description: 'The index.', schema: index }, ...DENIED, 404: NOT_FOUND, 503: BUSY },
      handler: async ({ params }) => engineJson(await service.get(params.name), 200),
    }),
    route({
      ...guarded(options, 'admin'),
      method: 'DELETE',
      path: '/indexes/{name}',
      operationId: 'deleteIndex',
      summary: 'Delete an index and its assets',
      tags,
      params: name,
      responses: {
        204: { description: 'Deleted.' },
        ...DENIED,
        404: NOT_FOUND,
        409: { description: 'The index has aliases.' },
        503: BUSY,
      },
      handler: async ({ params }) => {
        await service.delete(params.name);
        return { status: 204 };
      },
    }),
  ];
}

function createRoute(service: SearchService, options: RouteOptions, tags: readonly string[]): Route {
  return route({
    ...guarded(options, 'admin'),
    method: 'POST',
    path: '/indexes',
    operationId: 'createIndex',
    summary: 'Create an index',
    tags,
    body: body(index, options),
    responses: {
      201: { description: 'Created durably.', schema: index },
      ...DENIED,
      409: { description: 'An index with this name exists.' },
      422: INVALID,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const body = coveredBody(request.body, 'name', accessOf(options.keys, request));
      return engineJson(await service.create(body, request.header('content-type')), 201);
    },
  });
}

function coveredOf(list: Buffer, access: Access): readonly object[] {
  const all = JSON.parse(list.toString()) as readonly { readonly name: string }[];
  return all.filter(({ name }) => access.covers(name));
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
    startPage(START_PAGE, { title: TITLE, description: DESCRIPTION, ...state, docs: '/docs' }),
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
