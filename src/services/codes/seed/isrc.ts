/** Seed metadata of recordings (ISRC, IEP-0002). */
import { z } from 'zod';
import { compactSeed, DAY, linkedSeed, matching, parseSeed, SEED_CONTEXT, seedOf, textUpTo } from './form.js';

export { SeedInvalid, seedDataUrl } from './form.js';

/** Versioned `$schema` URL of this object type. */
export const ISRC_SCHEMA = 'http://purl.org/iscc/schema/isrc-0.8.0.json';

export const ISRC_CONTEXT = SEED_CONTEXT;

const title = textUpTo(100);

export const isrcSeed = seedOf('ISRC', {
  isrc: matching(/^[A-Z]{2}-?\w{3}-?\d{2}-?\d{5}$/),
  main_artist: title,
  track_title: title,
  version_title: title,
  duration: z.int(),
  content_type: z.enum(['sound', 'video']),
  pubdate: DAY,
});

export type IsrcSeed = z.output<typeof isrcSeed>;

/** @throws {SeedInvalid} with one problem per invalid field */
export const parseIsrc = (value: unknown): IsrcSeed => parseSeed(isrcSeed, value);

/** The compact form, without the fields that only JSON-LD processors need. */
export const compactIsrc = (seed: IsrcSeed): IsrcSeed => compactSeed(seed);

/** The JSON-LD form, with `@context` (default: {@link ISRC_CONTEXT}) and `@type`. */
export const linkedIsrc = (seed: IsrcSeed): IsrcSeed => linkedSeed(seed);
