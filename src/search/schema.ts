/** What goes in and out, for the documentation. The engine checks bodies itself, while it reads them. */
import { z } from 'zod';

const NAME_PATTERN = /^[a-z][a-z0-9]*$/;
const ISCC_ID_PATTERN = /^ISCC:[A-Z2-7]{16}$/;
const ISCC_CODE_PATTERN = /^ISCC:[A-Z2-7]{16,}$/;
const SIMPRINT_PATTERN = /^[A-Za-z0-9+/_=-]+$/;
const OFFSET_MAX = 4_294_967_295;

const isccId = z.string().regex(ISCC_ID_PATTERN).describe('ISCC-ID with prefix');
const isccCode = z.string().regex(ISCC_CODE_PATTERN).describe('ISCC-CODE with prefix');
const simprint = z.string().regex(SIMPRINT_PATTERN).describe('Simprint in either base64 alphabet');
const similarity = z.number().min(0).max(1);
const metadata = z.record(z.string(), z.json()).describe('Any JSON object; comes back byte for byte');

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
    iscc_code: isccCode.optional(),
    units: z.array(z.string()).min(2).optional().describe('ISCC-UNITs, prefix optional'),
    simprints: z
      .record(
        z.string(),
        z.array(
          z.object({
            simprint: simprint.min(11),
            offset: z.int().min(0).max(OFFSET_MAX),
            size: z.int().min(0).max(OFFSET_MAX),
          }),
        ),
      )
      .optional()
      .describe('Simprints by type; absent in an update keeps those that are stored'),
    metadata: metadata.optional(),
  })
  .meta({ id: 'Entry' });

export const addResult = z
  .object({ iscc_id: isccId, status: z.enum(['created', 'updated']) })
  .meta({ id: 'AddResult' });

export const query = z
  .object({
    iscc_id: isccId
      .optional()
      .describe('Searches with what is stored under this id; other fields are ignored'),
    iscc_code: isccCode.optional(),
    units: z.array(z.string()).min(1).optional(),
    simprints: z.record(z.string(), z.array(simprint).min(1)).optional(),
  })
  .meta({ id: 'Query' });

const scores = z.record(z.string(), similarity);

const globalMatch = z
  .object({
    iscc_id: isccId,
    score: similarity,
    types: scores.describe('Score per unit type, from the threshold on'),
    unit_scores: scores.describe('The same as `types`'),
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
    query: query.describe('The query as it was understood'),
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

export const status = z
  .object({ version: z.string(), mode: z.literal('normal'), network: z.null() })
  .meta({ id: 'Status' });
