/** Folders for the temporary files of one job. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';

/** Where a job may write. */
export interface WorkPlace {
  /** Path of the file. Its name carries no information. */
  readonly path: string;
  /** Folder for temporary files, created on first use. Default: the folder of the file. */
  readonly workFolder?: string | undefined;
}

/**
 * Runs `work` with a new folder, and removes the folder. By default it is next to the draft, has one name per kind, and
 * replaces that of a killed worker, which had the same job. So the end of the upload removes it in any case.
 */
export async function inWorkFolder<T>(
  place: WorkPlace,
  kind: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await makeFolder(place, kind);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeFolder({ path: file, workFolder }: WorkPlace, kind: string): Promise<string> {
  if (workFolder === undefined) {
    const folder = `${path.resolve(file)}-${kind}`;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  return mkdtemp(path.join(workFolder, `${kind}-`));
}
