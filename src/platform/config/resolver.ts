/** Variables of the soft-binding resolver. */
import { z } from 'zod';
import { listenVariables } from './listen.js';
import { boolean, hostNames, indexNameList, integer, number, oneOf, text, webAddress } from './schemas.js';
import { storeVariables } from './store.js';
import { storeDataDir } from './store-settings.js';
import { BUNDLED_TRUST_ANCHORS, readTrustAnchors, readTrustUpdates, type TrustTexts } from './trust-list.js';
import {
  ConfigurationInvalid,
  defineVariables,
  type Environment,
  readVariables,
  type Values,
} from './variable.js';

const TIMEOUT_SECONDS_MAX = 600;

export const resolverVariables = defineVariables({
  ...listenVariables('RESOLVER', 8030),
  publicUrl: {
    name: 'RESOLVER_PUBLIC_URL',
    schema: webAddress(),
    defaultShown: 'the address of each request',
    description: 'Public address of the service, used in endpoints and in the discovery document',
  },
  allowedHosts: {
    name: 'RESOLVER_ALLOWED_HOSTS',
    schema: hostNames(),
    defaultShown:
      'any with `RESOLVER_PUBLIC_URL` or behind a proxy (`RESOLVER_NUM_PROXIES`), else IP addresses and local names: without a dot, `….localhost`, `….local`, `….internal`',
    description:
      'Allowed values of the `Host` header, separated by commas; `localhost` and `127.0.0.1` are always allowed. Without `RESOLVER_PUBLIC_URL`, endpoints contain the host of the request',
  },
  searchUrl: {
    name: 'RESOLVER_SEARCH_URL',
    schema: webAddress(),
    defaultShown: 'the search service of the same process, else `http://127.0.0.1:8010`',
    description: 'Address of the search service that contains the declarations',
  },
  searchIndex: {
    name: 'RESOLVER_SEARCH_INDEX',
    schema: indexNameList(),
    defaultShown: '`c2pa`, plus the index of the network that a search service of the same process follows',
    description:
      'Names of the indexes that contain the declarations, separated by commas; a store of the same process writes to the first',
  },
  searchApiKey: {
    name: 'RESOLVER_SEARCH_API_KEY',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'API key for the search service, sent as `X-API-Key`',
  },
  searchTimeoutSeconds: {
    name: 'RESOLVER_SEARCH_TIMEOUT',
    schema: number(0.01, TIMEOUT_SECONDS_MAX),
    default: '5',
    unit: 'seconds',
    description: 'Time-out of requests to the search service',
  },
  storeUrl: {
    name: 'RESOLVER_STORE_URL',
    schema: webAddress(),
    defaultShown: '',
    description:
      'Public address (`MSTORE_URL`) of a trusted store. Its manifests are read from it without the rules for gateways: over http, at any address',
  },
  storeAddress: {
    name: 'RESOLVER_STORE_ADDRESS',
    schema: webAddress(),
    defaultShown: '`RESOLVER_STORE_URL`',
    description: 'Address at which the resolver reaches that store, if it differs from the public one',
  },
  probeTimeoutSeconds: {
    name: 'RESOLVER_PROBE_TIMEOUT',
    schema: number(0.01, TIMEOUT_SECONDS_MAX),
    default: '3',
    unit: 'seconds',
    description: 'Time-out for reading the first bytes at a gateway address',
  },
  fetchTimeoutSeconds: {
    name: 'RESOLVER_FETCH_TIMEOUT',
    schema: number(0.01, TIMEOUT_SECONDS_MAX),
    default: '10',
    unit: 'seconds',
    description: 'Time-out for fetching a manifest from its gateway',
  },
  probeConcurrency: {
    name: 'RESOLVER_CONCURRENCY',
    schema: integer(1, 1024),
    default: '16',
    description: 'Maximum number of concurrent probes, and of concurrent fetches',
  },
  matchThreshold: {
    name: 'RESOLVER_MATCH_THRESHOLD',
    schema: integer(0, 100),
    default: '75',
    description: 'Lowest similarity score of a match, 0 to 100',
  },
  byContent: {
    name: 'RESOLVER_BY_CONTENT',
    schema: boolean(),
    default: 'false',
    description:
      'Whether clients can query with an asset, sent or named by URL; limits are those of the codes service',
  },
  rights: {
    name: 'RESOLVER_RIGHTS',
    schema: boolean(),
    default: 'false',
    description:
      'Whether clients can look up what is said about data mining and AI training of an asset or a code (`/v1/rights/…`)',
  },
  watches: {
    name: 'RESOLVER_WATCHES',
    schema: boolean(),
    default: 'false',
    description:
      'Whether clients can watch for manifests of a content (`/v1/watches/…`); the key for the search service then needs the right `write`',
  },
  trustAnchors: {
    name: 'RESOLVER_TRUST_ANCHORS',
    schema: text(),
    defaultShown: '`MSTORE_TRUST_ANCHORS`',
    description:
      'PEM file of trust anchors, or a folder of such files; rights look-ups report signers that they vouch for as trusted',
  },
  environment: {
    name: 'RESOLVER_ENVIRONMENT',
    schema: oneOf('production', 'test'),
    default: 'production',
    description: '`test` enables `RESOLVER_TEST_ALLOW`',
  },
  testAllow: {
    name: 'RESOLVER_TEST_ALLOW',
    schema: z
      .string()
      .transform((list): readonly string[] => list.split(/[\s,]+/).filter((entry) => entry !== '')),
    default: ' ',
    defaultShown: '',
    description: 'Only for tests: non-public gateway addresses to allow, also over http, separated by commas',
  },
});

/** `MSTORE_TRUST_ANCHORS` is only read if rights can be looked up. */
export interface ResolverConfig extends Values<typeof resolverVariables>, TrustTexts {}

/**
 * Reads the variables; refuses test settings in production.
 *
 * @throws {ConfigurationInvalid}
 */
export function readResolverConfig(environment: Environment): ResolverConfig {
  const config = readVariables(resolverVariables, environment);
  if (config.testAllow.length > 0 && config.environment !== 'test') {
    throw new ConfigurationInvalid(
      `RESOLVER_TEST_ALLOW="${config.testAllow.join(',')}" must be empty unless RESOLVER_ENVIRONMENT=test`,
    );
  }
  const isRead = config.rights || config.trustAnchors !== undefined;
  const trustAnchorsPem = isRead ? anchorsOf(config.trustAnchors, environment) : BUNDLED_TRUST_ANCHORS;
  return { ...config, trustAnchorsPem, trustUpdates: readTrustUpdates(storeDataDir(environment)) };
}

function anchorsOf(place: string | undefined, environment: Environment): string {
  if (place !== undefined) return readTrustAnchors(resolverVariables.trustAnchors.name, place);
  const { trustAnchors } = storeVariables;
  return readTrustAnchors(trustAnchors.name, readVariables({ trustAnchors }, environment).trustAnchors);
}

/** Names of the indexes with declarations: those of `RESOLVER_SEARCH_INDEX`, the first of which a store writes to. */
export function indexNames(configured: string | undefined, networkIndex?: string): readonly string[] {
  if (configured === undefined)
    return [MANIFEST_INDEX_DEFAULT, ...(networkIndex === undefined ? [] : [networkIndex])];
  const names = configured.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? [MANIFEST_INDEX_DEFAULT] : names;
}

/** Default name of the index that stores write to and resolvers read. */
export const MANIFEST_INDEX_DEFAULT = 'c2pa';
