/**
 * Seed metadata of recordings (ISRC, IEP-0002): validates a JSON record and wraps its canonical form as the Data-URL
 * for `meta`, so that the Meta-Code depends on the identity of the recording.
 */
import { z } from 'zod';
import { canonicalize, type Json } from '../../../platform/signing/jcs.js';

/** Versioned `$schema` URL of this object type. */
export const ISRC_SCHEMA = 'http://purl.org/iscc/schema/isrc-0.8.0.json';

/** Default `@context` of the JSON-LD form. */
export const ISRC_CONTEXT = 'http://purl.org/iscc/context/0.8.0.jsonld';

const TITLE_CHARACTERS_MAX = 100;

/** Length in code points, as JSON Schema counts; `String.length` counts UTF-16 units. */
const title = z
  .string()
  .refine((text) => [...text].length <= TITLE_CHARACTERS_MAX, `at most ${TITLE_CHARACTERS_MAX} characters`);

/** Unknown keys are kept, as in JSON Schema. */
export const isrcSeed = z.looseObject({
  $schema: z.literal(ISRC_SCHEMA),
  '@context': z.union([z.url(), z.record(z.string(), z.json())]).optional(),
  '@type': z.literal('ISRC').optional(),
  isrc: z.string().regex(/^[A-Z]{2}-?\w{3}-?\d{2}-?\d{5}$/, 'must match ^[A-Z]{2}-?\\w{3}-?\\d{2}-?\\d{5}$'),
  main_artist: title,
  track_title: title,
  version_title: title,
  duration: z.int(),
  content_type: z.enum(['sound', 'video']),
  pubdate: z.string().regex(/^\d{8}$/, 'must match ^\\d{8}$ (YYYYMMDD)'),
});

export type IsrcSeed = z.output<typeof isrcSeed>;

/** The record violates the schema. `problems` has one line per invalid field. */
export class SeedInvalid extends Error {
  override readonly name = 'SeedInvalid';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Validates a record.
 *
 * @throws {SeedInvalid} with one problem per invalid field
 */
export function parseIsrc(value: unknown): IsrcSeed {
  const parsed = isrcSeed.safeParse(value);
  if (parsed.success) return parsed.data;
  const seen = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    const field = issue.path.length > 0 ? String(issue.path[0]) : 'record';
    if (!seen.has(field)) seen.set(field, `${field}: ${issue.message}`);
  }
  throw new SeedInvalid([...seen.values()]);
}

/** The compact form, without the fields that only JSON-LD processors need. */
export function compactIsrc(seed: IsrcSeed): IsrcSeed {
  const { '@context': _context, '@type': _type, ...compact } = seed;
  return compact as IsrcSeed;
}

/** The JSON-LD form, with `@context` (default: {@link ISRC_CONTEXT}) and `@type`. */
export function linkedIsrc(seed: IsrcSeed): IsrcSeed {
  return { ...seed, '@context': seed['@context'] ?? ISRC_CONTEXT, '@type': 'ISRC' };
}

/** The record's canonical JSON as a base64 Data-URL. JSON-LD has its own media type. */
export function seedDataUrl(seed: IsrcSeed): string {
  const type = seed['@context'] === undefined ? 'application/json' : 'application/ld+json';
  return `data:${type};base64,${Buffer.from(canonicalize(seed as Json)).toString('base64')}`;
}
