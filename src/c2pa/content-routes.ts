/** Routes of queries by an asset, for store and resolver. */
import { type Asset, type CodedAsset, type ContentCoder, ContentRefused } from '../content/coder.js';
import type { References } from '../content/reference.js';
import { assetHeaders, filenameParameter, sentFilename } from '../content/sent-filename.js';
import { detailReply, json } from '../http/routing/replies.js';
import { type Reply, type Request, type ResponseSpec, type Route, route } from '../http/routing/route.js';
import { THROTTLED } from '../platform/limits/throttle.js';
import { RESULTS_DEFAULT } from './binding-query.js';
import {
  assetReference,
  type Binding,
  bindingsOf,
  type ContentParameters,
  contentMatches,
  contentParameters,
  distinctBindings,
  hintOf,
  symmetricBindings,
} from './content-query.js';
import type { ManifestReader } from './manifest-reader.js';
import type { BindingMatch } from './schema.js';

export interface ContentQueries {
  readonly coder: ContentCoder;
  readonly references: References;
  /** Reads the Manifest Stores that assets embed. */
  readonly reader: ManifestReader;
  /** Throws if the service does not support an algorithm. Called before the asset is read. */
  checkAlgorithm(alg: string): void | Promise<void>;
  /** The manifests that match one of the bindings, best first. */
  find(
    bindings: readonly Binding[],
    maxResults: number,
    request: Pick<Request, 'origin' | 'trace'>,
  ): Promise<BindingMatch[]>;
  readonly guard?: NonNullable<Route['guard']>;
}

const REFERENCE_BYTES_MAX = 16 * 1024;

/** Responses to an asset. */
export const RESPONSES: Readonly<Record<number, ResponseSpec>> = {
  200: { description: 'Manifests that match the asset, best first.', schema: contentMatches },
  400: { description: 'A parameter or the asset is invalid.' },
  413: { description: 'The asset is too large.' },
  415: {
    description:
      'The asset is not sent as raw bytes; of a fetched asset, its type is not supported or not the claimed one.',
  },
  422: { description: 'The asset can not be processed; see `code`.' },
  503: { description: 'Too many assets are being processed; see Retry-After.' },
  507: { description: 'No space left on the disk.' },
};

/** Those of a service that counts the requests of a client. */
const GUARDED = { ...RESPONSES, 429: THROTTLED };

/** The routes; none without a coder. */
export function contentRoutes(queries: ContentQueries | undefined): Route[] {
  return queries === undefined ? [] : [byContent(queries), byReference(queries)];
}

/** Capabilities to report. */
export function contentCapabilities(isOn: boolean): ('queryByContent' | 'queryByReference')[] {
  return isOn ? ['queryByContent', 'queryByReference'] : [];
}

/** The response to an asset that can't be coded; `undefined` for other errors. */
export function contentRefusal(error: unknown): Reply | undefined {
  if (!(error instanceof ContentRefused)) return undefined;
  const { status, code, message, retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return { ...json({ detail: message, code }, status), headers };
}

function byContent(queries: ContentQueries): Route {
  return route({
    method: 'POST',
    path: '/v1/matches/byContent',
    operationId: 'uploadFile',
    summary: 'Find manifests by an asset',
    description:
      'The body is the asset itself. Its ISCC-CODE and the soft bindings of the manifest that it embeds are computed ' +
      'and matched; the asset is not kept.',
    tags: ['matches'],
    query: contentParameters.extend({ filename: filenameParameter }),
    headers: assetHeaders,
    body: { kind: 'stream', bytesMax: queries.coder.bytesMax, required: true },
    ...(queries.guard && { guard: queries.guard }),
    responses: queries.guard ? GUARDED : RESPONSES,
    handler: async (request) => {
      const mediatype = request.header('content-type');
      if (/^multipart\//i.test(mediatype ?? '')) {
        return detailReply(415, 'The body must be the raw bytes of the asset, not multipart/form-data');
      }
      const { body, query, clientAddress, signal } = request;
      const asset = { body, mediatype, sentFilename: sentFilename(request), clientAddress, signal };
      return matched(queries, request, query, () => queries.coder.code(asset));
    },
  });
}

function byReference(queries: ContentQueries): Route {
  return route({
    method: 'POST',
    path: '/v1/matches/byReference',
    operationId: 'queryByReference',
    summary: 'Find manifests by an asset at a URL',
    description:
      'Downloads the asset and continues like `byContent`. Only public https addresses are requested.',
    tags: ['matches'],
    query: contentParameters,
    body: { kind: 'json', schema: assetReference, bytesMax: REFERENCE_BYTES_MAX },
    ...(queries.guard && { guard: queries.guard }),
    responses: {
      ...(queries.guard ? GUARDED : RESPONSES),
      502: { description: 'The asset could not be downloaded.' },
    },
    handler: async (request) => {
      const { query, signal, body } = request;
      const { referenceUrl: url, assetLength, assetType: mediatype } = body;
      const bytesMax = Math.min(assetLength, queries.coder.bytesMax);
      if (assetLength > bytesMax) {
        const text = `assetLength is larger than ${bytesMax} bytes`;
        throw new ContentRefused(413, 'REFERENCE_TOO_LARGE', text);
      }
      const { clientAddress } = request;
      const asset = (body: Asset['body']): Asset => ({
        body,
        mediatype,
        isTypeRequired: true,
        clientAddress,
        signal,
      });
      return matched(queries, request, query, () =>
        queries.references.read({ url, bytesMax, signal }, (body) => queries.coder.code(asset(body))),
      );
    },
  });
}

/** Checks the parameters before any byte of the asset is read. */
async function matched(
  { checkAlgorithm, find, reader }: ContentQueries,
  request: Pick<Request, 'origin' | 'trace'>,
  parameters: ContentParameters,
  code: () => Promise<CodedAsset>,
): Promise<Reply> {
  const { alg, maxResults = RESULTS_DEFAULT, symmetries } = parameters;
  const hint = hintOf(parameters);
  // A hint of another algorithm matches nothing, but the asset may match.
  if (alg !== undefined) await checkAlgorithm(alg);
  const coded = await code();
  const turned = symmetries === 'true' ? symmetricBindings(coded, alg) : [];
  const own = [...(await bindingsOf(coded, alg, reader)), ...turned];
  const bindings = [...own, ...(hint === undefined ? [] : [hint])];
  const matches = await find(distinctBindings(bindings), maxResults, request);
  return json({ matches, iscc: coded.iscc });
}
