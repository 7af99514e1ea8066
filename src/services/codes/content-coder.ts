/** Codes assets for other services without keeping them. Implements the port in src/content/coder.ts. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Asset, type CodedAsset, type ContentCoder, ContentRefused } from '../../content/coder.js';
import type { CodesConfig } from '../../platform/config/codes.js';
import { clientKey } from '../../platform/limits/throttle.js';
import type { Logger } from '../../platform/observe/log.js';
import { FileBlobs } from '../../storage/blobs/files.js';
import type { Blobs } from '../../storage/blobs/port.js';
import { saysFull } from '../../storage/data/full.js';
import { isSameType, nameForType } from './content-type.js';
import { CodesRefusal, codeStatus, Unavailable } from './errors.js';
import { filenameOf } from './filename.js';
import { mediaTypeOf } from './pipeline/addon-calls.js';
import type { Pipeline, ProcessOptions } from './pipeline/pipeline.js';
import { configuredModels } from './pipeline/semantic/models.js';
import { startPipeline } from './pipeline/start.js';
import { receiveWithSum } from './uploads/receive.js';

export interface CoderParts {
  /** Its drafts are the only place where bytes of an asset are on disk. */
  readonly blobs: Blobs;
  readonly pipeline: Pipeline;
  readonly bytesMax: number;
  /** Whether to add a Semantic-Code. */
  readonly semantic: boolean;
  readonly onClose?: () => Promise<void>;
}

/** A coder over a pipeline. */
export class PipelineCoder implements ContentCoder {
  readonly bytesMax: number;
  readonly #parts: CoderParts;
  readonly #options: ProcessOptions;

  constructor(parts: CoderParts) {
    this.bytesMax = parts.bytesMax;
    this.#parts = parts;
    this.#options = { granular: false, semantic: parts.semantic };
  }

  async code(asset: Asset): Promise<CodedAsset> {
    try {
      return await this.#code(asset);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async close(): Promise<void> {
    await this.#parts.onClose?.();
  }

  async #code(asset: Asset): Promise<CodedAsset> {
    const { body, mediatype, isTypeRequired, isDescribed, readsRights, clientAddress, signal } = asset;
    const { blobs, pipeline } = this.#parts;
    const filename = nameOf(asset);
    const draft = await blobs.begin();
    try {
      const received = await receiveWithSum(body, draft, this.bytesMax);
      const { head } = received.body;
      await received.body.write();
      if (isTypeRequired && mediatype !== undefined)
        checkType(mediatype, mediaTypeOf(filename, head).mediatype);
      const file = { path: draft.path, filename, head, sum: received.sum };
      const manifestUse = isDescribed ? 'describe' : 'read';
      const client = clientKey(clientAddress);
      const options = { ...this.#options, client, manifest: manifestUse, readsRights } as const;
      const processed = await pipeline.process(file, options, signal);
      const { result, symmetries, manifest, credentials, rights } = processed;
      return {
        iscc: result.iscc,
        units: result.units,
        symmetries,
        mediatype: result.mediatype,
        ...(manifest && { manifest }),
        ...(credentials !== undefined && { credentials: JSON.parse(credentials) as unknown }),
        ...(rights && { rights }),
      };
    } finally {
      await draft.discard();
    }
  }
}

/** A coder with a worker pool and a temporary folder of its own, for processes without the codes service. */
export async function startContentCoder(config: CodesConfig, log: Logger): Promise<ContentCoder> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-content-'));
  const blobs = await FileBlobs.open(folder);
  const pipeline = startPipeline(config, { models: configuredModels(config), places: blobs.places, log });
  const onClose = async () => {
    await pipeline.close();
    await rm(folder, { recursive: true, force: true });
  };
  const { maxUploadBytes: bytesMax, semanticDefault: semantic } = config;
  return new PipelineCoder({ blobs, pipeline, bytesMax, semantic, onClose });
}

/** The given name. If it has no extension, that of the claimed type, which does not change the title. */
function nameOf({ sentFilename, mediatype }: Asset): string {
  const forType = nameForType(mediatype);
  if (sentFilename === undefined) return forType;
  const filename = filenameOf(sentFilename);
  return path.extname(filename) === '' ? filename + path.extname(forType) : filename;
}

function checkType(claimed: string, detected: string): void {
  if (isSameType(claimed, detected)) return;
  throw new ContentRefused(415, 'TYPE_MISMATCH', `The asset is ${detected}, not ${claimed}`);
}

/** The refusal that a client of another service gets. Faults stay what they are. */
function refusalOf(error: unknown): unknown {
  const options = { cause: error };
  if (error instanceof Unavailable) {
    const { code, message, retryAfterSeconds } = error;
    return new ContentRefused(503, code, message, { ...options, retryAfterSeconds });
  }
  if (error instanceof CodesRefusal) {
    const { code, message } = error;
    if (code === 'UPLOAD_SIZE') return new ContentRefused(400, code, 'The asset is empty', options);
    const status = code === 'MEDIATYPE_UNSUPPORTED' ? 415 : codeStatus(code) === 422 ? 422 : 400;
    return new ContentRefused(status, code, message, options);
  }
  return saysFull(error)
    ? new ContentRefused(507, 'STORAGE_FULL', 'No space left for the asset', options)
    : error;
}
