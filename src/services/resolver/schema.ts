/** Limits and schemas of this service alone; those it shares with the store are in src/c2pa. */
import { z } from 'zod';
import { returnActiveManifest } from '../../c2pa/schema.js';

export const ALGORITHM_CHARS_MAX = 64;
export const VALUE_CHARS_MAX = 4096;

const manifestId = z.string().describe('Label of the active manifest, percent-encoded or with slashes');

export const manifestPath = z.object({ manifestId });

export const isccManifestPath = z.object({
  isccId: z.string().describe('ISCC-ID without prefix, in upper or lower case'),
  manifestId,
});

export const fetchQuery = z.object({ returnActiveManifest });
