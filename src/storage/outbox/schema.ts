/** What services show of the deliveries to a receiver. */
import { z } from 'zod';

export const deliveryState = z.object({
  delivered: z.int().min(0),
  failed: z.int().min(0).describe('Failed attempts'),
  waiting: z.int().min(0).describe('Events that wait for their delivery'),
  error: z.string().nullable().describe('Why the last failed attempt failed'),
});
