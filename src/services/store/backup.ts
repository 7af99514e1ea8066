/** Copies the store's data folder and its database while services use them. */
import path from 'node:path';
import { TRUST_KINDS, trustUpdateFile } from '../../platform/config/trust-list.js';
import type { ContentBlobs } from '../../storage/blobs/content-port.js';
import { Copier } from '../../storage/data/copier.js';
import { FORMAT_FILE } from '../../storage/data/format.js';
import type { Copied, OnStep } from '../../storage/data/port.js';
import { auditHead, headText } from '../../storage/database/audit-chain.js';
import { copyDatabase, type DatabaseCopyJob } from '../../storage/database/copy.js';
import { refillAll } from '../../storage/database/index-status.js';
import { DATABASE_FILE } from '../../storage/database/open.js';
import type { Db } from '../../storage/database/tables.js';
import { BlobCopier } from './files/blob-copier.js';
import { FILES, INSTALLATION_FILE, MANIFEST_SUFFIX, manifestFile } from './files/folder.js';
import { type BlobPlace, openBlobs } from './files/open-blobs.js';
import { storeLogHead } from './log/check.js';
import { storeCounts } from './manifests/counts.js';

/** Written by `pg_dump`, read by `pg_restore`. */
export const DUMP_FILE = 'store.pgdump';
/** Manifests without a file that a message names. */
const LOST_SHOWN_MAX = 20;
const FIRST_TRY_FILE = 'first-try.json';
const TRUST_FILES = TRUST_KINDS.map(trustUpdateFile);

export type StoreBackupSource = Pick<DatabaseCopyJob, 'url' | 'dataDir' | 'environment' | 'signal'> &
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
  for (const file of [FIRST_TRY_FILE, FORMAT_FILE, INSTALLATION_FILE, ...TRUST_FILES])
    if (await copier.copy(file)) files.push(file);
  let counts = {};
  let heads: Pick<Copied, 'auditHead' | 'logHead'> = {};
  let lost: readonly string[] = [];
  const copy = await copyDatabase({
    ...source,
    file: path.join(target, DATABASE_FILE),
    dump: path.join(target, DUMP_FILE),
    complete: async (rows, now) => {
      counts = await storeCounts(rows);
      heads = {
        auditHead: headText(await auditHead(rows)),
        logHead: headText(await storeLogHead(rows)),
      };
      const missing = await takeFiles(rows, now, copier);
      lost = missing ?? [];
      return missing !== undefined;
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
  return { counts, files, notes: [], problems: lost.length === 0 ? [] : [lostNote(lost)], ...heads };
}

/**
 * Makes the copy's files match its rows that are live or can be restored.
 *
 * @param now the database as it is now
 * @returns ids of manifests whose files are missing; `undefined` if some were deleted after the rows were copied
 */
async function takeFiles(rows: Db, now: Db, copier: Copier): Promise<readonly string[] | undefined> {
  const wanted = new Set((await withFiles(rows)).map(({ sha256 }) => sha256));
  const missing = new Set<string>();
  for (const digest of wanted) {
    const file = manifestFile(digest);
    if (!(await copier.has(file)) && !(await copier.share(file))) missing.add(digest);
  }
  const lost = missing.size === 0 ? [] : (await withFiles(now)).filter(({ sha256 }) => missing.has(sha256));
  if (new Set(lost.map(({ sha256 }) => sha256)).size < missing.size) return undefined;
  for (const file of await copier.copiedFiles(FILES)) {
    if (!wanted.has(path.basename(file, MANIFEST_SUFFIX))) await copier.drop(file);
  }
  return lost.map(({ manifest_id }) => manifest_id);
}

/** Manifests that are live or can be restored. */
async function withFiles(db: Db): Promise<{ manifest_id: string; sha256: string }[]> {
  const manifests = db.selectFrom('manifests').select(['manifest_id', 'sha256']);
  const live = await manifests.where('live', '=', 1).execute();
  const kept = await manifests.where('kept_until', '>', Date.now()).execute();
  return [...live, ...kept];
}

function lostNote(ids: readonly string[]): string {
  const shown = ids.slice(0, LOST_SHOWN_MAX).join(', ');
  const rest = ids.length > LOST_SHOWN_MAX ? `, and ${ids.length - LOST_SHOWN_MAX} more` : '';
  return `files of manifests are missing, all else was copied: ${shown}${rest}; upload these manifests again`;
}
