/** Folders for the temporary files of one job. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { FormatFile } from './formats/format.js';

/**
 * Creates a folder, by default next to the draft, so that the clean-up of drafts also removes the folder of a killed
 * process. The caller removes it.
 */
export async function makeWorkFolder(
  { path: file, workFolder }: Pick<FormatFile, 'path' | 'workFolder'>,
  kind: string,
): Promise<string> {
  if (workFolder === undefined) return mkdtemp(`${path.resolve(file)}-`);
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  return mkdtemp(path.join(workFolder, `${kind}-`));
}
