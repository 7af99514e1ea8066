/** HTTP routes that bind values to stored manifests: the capability `storeBindings`. */
import { type Request, type ResponseSpec, type Route, route } from '../../../http/routing/route.js';
import { THROTTLED, type Throttle } from '../../../platform/limits/throttle.js';
import { type BindingRequest, bindingQuery, bindingRequest } from '../schema.js';
import type { StoreService } from '../service.js';
import { type Callers, publisherOf } from '../tokens/callers.js';
import { TokenLimit } from '../tokens/token-limit.js';

/** A value has at most 64 KiB in the body of a query, too. */
const BODY_BYTES_MAX = 64 * 1024;
const SCOPE = 'store:bindings';

const RESPONSES: Readonly<Record<number, ResponseSpec>> = {
  204: { description: 'The manifest is found by the value.' },
  400: { description: 'The request breaks a rule, or the manifest would have too many bindings.' },
  401: { description: 'The token is missing or invalid.' },
  403: { description: 'The upload token lacks the scope, or the manifest belongs to another publisher.' },
  404: { description: 'The manifest does not exist.' },
  410: { description: 'The manifest was deleted.' },
  429: THROTTLED,
  503: { description: 'The database is unavailable; see Retry-After.' },
  507: { description: 'No space left on the disk.' },
};

export function bindingRoutes(
  service: StoreService,
  { callers, throttle }: { readonly callers: Callers; readonly throttle: Throttle },
): Route[] {
  const limit = new TokenLimit(callers, throttle);
  const common = {
    path: '/v1/bindings',
    tags: ['bindings'],
    query: bindingQuery,
    body: { kind: 'json', schema: bindingRequest, bytesMax: BODY_BYTES_MAX },
    guard: (request: Request) => limit.check(request, SCOPE, 'binding'),
    security: 'bearer',
  } as const;
  const handled =
    (move: boolean) =>
    async (request: Request<undefined, { declare?: boolean | undefined }, undefined, BindingRequest>) => {
      const { body, query, clientAddress, trace } = request;
      const publisher = publisherOf(await callers.authorized(request, SCOPE));
      const actor = { kind: 'token', name: publisher, origin: clientAddress } as const;
      await service.bind(body, { move, publisher, actor, declare: query.declare, trace });
      return { status: 204 };
    };
  return [
    route({
      ...common,
      method: 'POST',
      operationId: 'associateManifest',
      summary: 'Bind a value to a stored manifest that does not name it',
      description:
        'Queries by the value then find the manifest, as if its soft bindings named it. Requires `Authorization: Bearer` with ' +
        'an upload token of the publisher that has the scope `store:bindings`, or with the operator token. A value that the ' +
        'manifest has already changes nothing. A delete of the manifest removes its added bindings, and a restore brings them back.',
      responses: RESPONSES,
      handler: handled(false),
    }),
    route({
      ...common,
      method: 'PUT',
      operationId: 'updateAssociatedManifest',
      summary: 'Bind a value to another stored manifest',
      description:
        'Like POST, but the value must have been bound by POST, and is no longer bound to the manifests that it was bound to. ' +
        'Bindings that a manifest names itself stay.',
      responses: {
        ...RESPONSES,
        404: { description: 'The manifest does not exist, or the value was added to no stored manifest.' },
      },
      handler: handled(true),
    }),
  ];
}
