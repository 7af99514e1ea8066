/** Configuration and verification of the models for semantic units. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { native } from '../../../../native.js';
import type { CodesConfig } from '../../../../platform/config/codes.js';
import { ConfigurationInvalid } from '../../../../platform/config/variable.js';
import { failureReason } from '../../../../platform/failure-reason.js';
import type { Logger } from '../../../../platform/observe/log.js';
import { CodesRefusal } from '../../errors.js';
import type { Mode } from '../../result.js';

export interface TextModel {
  /** Path of the ONNX file. */
  readonly model: string;
  /** Path of the `tokenizer.json`. */
  readonly tokenizer: string;
}

export interface ImageModel {
  /** Path of the ONNX file. */
  readonly model: string;
}

/** The configured models. Sent to the workers as is. */
export interface SemanticModels {
  /** ONNX runtime module: a package name or path. */
  readonly runtime: string;
  readonly text?: TextModel;
  readonly image?: ImageModel;
}

type ModelConfig = Pick<
  CodesConfig,
  'onnxRuntime' | 'semanticTextModel' | 'semanticTokenizer' | 'semanticImageModel'
>;

export function configuredModels(config: ModelConfig): SemanticModels {
  const { semanticTextModel: text, semanticTokenizer: tokenizer, semanticImageModel: image } = config;
  return {
    runtime: config.onnxRuntime,
    ...(text !== undefined && tokenizer !== undefined && { text: { model: text, tokenizer } }),
    ...(image !== undefined && { image: { model: image } }),
  };
}

/** @throws {CodesRefusal} `SEMANTIC_UNAVAILABLE` if a file of this mode needs a model that is not configured */
export function requireModels(models: SemanticModels, mode: Mode): void {
  if (mode === 'text' && models.text === undefined) {
    const variable = 'CODESDK_SEMANTIC_TEXT_MODEL and CODESDK_SEMANTIC_TOKENIZER';
    throw new CodesRefusal('SEMANTIC_UNAVAILABLE', { variable });
  }
  if (mode === 'image' && models.image === undefined) {
    throw new CodesRefusal('SEMANTIC_UNAVAILABLE', { variable: 'CODESDK_SEMANTIC_IMAGE_MODEL' });
  }
}

/** BLAKE3 of the published models. Codes of two services are comparable only if both use the same model. */
const PUBLISHED: Readonly<Record<string, string>> = {
  'iscc-sct-v0.2.0.onnx': 'd4f763474f9be35ce5358637c87935ee11ba396b9196f73b95ab97da0cef8749',
  'iscc-sci-v0.1.0.onnx': 'af95054d463e4c95de4c099a7947dbc2f3db168507fef25e91e6984a6f32dd3c',
  'iscc-sci-v0.1.0-w16.onnx': '9f24dd3d0440eaa07adf121b21a1cbd8518fe36048b9d8a72b606d8a6416e8a3',
};

/**
 * Checks all model files at start. Custom models are allowed and logged.
 *
 * @throws {ConfigurationInvalid} if a file is missing, is not a tokenizer, or has the name but not the content of a
 * published model
 */
export async function checkModels(models: SemanticModels, log: Logger): Promise<void> {
  const { text, image } = models;
  if (text !== undefined) {
    await checkTokenizer(text.tokenizer);
    await checkModel('CODESDK_SEMANTIC_TEXT_MODEL', text.model, log);
  }
  if (image !== undefined) await checkModel('CODESDK_SEMANTIC_IMAGE_MODEL', image.model, log);
}

async function checkTokenizer(file: string): Promise<void> {
  const variable = 'CODESDK_SEMANTIC_TOKENIZER';
  await checkFile(variable, file);
  await native.loadTokenizer(file).catch((cause: unknown) => {
    const rule = `must be a tokenizer file: ${failureReason(cause)}`;
    throw new ConfigurationInvalid(`${variable}=${JSON.stringify(file)} ${rule}`);
  });
}

async function checkModel(variable: string, file: string, log: Logger): Promise<void> {
  await checkFile(variable, file);
  const { datahash } = await native.sumFile(file);
  const blake3 = datahash.slice(MULTIHASH_PREFIX.length);
  const published = PUBLISHED[path.basename(file)];
  if (published !== undefined && published !== blake3) {
    const rule = `differs from the published file of that name: its BLAKE3 is ${blake3}, not ${published}`;
    throw new ConfigurationInvalid(`${variable}=${JSON.stringify(file)} ${rule}`);
  }
  if (Object.values(PUBLISHED).includes(blake3)) log.info({ variable, file }, 'published semantic model');
  else
    log.warn(
      { variable, file, blake3 },
      'custom semantic model: its codes are comparable only with codes of the same model',
    );
}

/** Multihash code of BLAKE3 and the digest length. */
const MULTIHASH_PREFIX = '1e20';

async function checkFile(variable: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return;
  throw new ConfigurationInvalid(`${variable}=${JSON.stringify(file)} must be a readable file`);
}
