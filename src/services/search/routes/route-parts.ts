/** What the routes below `/indexes` have in common. */
import { z } from 'zod';
import type { Reply, Request, ResponseSpec, Route } from '../../../http/routing/route.js';
import type { Engine } from '../engine/port.js';
import { SearchRefusal } from '../errors.js';
import type { Access, Right } from '../keys/access.js';
import type { ApiKeys } from '../keys/api-keys.js';
import { noParameters } from '../schema.js';

const JSON_TYPE = 'application/json';

export interface RouteOptions {
  /** The index that an alias stands for. */
  readonly aliasTarget: (name: string) => string | undefined;
  /** Waits until reads see all acknowledged changes; see the engine. */
  readonly fresh?: Engine['fresh'];
  readonly bodyBytesMax: number;
  readonly keys: ApiKeys;
  /** Serves only this index, read-only; every other name and route is 404, before the key is checked. */
  readonly only?: string | undefined;
  /** Mode and network, shown by `/` and `/status`. */
  readonly mode?: ServiceMode;
  /** Members of `/status` that depend on the network. */
  readonly networkStatus?: () => Promise<object>;
  /** Further routes of aggregator mode. */
  readonly networkRoutes?: readonly Route[];
}

export type ServiceMode =
  | { readonly mode: 'normal'; readonly network: null }
  | { readonly mode: 'aggregator'; readonly network: string };

export const name = z.object({ name: z.string().describe('Name of the index') });
export const asset = name.extend({ iscc_id: z.string().describe('ISCC-ID with prefix') });

export const NOT_FOUND: ResponseSpec = { description: 'The index or asset does not exist.' };
export const REJECTED: ResponseSpec = { description: 'The content violates a rule.' };
export const INVALID: ResponseSpec = {
  description: 'The request violates the schema. Unknown query parameters are violations, too.',
};
export const BUSY: ResponseSpec = {
  description:
    'Too many requests are waiting, the index is being loaded or damaged, or its database is unreachable; see Retry-After.',
};
export const FULL: ResponseSpec = { description: 'The disk is full.' };
export const DENIED: Readonly<Record<401 | 403, ResponseSpec>> = {
  401: { description: 'X-API-Key is missing or unknown.' },
  403: { description: 'The API key lacks the right for this request.' },
};

/**
 * Common to all routes below `/indexes`: unknown parameters are refused, the key is checked before all else.
 *
 * @param right what the key must allow for the index in the path; without a name in the path, for any index
 */
export function guarded({ keys, only, aliasTarget, fresh }: RouteOptions, right: Right) {
  const security = { security: 'ApiKeyAuth', securityOptional: !keys.isRequired } as const;
  const guard = (request: Request) => {
    if (only !== undefined && !request.path.startsWith(`/indexes/${only}/`))
      throw new SearchRefusal('NOT_FOUND');
    const [access, name] = [accessOf(keys, request), nameIn(request.path)];
    if (name === undefined || access.coversAll) return access.require(right, name);
    const require = () => access.require(right, name, aliasTarget(name));
    return fresh === undefined ? require() : fresh().then(require);
  };
  return { query: noParameters, guard, right, ...security };
}

/** What the sender of a request may do. */
export function accessOf(keys: ApiKeys, request: Pick<Request, 'header'>): Access {
  return keys.access(request.header('x-api-key'));
}

/** The second segment of a path. */
function nameIn(path: string): string | undefined {
  const name = path.split('/')[2];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/**
 * A body that names an index in a member, checked for a key that does not cover all indexes.
 *
 * @throws {SearchRefusal} if the key does not cover the index
 */
export function coveredBody(body: Uint8Array, member: 'name' | 'index', access: Access): Uint8Array {
  // An empty body names nothing.
  if (access.coversAll || body.byteLength === 0) return body;
  const name = objectOf(body)[member];
  access.require('admin', typeof name === 'string' ? name : '');
  // The engine reads exactly what was checked.
  return Buffer.from(JSON.stringify({ [member]: name }));
}

function objectOf(json: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(Buffer.from(json).toString()) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

export function body(schema: z.ZodType, { bodyBytesMax }: RouteOptions) {
  return { kind: 'bytes', documented: schema, bytesMax: bodyBytesMax } as const;
}

/** The engine's JSON, unchanged. */
export function engineJson(bytes: Buffer, status: 200 | 201): Reply {
  return { status, body: { kind: 'bytes', bytes, contentType: JSON_TYPE } };
}
