/** What a client sends of a watch, and the parameters of the search that it stands for. */
import { z } from 'zod';
import { present } from '../../../platform/present.js';
import { deliveryState } from '../../../storage/outbox/schema.js';
import { isccId, query } from '../schema.js';
import type { SearchParameters } from '../selection.js';

const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Of a watch, all members together. A code has some 200 bytes, a simprint 50. */
export const WATCH_BYTES_MAX = 262_144;

const ONCE_PATTERN = /^metadata(?:\.[\w-]{1,64}){1,8}$/;
const ONCE_RULE =
  'once must be metadata and the names of 1 to 8 members, such as metadata.gateway; names have letters, digits, _ and -';

const share = z.number().min(0).max(1);

export const ID_RULE =
  'an id has 1 to 64 letters, digits, dots, underscores and hyphens, and begins with a letter or digit';

export function isWatchId(text: string): boolean {
  return ID_PATTERN.test(text);
}

export const watchId = z
  .string()
  .describe('1 to 64 letters, digits, `.`, `_` and `-`; the first is a letter or digit');

/** Of watches for units that are set aside. Others have a member. */
export const QUARANTINE_QUERY = '{}';

/** Members besides the query. */
const settings = {
  threshold: share.optional().describe('Lowest similarity of a matching unit, as of a search'),
  threshold_simprints: share.optional().describe('Lowest similarity of a matching simprint, as of a search'),
  min_score: share.optional().describe('Lowest score of a match'),
  unit_types: z
    .array(z.string())
    .max(32)
    .optional()
    .describe('Unit types to compare, for example `DATA_NONE_V0`'),
  exclude: z.array(isccId).max(100).optional().describe('ISCC-IDs of assets that are not reported'),
  filter: z
    .array(z.string().max(1024))
    .max(16)
    .optional()
    .describe('Conditions on the metadata; all must hold'),
  skip_featureless: z.boolean().optional().describe('Whether to leave out featureless Image-Codes'),
  once: z
    .string()
    .regex(ONCE_PATTERN, ONCE_RULE)
    .optional()
    .describe(
      'Path to a value of the metadata, for example `metadata.gateway`: then only assets that match and have a value are ' +
        'reported, and of those with the same value only the first, as long as the watch exists',
    ),
  webhook: z.string().optional().describe('Address that gets the events. Absent: only the stream has them'),
};

/** The body of a request. */
export const newWatch = z
  .strictObject({
    query: query.omit({ iscc_id: true }).optional(),
    same_as: isccId
      .optional()
      .describe('In place of `query`: the content that this asset has now. The asset itself is not reported'),
    quarantine: z
      .literal(true)
      .optional()
      .describe(
        'In place of `query`: reports each unit that the flood guard sets aside. May have a `webhook` only',
      ),
    ...settings,
  })
  .meta({ id: 'NewWatch' });

export type NewWatch = z.output<typeof newWatch>;

export const watch = z
  .object({
    id: watchId,
    query: query.omit({ iscc_id: true, metadata: true }).describe('As interpreted, with derived members'),
    same_as: isccId.optional(),
    quarantine: z.literal(true).optional(),
    ...settings,
    created_at: z.string().describe('RFC 3339'),
    secret: z
      .string()
      .optional()
      .describe(
        'Of the signatures of a webhook. Only in the response to the request that made or changed the watch',
      ),
    delivery: deliveryState.optional().describe('Of a webhook'),
  })
  .meta({ id: 'Watch' });

export type Watch = z.output<typeof watch>;

/** The names of the members that lead to the value of `once`. */
export function onceOf(settings: string): readonly string[] | undefined {
  const { once } = JSON.parse(settings) as Omit<NewWatch, 'query'>;
  return once?.split('.').slice(1);
}

/** Whether settings, as JSON, are those of a watch for units that are set aside. */
export function isOfQuarantine(settings: string): boolean {
  const { quarantine } = JSON.parse(settings) as Omit<NewWatch, 'query'>;
  return quarantine === true;
}

/** Parameters of the search that settings, as JSON, stand for. */
export function parametersOf(text: string): Omit<SearchParameters, 'limit'> {
  const {
    threshold,
    threshold_simprints,
    min_score,
    unit_types,
    exclude,
    filter,
    skip_featureless,
    same_as,
  } = JSON.parse(text) as Omit<NewWatch, 'query'>;
  const excluded = [...(exclude ?? []), ...(same_as === undefined ? [] : [same_as])];
  const selection = present({
    threshold,
    thresholdSimprints: threshold_simprints,
    minScore: min_score,
    unitTypes: unit_types,
    exclude: excluded.length === 0 ? undefined : excluded,
    filters: filter,
    fields: [] as string[],
  });
  return { selection, ...(skip_featureless !== undefined && { skipFeatureless: skip_featureless }) };
}
