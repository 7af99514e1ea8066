/**
 * The id of an installation, in the data folder and in the database. A process with the folder of another installation
 * would answer 404 for live manifests, and its clean-up would delete files that it takes for orphans.
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { folderName, readFolderName } from '../data/folder-name.js';
import { FormatRefused } from '../data/format.js';
import type { Db } from '../database/open.js';
import { FILES, INSTALLATION_FILE, manifestFile } from './folder.js';

/** Manifests to look for in the folder, if the database has no id yet. */
const SAMPLE_MANIFESTS = 20;
const FIX =
  'set MSTORE_DATA_DIR to the folder of this database, or DATABASE_URL to the database of this folder';

function withoutName(dataDir: string, name: string): string {
  return `${dataDir} has no file ${INSTALLATION_FILE}, but the database has an installation id; ${FIX}; if both are right, write the line ${name} to that file`;
}

/**
 * Compares the ids. The first start writes both. An installation of an earlier version, which has no ids, gets them if
 * the folder has files of the manifests in the database.
 *
 * @throws {FormatRefused} if folder and database belong to different installations
 */
export async function checkInstallation(db: Db, dataDir: string): Promise<void> {
  const expected = await nameIn(db);
  const file = path.join(dataDir, INSTALLATION_FILE);
  const found = await readFolderName(file);
  if (expected !== undefined && found === undefined) throw new FormatRefused(withoutName(dataDir, expected));
  if (expected === undefined) await checkUnnamed(db, dataDir);
  const name = found ?? (await folderName(file));
  if (name !== (expected ?? (await nameDatabase(db, name)))) {
    throw new FormatRefused(`${dataDir} belongs to another installation than the database; ${FIX}`);
  }
}

/**
 * Prevents that a database without an id gets the id of a folder that is not its own. With a new database, the clean-up
 * would delete all files of the folder.
 */
async function checkUnnamed(db: Db, dataDir: string): Promise<void> {
  const newest = await db
    .selectFrom('manifests')
    .select('sha256')
    .where('live', '=', 1)
    .orderBy('key', 'desc')
    .limit(SAMPLE_MANIFESTS)
    .execute();
  if (newest.length === 0 && (await hasFiles(dataDir)) && !(await hasManifests(db))) {
    throw new FormatRefused(
      `${dataDir} has files of manifests, but the database is new; ${FIX}; for a new installation, empty the folder first`,
    );
  }
  const files = await Promise.all(
    newest.map(({ sha256 }) => exists(path.join(dataDir, manifestFile(sha256)))),
  );
  if (newest.length > 0 && !files.includes(true)) {
    throw new FormatRefused(`${dataDir} has no files of the manifests in the database; ${FIX}`);
  }
}

async function hasManifests(db: Db): Promise<boolean> {
  return (await db.selectFrom('manifests').select('key').limit(1).executeTakeFirst()) !== undefined;
}

async function hasFiles(dataDir: string): Promise<boolean> {
  const folder = path.join(dataDir, FILES);
  const names = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
  for (const entry of names.filter((name) => name.isDirectory())) {
    if ((await readdir(path.join(folder, entry.name))).length > 0) return true;
  }
  return false;
}

function nameIn(db: Db): Promise<string | undefined> {
  const row = db.selectFrom('installation').select('name').executeTakeFirst();
  return row.then((found) => found?.name);
}

/** Of several processes that start concurrently, the first one names the database. */
async function nameDatabase(db: Db, name: string): Promise<string | undefined> {
  await db
    .insertInto('installation')
    .values({ id: 1, name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return nameIn(db);
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(absent)) !== undefined;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
