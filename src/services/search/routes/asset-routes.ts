/** Routes of assets: add, list, get, delete. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { isLines, LINES_TYPE, wholeBody } from '../../../http/request/streamed.js';
import { nextLink } from '../../../http/routing/replies.js';
import type { Reply, Route } from '../../../http/routing/route.js';
import { route } from '../../../http/routing/route.js';
import {
  addLinesParameters,
  addResult,
  assetParameters,
  deletionResult,
  deletions,
  entry,
  LIMIT_DEFAULT,
  listParameters,
} from '../schema.js';
import { metadataFields } from '../selection.js';
import type { SearchService } from '../service.js';
import { decodedBody } from '../transfer/body.js';
import {
  asset,
  BUSY,
  body,
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

/** uWebSockets.js receives at most this much. */
const LINES_BYTES_MAX = 999_999_999;
/** Report lines that may wait for a client that only sends. */
const REPORT_BYTES_MAX = 4 * 1024 * 1024;
const tags = ['assets'];

export function assetRoutes(service: SearchService, options: RouteOptions): Route[] {
  return [
    addAssets(service, options),
    listAssets(service, options),
    deleteAssets(service, options),
    ...singleAssetRoutes(service, options),
  ];
}

function addAssets(service: SearchService, options: RouteOptions): Route {
  const { bodyBytesMax } = options;
  return route({
    ...guarded(options, 'write'),
    method: 'POST',
    path: '/indexes/{name}/assets',
    operationId: 'addAssets',
    summary: 'Add or replace assets',
    description:
      'A JSON array is added completely or not at all. NDJSON (`Content-Type: application/x-ndjson`) is added while ' +
      'it arrives: the response has status 200 and one line per group of up to 1000 lines, sent once the group is ' +
      'durable: `{"lines":1000,"created":998,"updated":1,"refused":[{"line":7,"detail":"…"}]}`. A line that breaks ' +
      'a rule is refused, and the others are added. A failure ends the response with a line that has `line`, ' +
      '`status` and `detail`. The body may be encoded with gzip or zstd (`Content-Encoding`).',
    tags,
    params: name,
    query: addLinesParameters,
    body: {
      kind: 'stream',
      decodes: true,
      documented: z.array(entry),
      bytesMax: Math.max(bodyBytesMax, LINES_BYTES_MAX),
    },
    // NDJSON is described in words: as a second response it would make generated clients return a union.
    responses: {
      201: {
        description: 'Added durably and searchable; one result per asset, in the same order.',
        schema: z.array(addResult),
      },
      400: REJECTED,
      ...DENIED,
      404: NOT_FOUND,
      415: { description: 'The content encoding is unknown.' },
      422: INVALID,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const { params, query } = request;
      const [type, coding] = [request.header('content-type'), request.header('content-encoding')];
      const bytes = decodedBody(request.body, coding);
      if (isLines(type)) {
        const lines = { skip: query.skip ?? 0, lineBytesMax: bodyBytesMax };
        return stream(await service.addLines(params.name, bytes, lines));
      }
      return engineJson(
        await service.add(params.name, await wholeBody(request.body, bodyBytesMax, bytes), type),
        201,
      );
    },
  });
}

function listAssets(service: SearchService, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'read'),
    method: 'GET',
    path: '/indexes/{name}/assets',
    operationId: 'listAssets',
    summary: 'List assets',
    description:
      'In the order of the numbers in their ISCC-IDs, that is, by time. A page may be shorter than `limit`; `Link` ' +
      'with `rel="next"` leads to the next one, and is absent on the last. With `Accept: application/x-ndjson` and ' +
      'without `limit`, the response has all assets, one per line. `filter` lists only assets that meet all conditions; ' +
      'one of them must use a declared path that is ready (`PUT /indexes/{name}/paths`), and ends_with a text with `/`.',
    tags,
    params: name,
    query: listParameters,
    responses: {
      200: {
        description: 'The assets, byte for byte as they were added.',
        schema: z.array(entry),
        headers: { Link: { description: 'The next page, if there is one.', schema: z.string() } },
      },
      400: REJECTED,
      ...DENIED,
      404: NOT_FOUND,
      422: INVALID,
      503: BUSY,
    },
    handler: async (request) => {
      const { params, query } = request;
      const { after, limit, filter: filters } = query;
      const asLines = prefersLines(request.header('accept'));
      if (asLines && limit === undefined)
        return stream(await service.allLines(params.name, { after, filters }));
      const size = limit ?? LIMIT_DEFAULT;
      const { entries, next } = await service.assets(params.name, { after, limit: size, filters, asLines });
      const contentType = asLines ? LINES_TYPE : 'application/json';
      const headers = {
        Vary: 'Accept',
        ...nextLink(`/indexes/${params.name}/assets`, next, size, { filter: filters }),
      };
      return { status: 200, headers, body: { kind: 'bytes', bytes: entries, contentType } };
    },
  });
}

function deleteAssets(service: SearchService, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'write'),
    method: 'DELETE',
    path: '/indexes/{name}/assets',
    operationId: 'deleteAssets',
    summary: 'Delete several assets',
    tags,
    params: name,
    body: body(deletions, options),
    responses: {
      200: {
        description: 'Deleted durably; one result per ISCC-ID, in the same order.',
        schema: z.array(deletionResult),
      },
      400: REJECTED,
      ...DENIED,
      404: NOT_FOUND,
      422: INVALID,
      503: BUSY,
      507: FULL,
    },
    handler: async (request) => {
      const { params, body } = request;
      return engineJson(await service.deleteAssets(params.name, body, request.header('content-type')), 200);
    },
  });
}

function singleAssetRoutes(service: SearchService, options: RouteOptions): Route[] {
  const common = { path: '/indexes/{name}/assets/{iscc_id}', tags, params: asset };
  const refusals = { 400: REJECTED, ...DENIED, 404: NOT_FOUND, 503: BUSY };
  return [
    route({
      ...common,
      ...guarded(options, 'read'),
      method: 'GET',
      operationId: 'getAsset',
      summary: 'Get an asset',
      query: assetParameters,
      responses: { 200: { description: 'The asset.', schema: entry }, ...refusals, 422: INVALID },
      handler: async ({ params, query }) =>
        engineJson(await service.asset(params.name, params.iscc_id, metadataFields(query)), 200),
    }),
    route({
      ...common,
      ...guarded(options, 'write'),
      method: 'DELETE',
      operationId: 'deleteAsset',
      summary: 'Delete an asset',
      responses: { 204: { description: 'Deleted.' }, ...refusals, 507: FULL },
      handler: async ({ params }) => {
        await service.deleteAsset(params.name, params.iscc_id);
        return { status: 204 };
      },
    }),
  ];
}

/** Whether an Accept header names JSON lines. */
function prefersLines(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((type) => isLines(type.trim()));
}

function stream(lines: AsyncIterable<Buffer | string>): Reply {
  const readable = Readable.from(lines, { objectMode: false, highWaterMark: REPORT_BYTES_MAX });
  return {
    status: 200,
    headers: { Vary: 'Accept' },
    body: { kind: 'stream', stream: readable, contentType: LINES_TYPE },
  };
}
