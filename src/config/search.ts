/** Variables of the search service. */
import { corsVariables, listenVariables } from './listen.js';
import { boolean, integer, number, text } from './schemas.js';
import { defineVariables, type Values } from './variable.js';

export const searchVariables = defineVariables({
  ...listenVariables('INDEXSVC', 8010),
  ...corsVariables('INDEXSVC', '*'),
  indexUri: {
    name: 'INDEXSVC_INDEX_URI',
    schema: text(),
    defaultShown: '`usearch://` and the folder `search` in `ISCCD_DATA_DIR`',
    description:
      'Where the indexes are: `memory://`, `lmdb:///path` (exact, by equal prefixes) or `usearch:///path` (approximate)',
  },
  apiSecret: {
    name: 'INDEXSVC_API_SECRET',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'When set, requests to indexes need it in the header `X-API-Key`',
  },
  bodyBytesMax: {
    name: 'INDEXSVC_MAX_BODY',
    schema: integer(1024),
    default: '67108864',
    unit: 'bytes',
    description: 'Largest request body',
  },
  sync: {
    name: 'INDEXSVC_SYNC',
    schema: boolean(),
    default: 'true',
    description:
      'Whether an answer to a write waits until the disk has it; without, a power failure may cost an index, a killed process nothing',
  },
  scanLimitRows: {
    name: 'INDEXSVC_SCAN_LIMIT',
    schema: integer(1, 1_000_000_000),
    default: '1000000',
    unit: 'rows',
    description:
      'Units of one type up to which every search scans all; beyond, sealed segments get HNSW graphs',
  },
  matchThresholdUnits: {
    name: 'INDEXSVC_MATCH_THRESHOLD_UNITS',
    schema: number(0, 1),
    default: '0.75',
    description: 'Similarity from which on a unit matches, 0 to 1',
  },
  matchThresholdSimprints: {
    name: 'INDEXSVC_MATCH_THRESHOLD_SIMPRINTS',
    schema: number(0, 1),
    default: '0.75',
    description: 'Similarity from which on a simprint matches, 0 to 1',
  },
  confidenceExponent: {
    name: 'INDEXSVC_CONFIDENCE_EXPONENT',
    schema: integer(1, 64),
    default: '4',
    description: 'How much less a weak unit counts than a strong one in the score of an asset',
  },
});

export type SearchConfig = Values<typeof searchVariables>;
