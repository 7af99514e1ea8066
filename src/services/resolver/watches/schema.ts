/** What clients send and get of watches for manifests. */
import { z } from 'zod';
import { deliveryState } from '../../../storage/outbox/schema.js';

const ID_PATTERN = /^[\w-]{22,54}$/;
export const ID_RULE = 'an id has 22 to 54 letters, digits, underscores and hyphens';

/** Long enough to be a secret: every client that knows an id can read and delete the watch. */
export function isManifestWatchId(text: string): boolean {
  return ID_PATTERN.test(text);
}

export const manifestWatchPath = z.object({
  id: z.string().describe('22 to 54 letters, digits, `_` and `-`. A secret: choose it at random'),
});

const iscc = z
  .string('iscc must be an ISCC-CODE, ISCC-UNIT or ISCC-ID')
  .max(1024, 'iscc must have at most 1024 characters')
  .describe('ISCC-CODE or ISCC-UNIT of the content, or the ISCC-ID of a declaration of it');

const minScore = z
  .int('minScore must be an integer from 0 to 100')
  .min(0, 'minScore must be an integer from 0 to 100')
  .max(100, 'minScore must be an integer from 0 to 100')
  .optional()
  .describe('Lowest similarity of the declared content. Default: the lowest that queries report');

const webhook = z
  .string('webhook must be an address')
  .max(4096, 'webhook must have at most 4096 characters')
  .optional()
  .describe('Public https address that gets the events. Absent: only the stream has them');

export const newManifestWatch = z.strictObject({ iscc, minScore, webhook }).meta({ id: 'NewManifestWatch' });

export type NewManifestWatch = z.output<typeof newManifestWatch>;

export const manifestWatch = z
  .object({
    id: z.string(),
    units: z.array(z.string()).describe('What declarations are compared with'),
    minScore,
    webhook,
    createdAt: z.string().describe('RFC 3339'),
    secret: z
      .string()
      .optional()
      .describe('Of the signatures of the webhook. Only in the response to the request that made the watch'),
    delivery: deliveryState.optional().describe('Of the webhook'),
  })
  .meta({ id: 'ManifestWatch' });

export type ManifestWatch = z.output<typeof manifestWatch>;
