/** The files that the workers of a pipeline open. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { codesVariables } from '../../../platform/config/codes.js';
import { environment } from '../../../platform/config/env.js';
import { readVariables } from '../../../platform/config/variable.js';
import { type FileRules, programFiles } from '../../../platform/workers/sandbox.js';
import type { BlobPlaces } from '../../../storage/blobs/port.js';
import type { SemanticModels } from './semantic/models.js';

/** The folders of a service, or, of a program that codes files anywhere, a folder for temporary files. */
export type Places = BlobPlaces | { readonly work: string };

/**
 * In a service: the drafts, and stored uploads whose names are known. Otherwise: every file to read, and the folder for
 * temporary files, which is created first: a rule needs an existing folder.
 */
export function fileRules(places: Places, models: SemanticModels): FileRules {
  if ('work' in places) {
    makeFolder(places.work);
    return { read: ['/'], open: [], write: [places.work] };
  }
  const { ffmpeg, ffprobe } = codesVariables;
  const tools = Object.values(readVariables({ ffmpeg, ffprobe }, environment()));
  return {
    read: [...tools.flatMap(programFiles), ...runtimeFiles(models)],
    open: [...(places.files === undefined ? [] : [places.files]), ...modelFiles(models)],
    write: [places.drafts],
  };
}

/** If it fails, so does the first job that needs the folder, with the reason. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {}
}

/** The ONNX runtime and what is installed with it, unless it is a dependency of this package. */
function runtimeFiles({ runtime }: SemanticModels): readonly string[] {
  if (!path.isAbsolute(runtime)) return [];
  const folder = path.dirname(runtime);
  return path.basename(folder) === 'node_modules' ? [folder] : [runtime];
}

/** Weights of large models are in a file next to them. */
function modelFiles({ text, image }: SemanticModels): readonly string[] {
  const models = [text?.model, image?.model].filter((model) => model !== undefined);
  const all = models.flatMap((model) => [model, `${model}_data`, `${model}.data`]);
  return text === undefined ? all : [...all, text.tokenizer];
}
