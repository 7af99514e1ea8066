/** Checks a file for the start page: its code, its own credentials, and the manifests that match, with their facts. */
import { z } from 'zod';
import { decodeValue, parseQueryBody, queryUnits } from '../../c2pa/binding-query.js';
import { type Binding, bindingsOf, distinctBindings } from '../../c2pa/content-query.js';
import { RESPONSES } from '../../c2pa/content-routes.js';
import type { ManifestReader, ManifestValidation } from '../../c2pa/manifest-reader.js';
import { type BindingMatch, bindingMatches } from '../../c2pa/schema.js';
import type { ContentCoder } from '../../content/coder.js';
import { assetHeaders, filenameParameter, sentFilename } from '../../content/sent-filename.js';
import { json } from '../../http/routing/replies.js';
import { type Route, route } from '../../http/routing/route.js';
import { FixedWindows } from '../../platform/limits/rate-limiter.js';
import { THROTTLED, Throttle } from '../../platform/limits/throttle.js';
import type { Logger } from '../../platform/observe/log.js';
import type { Trace } from '../../platform/observe/trace.js';
import { RateExceeded } from './errors.js';
import { verdictOf } from './rights/manifest-source.js';
import type { ResolverService } from './service.js';

const PATH = '/check';
/** Checks of a client per minute. The page sends one file at a time. */
const RATE = { count: 30, periodSeconds: 60 };
const BINDING_BYTES_MAX = 16 * 1024;
/** Matches to show. The manifest of each is read. */
const MATCHES_MAX = 6;

export interface CheckOptions {
  /** Whether the service looks up rights. */
  readonly looksUpRights: boolean;
  /** `undefined` if the page can't check files. */
  readonly coder?: ContentCoder | undefined;
  readonly publicUrl: string | undefined;
  readonly reader: ManifestReader;
  /** Knows whom the resolver trusts. */
  readonly validator: ManifestValidation;
}

const credentials = z
  .looseObject({ state: z.enum(['valid', 'trusted', 'invalid']) })
  .describe('What a manifest says, and whether it is valid and its signer trusted')
  .meta({ id: 'Credentials' });

const matchesOfFile = bindingMatches.shape.matches.unwrap().element;

const checked = z
  .object({
    iscc: z.string().describe('ISCC-CODE of the file'),
    mediatype: z.string(),
    matches: z.array(matchesOfFile.extend({ credentials: credentials.optional() })).max(MATCHES_MAX),
    credentials: credentials.optional().describe('Of the manifest that the file embeds'),
  })
  .meta({ id: 'CheckedFile' });

interface CheckedMatch extends BindingMatch {
  /** What the manifest says; absent if it could not be read. */
  readonly credentials?: unknown;
}

/** Routes of the start page. Other pages than those of this installation cannot call them. */
export function checkRoutes(service: ResolverService, options: CheckOptions): Route[] {
  const { coder } = options;
  const settings = route({
    method: 'GET',
    path: `${PATH}/settings`,
    operationId: 'getCheckSettings',
    summary: 'Whether the start page checks files',
    hidden: true,
    cors: 'console',
    responses: {},
    handler: () => json({ bytesMax: coder?.bytesMax ?? 0, rights: options.looksUpRights }),
  });
  const byBinding = bindingRoute(service, options);
  return coder === undefined
    ? [settings, byBinding]
    : [settings, byBinding, checkRoute(service, { ...options, coder })];
}

/** For pages that code files themselves: what is known of content with the units of a soft binding. */
function bindingRoute(service: ResolverService, options: CheckOptions): Route {
  const throttle = new Throttle(new FixedWindows({ check: RATE }), []);
  return route({
    method: 'POST',
    path: `${PATH}/binding`,
    operationId: 'checkBinding',
    summary: 'Manifests that match units, with what they say',
    hidden: true,
    cors: 'console',
    body: { kind: 'bytes', bytesMax: BINDING_BYTES_MAX },
    responses: {},
    guard: async ({ clientAddress }) => {
      const seconds = await throttle.take('check', clientAddress);
      if (seconds > 0) throw new RateExceeded(seconds);
    },
    handler: async (request) => {
      const { alg, value } = parseQueryBody(request.body);
      const units = queryUnits(decodeValue(value, 'value'));
      const bindings = await bindingsOf({ units }, alg, options.reader);
      return json({ matches: await matchesOf(service, options, bindings, request) });
    },
  });
}

/** The matches of bindings, with what their manifests say. */
async function matchesOf(
  service: ResolverService,
  options: CheckOptions,
  bindings: readonly Binding[],
  { origin, trace, log }: { readonly origin: string; readonly trace: Trace; readonly log: Logger },
): Promise<CheckedMatch[]> {
  const { publicUrl } = options;
  const matches = await service.matchesOf(bindings, MATCHES_MAX, publicUrl ?? origin, trace);
  return Promise.all(matches.map((match) => describe(service, options, match, log, trace)));
}

function checkRoute(
  service: ResolverService,
  options: CheckOptions & { readonly coder: ContentCoder },
): Route {
  const { coder, reader, validator } = options;
  const throttle = new Throttle(new FixedWindows({ check: RATE }), []);
  return route({
    method: 'POST',
    path: PATH,
    operationId: 'checkFile',
    summary: 'Check a file: its code, its credentials, and matching manifests',
    description:
      'For the start page: `byContent` with what the manifests say. Off unless `RESOLVER_BY_CONTENT` is on or only ' +
      `this machine reaches the service. At most ${RATE.count} files per minute and client.`,
    tags: ['matches'],
    cors: 'console',
    query: z.object({ filename: filenameParameter }),
    headers: assetHeaders,
    body: { kind: 'stream', bytesMax: coder.bytesMax, required: true },
    responses: {
      ...RESPONSES,
      200: { description: 'What was found.', schema: checked },
      429: THROTTLED,
    },
    guard: async ({ clientAddress }) => {
      const seconds = await throttle.take('check', clientAddress);
      if (seconds > 0) throw new RateExceeded(seconds);
    },
    handler: async (request) => {
      const { body, clientAddress, signal } = request;
      const mediatype = request.header('content-type');
      const asset = { body, mediatype, sentFilename: sentFilename(request), clientAddress, signal };
      const coded = await coder.code({ ...asset, isDescribed: true });
      const bindings = distinctBindings(await bindingsOf(coded, undefined, reader));
      const { iscc, manifest } = coded;
      const described = await matchesOf(service, options, bindings, request);
      const credentials = manifest && (await withTrust(coded.credentials, manifest, validator));
      return json({
        iscc,
        mediatype: coded.mediatype,
        matches: described,
        ...(credentials !== undefined && { credentials }),
      });
    },
  });
}

async function describe(
  service: ResolverService,
  { reader, validator }: CheckOptions,
  match: BindingMatch,
  log: Logger,
  trace: Trace,
): Promise<CheckedMatch> {
  try {
    const isccId = (match.isccId ?? '').slice('ISCC:'.length);
    const bytes = await service.manifestOf(isccId, match.manifestId, trace);
    const summary = await reader.describe(bytes);
    if (summary === null) return match;
    return { ...match, credentials: await withTrust(JSON.parse(summary), bytes, validator) };
  } catch (error) {
    log.info({ err: error, manifestId: match.manifestId }, 'a matching manifest could not be shown');
    return match;
  }
}

/** Reading a manifest for its facts needs no trust anchors. A valid one becomes `trusted` here if the resolver trusts its signer. */
async function withTrust(credentials: unknown, bytes: Uint8Array, validator: ManifestValidation) {
  if (!isValid(credentials)) return credentials;
  const { signature, trustList } = await verdictOf(bytes, validator);
  return signature === 'trusted' ? { ...credentials, state: 'trusted', trustList } : credentials;
}

function isValid(credentials: unknown): credentials is { readonly state: 'valid' } {
  return (credentials as { readonly state?: unknown } | undefined)?.state === 'valid';
}
