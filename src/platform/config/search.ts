/** Variables of the search service. */
import path from 'node:path';
import { processMemory } from '../process-memory.js';
import { corsVariables, listenVariables } from './listen.js';
import { boolean, indexLocation, integer, number, oneOf, orOff, text } from './schemas.js';
import {
  ConfigurationInvalid,
  defineVariables,
  type Environment,
  readVariables,
  type Values,
} from './variable.js';

/** Part of the memory that one body may have: its parsed values take five times as much. */
const BODY_SHARE = 1 / 32;

export const searchVariables = defineVariables({
  ...listenVariables('INDEXSVC', 8010),
  ...corsVariables('INDEXSVC', '*'),
  indexUri: {
    name: 'INDEXSVC_INDEX_URI',
    schema: indexLocation(),
    secret: true,
    defaultShown: '`usearch://` and the folder `search` in `ISCCD_DATA_DIR`',
    description:
      'Location of the indexes: `usearch:///path` (matches similar ISCC-UNITs), `memory://` (for trials: matches like `usearch://`, and its indexes end with the process), `lmdb:///path` (matches equal prefixes of ISCC-UNITs), `postgresql://user@host/database` for several instances, each with a cache in the folder `search-cache` of `ISCCD_DATA_DIR`, or `opensearch+https://user:password@host:9200/prefix` for indexes larger than the memory of a machine; `?shards=` and `?replicas=` (default 1) apply to new indexes',
  },
  stalenessMs: {
    name: 'INDEXSVC_STALENESS_MS',
    schema: integer(0, 3_600_000),
    default: '0',
    unit: 'ms',
    description:
      'With indexes in PostgreSQL: for how long a read may miss what other instances have acknowledged; with 0, every read sees all of it',
  },
  stalenessSecondsMax: {
    name: 'INDEXSVC_STALENESS_MAX_S',
    schema: integer(0, 86_400),
    default: '30',
    unit: 's',
    description:
      'With indexes in PostgreSQL: for how long reads are answered while the database is unreachable, with the header `Isccd-Stale`',
  },
  candidates: {
    name: 'INDEXSVC_CANDIDATES',
    schema: integer(10, 10_000),
    default: '1000',
    description:
      'With indexes in OpenSearch: how many near units, and how many assets, each part of a search looks for before it scores them; more find more and take longer',
  },
  openSearchApiKey: {
    name: 'INDEXSVC_OPENSEARCH_API_KEY',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'With indexes in OpenSearch: API key of the cluster, in place of user and password',
  },
  apiSecret: {
    name: 'INDEXSVC_API_SECRET',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'API key; if set, requests below `/indexes` and `/aliases` must send it as `X-API-Key`',
  },
  keyFile: {
    name: 'INDEXSVC_KEY_FILE',
    schema: text().transform((file) => path.resolve(file)),
    defaultShown: '`keys.json` in the folder of the indexes',
    description:
      'File with more API keys, each with rights and indexes, which `isccd index key` manages; once it exists, requests below `/indexes` and `/aliases` need a key',
  },
  bodyBytesMax: {
    name: 'INDEXSVC_MAX_BODY',
    schema: integer(1024),
    default: String(Math.min(64 * 1024 ** 2, Math.floor(processMemory() * BODY_SHARE))),
    defaultShown: '64 MiB, or a 32nd of the memory if that is less',
    unit: 'bytes',
    description: 'Maximum size of a request body',
  },
  sync: {
    name: 'INDEXSVC_SYNC',
    schema: boolean(),
    default: 'true',
    description:
      'Whether a write is synced to disk before its response; if false, a power loss may corrupt an index; killing the process cannot',
  },
  graphs: {
    name: 'INDEXSVC_GRAPHS',
    schema: oneOf('on', 'off'),
    default: 'off',
    description:
      'Whether files of segments have HNSW graphs over their columns of more than 1,048,576 different units of 128 bits or more; searches with graphs may miss matches, without them every search is exact',
  },
  simprintLists: {
    name: 'INDEXSVC_SIMPRINT_LISTS',
    schema: oneOf('all', 'first', 'none'),
    default: 'all',
    description:
      'Lists for simprints: `all` as for units, `first` with a quarter of the memory for similarities from 0.96 on, or `none`; without them, searches compare all simprints',
  },
  skipFeatureless: {
    name: 'INDEXSVC_SKIP_FEATURELESS',
    schema: boolean(),
    default: 'false',
    description:
      'Whether searches leave out featureless Image-Codes, those of plain pictures; the parameter `skip_featureless` of a search overrides it',
  },
  sealRate: {
    name: 'INDEXSVC_SEAL_RATE',
    schema: integer(1, 65_536),
    default: '64',
    unit: 'MiB/s',
    description:
      'How fast segments of large indexes are written to files, so that searches and commits do not wait for the disk; four times as fast while several wait, and when files are checked after a start',
  },
  searchSecondsMax: {
    name: 'INDEXSVC_SEARCH_SECONDS_MAX',
    schema: number(0, 86_400),
    default: '30',
    unit: 's',
    description:
      'Processor time from which a search is refused with 400 and the lowest threshold at which it is accepted; the time is planned from the number of rows to compare, and each query of a batch counts alone; 0 refuses none',
  },
  searchBytesMax: {
    name: 'INDEXSVC_SEARCH_BYTES_MAX',
    schema: integer(1024, 1_073_741_824),
    default: '33554432',
    unit: 'bytes',
    description:
      'Maximum size of the response to a search; a search whose matches take more, because of their metadata, is refused with 400; each query of a batch counts alone',
  },
  matchThresholdUnits: {
    name: 'INDEXSVC_MATCH_THRESHOLD_UNITS',
    schema: number(0, 1),
    default: '0.75',
    description: 'Lowest similarity at which a unit matches, 0 to 1',
  },
  matchThresholdSimprints: {
    name: 'INDEXSVC_MATCH_THRESHOLD_SIMPRINTS',
    schema: number(0, 1),
    default: '0.75',
    description: 'Lowest similarity at which a simprint matches, 0 to 1',
  },
  thresholdFloor: {
    name: 'INDEXSVC_THRESHOLD_FLOOR',
    schema: number(0, 1),
    defaultShown: 'the two thresholds above',
    description:
      'Lowest `threshold` and `threshold_simprints` that a search may ask for, if it is below the two thresholds above; lower thresholds find more, and take longer',
  },
  watchesMax: {
    name: 'INDEXSVC_WATCHES_MAX',
    schema: integer(0, 1_000_000),
    default: '100000',
    description: 'Maximum number of watches of an index',
  },
  webhookKey: {
    name: 'INDEXSVC_WEBHOOK_KEY',
    schema: text(),
    secret: true,
    defaultShown: 'watches have no webhooks',
    description:
      'Secret from which those of the webhooks of watches are derived, for example from `openssl rand -base64 32`; all instances need the same',
  },
  floodFactor: {
    name: 'INDEXSVC_FLOOD_GUARD',
    schema: orOff(integer(2, 1_000_000), 'must be an integer from 2 to 1000000'),
    default: 'off',
    description:
      'How many times its past a stored unit may match in a window; one that matches more often is set aside: it no longer makes an asset a match until an operator releases it. For indexes in a folder or PostgreSQL',
  },
  floodWindowSeconds: {
    name: 'INDEXSVC_FLOOD_WINDOW_S',
    schema: integer(1, 86_400),
    default: '60',
    unit: 's',
    description:
      'With `INDEXSVC_FLOOD_GUARD`: the window in which matches are counted; the past is an average of earlier windows',
  },
  confidenceExponent: {
    name: 'INDEXSVC_CONFIDENCE_EXPONENT',
    schema: integer(1, 64),
    default: '4',
    description:
      'Exponent that weights unit scores in the score of an asset; a higher value favours strong matches',
  },
});

export type SearchConfig = Values<typeof searchVariables>;

/** Engines that keep no list of units that are set aside. */
const WITHOUT_GUARD = /^(?:lmdb|opensearch\+https?):/i;

/** Reads the variables. @throws {ConfigurationInvalid} */
export function readSearchConfig(environment: Environment): SearchConfig {
  const config = readVariables(searchVariables, environment);
  const { floodFactor, indexUri = '' } = config;
  const engine = WITHOUT_GUARD.exec(indexUri)?.[0];
  if (floodFactor === undefined || engine === undefined) return config;
  throw new ConfigurationInvalid(
    `${searchVariables.floodFactor.name}=${floodFactor} needs indexes in a folder (usearch://) or PostgreSQL, and ${searchVariables.indexUri.name} begins with ${engine}//; set it to off`,
  );
}
