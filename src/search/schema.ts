/**
 * Schemas of requests and responses. Request bodies are only documented here: the engine checks them while it parses
 * them. `test/search/schema-agreement.test.ts` holds the two against each other.
 */
import { z } from 'zod';
import { ISCC_ID_PATTERN } from '../iscc-id.js';
import { EXTRA_FORBIDDEN, FIELD_REQUIRED, NOT_AN_INTEGER } from './issues.js';

export const LIMIT_DEFAULT = 100;
/** Also in the engine, which checks it. */
const LIMIT_MAX = 10_000;

const NAME_PATTERN = /^[a-z][a-z0-9]*$/;
const ISCC_CODE_PATTERN = /^ISCC:[A-Z2-7]{16,}$/;
const SIMPRINT_PATTERN = /^[A-Za-z0-9+/_=-]+$/;
const OFFSET_MAX = 4_294_967_295;

const isccId = z.string().regex(ISCC_ID_PATTERN).describe('ISCC-ID with prefix');
const isccCode = z.string().regex(ISCC_CODE_PATTERN).describe('ISCC-CODE with prefix');
const simprint = z
  .string()
  .regex(SIMPRINT_PATTERN)
  .describe('Simprint in the standard or URL-safe base64 alphabet');
const similarity = z.number().min(0).max(1);
const metadata = z.record(z.string(), z.json()).describe('Any JSON object; returned byte for byte');
/** Like the reference, the engine also reads integers from numeric strings and booleans. Only numbers are documented. */
const uint32 = z.preprocess(integerOf, z.int().min(0).max(OFFSET_MAX));
const storedSimprint = z.object({ simprint: simprint.min(11), offset: uint32, size: uint32 });
/** Of an object, only the member `simprint` counts. */
const querySimprint = z.union([simprint, z.object({ simprint })]);

/** Every known parameter is declared; others are refused, as a misspelled filter must not be ignored. */
export const noParameters = z.object({}).catchall(z.unknown().refine(() => false, EXTRA_FORBIDDEN));

const limit = z
  .string()
  .describe('Maximum number of matches, 1 to 10,000; scores do not depend on it')
  .meta({ type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })
  .transform((text, context) => {
    const digits = text.trim();
    // The engine checks the bounds. It would read an infinite number as 0.
    if (/^[+-]?\d+$/.test(digits)) return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
    context.addIssue({ code: 'custom', message: NOT_AN_INTEGER });
    return z.NEVER;
  })
  .optional();

export const searchParameters = noParameters.extend({ limit });

export const codeParameters = searchParameters.extend({
  iscc_code: z
    .string({ error: ({ input }) => (input === undefined ? FIELD_REQUIRED : undefined) })
    .describe('ISCC-CODE with prefix'),
});

export const newIndex = z
  .object({ name: z.string().regex(NAME_PATTERN).min(1).max(32) })
  .meta({ id: 'NewIndex' });

export const index = z
  .object({
    name: z.string(),
    assets: z.int().min(0),
    size: z.int().min(0).describe('MiB on disk, rounded down'),
    sizes: z.record(z.string(), z.int()).optional().describe('MiB per component'),
  })
  .meta({ id: 'Index' });

export const entry = z
  .object({
    iscc_id: isccId,
    iscc_code: isccCode.nullish(),
    units: z.array(z.string()).min(2).nullish().describe('ISCC-UNITs, prefix optional'),
    simprints: z
      .record(z.string(), z.array(storedSimprint).min(1).nullable())
      .nullish()
      .describe('Simprints by type. An update keeps the types that it does not name; `null` removes a type'),
    metadata: metadata.nullish(),
  })
  .meta({ id: 'Entry' });

export const addResult = z
  .object({ iscc_id: isccId, status: z.enum(['created', 'updated']) })
  .meta({ id: 'AddResult' });

/** Unknown members are refused: a misspelled member must not change a search silently. */
export const query = z
  .strictObject({
    iscc_id: isccId
      .nullish()
      .describe('Searches with the stored content of this asset; other fields are ignored'),
    iscc_code: isccCode.nullish(),
    units: z.array(z.string()).min(1).nullish(),
    simprints: z.record(z.string(), z.array(querySimprint).min(1)).nullish(),
  })
  .meta({ id: 'Query' });

/** For a query by ISCC-ID, absent members are `null`. */
const interpretedQuery = z.object({
  iscc_code: isccCode.nullish(),
  units: z.array(z.string()).nullish(),
  simprints: z.record(z.string(), z.array(simprint)).nullish(),
});

const scores = z.record(z.string(), similarity);

const globalMatch = z
  .object({
    iscc_id: isccId,
    score: similarity,
    types: scores.describe('Scores of the unit types that reach the threshold'),
    unit_scores: scores.describe('Same as `types`'),
    metadata: metadata.nullable(),
  })
  .meta({ id: 'GlobalMatch' });

const chunk = z.object({
  query: z.string(),
  match: z.string(),
  score: similarity,
  freq: z.int().min(1),
  offset: z.int().min(0),
  size: z.int().min(0),
  content: z.null(),
});

const chunkMatch = z
  .object({
    iscc_id: isccId,
    score: similarity,
    types: z.record(
      z.string(),
      z.object({
        score: similarity,
        matches: z.int().min(0),
        queried: z.int().min(1),
        chunks: z.array(chunk),
      }),
    ),
    source: z.string().nullable(),
    metadata: metadata.nullable(),
  })
  .meta({ id: 'ChunkMatch' });

export const searchResult = z
  .object({
    query: interpretedQuery.describe('The query as interpreted, with derived members'),
    global_matches: z.array(globalMatch),
    chunk_matches: z.array(chunkMatch),
  })
  .meta({ id: 'SearchResult' });

export const errorBody = z
  .object({
    detail: z.union([
      z.string(),
      z.array(
        z.object({
          type: z.string(),
          loc: z.array(z.union([z.string(), z.int()])),
          msg: z.string(),
          input: z.json().optional(),
          ctx: z.record(z.string(), z.json()).optional(),
        }),
      ),
    ]),
  })
  .meta({ id: 'Error' });

/** In aggregator mode there are more members: `index_name`, `index`, `list` and `hubs`. */
export const status = z
  .looseObject({
    version: z.string(),
    mode: z.enum(['normal', 'aggregator']),
    network: z.string().nullable(),
  })
  .meta({ id: 'Status' });

/** The number that a boolean or a decimal text stands for. Other values are returned unchanged. */
function integerOf(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  const isNumeric = typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value);
  return isNumeric ? Number(value) : value;
}
