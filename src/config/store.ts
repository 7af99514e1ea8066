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
    defaultShown: 'required; generated on a loopback address',
    description: 'Secret of the installation, the key of the hashes of uploaders',
  },
  url: {
    name: 'MSTORE_URL',
    schema: webAddress(),
    defaultShown: 'required; generated on a loopback address',
    description:
      'Public base address; manifest addresses, the did:web identifier and the allowed host derive from it. It is part of declarations, so do not change it later',
  },
  ...listenVariables('MSTORE', 8020),
  debug: {
    name: 'APP_DEBUG',
    schema: boolean(),
    default: 'false',
    description: 'Whether responses to unexpected errors contain details',
  },
  allowedHosts: {
    name: 'APP_ALLOWED_HOSTS',
    schema: hostNames(),
    defaultShown: 'host of `MSTORE_URL`',
    description:
      'Allowed values of the `Host` header, separated by commas; `localhost` and `127.0.0.1` are always allowed',
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
      'PEM file of trust anchors; manifests of trusted signers rank higher. The C2PA list is at https://github.com/c2pa-org/conformance-public',
  },
  secretSeed: {
    name: 'MSTORE_SECKEY',
    schema: secretSeed(),
    secret: true,
    defaultShown: '',
    description:
      'Secret key that signs declarations, from `isccd store gen-key`; declarations need it and a hub',
  },
  hubUrl: {
    name: 'MSTORE_HUB_URL',
    schema: webAddress(),
    defaultShown: '',
    description: 'Hub to declare manifests to; declarations need it and a secret key',
  },
  hubId: {
    name: 'MSTORE_HUB_ID',
    schema: integer(0, 4095),
    default: '1',
    description: 'Number of the hub, part of each nonce',
  },
  hubTimeoutSeconds: {
    name: 'MSTORE_HUB_TIMEOUT',
    schema: number(0.05, 600),
    default: '5.0',
    unit: 'seconds',
    description: 'Time-out of requests to the hub',
  },
  declareDefault: {
    name: 'MSTORE_DECLARE_DEFAULT',
    schema: boolean(),
    default: 'true',
    description: 'Default of the upload parameter `declare`',
  },
  retrySeconds: {
    name: 'MSTORE_RETRY_SECONDS',
    schema: integer(1, 86_400),
    default: '120',
    unit: 'seconds',
    description: 'Interval between retries of unfinished declarations and withdrawals',
  },
  operatorTokenSha256: {
    name: 'MSTORE_OPERATOR_TOKEN_SHA256',
    schema: digest(),
    defaultShown: '',
    description:
      'SHA-256 of the operator token for deletes, in hex (`isccd store hash-token`); if empty, the API cannot delete',
  },
  matchThreshold: {
    name: 'MSTORE_MATCH_THRESHOLD',
    schema: integer(0, 100),
    default: '75',
    description: 'Lowest similarity score of a match, 0 to 100',
  },
  uploadBytesMax: {
    name: 'MSTORE_MAX_UPLOAD',
    schema: integer(1, 1_000_000_000),
    default: '2097152',
    unit: 'bytes',
    description: 'Maximum size of an upload',
  },
  rateWrite: {
    name: 'MSTORE_RATE_WRITE',
    schema: rate(),
    default: '10/m',
    description: 'Uploads and deletes per client: a count per `s`, `m`, `h` or `d`',
  },
  rateRead: {
    name: 'MSTORE_RATE_READ',
    schema: rate(),
    default: '120/m',
    description: 'Fetches and queries per client, in total',
  },
  rateLogin: {
    name: 'MSTORE_RATE_LOGIN',
    schema: rate(),
    default: '10/m',
    description: 'Login attempts per client',
  },
  unthrottled: {
    name: 'MSTORE_UNTHROTTLED',
    schema: addresses(),
    defaultShown: '',
    description: 'Client addresses exempt from rate limits, separated by commas',
  },
  index: {
    name: 'MSTORE_INDEX',
    schema: oneOf('local', 'none'),
    defaultShown: '`local` when the search service runs in the same process, else `none`',
    description:
      '`local` adds stored manifests to the index `RESOLVER_SEARCH_INDEX` of the search service in the same process, so that the resolver finds them without a hub',
  },
  serverId: {
    name: 'MSTORE_SERVER_ID',
    schema: integer(0, 4095),
    default: '0',
    description: 'Server number in the local ISCC-IDs (realm 0) of manifests that are not declared',
  },
});

export type StoreVariables = Values<typeof storeVariables>;

/** The variables, completed by values that derive from other variables or files. */
export interface StoreConfig extends StoreVariables {
  readonly secretKey: string;
  readonly url: string;
  readonly dataDir: string;
  /** PEM; empty: no signer is trusted. */
  readonly trustAnchorsPem: string;
}

/** Refuses other URLs, whose further parts would be ignored silently. */
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
