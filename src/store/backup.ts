/** Copies the store's data folder and its database while services use them. */
import path from 'node:path';
import type { ContentBlobs } from '../blobs/content-port.js';
import { Copier } from '../data/copier.js';
import { FORMAT_FILE } from '../data/format.js';
import type { Copied, OnStep } from '../data/port.js';
import { copyDatabase, type DatabaseCopyJob, schemaVersion } from '../database/copy.js';
import { refillAll } from '../database/index-status.js';
import { DATABASE_FILE, type Db } from '../database/open.js';
import { BlobCopier } from './blob-copier.js';
import { storeCounts } from './counts.js';
import { FILES, INSTALLATION_FILE, MANIFEST_SUFFIX, manifestFile } from './folder.js';
import { type BlobPlace, openBlobs } from './open-blobs.js';

/** Written by `pg_dump`, read by `pg_restore`. */
export const DUMP_FILE = 'store.pgdump';
/** First version of the tables with manifests that can be restored. */
export const UNDO_VERSION = 14;
const FIRST_TRY_FILE = 'first-try.json';

export type StoreBackupSource = Pick<DatabaseCopyJob, 'url' | 'dataDir' | 'environment'> &
  Pick<BlobPlace, 'blobsS3'>;

/**
 * Every row of the copy that is live or can be restored has its file. Files are copied before the rows, and new ones again after them. If a file
 * has been deleted in between, the rows are copied again.
 */
export async function backupStore(
  source: StoreBackupSource,
  target: string,
  onStep: OnStep,
): Promise<Copied> {
  const blobs = source.blobsS3 && (await openBlobs(source));
  try {
    return await backupWith(source, target, { blobs, onStep });
  } finally {
    await blobs?.close();
  }
}

interface BackupParts {
  /** Files that are not in the data folder. */
  readonly blobs: ContentBlobs | undefined;
  readonly onStep: OnStep;
}

async function backupWith(
  source: StoreBackupSource,
  target: string,
  { blobs, onStep }: BackupParts,
): Promise<Copied> {
  const copier = blobs ? new BlobCopier(blobs, source.dataDir, target) : new Copier(source.dataDir, target);
  await copier.shareAll(FILES, onStep);
  const files: string[] = [];
  for (const file of [FIRST_TRY_FILE, FORMAT_FILE, INSTALLATION_FILE])
    if (await copier.copy(file)) files.push(file);
  let counts = {};
  const copy = await copyDatabase({
    ...source,
    file: path.join(target, DATABASE_FILE),
    dump: path.join(target, DUMP_FILE),
    complete: async (rows) => {
      counts = await storeCounts(rows);
      return takeFiles(rows, copier);
    },
    // The similarity indexes are copied at another moment: fill them again after a restore.
    prepare: async (copy) => {
      await refillAll(copy);
    },
  });
  if (copy !== undefined) files.push(path.basename(copy));
  // A check can't read the rows of a dump, so the manifest of the backup lists the files.
  if (files.includes(DUMP_FILE)) files.push(...(await copier.copiedFiles(FILES)));
  await copier.finish();
  return { counts, files, notes: [] };
}

/** Makes the copy's files match its rows that are live or can be restored. Returns `false` if a file is missing. */
async function takeFiles(rows: Db, copier: Copier): Promise<boolean> {
  const digests = rows.selectFrom('manifests').select('sha256').distinct();
  const live = await digests.where('live', '=', 1).execute();
  const hasUndo = (await schemaVersion(rows, '')) >= UNDO_VERSION;
  const kept = hasUndo ? await digests.where('kept_until', '>', Date.now()).execute() : [];
  const wanted = new Set([...live, ...kept].map(({ sha256 }) => sha256));
  for (const digest of wanted) {
    const file = manifestFile(digest);
    if (!(await copier.has(file)) && !(await copier.share(file))) return false;
  }
  for (const file of await copier.copiedFiles(FILES)) {
    if (!wanted.has(path.basename(file, MANIFEST_SUFFIX))) await copier.drop(file);
  }
  return true;
}
