/** Variables of S3, with the names that every AWS client uses, and addresses of the form `s3://BUCKET/PREFIX?OPTIONS`. */
import { z } from 'zod';
import { boolean, text, webAddress } from './schemas.js';
import { defineVariables, type Environment, readVariables, type Values } from './variable.js';

export const s3Variables = defineVariables({
  accessKeyId: {
    name: 'AWS_ACCESS_KEY_ID',
    schema: text(),
    defaultShown: '',
    description:
      'Access key. Without one, credentials come from the files, the web identity or the role that the variables below ' +
      'name, else from the role of the machine; without credentials, requests are not signed, as for public buckets',
  },
  secretAccessKey: {
    name: 'AWS_SECRET_ACCESS_KEY',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'Secret of the access key',
  },
  sessionToken: {
    name: 'AWS_SESSION_TOKEN',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'Token of temporary credentials',
  },
  profile: {
    name: 'AWS_PROFILE',
    schema: text(),
    defaultShown: 'default',
    description: 'Profile of the files with credentials',
  },
  credentialsFile: {
    name: 'AWS_SHARED_CREDENTIALS_FILE',
    schema: text(),
    defaultShown: '~/.aws/credentials',
    description: 'File with the keys of profiles',
  },
  configFile: {
    name: 'AWS_CONFIG_FILE',
    schema: text(),
    defaultShown: '~/.aws/config',
    description: 'File with the settings of profiles, such as a role to assume',
  },
  roleArn: {
    name: 'AWS_ROLE_ARN',
    schema: text(),
    defaultShown: '',
    description: 'Role of the web identity; Kubernetes sets it with the following variable',
  },
  webIdentityTokenFile: {
    name: 'AWS_WEB_IDENTITY_TOKEN_FILE',
    schema: text(),
    defaultShown: '',
    description: 'File with the token of a web identity',
  },
  containerPath: {
    name: 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    schema: text(),
    defaultShown: '',
    description: 'Path of the credentials of a container at the metadata service of ECS, which sets it',
  },
  containerAddress: {
    name: 'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    schema: text(),
    defaultShown: '',
    description:
      'Address of the credentials of a container; EKS sets it, with a file or value of a token for it',
  },
  metadataDisabled: {
    name: 'AWS_EC2_METADATA_DISABLED',
    schema: boolean(),
    default: 'false',
    description:
      'Whether to ignore the role of the machine; else a machine outside AWS looks for one once a minute',
  },
  region: {
    name: 'AWS_REGION',
    schema: text(),
    default: 'us-east-1',
    description: 'Region of the bucket',
  },
  endpoint: {
    name: 'AWS_ENDPOINT_URL_S3',
    schema: webAddress(),
    defaultShown: 'the address of the bucket at AWS',
    description: 'Address of another store with the S3 protocol',
  },
});

export type S3Config = Values<typeof s3Variables>;

/** Whether the bucket is a part of the path or of the host name. */
export type S3Style = 'path' | 'virtual';

/** What an address `s3://BUCKET/PREFIX?OPTIONS` says. The options precede the variables. */
export interface S3Place {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly style?: S3Style;
  /** Server-side encryption: `AES256` or `aws:kms`. */
  readonly sse?: string;
  readonly kmsKey?: string;
}

/** A place, and what is needed to reach it. */
export interface S3Settings extends S3Place {
  readonly config: S3Config;
  /** Name of the variable with the address, for messages. */
  readonly variable: string;
}

const options = z.strictObject({
  endpoint: webAddress().optional(),
  region: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of a region')
    .optional(),
  style: z.enum(['path', 'virtual'], 'must be path or virtual').optional(),
  sse: z.enum(['AES256', 'aws:kms'], 'must be AES256 or aws:kms').optional(),
  'kms-key': z
    .string()
    .regex(/^[\w:/-]+$/, 'must be the id of a key')
    .optional(),
});

/** Names of buckets, and prefixes of characters that every program shows and encodes alike. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,62})(?:\/([\w!.*'()/-]*))?(?:\?(.*))?$/i;
const RULE = 'must be an address like s3://BUCKET/PREFIX';

/** An address in S3. Messages continue the sentence `NAME="value" ...`. */
export function s3Address(): z.ZodType<S3Place, string> {
  return z.string().transform((address, context) => {
    const [, bucket, path = '', query = ''] = ADDRESS.exec(address.trim()) ?? [];
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (bucket === undefined) return refuse(RULE);
    const segments = path.split('/').filter((segment) => segment !== '');
    if (segments.some((segment) => segment === '.' || segment === '..')) return refuse(RULE);
    const parsed = options.safeParse(Object.fromEntries(new URLSearchParams(query)));
    if (!parsed.success) {
      const { path: where, message } = parsed.error.issues[0] ?? { path: [], message: '' };
      const known = 'endpoint, region, style, sse and kms-key';
      return refuse(
        where.length === 0 ? `has an unknown option; known are ${known}` : `: ${where.join('.')} ${message}`,
      );
    }
    const { 'kms-key': kmsKey, ...rest } = parsed.data;
    if (kmsKey !== undefined && rest.sse !== 'aws:kms') return refuse(': kms-key needs sse=aws:kms');
    const prefix = segments.map((segment) => `${segment}/`).join('');
    return { bucket, prefix, ...rest, ...(kmsKey !== undefined && { kmsKey }) } as S3Place;
  });
}

/** A local folder, or an address in S3. */
export function folderOrS3(resolve: (folder: string) => string): z.ZodType<string | S3Place, string> {
  const folder = text().transform(resolve);
  return z.string().transform((value, context): string | S3Place => {
    const schema = /^\s*s3:/i.test(value) ? s3Address() : folder;
    const parsed = (schema as z.ZodType<string | S3Place, string>).safeParse(value);
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? RULE });
    return z.NEVER;
  });
}

/** A place with the variables. @throws {ConfigurationInvalid} */
export function s3Settings(place: S3Place, variable: string, environment: Environment): S3Settings {
  return { ...place, variable, config: readVariables(s3Variables, environment) };
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials; absent or empty for others. */
  readonly sessionToken?: string | undefined;
}
