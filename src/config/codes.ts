/** Variables of the codes service and of the code-making library. */
import os from 'node:os';
import path from 'node:path';
import { corsVariables, listenVariables } from './listen.js';
import { boolean, integer, oneOf, text, webAddress } from './schemas.js';
import { defineVariables, type Values } from './variable.js';

export const codesVariables = defineVariables({
  ...listenVariables('CODEWEB', 8000, 'DEBUG'),
  ...corsVariables('CODEWEB', ''),
  environment: {
    name: 'CODEWEB_ENVIRONMENT',
    schema: oneOf('development', 'production'),
    default: 'development',
    description: '`development` adds details to errors',
  },
  siteAddress: {
    name: 'CODEWEB_SITE_ADDRESS',
    schema: webAddress(),
    defaultShown: "the request's scheme and host, e.g. `http://localhost:8000`",
    description: 'Public address that absolute links start with',
  },
  mediaPath: {
    name: 'CODEWEB_MEDIA_PATH',
    schema: text().transform((directory) => path.resolve(directory)),
    default: 'media',
    description: 'Folder of the uploads and their records',
  },
  maxWorkers: {
    name: 'CODEWEB_MAX_WORKERS',
    schema: integer(1, 1024),
    default: String(os.availableParallelism()),
    defaultShown: 'number of CPU cores',
    description: 'Files that are processed at a time',
  },
  jobSecondsMax: {
    name: 'CODEWEB_MAX_JOB_SECONDS',
    schema: integer(1, 86_400),
    default: '120',
    unit: 'seconds',
    description: 'Time that work on one file may take; audio and video get 2 s more for each MiB',
  },
  maxUploadBytes: {
    name: 'CODEWEB_MAX_UPLOAD_SIZE',
    schema: integer(1),
    default: '1073741824',
    unit: 'bytes',
    description: 'Largest upload',
  },
  ioReadBytes: {
    name: 'CODEWEB_IO_READ_SIZE',
    schema: integer(4096, 64 * 1024 * 1024),
    default: '2097152',
    unit: 'bytes',
    description: 'Size of one read from a stored file',
  },
  privateFiles: {
    name: 'CODEWEB_PRIVATE_FILES',
    schema: boolean(),
    default: 'true',
    description: 'Only the uploader may download, delete and embed',
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
    description: 'Pause between clean-ups of expired uploads; 0 turns them off',
  },
  semanticDefault: {
    name: 'CODEWEB_SEMANTIC_DEFAULT',
    schema: boolean(),
    default: 'false',
    description: 'Value of `semantic` when a request leaves it out',
  },
  errorTrackingDsn: {
    name: 'CODEWEB_ERROR_TRACKING_DSN',
    schema: webAddress({ mayHaveKey: true }),
    secret: true,
    defaultShown: '',
    description: 'Sentry-compatible address that unexpected errors are reported to',
  },
  granular: {
    name: 'CODESDK_GRANULAR',
    schema: boolean(),
    default: 'true',
    description: 'Value of `granular` when a request leaves it out',
  },
  fallback: {
    name: 'CODESDK_FALLBACK',
    schema: boolean(),
    default: 'true',
    description: 'Unsupported media types get a two-unit ISCC-SUM instead of 422',
  },
  experimental: {
    name: 'CODESDK_EXPERIMENTAL',
    schema: boolean(),
    default: 'false',
    description: 'Experimental units also where a request has no parameter for them',
  },
  compat: {
    name: 'CODESDK_COMPAT',
    schema: oneOf('0.9.7', '0.9.5'),
    default: '0.9.7',
    description: 'Release of the reference library whose results are reproduced',
  },
  ffmpeg: {
    name: 'CODESDK_FFMPEG',
    schema: text(),
    default: 'ffmpeg',
    description: 'The ffmpeg executable, by name on the PATH or by path',
  },
  ffprobe: {
    name: 'CODESDK_FFPROBE',
    schema: text(),
    default: 'ffprobe',
    description: 'The ffprobe executable, by name on the PATH or by path',
  },
  onnxRuntime: {
    name: 'CODESDK_ONNXRUNTIME',
    schema: text(),
    default: 'onnxruntime-node',
    description: 'The module that runs ONNX models, by package name or by path',
  },
  semanticTextModel: {
    name: 'CODESDK_SEMANTIC_TEXT_MODEL',
    schema: text(),
    defaultShown: '',
    description: 'ONNX file of the sentence model behind semantic text units',
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
    description: 'ONNX file of the image model behind semantic image units',
  },
});

export type CodesConfig = Values<typeof codesVariables>;
