/** Variables of the codes service (`CODEWEB_`) and of code generation (`CODESDK_`). */
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
    schema: text().transform((directory) => path.resolve(directory)),
    default: 'media',
    description: 'Folder for uploads and their records',
  },
  maxWorkers: {
    name: 'CODEWEB_MAX_WORKERS',
    schema: integer(1, 1024),
    default: String(os.availableParallelism()),
    defaultShown: 'number of CPU cores',
    description: 'Maximum number of files processed concurrently',
  },
  jobSecondsMax: {
    name: 'CODEWEB_MAX_JOB_SECONDS',
    schema: integer(1, 86_400),
    default: '120',
    unit: 'seconds',
    description: 'Time limit for processing one file; audio and video get 2 s more per MiB',
  },
  maxUploadBytes: {
    name: 'CODEWEB_MAX_UPLOAD_SIZE',
    schema: integer(1),
    default: '1073741824',
    unit: 'bytes',
    description: 'Maximum size of an upload',
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
  fallback: {
    name: 'CODESDK_FALLBACK',
    schema: boolean(),
    default: 'true',
    description: 'Whether unsupported media types get a two-unit ISCC-SUM instead of an error (422)',
  },
  experimental: {
    name: 'CODESDK_EXPERIMENTAL',
    schema: boolean(),
    default: 'false',
    description: 'Whether to create experimental units where the request has no parameter for them',
  },
  compat: {
    name: 'CODESDK_COMPAT',
    schema: oneOf('0.9.7', '0.9.5'),
    default: '0.9.7',
    description: 'Version of the reference library whose results are reproduced',
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

export type CodesConfig = Values<typeof codesVariables>;
