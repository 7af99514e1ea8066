/** Variables of the aggregator mode of the search service: following the logs of ISCC hubs. */
import { integer, oneOf, orOff, text } from './schemas.js';
import {
  ConfigurationInvalid,
  defineVariables,
  type Environment,
  readVariables,
  type Values,
} from './variable.js';

const PREFIX = 'INDEXSVC_AGGREGATOR';

export const networkVariables = defineVariables({
  network: {
    name: `${PREFIX}_NETWORK`,
    schema: orOff(oneOf('mainnet', 'testnet'), 'must be one of mainnet, testnet'),
    defaultShown: 'off',
    description:
      'Follow the hubs of this network (`mainnet` or `testnet`), verify their logs and index all declarations',
  },
  listUrl: {
    name: `${PREFIX}_HUB_LIST_URL`,
    schema: text(),
    defaultShown: 'the published list of the network',
    description: 'The list of hubs: an https address, or a file',
  },
  pollSeconds: {
    name: `${PREFIX}_POLL_INTERVAL`,
    schema: integer(1, 86_400),
    default: '60',
    unit: 'seconds',
    description: 'Time between two polls of a hub',
  },
  refreshSeconds: {
    name: `${PREFIX}_HUB_REFRESH_INTERVAL`,
    schema: integer(1, 604_800),
    default: '3600',
    unit: 'seconds',
    description: 'Time between two readings of the hub list',
  },
  keys: {
    name: `${PREFIX}_KEYS`,
    schema: oneOf('both', 'list', 'did'),
    default: 'both',
    description:
      'Which keys of hubs are trusted: those of the hub list, those of their did:web documents, or `both`',
  },
  deletions: {
    name: `${PREFIX}_DELETIONS`,
    schema: oneOf('apply', 'keep'),
    default: 'apply',
    description: '`keep` leaves deleted assets in the index, as iscc-search does; for comparisons',
  },
  exclusive: {
    name: `${PREFIX}_EXCLUSIVE`,
    schema: oneOf('true', 'false'),
    default: 'true',
    description: 'Whether the HTTP service serves only the index of the network',
  },
  ready: {
    name: `${PREFIX}_READY`,
    schema: oneOf('served', 'caught_up'),
    default: 'served',
    description:
      '`caught_up`: `/readyz` returns 503 until each hub was followed to its end once, or failed 5 times',
  },
  mirror: {
    name: `${PREFIX}_MIRROR`,
    schema: oneOf('hashes', 'full'),
    default: 'hashes',
    description:
      '`full` also keeps the entries of all logs, and serves each log to others at `/network/hubs/{hub_id}/log/`',
  },
  testAllow: {
    name: `${PREFIX}_TEST_ALLOW`,
    schema: text(),
    defaultShown: '',
    description:
      'Addresses of hubs that may be private and reached by http; only with `INDEXSVC_ENVIRONMENT=test`',
  },
  environment: {
    name: 'INDEXSVC_ENVIRONMENT',
    schema: oneOf('production', 'test'),
    default: 'production',
    description: '`test` permits `INDEXSVC_AGGREGATOR_TEST_ALLOW`',
  },
});

/** Settings of a node that follows a network. */
export interface NetworkConfig {
  readonly network: 'mainnet' | 'testnet';
  /** `undefined`: the published list. */
  readonly listUrl: string | undefined;
  readonly pollMs: number;
  readonly refreshMs: number;
  readonly keys: 'both' | 'list' | 'did';
  /** Whether deletions delete assets. */
  readonly deletes: boolean;
  readonly exclusive: boolean;
  /** Whether the entries of all logs are kept and served. */
  readonly mirrors: boolean;
  readonly ready: 'served' | 'caught_up';
  readonly testAllow: ReadonlySet<string>;
}

/** `undefined` unless a network is set. @throws {ConfigurationInvalid} */
export function readNetworkConfig(environment: Environment): NetworkConfig | undefined {
  const values: Values<typeof networkVariables> = readVariables(networkVariables, environment);
  if (values.testAllow !== undefined && values.environment !== 'test')
    throw new ConfigurationInvalid(`${PREFIX}_TEST_ALLOW is allowed only with INDEXSVC_ENVIRONMENT=test`);
  if (values.network === undefined) return undefined;
  return {
    network: values.network,
    listUrl: values.listUrl,
    keys: values.keys,
    ready: values.ready,
    pollMs: values.pollSeconds * 1000,
    refreshMs: values.refreshSeconds * 1000,
    deletes: values.deletions === 'apply',
    exclusive: values.exclusive === 'true',
    mirrors: values.mirror === 'full',
    testAllow: new Set((values.testAllow ?? '').split(/[\s,]+/).filter((address) => address !== '')),
  };
}
