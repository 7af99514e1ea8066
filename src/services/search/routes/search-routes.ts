/** Routes that search. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { isLines, LINES_TYPE } from '../../../http/request/streamed.js';
import {
  type Reply,
  type Request,
  type ResponseSpec,
  type Route,
  route,
} from '../../../http/routing/route.js';
import type { SearchFound } from '../../../native.js';
import { STALE_HEADER } from '../freshness.js';
import { codeParameters, query, searchFailure, searchParameters, searchResult } from '../schema.js';
import type { SearchParameters } from '../selection.js';
import { engineParameters } from '../selection.js';
import type { SearchService } from '../service.js';
import {
  accessOf,
  BUSY,
  body,
  DENIED,
  engineJson,
  guarded,
  INVALID,
  NOT_FOUND,
  name,
  type RouteOptions,
} from './route-parts.js';

const tags = ['search'];
const REFUSED: ResponseSpec = {
  description:
    'The content violates a rule, or the search would take more processor time than `INDEXSVC_SEARCH_SECONDS_MAX`: the ' +
    'detail then names the lowest threshold at which it is accepted.',
};
const REFUSALS = { 400: REFUSED, ...DENIED, 404: NOT_FOUND, 422: INVALID, 503: BUSY };

const FOUND_HEADERS = {
  'Search-Exact': {
    description:
      '`true` if all matches were found for certain, `false` if HNSW graphs were used, or the candidates of OpenSearch may ' +
      'lack some',
    schema: z.enum(['true', 'false']),
  },
  'Server-Timing': {
    description:
      'Time in ms in lists, graphs and scans, shared by searches that ran together, and how many columns were searched so',
    schema: z.string(),
  },
  [STALE_HEADER]: {
    description:
      'Only with indexes in PostgreSQL, in responses to all reads: age in seconds of the state that the response ' +
      'shows, while the database is unreachable',
    schema: z.string(),
  },
};

export function searchingRoutes(service: SearchService, options: RouteOptions): Route[] {
  const path = '/indexes/{name}/search';
  const responses = {
    200: { description: 'Matches, best first.', schema: searchResult, headers: FOUND_HEADERS },
    ...REFUSALS,
  };
  return [
    route({
      ...guarded(options, 'read'),
      method: 'POST',
      path,
      operationId: 'searchPost',
      summary: 'Search with a code, units, simprints or a stored asset',
      tags,
      params: name,
      query: searchParameters,
      body: body(query, options),
      responses,
      handler: async (request) => {
        const { params, query, body } = request;
        const type = request.header('content-type');
        const parameters = parametersOf(query, request, options);
        return found(await service.search(params.name, body, type, parameters));
      },
    }),
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path,
      operationId: 'searchGet',
      summary: 'Search with an ISCC-CODE',
      tags,
      params: name,
      query: codeParameters,
      responses,
      handler: async (request) => {
        const { params, query } = request;
        const parameters = parametersOf(query, request, options);
        return found(await service.searchCode(params.name, query.iscc_code, parameters));
      },
    }),
    severalRoute(service, options),
  ];
}

function severalRoute(service: SearchService, options: RouteOptions): Route {
  return route({
    ...guarded(options, 'read'),
    method: 'POST',
    path: '/indexes/{name}/searches',
    operationId: 'searchSeveral',
    summary: 'Search with several queries',
    description:
      'Up to 1000 queries, which share passes over the index. The results are in the order of the queries; a query ' +
      'that fails has `{"status", "detail"}` in its place. The parameters are for all queries. With ' +
      '`Content-Type: application/x-ndjson`, the request has one query per line and the response one result per line, ' +
      'sent as soon as it is known.',
    tags,
    params: name,
    query: searchParameters,
    body: body(z.array(query).min(1).max(1000), options),
    responses: {
      200: { description: 'One result per query.', schema: z.array(z.union([searchResult, searchFailure])) },
      ...REFUSALS,
    },
    handler: async (request) => {
      const { params, query, body, signal } = request;
      const type = request.header('content-type');
      const parameters = parametersOf(query, request, options);
      const results = await service.searchSeveral(params.name, body, type, { ...parameters, signal });
      return streamOf(results, isLines(type));
    },
  });
}

function found({ json, isExact, serverTiming }: SearchFound): Reply {
  const timing = serverTiming === '' ? {} : { 'Server-Timing': serverTiming };
  return { ...engineJson(json, 200), headers: { 'Search-Exact': String(isExact), ...timing } };
}

/** The results as NDJSON or as a JSON array. */
function streamOf(results: AsyncIterable<Buffer>, asLines: boolean): Reply {
  const pieces = async function* () {
    let isFirst = true;
    if (!asLines) yield '[';
    for await (const result of results) {
      if (!asLines && !isFirst) yield ',';
      yield result;
      if (asLines) yield '\n';
      isFirst = false;
    }
    if (!asLines) yield ']';
  };
  const stream = Readable.from(pieces(), { objectMode: false });
  const contentType = asLines ? LINES_TYPE : 'application/json';
  return { status: 200, body: { kind: 'stream', stream, contentType } };
}

/** @throws {SearchRefusal} if the key does not cover the negative index */
function parametersOf(
  query: z.output<typeof searchParameters>,
  request: Pick<Request, 'header'>,
  { keys, aliasTarget }: RouteOptions,
): SearchParameters {
  if (query.not_in !== undefined)
    accessOf(keys, request).require('read', query.not_in, aliasTarget(query.not_in));
  return engineParameters(query);
}
