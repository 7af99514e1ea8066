/** Variables of the codes service (`CODEWEB_`) and of code generation (`CODESDK_`). */
import os from 'node:os';
import path from 'node:path';
import { type CommonConfig, commonVariables } from './common.js';
import { corsVariables, listenVariables } from './listen.js';
import { folderOrS3, type S3Settings, s3Settings } from './s3.js';
import { boolean, integer, networks, oneOf, rate, sourceOrigins, text, webAddress } from './schemas.js';
import {
  ConfigurationInvalid,
  collectProblems,
  defineVariables,
  type Environment,
  readVariables,
  type Values,
} from './variable.js';

export const codesVariables = defineVariables({
  ...listenVariables('CODEWEB', 8000, 'DEBUG'),
  ...corsVariables('CODEWEB', ''),
  environment: {
    name: 'CODEWEB_ENVIRONMENT',
    schema: oneOf('development', 'production'),
    defaultShown: 'that of `ISCCD_ENVIRONMENT`',
    description: '`development` adds details to error responses',
  },
  siteAddress: {
    name: 'CODEWEB_SITE_ADDRESS',
    schema: webAddress(),
    defaultShown: "the request's scheme and host, e.g. `http://localhost:8000`",
    description: 'Public base address, used in absolute links',
  },
  mediaPath: {
    name: 'CODEWEB_MEDIA_PATH',
    schema: folderOrS3((directory) => path.resolve(directory)),
    defaultShown: 'the folder `codes` in `ISCCD_DATA_DIR`',
    description:
      'Folder for uploads and their records, or `s3://BUCKET/PREFIX` for a bucket that several instances share. Options ' +
      'after `?`: `endpoint`, `region`, `style` (`path` or `virtual`), `sse` (`AES256` or `aws:kms`) and `kms-key`. ' +
      'Credentials come from the variables of S3',
  },
  redirectsToS3: {
    name: 'CODEWEB_S3_REDIRECT',
    schema: boolean(),
    default: 'false',
    description:
      'Whether downloads of uploads in S3 are answered with 307 and a signed address of the bucket that holds for 5 ' +
      'minutes, instead of the bytes',
  },
  maxWorkers: {
    name: 'CODEWEB_MAX_WORKERS',
    schema: integer(1, 1024),
    default: String(os.availableParallelism()),
    defaultShown: 'number of CPU cores',
    description:
      'Maximum number of files processed concurrently. While one client network occupies more than half of them, others ' +
      'get up to half as many in addition',
  },
  jobs: {
    name: 'CODEWEB_JOBS',
    schema: boolean(),
    default: 'true',
    description:
      'Whether `Prefer: respond-async` starts a job. If false, such requests get their result in the response. Several ' +
      'instances without `ISCCD_REDIS_URL` need false, because a job is then known only to its process',
  },
  jobSecondsMax: {
    name: 'CODEWEB_MAX_JOB_SECONDS',
    schema: integer(1, 86_400),
    default: '120',
    unit: 'seconds',
    description:
      'Time limit for processing one file. Texts and images get a quarter of it (at least 30 s), audio and video half ' +
      '(at least 60 s), and all 2 s more per MiB; only semantic units get all of it',
  },
  maxUploadBytes: {
    name: 'CODEWEB_MAX_UPLOAD_SIZE',
    schema: integer(1),
    default: '1073741824',
    unit: 'bytes',
    description: 'Maximum size of an upload',
  },
  rateWrite: {
    name: 'CODEWEB_RATE_WRITE',
    schema: rate(),
    defaultShown: 'no limit',
    description: 'Uploads and embeddings per client: a count per `s`, `m`, `h` or `d`, such as `60/m`',
  },
  rateBytes: {
    name: 'CODEWEB_RATE_BYTES',
    schema: rate(),
    defaultShown: 'no limit',
    description:
      'Bytes of uploads per client, such as `20000000000/d`. The upload that reaches the limit is still accepted',
  },
  unthrottled: {
    name: 'CODEWEB_UNTHROTTLED',
    schema: networks(),
    defaultShown: '',
    description: 'Client addresses and networks (`10.0.0.0/8`) exempt from these rates, separated by commas',
  },
  diskReserveBytes: {
    name: 'CODEWEB_DISK_RESERVE',
    schema: integer(0),
    default: '0',
    unit: 'bytes',
    description:
      'Free space on the disk of uploads that they leave to others, such as search and store. Beyond it, uploads get 507; ' +
      'one of unknown length counts as `CODEWEB_MAX_UPLOAD_SIZE`',
  },
  ioReadBytes: {
    name: 'CODEWEB_IO_READ_SIZE',
    schema: integer(4096, 64 * 1024 * 1024),
    default: '2097152',
    unit: 'bytes',
    description: 'Block size for reading stored files',
  },
  privateFiles: {
    name: 'CODEWEB_PRIVATE_FILES',
    schema: boolean(),
    default: 'true',
    description: 'Whether only the uploader may download a file, delete it and embed metadata',
  },
  sources: {
    name: 'CODEWEB_SOURCES',
    schema: sourceOrigins(),
    default: '',
    defaultShown: 'off',
    description:
      'Web servers from which `POST /iscc` may fetch files (`X-Upload-Source`, `text/uri-list`): origins separated by ' +
      'commas, such as `https://media.example.com` or `https://*.example.com`; only their public addresses are used',
  },
  storageExpirySeconds: {
    name: 'CODEWEB_STORAGE_EXPIRY',
    schema: integer(1),
    default: '3600',
    unit: 'seconds',
    description: 'Lifetime of an upload',
  },
  cleanupIntervalSeconds: {
    name: 'CODEWEB_CLEANUP_INTERVAL',
    schema: integer(0, 2_147_483),
    default: '600',
    unit: 'seconds',
    description: 'Interval between clean-ups of expired uploads; 0 disables them',
  },
  semanticDefault: {
    name: 'CODEWEB_SEMANTIC_DEFAULT',
    schema: boolean(),
    default: 'false',
    description: 'Default of the request parameter `semantic`',
  },
  granular: {
    name: 'CODESDK_GRANULAR',
    schema: boolean(),
    default: 'true',
    description: 'Default of the request parameter `granular`',
  },
  granularMedia: {
    name: 'CODESDK_GRANULAR_MEDIA',
    schema: boolean(),
    default: 'false',
    description:
      'Whether granular results of audio and video have experimental simprints, with which indexes find clips and passages',
  },
  fallback: {
    name: 'CODESDK_FALLBACK',
    schema: boolean(),
    default: 'true',
    description: 'Whether unsupported media types get a two-unit ISCC-SUM instead of an error (422)',
  },
  fallbackAlways: {
    name: 'CODEWEB_FALLBACK',
    schema: oneOf('off', 'always').transform((value) => value === 'always'),
    default: 'off',
    description:
      '`always`: damaged, encrypted and too short files get an ISCC-SUM with a note instead of an error; default of ' +
      'the request parameter `fallback`',
  },
  experimental: {
    name: 'CODESDK_EXPERIMENTAL',
    schema: boolean(),
    default: 'false',
    description: 'Whether to create experimental units where the request has no parameter for them',
  },
  compat: {
    name: 'CODESDK_COMPAT',
    schema: oneOf('0.9.7', '0.9.5', 'better'),
    default: '0.9.7',
    description:
      'Version of the reference library whose results are reproduced. `better`: 0.9.7, with what it loses (see the ' +
      'request parameter `compat`)',
  },
  ffmpeg: {
    name: 'CODESDK_FFMPEG',
    schema: text(),
    default: 'ffmpeg',
    description: 'Name on the PATH, or path, of the ffmpeg executable',
  },
  ffprobe: {
    name: 'CODESDK_FFPROBE',
    schema: text(),
    default: 'ffprobe',
    description: 'Name on the PATH, or path, of the ffprobe executable',
  },
  onnxRuntime: {
    name: 'CODESDK_ONNXRUNTIME',
    schema: text(),
    default: 'onnxruntime-node',
    description: 'Package name or path of the module that runs ONNX models',
  },
  semanticTextModel: {
    name: 'CODESDK_SEMANTIC_TEXT_MODEL',
    schema: text(),
    defaultShown: '',
    description: 'ONNX file of the sentence model for semantic text units',
  },
  semanticTokenizer: {
    name: 'CODESDK_SEMANTIC_TOKENIZER',
    schema: text(),
    defaultShown: '',
    description: 'Tokenizer file (`tokenizer.json`) of the sentence model',
  },
  semanticImageModel: {
    name: 'CODESDK_SEMANTIC_IMAGE_MODEL',
    schema: text(),
    defaultShown: '',
    description: 'ONNX file of the image model for semantic image units',
  },
});

/** The variables, completed by those of all services. */
export interface CodesConfig extends Omit<Values<typeof codesVariables>, 'mediaPath'> {
  readonly environment: 'development' | 'production';
  /** Local folder of uploads. Unused if they are in S3. */
  readonly mediaPath: string;
  /** Where uploads are in S3. */
  readonly mediaS3?: S3Settings;
  /** Local folder of files that exist only while a request is processed, if uploads are in S3. */
  readonly draftsFolder: string;
  /** Where instances share the progress of uploads and jobs. */
  readonly redisUrl?: string | undefined;
}

/** @throws {ConfigurationInvalid} */
export function readCodesConfig(environment: Environment): CodesConfig {
  const [own, common] = collectProblems<Values<typeof codesVariables> | CommonConfig | undefined>([
    () => readVariables(codesVariables, environment),
    () => readVariables(commonVariables, environment),
    () => checkTextModel(environment),
  ]) as [Values<typeof codesVariables>, CommonConfig];
  const folder = path.join(common.dataDir, 'codes');
  const { mediaPath = folder } = own;
  const isLocal = typeof mediaPath === 'string';
  return {
    ...own,
    environment: own.environment ?? common.environment,
    mediaPath: isLocal ? mediaPath : folder,
    ...(!isLocal && { mediaS3: s3Settings(mediaPath, codesVariables.mediaPath.name, environment) }),
    redisUrl: common.redisUrl,
    draftsFolder: path.join(common.dataDir, 'codes-drafts'),
  };
}

/** A sentence model is of no use without its tokenizer, and the other way round. */
function checkTextModel(environment: Environment): undefined {
  const { semanticTextModel, semanticTokenizer } = codesVariables;
  const [first, second] = [semanticTextModel.name, semanticTokenizer.name];
  const isSet = (name: string) => (environment[name] ?? '') !== '';
  if (isSet(first) === isSet(second)) return;
  const [set, missing] = isSet(first) ? [first, second] : [second, first];
  throw new ConfigurationInvalid(`${set} needs ${missing}: a sentence model is used with its tokenizer`);
}
