/** Variables of the manifest store. */
import path from 'node:path';
import { z } from 'zod';
import { KeyInvalid, parseSecretKey } from '../signing/key.js';
import { webhookKey } from '../signing/webhook.js';
import { listenVariables } from './listen.js';
import { type S3Settings, s3Address } from './s3.js';
import { boolean, hostNames, integer, networks, number, oneOf, rate, text, webAddress } from './schemas.js';
import type { TrustTexts } from './trust-list.js';
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
    defaultShown: '`true` with `ISCCD_ENVIRONMENT=development`, else `false`',
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
  blobs: {
    name: 'MSTORE_BLOBS',
    schema: s3Address(),
    defaultShown: 'the folder `MSTORE_DATA_DIR`',
    description:
      "Bucket for the manifests' bytes, `s3://BUCKET/PREFIX`, which several instances share. Options and variables are those of `CODEWEB_MEDIA_PATH`. `isccd store copy-files` moves existing ones",
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    schema: databaseUrl(),
    secret: true,
    defaultShown: 'an SQLite file in `MSTORE_DATA_DIR`',
    description:
      'Database: `postgres://user:password@host/name` or `sqlite:///path`. Several hosts, separated by commas: the one that can be written is used, also after a failover',
  },
  trustAnchors: {
    name: 'MSTORE_TRUST_ANCHORS',
    schema: text(),
    defaultShown: 'the bundled C2PA trust list of 2026-08-13, or that of `isccd store trust update`',
    description:
      'PEM file of trust anchors, or a folder of such files, instead of the list of signers; they also vouch for time-stampers and CAWG identities. Manifests of trusted signers rank higher. Read again on SIGHUP',
  },
  ocspFetch: {
    name: 'MSTORE_OCSP_FETCH',
    schema: boolean(),
    default: 'false',
    description:
      'Whether the store asks the OCSP responders named in certificates of trusted signers, at public addresses, whether a certificate is revoked. OCSP responses that a manifest contains always count',
  },
  algorithmList: {
    name: 'MSTORE_ALGORITHM_LIST',
    schema: text(),
    defaultShown: 'the bundled list of 2026-08-20',
    description:
      'JSON file with the C2PA list of soft-binding algorithms, from https://github.com/c2pa-org/softbinding-algorithm-list; read again on SIGHUP',
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
  uploadTokens: {
    name: 'MSTORE_UPLOAD_TOKENS',
    schema: oneOf('optional', 'required'),
    default: 'optional',
    description:
      'Whether uploads need the token of a publisher (`isccd store token add`); with `optional`, anonymous uploads are accepted as well',
  },
  trustedDisplaces: {
    name: 'MSTORE_TRUSTED_DISPLACES',
    schema: boolean(),
    default: 'false',
    description:
      'Whether a manifest by a trusted signer takes its id from a manifest by an untrusted one, which is deleted then',
  },
  undoDays: {
    name: 'MSTORE_UNDO_DAYS',
    schema: integer(0, 3650),
    default: '7',
    unit: 'days',
    description:
      'Time for which a deleted manifest is kept so that it can be restored (`0`: not at all; a lower value also holds for earlier deletes)',
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
    schema: networks(),
    defaultShown: '',
    description: 'Client addresses and networks (`10.0.0.0/8`) exempt from rate limits, separated by commas',
  },
  index: {
    name: 'MSTORE_INDEX',
    schema: manifestIndex(),
    defaultShown: '`local` when the search service runs in the same process, else `none`',
    description:
      'Index to which stored manifests are added, so that a resolver finds them without a hub: an address such as `http://search:8010/indexes/c2pa`, or `local` for the index `RESOLVER_SEARCH_INDEX` of the search service in the same process',
  },
  indexApiKey: {
    name: 'MSTORE_INDEX_API_KEY',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'API key for the search service of `MSTORE_INDEX`, sent as `X-API-Key`',
  },
  byContent: {
    name: 'MSTORE_BY_CONTENT',
    schema: boolean(),
    default: 'false',
    description:
      'Whether clients can query with an asset, sent or named by URL; limits are those of the codes service',
  },
  webhookUrl: {
    name: 'MSTORE_WEBHOOK_URL',
    schema: receiver(),
    secret: true,
    defaultShown: '',
    description:
      'Address that gets an event for each stored, deleted, declared and failed manifest; it may be private. Further receivers are registered in the dashboard',
  },
  webhookKey: {
    name: 'MSTORE_WEBHOOK_SECRET',
    schema: webhookSecret(),
    secret: true,
    defaultShown: 'required with `MSTORE_WEBHOOK_URL`',
    description: 'Secret that signs events: `whsec_` and 24 to 64 bytes in Base64',
  },
  webhookTimeoutSeconds: {
    name: 'MSTORE_WEBHOOK_TIMEOUT',
    schema: number(0.05, 600),
    default: '10',
    unit: 'seconds',
    description: 'Time-out of a delivery',
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
export interface StoreConfig extends Omit<StoreVariables, 'algorithmList' | 'blobs'>, TrustTexts {
  readonly secretKey: string;
  readonly url: string;
  readonly debug: boolean;
  readonly dataDir: string;
  /** The bucket of the manifests' bytes; `undefined`: the data folder. */
  readonly blobsS3?: S3Settings | undefined;
  /** Where instances share rate limits. */
  readonly redisUrl?: string | undefined;
  /** JSON; `undefined`: the bundled list. */
  readonly algorithmList: string | undefined;
  /** Reads the files of trust lists and algorithms again. @throws {ConfigurationInvalid} */
  reread(): Pick<StoreConfig, keyof TrustTexts | 'algorithmList'>;
}

/** An index of a search service. */
export interface RemoteIndex {
  /** Address of the index. */
  readonly address: string;
  /** Base address of the search service. */
  readonly service: string;
  readonly name: string;
}

/** `local`, `none` or the address of an index. */
function manifestIndex(): z.ZodType<'local' | 'none' | RemoteIndex, string> {
  const rule =
    'must be local, none or the address of an index, such as http://search:8010/indexes/c2pa, without a query';
  return z
    .string()
    .trim()
    .transform((value, context) => {
      const word = value.toLowerCase();
      if (word === 'local' || word === 'none') return word;
      const found = remoteIndex(value);
      if (found !== undefined) return found;
      context.addIssue({ code: 'custom', message: rule });
      return z.NEVER;
    });
}

function remoteIndex(value: string): RemoteIndex | undefined {
  const { success, data: address } = webAddress().safeParse(value);
  const [, service, name] = (success && /^(.*)\/indexes\/([^/]+)$/.exec(address)) || [];
  if (!success || service === undefined || name === undefined) return undefined;
  try {
    return { address, service, name: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}

/** Refuses other URLs, whose further parts would be ignored silently. */
function databaseUrl(): z.ZodType<string, string> {
  const rule = 'must begin with postgres://, postgresql:// or sqlite:///';
  return z
    .string()
    .trim()
    .regex(/^(?:postgres(?:ql)?:\/\/.|sqlite:\/\/\/.)/, rule);
}

/** Receivers have queries with keys, so this is less strict than other addresses. */
function receiver(): z.ZodType<string, string> {
  const rule = 'must be an absolute http or https address without a user name or a fragment';
  return z
    .string()
    .trim()
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
      return url.username === '' && url.password === '' && url.hash === '';
    }, rule);
}

function webhookSecret(): z.ZodType<Buffer, string> {
  return z
    .string()
    .trim()
    .transform((secret, context) => {
      const key = webhookKey(secret);
      if (key !== undefined) return key;
      const message =
        'must be whsec_ and 24 to 64 bytes in Base64, such as from: echo whsec_$(openssl rand -base64 32)';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
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
