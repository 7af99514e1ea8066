/** Routes of the units that the flood guard has set aside. */
import { z } from 'zod';
import { json } from '../../../http/routing/replies.js';
import { type Route, route } from '../../../http/routing/route.js';
import { decision, type Quarantine, quarantined } from '../flood/quarantine.js';
import { afterUnit, PAGE_DEFAULT } from '../schema.js';
import { BUSY, DENIED, FULL, guarded, INVALID, NOT_FOUND, name, type RouteOptions } from './route-parts.js';

const BODY_BYTES_MAX = 4096;
const tags = ['quarantine'];
const path = '/indexes/{name}/quarantine';
const OFF = { description: 'The flood guard is off: `INDEXSVC_FLOOD_GUARD`.' };
const named = name.extend({ unit: z.string().describe('ISCC-UNIT, as it is listed') });

/** @param quarantine throws if the guard is off */
export function quarantineRoutes(quarantine: () => Quarantine, options: RouteOptions): Route[] {
  return [
    route({
      ...guarded(options, 'read'),
      method: 'GET',
      path,
      operationId: 'listQuarantine',
      summary: 'List the units that are set aside',
      description:
        'Stored units that suddenly matched far more searches than before. They make no asset a match, unless they were released.',
      tags,
      params: name,
      query: afterUnit,
      responses: {
        200: {
          description: 'Sorted by unit.',
          schema: z.object({
            units: z.array(quarantined),
            next: z.string().nullable().describe('Where to continue; `null` at the end'),
          }),
        },
        ...DENIED,
        404: NOT_FOUND,
        409: OFF,
        422: INVALID,
        503: BUSY,
      },
      handler: async ({ params, query }) =>
        json(await quarantine().list(params.name, query.after, query.limit ?? PAGE_DEFAULT)),
    }),
    route({
      ...guarded(options, 'admin'),
      method: 'PUT',
      path: `${path}/{unit}`,
      operationId: 'decideQuarantine',
      summary: 'Confirm or release a unit that is set aside',
      tags,
      params: named,
      body: { kind: 'json', schema: decision, bytesMax: BODY_BYTES_MAX },
      responses: {
        200: { description: 'Stored durably.', schema: quarantined },
        400: { description: 'The body is not JSON.' },
        ...DENIED,
        404: { description: 'The index does not exist, or the unit is not listed.' },
        409: OFF,
        422: INVALID,
        503: BUSY,
        507: FULL,
      },
      handler: async ({ params, body }) =>
        json(await quarantine().decide(params.name, params.unit, body.state)),
    }),
  ];
}
