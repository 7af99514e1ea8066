/** Copies the store's folder and its database while services work on them. */
import path from 'node:path';
import { Copier } from '../data/copier.js';
import { FORMAT_FILE } from '../data/format.js';
import type { Copied, OnStep } from '../data/port.js';
import { copyDatabase, type DatabaseCopyJob } from '../database/copy.js';
import { DATABASE_FILE, type Db } from '../database/open.js';
import { storeCounts } from './counts.js';
import { FILES, MANIFEST_SUFFIX, manifestFile } from './folder.js';
import { doAllAgain } from './search-index-sync-rows.js';

/** What `pg_dump` writes; `pg_restore` reads it. */
export const DUMP_FILE = 'store.pgdump';
const FIRST_TRY_FILE = 'first-try.json';

export type StoreBackupSource = Pick<DatabaseCopyJob, 'url' | 'dataDir' | 'environment'>;

/**
 * Every live row of the copy has its file: files are taken before the rows and, those that came in between, after
 * them. Where one has gone by then, the rows are copied anew.
 */
export async function backupStore(
  source: StoreBackupSource,
  target: string,
  onStep: OnStep,
): Promise<Copied> {
  const copier = new Copier(source.dataDir, target);
  await copier.shareAll(FILES, onStep);
  const files: string[] = [];
  for (const file of [FIRST_TRY_FILE, FORMAT_FILE]) if (await copier.copy(file)) files.push(file);
  let counts = {};
  const copy = await copyDatabase({
    ...source,
    file: path.join(target, DATABASE_FILE),
    dump: path.join(target, DUMP_FILE),
    complete: async (rows) => {
      counts = await storeCounts(rows);
      return takeFiles(rows, copier);
    },
    // The index beside the store is copied as of another moment: it is told everything again.
    prepare: doAllAgain,
  });
  if (copy !== undefined) files.push(path.basename(copy));
  // Rows in a dump can't vouch for files before they are restored.
  if (files.includes(DUMP_FILE)) files.push(...(await copier.copiedFiles(FILES)));
  await copier.finish();
  return { counts, files, notes: [] };
}

/** Makes the files of the copy those of the live rows. */
async function takeFiles(rows: Db, copier: Copier): Promise<boolean> {
  const live = await rows.selectFrom('manifests').select('sha256').where('live', '=', 1).distinct().execute();
  const wanted = new Set(live.map(({ sha256 }) => sha256));
  for (const digest of wanted) {
    const file = manifestFile(digest);
    if (!(await copier.has(file)) && !(await copier.share(file))) return false;
  }
  for (const file of await copier.copiedFiles(FILES)) {
    if (!wanted.has(path.basename(file, MANIFEST_SUFFIX))) await copier.drop(file);
  }
  return true;
}
