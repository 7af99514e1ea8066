/** Checks a file for the start page: its code, its own credentials, and the manifests that match, with their facts. */
import { z } from 'zod';
import { bindingsOf, distinctBindings } from '../c2pa/content-query.js';
import type { ManifestReader, ManifestValidation } from '../c2pa/manifest-reader.js';
import type { BindingMatch } from '../c2pa/schema.js';
import type { ContentCoder } from '../content/coder.js';
import { assetHeaders, filenameParameter, sentFilename } from '../content/sent-filename.js';
import { json } from '../http/reply/replies.js';
import { type Route, route } from '../http/routing/route.js';
import type { Logger } from '../observe/log.js';
import type { Trace } from '../observe/trace.js';
import { verdictOf } from './rights/manifest-source.js';
import type { ResolverService } from './service.js';

const PATH = '/check';
/** Matches to show. The manifest of each is read. */
const MATCHES_MAX = 6;

export interface CheckOptions {
  /** `undefined` if the page can't check files. */
  readonly coder?: ContentCoder | undefined;
  readonly publicUrl: string | undefined;
  readonly reader: ManifestReader;
  /** Knows whom the resolver trusts. */
  readonly validator: ManifestValidation;
}

interface CheckedMatch extends BindingMatch {
  /** What the manifest says; absent if it could not be read. */
  readonly credentials?: unknown;
}

/** Routes of the start pages alone: not part of the API, only for the console. */
export function checkRoutes(service: ResolverService, options: CheckOptions): Route[] {
  const { coder, publicUrl, reader, validator } = options;
  const page = {
    summary: 'Check of a file by the start page',
    hidden: true,
    cors: 'console',
    responses: {},
  } as const;
  const settings = route({
    ...page,
    method: 'GET',
    path: PATH,
    operationId: 'getCheck',
    handler: () => json({ bytesMax: coder?.bytesMax ?? 0 }),
  });
  if (coder === undefined) return [settings];
  const check = route({
    ...page,
    method: 'POST',
    path: PATH,
    operationId: 'checkFile',
    query: z.object({ filename: filenameParameter }),
    headers: assetHeaders,
    body: { kind: 'stream', bytesMax: coder.bytesMax, required: true },
    handler: async (request) => {
      const { body, clientAddress, signal, origin, trace, log } = request;
      const mediatype = request.header('content-type');
      const asset = { body, mediatype, sentFilename: sentFilename(request), clientAddress, signal };
      const coded = await coder.code({ ...asset, isDescribed: true });
      const bindings = distinctBindings(await bindingsOf(coded, undefined, reader));
      const matches = await service.matchesOf(bindings, MATCHES_MAX, publicUrl ?? origin, trace);
      const { iscc, manifest } = coded;
      const described = await Promise.all(
        matches.map((match) => describe(service, options, match, log, trace)),
      );
      const credentials = manifest && (await withTrust(coded.credentials, manifest, validator));
      return json({
        iscc,
        mediatype: coded.mediatype,
        matches: described,
        ...(credentials !== undefined && { credentials }),
      });
    },
  });
  return [settings, check];
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
  const { signature } = await verdictOf(bytes, validator);
  return signature === 'trusted' ? { ...credentials, state: 'trusted' } : credentials;
}

function isValid(credentials: unknown): credentials is { readonly state: 'valid' } {
  return (credentials as { readonly state?: unknown } | undefined)?.state === 'valid';
}
