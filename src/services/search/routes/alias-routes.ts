/** Routes of aliases, and renaming of indexes. */
import { z } from 'zod';
import { json } from '../../../http/routing/replies.js';
import { type Route, route } from '../../../http/routing/route.js';
import { alias, aliasTarget, index, newIndex } from '../schema.js';
import type { SearchService } from '../service.js';
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
  REJECTED,
  type RouteOptions,
} from './route-parts.js';

const CONFLICT = { description: 'The name is that of another index or alias.' };
const aliasName = z.object({ name: z.string().describe('Name of the alias, with the rules of index names') });
const tags = ['aliases'];

export function aliasRoutes(service: SearchService, options: RouteOptions): Route[] {
  return [
    renameRoute(service, options),
    putRoute(service, options),
    ...readRoutes(service, options),
    deleteRoute(service, options),
  ];
}

function renameRoute(service: SearchService, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'admin'),
    method: 'POST',
    path: '/indexes/{name}/rename',
    operationId: 'renameIndex',
    summary: 'Rename an index',
    description:
      'Durable and atomic. Requests that use the index continue; later ones find it under its new name only. Its ' +
      'aliases point to the new name.',
    tags: ['indexes'],
    params: name,
    body: body(newIndex, options),
    responses: {
      200: { description: 'The index.', schema: index },
      ...DENIED,
      404: NOT_FOUND,
      409: CONFLICT,
      422: INVALID,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const { params, body } = request;
      const checked = coveredBody(body, 'name', accessOf(options.keys, request));
      return engineJson(await service.rename(params.name, checked, request.header('content-type')), 200);
    },
  });
}

function putRoute(service: SearchService, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'admin'),
    method: 'PUT',
    path: '/aliases/{name}',
    operationId: 'putAlias',
    summary: 'Point an alias to an index',
    description:
      'Creates the alias, or switches it durably and atomically: each request uses either the old index or the new ' +
      'one. An alias can be used wherever the name of an index can, except to rename or delete the index.',
    tags,
    params: aliasName,
    body: body(aliasTarget, options),
    responses: {
      200: { description: 'The alias.', schema: alias },
      400: REJECTED,
      ...DENIED,
      409: CONFLICT,
      422: INVALID,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const { params, body } = request;
      const checked = coveredBody(body, 'index', accessOf(options.keys, request));
      return engineJson(await service.putAlias(params.name, checked, request.header('content-type')), 200);
    },
  });
}

function readRoutes(service: SearchService, options: RouteOptions): Route[] {
  return [
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path: '/aliases',
      operationId: 'listAliases',
      summary: 'List all aliases',
      tags,
      responses: { 200: { description: 'Sorted by name.', schema: z.array(alias) }, ...DENIED, 503: BUSY },
      handler: (request) => {
        const access = accessOf(options.keys, request);
        const all = JSON.parse(service.aliases().toString()) as readonly z.infer<typeof alias>[];
        return json(all.filter(({ name, index }) => access.covers(name, index)));
      },
    }),
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path: '/aliases/{name}',
      operationId: 'getAlias',
      summary: 'Get the index of an alias',
      tags,
      params: aliasName,
      responses: { 200: { description: 'The alias.', schema: alias }, ...DENIED, 404: NOT_FOUND, 503: BUSY },
      handler: ({ params }) => engineJson(service.alias(params.name), 200),
    }),
  ];
}

function deleteRoute(service: SearchService, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'admin'),
    method: 'DELETE',
    path: '/aliases/{name}',
    operationId: 'deleteAlias',
    summary: 'Delete an alias',
    tags,
    params: aliasName,
    responses: { 204: { description: 'Deleted. The index stays.' }, ...DENIED, 404: NOT_FOUND, 503: BUSY },
    handler: async ({ params }) => {
      await service.deleteAlias(params.name);
      return { status: 204 };
    },
  });
}
