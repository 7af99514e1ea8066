/** Routes of the rights look-up. */
import { Readable } from 'node:stream';
import type { ContentCoder } from '../../../content/coder.js';
import { assetHeaders, filenameParameter, sentFilename } from '../../../content/sent-filename.js';
import { isLines, LINES_TYPE, wholeBody } from '../../../http/request/streamed.js';
import { detailReply, json } from '../../../http/routing/replies.js';
import { type Reply, type ResponseSpec, type Route, route } from '../../../http/routing/route.js';
import { answerLines } from './lines.js';
import type { LookUpOptions, RightsLookUp } from './look-up.js';
import { codeQuery, rightsParameters, rightsReport } from './schema.js';

export interface RightsOptions {
  readonly lookUp: RightsLookUp;
  readonly coder: ContentCoder;
}

const QUERY_BYTES_MAX = 16 * 1024;
/** About a million codes. */
const LINES_BYTES_MAX = 64 * 1024 * 1024;
const tags = ['rights'];

const FOUND: ResponseSpec = { description: 'The sources and their summary.', schema: rightsReport };
const FAILED: ResponseSpec = { description: 'The search service failed.' };

/** The routes; none if the look-up is off. */
export function rightsRoutes(options: RightsOptions | undefined): Route[] {
  return options === undefined ? [] : [byContent(options), byCode(options)];
}

function byContent({ lookUp, coder }: RightsOptions): Route {
  return route({
    method: 'POST',
    path: '/v1/rights/byContent',
    operationId: 'getRightsByContent',
    summary: 'Look up mining and training rights of an asset',
    description:
      'The body is the asset itself. Its metadata, the manifest that it embeds, and the manifests and declarations ' +
      'that match its ISCC-CODE are read; the asset is not kept. An extension of isccd.',
    tags,
    query: rightsParameters.extend({ filename: filenameParameter }),
    headers: assetHeaders,
    body: { kind: 'stream', bytesMax: coder.bytesMax, required: true },
    responses: {
      200: FOUND,
      400: { description: 'A parameter or the asset is invalid.' },
      413: { description: 'The asset is too large.' },
      415: { description: 'The asset is not sent as raw bytes.' },
      422: { description: 'The asset can not be processed; see `code`.' },
      500: FAILED,
      503: { description: 'The search service is unreachable, or too many assets are being processed.' },
      507: { description: 'No space left on the disk.' },
    },
    handler: async (request) => {
      const mediatype = request.header('content-type');
      if (/^multipart\//i.test(mediatype ?? '')) {
        return detailReply(415, 'The body must be the raw bytes of the asset, not multipart/form-data');
      }
      const { body, clientAddress, signal, query, trace } = request;
      const asset = { body, mediatype, sentFilename: sentFilename(request), clientAddress, signal };
      const coded = await coder.code({ ...asset, isDescribed: true, readsRights: true });
      return json(await lookUp.ofAsset(coded, { ...query, trace }));
    },
  });
}

function byCode({ lookUp }: RightsOptions): Route {
  return route({
    method: 'POST',
    path: '/v1/rights/byCode',
    operationId: 'getRightsByCode',
    summary: 'Look up mining and training rights by code',
    description:
      'The manifests and declarations that match an ISCC-CODE or ISCC-UNIT are read. For many codes, send NDJSON ' +
      '(`Content-Type: application/x-ndjson`): one code per line, as such an object or as a JSON string. The response ' +
      'then has status 200 and one line per code, in the same order and while they arrive: `line` and the report, or ' +
      '`line`, `status` and `detail`. An extension of isccd.',
    tags,
    query: rightsParameters,
    body: { kind: 'stream', bytesMax: LINES_BYTES_MAX, required: true, documented: codeQuery },
    // NDJSON is described in words: as a second response it would make generated clients return a union.
    responses: {
      200: FOUND,
      400: { description: 'The code or a parameter is invalid.' },
      413: { description: 'The body is too large.' },
      500: FAILED,
      503: { description: 'The search service is unreachable or busy; see Retry-After.' },
    },
    handler: async (request) => {
      const { body, query, trace } = request;
      const options: LookUpOptions = { ...query, trace };
      if (isLines(request.header('content-type'))) {
        const stream = Readable.from(answerLines(request, (iscc) => lookUp.ofCode(iscc, options)));
        return { status: 200, body: { kind: 'stream', stream, contentType: LINES_TYPE } };
      }
      return one(await wholeBody(body, QUERY_BYTES_MAX), (iscc) => lookUp.ofCode(iscc, options));
    },
  });
}

async function one(body: Buffer, lookUp: (iscc: string) => Promise<unknown>): Promise<Reply> {
  const { data, error } = codeQuery.safeParse(parsed(body.toString()));
  if (data === undefined) return detailReply(400, error?.issues[0]?.message ?? 'Invalid JSON body');
  return json(await lookUp(data.iscc));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
