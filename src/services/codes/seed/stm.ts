/** Seed metadata of scholarly works with a DOI (STM). */
import { z } from 'zod';
import { matching, parseSeed, seedOf, textUpTo } from './form.js';

const RESOURCE_TYPES = [
  ...[
    'JournalArticle',
    'Preprint',
    'ConferencePaper',
    'ReviewArticle',
    'BookChapter',
    'Book',
    'Dissertation',
  ],
  ...[
    'Report',
    'ReferenceEntry',
    'Dataset',
    'Software',
    'Model',
    'Workflow',
    'Protocol',
    'Image',
    'PeerReview',
  ],
  'Other',
];

/** Stages of a version (NISO RP-8-2008): author's original to enhanced version of record. */
const VERSIONS = ['AO', 'SMUR', 'AM', 'P', 'VoR', 'CVoR', 'EVoR'];

export const stmSeed = seedOf('STM', {
  // The pattern of iscc-schema admits capitals, its text does not: the same DOI would have two Meta-Codes.
  doi: matching(/^10\.\d{4,}\/.+$/, 'without https://doi.org/').refine(
    (doi) => doi === doi.toLowerCase(),
    'must be in lower case',
  ),
  resource_type: z.enum(RESOURCE_TYPES),
  title: textUpTo(128),
  publisher: textUpTo(100),
  pubyear: z.int().min(1000).max(9999),
  version_type: z.enum(VERSIONS).optional(),
  container_title: textUpTo(200).optional(),
  issn: matching(/^\d{4}-\d{3}[\dxX]$/).optional(),
});

export type StmSeed = z.output<typeof stmSeed>;

/** @throws {SeedInvalid} with one problem per invalid field */
export const parseStm = (value: unknown): StmSeed => parseSeed(stmSeed, value);
