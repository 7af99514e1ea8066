/** Routes of declared metadata paths. */
import { type Route, route } from '../../../http/routing/route.js';
import { newPaths, paths } from '../schema.js';
import type { SearchService } from '../service.js';
import {
  BUSY,
  body,
  DENIED,
  engineJson,
  FULL,
  guarded,
  INVALID,
  NOT_FOUND,
  name,
  type RouteOptions,
} from './route-parts.js';

const common = { path: '/indexes/{name}/paths', tags: ['indexes'], params: name };

export function pathRoutes(service: SearchService, options: RouteOptions): Route[] {
  return [
    route({
      ...common,
      ...guarded(options, 'read'),
      method: 'GET',
      operationId: 'getPaths',
      summary: 'List the declared metadata paths of an index',
      responses: { 200: { description: 'The paths.', schema: paths }, ...DENIED, 404: NOT_FOUND, 503: BUSY },
      handler: async ({ params }) => engineJson(await service.paths(params.name), 200),
    }),
    route({
      ...common,
      ...guarded(options, 'admin'),
      method: 'PUT',
      operationId: 'putPaths',
      summary: 'Declare the metadata paths of an index',
      description:
        'Replaces the list. The index keeps a look-up table per declared path: it speeds up searches with `filter`, ' +
        'without changing their results, and makes listings with `filter` possible. Present assets are added in the ' +
        'background; requests continue meanwhile.',
      body: body(newPaths, options),
      responses: {
        200: { description: 'Declared durably.', schema: paths },
        ...DENIED,
        404: NOT_FOUND,
        422: INVALID,
        503: BUSY,
        507: FULL,
      },
      handler: async (request) => {
        const { params, body } = request;
        return engineJson(await service.putPaths(params.name, body, request.header('content-type')), 200);
      },
    }),
  ];
}
