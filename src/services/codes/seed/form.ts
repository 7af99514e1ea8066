/**
 * Seed metadata (iscc-schema 0.8.0): validates a JSON record and wraps its canonical form as the Data-URL for `meta`, so that
 * the Meta-Code depends on the identity of the work.
 */
import { z } from 'zod';
import { canonicalize, type Json } from '../../../platform/signing/jcs.js';

/** Default `@context` of the JSON-LD form. */
export const SEED_CONTEXT = 'http://purl.org/iscc/context/0.8.0.jsonld';

/** A valid record. Unknown keys are kept, as in JSON Schema. */
export interface Seed {
  readonly $schema: string;
  readonly '@context'?: string | Readonly<Record<string, unknown>> | undefined;
  readonly '@type'?: string | undefined;
  readonly [key: string]: unknown;
}

/** The schema of one type of records, named in capitals, from its own fields. */
export function seedOf<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.looseObject({
    $schema: z.literal(`http://purl.org/iscc/schema/${type.toLowerCase() as Lowercase<Type>}-0.8.0.json`),
    '@context': z.union([z.url(), z.record(z.string(), z.json())]).optional(),
    '@type': z.literal(type).optional(),
    ...fields,
  });
}

/** Length in code points, as JSON Schema counts; `String.length` counts UTF-16 units. */
export function textUpTo(charactersMax: number): z.ZodString {
  return z
    .string()
    .refine((text) => [...text].length <= charactersMax, `at most ${charactersMax} characters`);
}

/** @param meaning of the pattern, if it does not say so itself */
export function matching(pattern: RegExp, meaning?: string): z.ZodString {
  return z
    .string()
    .regex(pattern, `must match ${pattern.source}${meaning === undefined ? '' : ` (${meaning})`}`);
}

export const DAY = matching(/^\d{8}$/, 'YYYYMMDD');

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
export function parseSeed<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const seen = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    const field = issue.path.length > 0 ? String(issue.path[0]) : 'record';
    if (!seen.has(field)) seen.set(field, `${field}: ${issue.message}`);
  }
  throw new SeedInvalid([...seen.values()]);
}

/** The compact form, without the fields that only JSON-LD processors need. */
export function compactSeed<T extends Seed>(seed: T): T {
  const { '@context': _context, '@type': _type, ...compact } = seed;
  return compact as unknown as T;
}

/** The JSON-LD form, with `@context` (default: {@link SEED_CONTEXT}) and `@type`. */
export function linkedSeed<T extends Seed>(seed: T): T {
  const [, type = ''] = /([a-z]+)-[\d.]+\.json$/.exec(seed.$schema) ?? [];
  return { ...seed, '@context': seed['@context'] ?? SEED_CONTEXT, '@type': type.toUpperCase() };
}

/** The record's canonical JSON as a base64 Data-URL. JSON-LD has its own media type. */
export function seedDataUrl(seed: Seed): string {
  const type = seed['@context'] === undefined ? 'application/json' : 'application/ld+json';
  return `data:${type};base64,${Buffer.from(canonicalize(seed as Json)).toString('base64')}`;
}
