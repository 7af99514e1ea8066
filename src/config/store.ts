/** Variables of the manifest store. */
import path from 'node:path';
import { z } from 'zod';
import { KeyInvalid, parseSecretKey } from '../signing/key.js';
import { listenVariables } from './listen.js';
import { addresses, boolean, hostNames, integer, number, oneOf, rate, text, webAddress } from './schemas.js';
import { defineVariables, type Values } from './variable.js';

export const storeVariables = defineVariables({
  secretKey: {
    name: 'APP_SECRET_KEY',
    schema: text(),
    secret: true,
    defaultShown: 'required; made up for a first try on a loopback address',
    description: 'Secret of the installation; keys the hashes of uploaders',
  },
  url: {
    name: 'MSTORE_URL',
    schema: webAddress(),
    defaultShown: 'required; made up for a first try on a loopback address',
    description:
      'Public base address, which manifest addresses, the did:web identifier and the allowed host come from. Declarations carry it: choose it once',
  },
  ...listenVariables('MSTORE', 8020),
  debug: {
    name: 'APP_DEBUG',
    schema: boolean(),
    default: 'false',
    description: 'Answers to unexpected errors tell what happened',
  },
  allowedHosts: {
    name: 'APP_ALLOWED_HOSTS',
    schema: hostNames(),
    defaultShown: 'host of `MSTORE_URL`',
    description: 'Hosts that requests may name, separated by commas; `localhost` and `127.0.0.1` always may',
  },
  dataDir: {
    name: 'MSTORE_DATA_DIR',
    schema: text().transform((directory) => path.resolve(directory)),
    defaultShown: 'the folder `store` in `ISCCD_DATA_DIR`',
    description: 'Folder for the database and the manifests',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    schema: databaseUrl(),
    secret: true,
    defaultShown: 'an SQLite file in `MSTORE_DATA_DIR`',
    description: 'Database: `postgres://user:password@host/name` or `sqlite:///path`',
  },
  trustAnchors: {
    name: 'MSTORE_TRUST_ANCHORS',
    schema: text(),
    defaultShown: 'the bundled list, which is empty',
    description:
      'PEM file of the trust anchors; signers under them rank higher. The C2PA has its list in https://github.com/c2pa-org/conformance-public',
  },
  secretSeed: {
    name: 'MSTORE_SECKEY',
    schema: secretSeed(),
    secret: true,
    defaultShown: '',
    description: 'Secret key of declarations, as `isccd store gen-key` prints it; with a hub it enables them',
  },
  hubUrl: {
    name: 'MSTORE_HUB_URL',
    schema: webAddress(),
    defaultShown: '',
    description: 'Hub that manifests are declared to; with the key it enables declarations',
  },
  hubId: {
    name: 'MSTORE_HUB_ID',
    schema: integer(0, 4095),
    default: '1',
    description: 'Number of the hub, which nonces carry',
  },
  hubTimeoutSeconds: {
    name: 'MSTORE_HUB_TIMEOUT',
    schema: number(0.05, 600),
    default: '5.0',
    unit: 'seconds',
    description: 'Longest wait for an answer of the hub',
  },
  declareDefault: {
    name: 'MSTORE_DECLARE_DEFAULT',
    schema: boolean(),
    default: 'true',
    description: 'Whether uploads without `declare` are declared',
  },
  retrySeconds: {
    name: 'MSTORE_RETRY_SECONDS',
    schema: integer(1, 86_400),
    default: '120',
    unit: 'seconds',
    description: 'Pause between rounds that retry unfinished declarations and withdrawals',
  },
  operatorTokenSha256: {
    name: 'MSTORE_OPERATOR_TOKEN_SHA256',
    schema: digest(),
    defaultShown: '',
    description:
      'SHA-256 of the token that deletes, in hex (`isccd store hash-token`); empty: nobody can delete',
  },
  matchThreshold: {
    name: 'MSTORE_MATCH_THRESHOLD',
    schema: integer(0, 100),
    default: '75',
    description: 'Lowest similarity score that a query reports, 0 to 100',
  },
  uploadBytesMax: {
    name: 'MSTORE_MAX_UPLOAD',
    schema: integer(1, 1_000_000_000),
    default: '2097152',
    unit: 'bytes',
    description: 'Largest upload',
  },
  rateWrite: {
    name: 'MSTORE_RATE_WRITE',
    schema: rate(),
    default: '10/m',
    description: 'Uploads and deletes per client: a number per `s`, `m`, `h` or `d`',
  },
  rateRead: {
    name: 'MSTORE_RATE_READ',
    schema: rate(),
    default: '120/m',
    description: 'Fetches and queries per client, together',
  },
  rateLogin: {
    name: 'MSTORE_RATE_LOGIN',
    schema: rate(),
    default: '10/m',
    description: 'Attempts to log in per client',
  },
  unthrottled: {
    name: 'MSTORE_UNTHROTTLED',
    schema: addresses(),
    defaultShown: '',
    description: 'Addresses that no rate holds for, separated by commas',
  },
  index: {
    name: 'MSTORE_INDEX',
    schema: oneOf('local', 'none'),
    defaultShown: '`local` when the search service runs in the same process, else `none`',
    description:
      '`local` makes stored manifests searchable in the index `RESOLVER_SEARCH_INDEX` of the search service of the same process, so that the resolver finds them without a hub',
  },
  serverId: {
    name: 'MSTORE_SERVER_ID',
    schema: integer(0, 4095),
    default: '0',
    description: 'Number of this store in the local ISCC-IDs (realm 0) of manifests that no hub has declared',
  },
});

export type StoreVariables = Values<typeof storeVariables>;

/** The variables with what depends on others or on files. */
export interface StoreConfig extends StoreVariables {
  readonly secretKey: string;
  readonly url: string;
  readonly dataDir: string;
  /** PEM; empty: nobody is trusted. */
  readonly trustAnchorsPem: string;
}

/** Only these: the rest of what URLs can say would be silently ignored. */
function databaseUrl(): z.ZodType<string, string> {
  const rule = 'must begin with postgres://, postgresql:// or sqlite:///';
  return z
    .string()
    .trim()
    .regex(/^(?:postgres(?:ql)?:\/\/.|sqlite:\/\/\/.)/, rule);
}

function digest(): z.ZodType<string, string> {
  return z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in 64 hex digits');
}

function secretSeed(): z.ZodType<Uint8Array, string> {
  return z
    .string()
    .trim()
    .transform((key, context) => {
      try {
        return parseSecretKey(key);
      } catch (error) {
        if (!(error instanceof KeyInvalid)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    });
}
