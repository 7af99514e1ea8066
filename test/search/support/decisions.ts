/**
 * Every recorded exchange to which this service responds differently from the reference, and why. A decision without a
 * difference fails the test, just like a difference without a decision.
 */
import { expect } from 'vitest';
import { ENGINES, has } from './engines.js';
import type { Backend } from './locations.js';

export interface Decision {
  readonly steps: readonly string[];
  /** Engines, or those whose recording is expected. Default: all. */
  readonly backends?: readonly Backend[];
  readonly reason: string;
  /** Our status. Default: as recorded. */
  readonly status?: number;
  /** Our `detail`. */
  readonly detail?: string | RegExp;
  /** A part of our body. */
  readonly has?: unknown;
  /** ISCC-IDs of our global matches, in order. */
  readonly globalIds?: readonly string[];
  /** ISCC-IDs of our chunk matches, in order. */
  readonly chunkIds?: readonly string[];
}

const ZERO = 'ISCC:MAIGBISBQHSEJW52';
const SAME_UNITS_AS_ZERO = 'ISCC:MAIGBISBQHVZPVXW';
const SIMPRINTS_1 = 'ISCC:MAIGBISBQHYPNV7U';
const SIMPRINTS_2 = 'ISCC:MAIGBISBQHYTKWUI';
const SIMPRINTS_ONLY = 'ISCC:MAIGBISBQHZ2MWJJ';
/** Assets with a Meta-Code equal to or near that of {@link ZERO}. */
const NEAR_META = ['WQ5U2I', 'WYXW3J', 'SIGW66', 'SMDWRP'].map((end) => `ISCC:MAIGBISBQH${end}`);

const STORED: readonly Backend[] = ['lmdb', 'usearch'];
const COUNT = '`count` must be >= 1';
const LIMIT = 'limit must be at most 10000';
const NOTHING_TO_FIND = "Asset must have 'iscc_code' or 'units'";
const OTHER_REALM = /^Realm ID mismatch: index has realm=\d, but asset /;

export const DECISIONS: readonly Decision[] = [
  // Documents and probes.
  {
    steps: ['root-json', 'auth-none /'],
    reason: 'the service has its own name, description and version',
    has: { mode: 'normal', network: null, docs: '/docs', version: expect.any(String) },
  },
  {
    steps: ['status', 'auth-none /status'],
    reason: 'the service has its own version',
    has: { mode: 'normal', network: null, version: expect.any(String) },
  },
  { steps: ['head-healthz'], reason: 'HEAD is allowed wherever GET is', status: 200 },

  // Keys.
  {
    steps: ['auth-none-malformed'],
    reason: 'the key is checked before the body is read',
    status: 401,
    detail: 'Unauthorized',
  },
  {
    steps: ['auth-non-ascii'],
    reason: 'D10: a non-ASCII key is a wrong key, not an internal error',
    status: 401,
    detail: 'Unauthorized',
  },

  // What an asset needs.
  {
    steps: ['add-id-only', 'add-bad-units-null'],
    reason: 'an asset needs a code, units or simprints',
    status: 400,
    detail: NOTHING_TO_FIND,
  },
  {
    steps: ['get-id-only', 'search-iscc-id-id-only'],
    reason: 'the asset without content was refused',
    status: 404,
    detail: /^Asset 'ISCC:MAIGBISBQHTDRVQO' not found/,
  },
  {
    steps: ['add-bad-units-iscc-code', 'add-bad-units-iscc-id'],
    reason: 'ISCC-CODEs and ISCC-IDs are not units',
    status: 400,
    detail: /^Not an ISCC-UNIT: /,
  },
  {
    steps: ['add-bad-units-trailing-bytes'],
    reason: 'the length in the header must match the body',
    status: 400,
    detail: 'Invalid ISCC - the header says 8 bytes of body, but there are 13',
  },
  {
    steps: ['add-bad-code-undecodable'],
    reason: 'codes are decoded when they are added, like units',
    status: 400,
    detail: 'Incorrect padding',
  },

  // Realms.
  {
    steps: ['rf-count'],
    backends: ['lmdb'],
    reason: 'D3: a refused first batch leaves a working, empty index',
    status: 200,
    has: { name: 'rf', assets: 0 },
  },
  {
    steps: ['rf-add-realm0'],
    reason: 'D12: a refused first batch does not fix the realm',
    status: 201,
    has: [{ status: 'created' }],
  },
  {
    steps: ['rf-add-realm1'],
    reason: 'D12: the first stored batch fixes the realm, in every backend',
    status: 400,
    detail: OTHER_REALM,
  },
  {
    steps: ['rf-search'],
    backends: ['lmdb'],
    reason: 'D3: a refused first batch leaves a working index',
    status: 200,
  },
  {
    steps: ['restart-rf-add'],
    backends: STORED,
    reason: 'D12: the asset was stored before the restart',
    status: 201,
    has: [{ status: 'updated' }],
  },

  // Counts that follow from what is refused.
  {
    steps: ['list-final', 'restart-list'],
    backends: ['lmdb'],
    reason: 'refused assets are not counted, and rf works (D3)',
    has: expect.arrayContaining([
      expect.objectContaining({ name: 'main', assets: 17 }),
      expect.objectContaining({ name: 'sp', assets: 9 }),
      expect.objectContaining({ name: 'rf', assets: 1 }),
    ]),
  },
  {
    steps: ['list-final', 'restart-list'],
    backends: ['usearch'],
    reason: 'refused assets are not counted; the reference kept one of them (D5)',
    has: expect.arrayContaining([
      expect.objectContaining({ name: 'main', assets: 17 }),
      expect.objectContaining({ name: 'sp', assets: 8 }),
    ]),
  },

  // Assets.
  {
    steps: ['delete-asset'],
    reason: 'assets can be deleted; the test restores it for the following steps',
    status: 204,
  },
  {
    steps: ['sp-get'],
    backends: STORED,
    reason: 'an entry is returned with its simprints',
    has: {
      iscc_id: SIMPRINTS_1,
      simprints: { CONTENT_TEXT_V0: [{ offset: 0 }, { offset: 100 }, { offset: 150 }] },
    },
  },
  {
    steps: [
      'search-old-units-after-update',
      'search-after-drop-units',
      'search-iscc-id-code-only',
      'search-code-only-asset-code',
    ],
    backends: ['lmdb'],
    reason: 'D4: units of a replaced asset are no longer found',
    globalIds: [],
  },
  {
    steps: ['search-after-drop-units'],
    backends: ['usearch'],
    reason: 'D4: units of a replaced asset are no longer found',
    globalIds: [],
  },

  // Limits.
  {
    steps: ['search-limit-0', 'search-limit--1', 'search-limit--2'],
    backends: ['lmdb'],
    reason: 'a limit is at least 1, in every backend',
    status: 400,
    detail: COUNT,
  },
  { steps: ['sp-search-limit0'], reason: 'a limit is at least 1', status: 400, detail: COUNT },
  {
    steps: ['search-limit-100000', 'search-limit-99999999999999999999'],
    reason: 'D10: a limit is at most 10,000; a larger one is refused, not an internal error',
    status: 400,
    detail: LIMIT,
  },
  {
    steps: ['search-code-get-limit', 'search-units-limit1'],
    backends: ['usearch'],
    reason: 'D9: of two equal scores, the match with more units comes first',
    globalIds: [ZERO],
  },
  {
    steps: ['search-units-limit2'],
    backends: ['usearch'],
    reason: 'D9: of two equal scores, the match with more units comes first',
    globalIds: [ZERO, SAME_UNITS_AS_ZERO],
  },

  // Codes in the query string.
  {
    steps: [
      'search-get-bad-code-garbage',
      'search-get-bad-code-short',
      'search-get-bad-code-lower',
      'search-get-empty-param',
    ],
    reason: "the rule without the text of the reference's library",
    status: 400,
    detail: "iscc_code: String should match pattern '^ISCC:[A-Z2-7]{16,}$'",
  },

  // Simprints.
  {
    steps: ['sp-search-before-add', 'sp-search-miss', 'sp-search-flipped', 'sp-search-partial'],
    backends: ['lmdb'],
    reason: 'D2: the exact backend searches simprints by equality and drops coverage x quality < 0.75',
    status: 200,
    globalIds: [],
    chunkIds: [],
  },
  {
    steps: ['sp-search-exact', 'sp-search-two-types', 'sp-search-dup-query', 'sp-search-limit1'],
    backends: ['lmdb'],
    reason: 'D2: the exact backend searches simprints',
    status: 200,
    globalIds: [],
  },
  {
    steps: ['sp-search-unknown-type'],
    backends: ['lmdb'],
    reason: 'D2: the exact backend searches simprints; an unknown type matches nothing',
    status: 200,
    chunkIds: [],
  },
  {
    steps: ['sp-search-wrong-size', 'sp-search-mixed-size'],
    backends: ['lmdb'],
    reason: 'D2: the exact backend compares simprints of any length',
    status: 200,
  },
  {
    steps: ['sp-search-wrong-size'],
    backends: ['usearch'],
    reason: 'the text goes on with the type and both lengths',
    detail: /^The number of vector dimensions doesn't match! .* of the query has 128 bits, others have 256$/,
  },
  {
    steps: ['sp-search-mixed-size'],
    backends: ['usearch'],
    reason: 'the text goes on with the type',
    detail: /^all input arrays must have the same shape: .* 'CONTENT_TEXT_V0' of several lengths$/,
  },
  {
    steps: ['sp-add-other-ndim'],
    backends: ['usearch'],
    reason: 'the text goes on with the type, the asset and both lengths',
    detail:
      /^The number of vector dimensions doesn't match! .* of asset 'ISCC:\w+' has 128 bits, others have 256$/,
  },
  {
    steps: ['sp-search-combined'],
    backends: ['lmdb'],
    reason: 'D2: the exact backend searches simprints',
    globalIds: [SIMPRINTS_1],
    chunkIds: [SIMPRINTS_1, SIMPRINTS_2],
  },
  {
    steps: ['sp-search-std-b64', 'sp-search-after-other-ndim', 'sp-search-after-update'],
    backends: ['lmdb'],
    reason: 'D2: the exact backend searches simprints',
    status: 200,
    globalIds: [],
  },
  {
    steps: ['sp-search-after-readd-without', 'sp-only-search', 'restart-sp'],
    backends: ['lmdb'],
    reason: 'D2: the exact backend searches simprints',
    status: 200,
    globalIds: [],
  },
  {
    steps: ['restart-search'],
    backends: ['lmdb'],
    reason: 'D1: the first search after a restart works',
    status: 200,
  },
  {
    steps: [
      'sp-search-exact',
      'sp-search-two-types',
      'sp-search-flipped',
      'sp-search-partial',
      'sp-search-dup-query',
      'sp-search-limit1',
      'sp-search-combined',
      'sp-search-std-b64',
      'sp-search-after-other-ndim',
    ],
    backends: ['usearch'],
    reason:
      'of two chunks with the same simprint, the first is reported; the reference reports an arbitrary one',
    has: {
      chunk_matches: expect.arrayContaining([
        expect.objectContaining({
          iscc_id: SIMPRINTS_1,
          types: expect.objectContaining({
            CONTENT_TEXT_V0: expect.objectContaining({
              chunks: expect.arrayContaining([
                expect.objectContaining({ offset: 0, freq: expect.any(Number) }),
              ]),
            }),
          }),
        }),
      ]),
    },
  },
  {
    steps: ['sp-search-iscc-id'],
    backends: ['usearch'],
    reason: 'a search by ISCC-ID also uses the stored simprints',
    globalIds: [],
    chunkIds: [SIMPRINTS_2],
  },
  {
    steps: ['sp-search-iscc-id'],
    backends: ['lmdb'],
    reason: 'a search by ISCC-ID also uses the stored simprints',
    globalIds: [],
  },
  {
    steps: ['sp-search-object-form'],
    reason: 'simprints of a query may have the form of added simprints',
    status: 200,
  },
  {
    steps: ['sp-search-after-update'],
    backends: ['usearch'],
    reason: 'an asset that was refused is not counted (D5)',
    chunkIds: [SIMPRINTS_2, SIMPRINTS_1, SIMPRINTS_ONLY],
  },
  {
    steps: ['restart-sp'],
    backends: ['usearch'],
    reason: 'a restart does not change scores; the reference scored 0.84375 from then on',
    has: { chunk_matches: expect.arrayContaining([expect.objectContaining({ score: 0.921875 })]) },
  },

  // Engines that find less.
  {
    steps: ['search-bad-code-truncated', 'search-get-bad-code-truncated'],
    backends: ENGINES.filter((engine) => !has(engine, 'units shorter than 64 bits')),
    reason: 'the Text-Code of the cut code has 16 bits, so that nothing is found by it alone',
    globalIds: [ZERO, SAME_UNITS_AS_ZERO, ...NEAR_META],
  },

  // Metadata.
  {
    steps: ['md-search-nonurl'],
    reason: 'D6: metadata is opaque and returned as stored',
    status: 200,
    has: { global_matches: [{ metadata: expect.any(Object) }] },
  },
];
