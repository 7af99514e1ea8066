/** Schemas of the rights look-up. */
import { z } from 'zod';
import { wholeNumber } from '../../../http/request/whole-number.js';

/** The uses that are always in the summary. CAWG names them with `cawg.` instead of `c2pa.`. */
export const USES = [
  'c2pa.data_mining',
  'c2pa.ai_training',
  'c2pa.ai_generative_training',
  'c2pa.ai_inference',
] as const;

export const permission = z.enum(['allowed', 'notAllowed', 'constrained']);
export type Permission = z.infer<typeof permission>;

export const SIGNATURES = ['trusted', 'valid', 'invalid', 'notChecked', 'none'] as const;
const signature = z
  .enum(SIGNATURES)
  .describe(
    '`trusted`: valid, by a signer that a trust anchor vouches for; `valid`: by another signer; `invalid`: broken, or of ' +
      'other bytes; `notChecked`: not available or not checked; `none`: unsigned',
  );

const statement = z
  .object({
    use: z.string().describe('The use, in the vocabulary of the summary'),
    permission,
    field: z.string().describe('The entry or metadata field that says so'),
    value: z.string().describe('Its value, unchanged'),
    implied: z
      .boolean()
      .describe('Whether the field does not name this use, but reserves a wider one that includes it'),
    detail: z.string().optional().describe('Policy or constraint: an address or text'),
  })
  .meta({ id: 'RightsStatement' });
export type Statement = z.infer<typeof statement>;

/** From the smallest part of AI to the largest. */
export const INVOLVEMENTS = ['human', 'ai_assisted', 'human_supervised', 'ai_generated'] as const;
export const involvement = z
  .enum(INVOLVEMENTS)
  .describe('Part of generative AI, in the terms of iscc-schema 0.8.0');
export type Involvement = z.infer<typeof involvement>;

const disclosure = z
  .object({
    involvement,
    field: z.string().describe('The entry or metadata field that says so'),
    value: z.string().describe('Its value, unchanged'),
    system: z.string().optional().describe('Name of the AI system'),
  })
  .meta({ id: 'AiDisclosure' });
export type Disclosure = z.infer<typeof disclosure>;

const source = z
  .object({
    id: z.string().describe('Named by the summary'),
    kind: z
      .enum(['manifest', 'metadata', 'declaration', 'tdm', 'genai', 'html', 'http', 'tdmrep'])
      .describe(
        'A C2PA manifest; metadata fields of the file; an entry of the index whose address says nothing; and at an address: `TDM` ' +
          'and `GenAI` objects of iscc-schema, `meta` elements of the page, its HTTP headers, the `tdmrep.json` of its server',
      ),
    place: z
      .enum(['file', 'match', 'address'])
      .describe(
        'In the file itself; found by its code, and then about equal or similar content; or at the address that the request names',
      ),
    signature,
    counts: z.boolean().describe('Whether the summary rests on its statements'),
    problem: z.string().optional().describe('Why it does not count, or why it is not complete'),
    statements: z.array(statement).describe('Empty if it says nothing about these uses'),
    disclosures: z
      .array(disclosure)
      .optional()
      .describe('What it says about the part of AI in making the content; absent if nothing'),
    by: z.string().optional().describe('The signer; for metadata, the creator or owner that the file names'),
    issuer: z.string().optional().describe('Organisation of the signing certificate'),
    since: z.string().optional().describe('RFC 3339, or as in the file'),
    sinceFrom: z
      .enum(['timestamp', 'declaration', 'metadata', 'server', 'read'])
      .optional()
      .describe(
        'Who says since when: a time-stamp authority, the hub that issued the ISCC-ID, the file, the server (`Last-Modified`); ' +
          '`read`: when it was read',
      ),
    manifestId: z.string().optional(),
    isccId: z.string().optional().describe('The declaration that led to it'),
    gateway: z.string().optional().describe('Address in that declaration'),
    address: z.string().optional().describe('Where it was read, if not in the file'),
    similarityScore: z.int().optional().describe('100: the same bytes; less: similar content'),
  })
  .meta({ id: 'RightsSource' });
export type Source = z.infer<typeof source>;

const summaryEntry = z
  .object({
    status: z
      .enum(['allowed', 'notAllowed', 'constrained', 'unspecified', 'conflicting'])
      .describe('What all its sources say; `conflicting` if they differ, `unspecified` without any'),
    sources: z.array(z.string()).describe('Ids of the sources that it rests on'),
    signature: signature.optional().describe('Weakest signature of these sources'),
    implied: z.boolean().optional().describe('Whether none of them names this use'),
  })
  .meta({ id: 'RightsSummary' });
export type SummaryEntry = z.infer<typeof summaryEntry>;

const reasons = {
  sources: z.array(z.string()).describe('Ids of the sources that it rests on'),
  signature: signature.optional().describe('Weakest signature of these sources'),
  by: z.array(z.string()).optional().describe('Who says so, as the sources name them'),
};

const answers = z
  .object({
    mayTrain: z
      .object({
        answer: z
          .enum(['yes', 'no', 'onConditions', 'unspecified', 'conflicting'])
          .describe(
            'Whether the content may train models, generative ones included: `no` if one kind is not allowed, `yes` if both are',
          ),
        ...reasons,
      })
      .meta({ id: 'MayTrain' }),
    madeByAi: z
      .object({
        answer: z
          .enum([...INVOLVEMENTS, 'unspecified', 'conflicting'])
          .describe('What all sources that speak about it say; of one source, the largest part of AI counts'),
        ...reasons,
      })
      .meta({ id: 'MadeByAi' }),
  })
  .meta({ id: 'RightsAnswers' });
export type Answers = z.infer<typeof answers>;

export const rightsReport = z
  .object({
    iscc: z.string().describe('The code that was looked up'),
    summary: z
      .record(z.string(), summaryEntry)
      .describe(`Per use: ${USES.map((use) => `\`${use}\``).join(', ')}, and others that a source names`),
    answers,
    complete: z
      .boolean()
      .describe('Whether every source that was found could be read. If not, there may be further statements'),
    sources: z.array(source),
  })
  .meta({ id: 'RightsReport' });
export type RightsReport = z.infer<typeof rightsReport>;

const ISCC_CHARS_MAX = 512;
const CODE_RULE = 'iscc must be an ISCC-CODE or ISCC-UNIT';

export const codeQuery = z
  .object({ iscc: z.string(CODE_RULE).min(1, CODE_RULE).max(ISCC_CHARS_MAX, CODE_RULE) })
  .meta({ id: 'RightsCodeQuery' });

const SCORE_RULE = 'minScore must be an integer from 1 to 100';
export const SCORE_DEFAULT = 90;

const URL_RULE = 'sourceUrl must be an https URL of at most 4096 characters';

export const rightsParameters = z.object({
  sourceUrl: z
    .url({ protocol: /^https?$/, error: URL_RULE })
    .max(4096, URL_RULE)
    .optional()
    .describe(
      'Address that the content comes from: what its page, its HTTP headers and the `tdmrep.json` of its server say is read, too',
    ),
  minScore: wholeNumber(SCORE_RULE, 1, 100)
    .optional()
    .describe(
      `Lowest similarity, in per cent, of the content whose statements count for the summary; default ${SCORE_DEFAULT}. Others are listed`,
    )
    .meta({ type: 'integer', minimum: 1, maximum: 100, default: SCORE_DEFAULT }),
});
