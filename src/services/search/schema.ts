/**
 * Names of schemas and operations are those of the reference, so that code for its generated clients compiles with ours.
 *
 * Schemas of requests and responses. Request bodies are only documented here: the engine checks them while it parses
 * them. `test/search/schema-agreement.test.ts` holds the two against each other.
 */
import { z } from 'zod';
import { ISCC_ID_PATTERN } from '../../iscc/iscc-id.js';
import { EXTRA_FORBIDDEN, FIELD_REQUIRED, NOT_AN_INTEGER } from './issues.js';

export const LIMIT_DEFAULT = 100;
/** Also in the engine, which checks it. */
const LIMIT_MAX = 10_000;

export const NAME_PATTERN = /^[a-z][a-z0-9]*$/;
const ISCC_CODE_PATTERN = /^ISCC:[A-Z2-7]{16,}$/;
const SIMPRINT_PATTERN = /^[A-Za-z0-9+/_=-]+$/;
/** Of a text. Forms on the page of the API begin with it. */
const EXAMPLE_CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';
const OFFSET_MAX = 4_294_967_295;

export const isccId = z.string().regex(ISCC_ID_PATTERN).describe('ISCC-ID with prefix');
const isccCode = z.string().regex(ISCC_CODE_PATTERN).describe('ISCC-CODE with prefix');
const simprint = z
  .string()
  .regex(SIMPRINT_PATTERN)
  .describe('Simprint in the standard or URL-safe base64 alphabet');
const similarity = z.number().min(0).max(1);
const metadata = z
  .record(z.string(), z.unknown())
  .describe('Any JSON object, nested at most 60 levels deep; returned byte for byte');
/** Like the reference, the engine also reads integers from numeric strings and booleans. Only numbers are documented. */
const uint32 = z.preprocess(integerOf, z.int().min(0).max(OFFSET_MAX));
const storedSimprint = z
  .object({ simprint: simprint.min(11), offset: uint32, size: uint32 })
  .meta({ id: 'IsccSimprint' });
/** Of an object, only the member `simprint` counts. Only strings are documented. */
const querySimprint = z.preprocess(simprintOf, simprint);

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

const flag = (description: string) =>
  z
    .string()
    .refine((text) => text === 'true' || text === 'false', 'Input should be true or false')
    .describe(description)
    .meta({ type: 'boolean' })
    .transform((text) => text === 'true')
    .optional();

/** A number from 0 to 1. */
const share = (description: string) =>
  z
    .string()
    .refine(
      (text) => /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && Number(text) <= 1,
      'Input should be a number from 0 to 1',
    )
    .describe(description)
    .meta({ type: 'number', minimum: 0, maximum: 1 })
    .transform(Number)
    .optional();

/** Words separated by commas. */
const words = (description: string) =>
  z
    .string()
    .min(1, 'Input should not be empty')
    .describe(description)
    .transform((text) => text.split(',').map((word) => word.trim()))
    .optional();

const filters = z
  .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string()))
  .describe(
    'Condition on the metadata: `metadata.PATH = VALUE`, `metadata.PATH ends_with STRING` or `metadata.PATH exists`, for ' +
      'example `metadata.lang = "de"`. VALUE is a JSON string, number, boolean or null; an array matches if one of its ' +
      'items does. May be repeated: all must hold',
  )
  .optional();

const shownMetadata = {
  metadata: flag('Whether the response has metadata. Default: true'),
  fields: words(
    'Members of the metadata that the response has, separated by commas, for example `name,source`; or with `-` before each name those that it does not have, for example `-thumbnail`. Default: all',
  ),
};

/** Parameters of a request for an asset. */
export const assetParameters = noParameters.extend(shownMetadata);

export const searchParameters = noParameters.extend({
  limit,
  skip_featureless: flag(
    'Whether to leave out featureless Image-Codes, whose matches mean nothing. Default: `INDEXSVC_SKIP_FEATURELESS`',
  ),
  threshold: share(
    'Lowest similarity of a matching unit. At least `INDEXSVC_MATCH_THRESHOLD_UNITS`, or `INDEXSVC_THRESHOLD_FLOOR` if it is lower; only for indexes that match similar units',
  ),
  threshold_simprints: share(
    'Lowest similarity of a matching simprint. At least `INDEXSVC_MATCH_THRESHOLD_SIMPRINTS`, or `INDEXSVC_THRESHOLD_FLOOR` if it is lower; only for indexes that match similar units',
  ),
  unit_types: words(
    'Unit types to search with, separated by commas, for example `CONTENT_IMAGE_V0,DATA_NONE_V0`. Other units of the query are not searched',
  ),
  exclude: words('ISCC-IDs that are no matches, separated by commas'),
  min_score: share('Lowest score of a match'),
  filter: filters,
  not_in: z
    .string()
    .describe(
      'Name of another index. Units of the query that match there are not searched; the response has their texts in `suppressed`',
    )
    .optional(),
  cursor: z
    .string()
    .describe(
      '`*` for the first page, then the `next_cursor` of the last response, which is `null` at the end. Pages have `limit` matches',
    )
    .optional(),
  explain: z
    .string()
    .refine((text) => text === 'bits', 'Input should be bits')
    .describe('`bits`: each global match has the compared and the differing bits of each unit of the query')
    .meta({ enum: ['bits'] })
    .transform(() => true)
    .optional(),
  exact: flag('Whether to search without graphs, which may miss matches in large indexes'),
  ...shownMetadata,
});

export const codeParameters = searchParameters.extend({
  iscc_code: z
    .string({ error: ({ input }) => (input === undefined ? FIELD_REQUIRED : undefined) })
    .describe('ISCC-CODE with prefix'),
});

const afterId = isccId.describe('ISCC-ID to continue after; the asset does not have to exist').optional();

export const listParameters = noParameters.extend({ after: afterId, limit, filter: filters });

const PAGE_MAX = 1000;
export const PAGE_DEFAULT = 100;

const pageOf = (what: string) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= PAGE_MAX,
      `Input should be an integer from 1 to ${PAGE_MAX}`,
    )
    .describe(`Maximum number of ${what}. Default: ${PAGE_DEFAULT}`)
    .meta({ type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })
    .transform(Number)
    .optional();

/** Which watches to list. */
export const afterWatch = noParameters.extend({
  after: z.string().describe('Id to continue after').optional(),
  limit: pageOf('watches'),
});

/** Which units that are set aside to list. */
export const afterUnit = noParameters.extend({
  after: z.string().describe('Unit to continue after').optional(),
  limit: pageOf('units'),
});

const skip = z
  .string()
  .describe('For NDJSON: number of lines at the start to leave out, to resume an interrupted upload')
  .meta({ type: 'integer', minimum: 0, default: 0 })
  .transform((text, context) => {
    if (/^\d{1,15}$/.test(text.trim())) return Number(text);
    context.addIssue({ code: 'custom', message: NOT_AN_INTEGER });
    return z.NEVER;
  })
  .optional();

export const addLinesParameters = noParameters.extend({ skip });

/** What a client must send. It may send an `index`; the other members are ignored. */
export const newIndex = z.object({ name: z.string().regex(NAME_PATTERN).min(1).max(32) });

export const aliasTarget = z.strictObject({ index: z.string().describe('Name of an index') });

const path = z.string().max(256);

/** What a client must send to declare paths. */
export const newPaths = z.strictObject({
  paths: z
    .array(path)
    .max(16)
    .describe(
      'Paths such as `metadata.lang`; names with other characters than letters, digits, `_` and `-` in quotes',
    ),
});

export const paths = z
  .object({
    paths: z.array(
      z.object({
        path,
        state: z
          .enum(['building', 'ready'])
          .describe(
            '`building`: assets from before the declaration are being added; conditions do not use it yet',
          ),
      }),
    ),
  })
  .meta({ id: 'DeclaredPaths' });

export const alias = z
  .object({ name: z.string(), index: z.string().describe('Name of the index that it stands for') })
  .meta({ id: 'Alias' });

const segmentColumn = z
  .object({
    type: z
      .string()
      .describe('Unit type, for example `CONTENT_TEXT_V0`, or `SIMPRINT_` and the name of a simprint type'),
    bits: z.int().min(8).describe('Length of the units or simprints'),
    rows: z.int().min(0).describe('Units or simprints; in a column with lists or a graph, different ones'),
    lists: z.boolean().describe('Whether searches for near copies do not compare all rows'),
    graph: z.boolean().describe('Whether it has an HNSW graph'),
  })
  .meta({ id: 'SegmentColumn' });

const segment = z
  .object({
    kind: z
      .enum(['growing', 'full', 'sealed'])
      .describe(
        '`growing` takes new assets; a `full` one waits until it is written to a file, and is `sealed` then',
      ),
    assets: z.int().min(0),
    dead: z.int().min(0).describe('Replaced and deleted assets that are not removed yet'),
    columns: z.array(segmentColumn),
  })
  .meta({ id: 'IndexSegment' });

export const index = newIndex
  .extend({
    assets: z.int().min(0).optional().meta({ readOnly: true }),
    size: z.int().min(0).optional().describe('MiB on disk, rounded down').meta({ readOnly: true }),
    sizes: z.record(z.string(), z.int()).optional().describe('MiB per component').meta({ readOnly: true }),
    state: z
      .enum(['loading', 'damaged'])
      .optional()
      .describe('Absent if the index is ready. Requests to other indexes are 503')
      .meta({ readOnly: true }),
    progress: similarity
      .optional()
      .describe('Share of the check and of the loading that is done')
      .meta({ readOnly: true }),
    reason: z.string().optional().describe('Why the index is damaged').meta({ readOnly: true }),
    segments: z.array(segment).optional().describe('Segments of a large index').meta({ readOnly: true }),
  })
  .meta({ id: 'IsccIndex' });

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
  .meta({
    id: 'IsccEntry',
    example: { iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', iscc_code: EXAMPLE_CODE, metadata: { name: 'Example' } },
  });

export const addResult = z
  .object({ iscc_id: isccId, status: z.enum(['created', 'updated']) })
  .meta({ id: 'IsccAddResult' });

export const deletions = z.array(isccId);

export const deletionResult = z
  .object({ iscc_id: isccId, status: z.enum(['deleted', 'not_found']) })
  .meta({ id: 'DeletionResult' });

/** Unknown members are refused: a misspelled member must not change a search silently. */
export const query = z
  .strictObject({
    iscc_id: isccId
      .nullish()
      .describe('Searches with the stored content of this asset; other fields are ignored'),
    iscc_code: isccCode.nullish(),
    units: z.array(z.string()).min(1).nullish(),
    simprints: z.record(z.string(), z.array(querySimprint).min(1)).nullish(),
    metadata: z.unknown().optional().describe('Ignored, so that an entry can be sent as a query'),
  })
  .meta({ id: 'IsccQuery', example: { iscc_code: EXAMPLE_CODE } });

const scores = z.record(z.string(), similarity);

const compared = z
  .object({
    unit: z.string().describe('ISCC-UNIT of the query'),
    type: z.string().describe('Unit type, for example `CONTENT_TEXT_V0`'),
    bits: z.int().min(0).describe('Compared bits'),
    distance: z.int().min(0).describe('Differing bits'),
  })
  .meta({ id: 'ComparedUnit' });

const globalMatch = z
  .object({
    iscc_id: isccId,
    score: similarity,
    types: scores.describe('Scores of the unit types that reach the threshold'),
    unit_scores: scores.describe('Same as `types`'),
    metadata: metadata.nullable(),
    explain: z
      .array(compared)
      .optional()
      .describe('With `explain=bits`: for each unit of the query, the nearest unit of the match'),
  })
  .meta({ id: 'IsccGlobalMatch' });

const chunk = z
  .object({
    query: z.string(),
    match: z.string(),
    score: similarity,
    freq: z.int().min(1),
    offset: z
      .int()
      .min(0)
      .describe('Where the part begins in the asset: as stored, for audio and video in milliseconds'),
    size: z.int().min(0).describe('Length of the part'),
    content: z.string().nullable().describe('Always `null`: the index does not hold contents'),
  })
  .meta({ id: 'IsccMatchedChunk' });

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
  .meta({ id: 'IsccChunkMatch' });

export const searchResult = z
  .object({
    query: query.describe('The query as interpreted, with derived members. Absent members may be `null`'),
    global_matches: z.array(globalMatch),
    chunk_matches: z.array(chunkMatch),
    suppressed: z
      .array(z.string())
      .optional()
      .describe('With `not_in`: units of the query that were not searched'),
    next_cursor: z.string().nullable().optional().describe('With `cursor`: where the next page starts'),
  })
  .meta({ id: 'IsccSearchResult' });

/** In place of a result of several. */
export const searchFailure = z
  .object({ status: z.int().min(400).max(599), detail: z.unknown() })
  .meta({ id: 'SearchFailure' });

export const errorBody = z
  .object({
    detail: z.union([
      z.string(),
      z.array(
        z.object({
          type: z.string(),
          loc: z.array(z.union([z.string(), z.int()])),
          msg: z.string(),
          input: z.unknown().optional(),
          ctx: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    ]),
  })
  .meta({ id: 'HttpError' });

/** In aggregator mode there are more members: `index_name`, `index`, `list` and `hubs`. */
export const status = z
  .looseObject({
    version: z.string(),
    mode: z.enum(['normal', 'aggregator']),
    network: z.string().nullable(),
  })
  .meta({ id: 'Status' });

/** The simprint of an object. Other values are returned unchanged. */
function simprintOf(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && 'simprint' in value ? value.simprint : value;
}

/** The number that a boolean or a decimal text stands for. Other values are returned unchanged. */
function integerOf(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  const isNumeric = typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value);
  return isNumeric ? Number(value) : value;
}
