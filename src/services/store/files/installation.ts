/**
 * The id of an installation, beside the files and in the database. A process with the files of another installation
 * would answer 404 for live manifests, and its clean-up would delete files that it takes for orphans.
 */
import type { ContentBlobs } from '../../../storage/blobs/content-port.js';
import { FormatRefused } from '../../../storage/data/format.js';
import type { Db } from '../../../storage/database/tables.js';
import { INSTALLATION_FILE } from './folder.js';

/** Manifests to look for, if the database has no id yet. */
const SAMPLE_MANIFESTS = 20;
const FIX =
  'set MSTORE_DATA_DIR or MSTORE_BLOBS to the files of this database, or DATABASE_URL to the database of these files';

function withoutName(place: string, name: string): string {
  return `${place} has no file ${INSTALLATION_FILE}, but the database has an installation id; ${FIX}; to move the files into a bucket, use isccd store copy-files; if both are right, write the line ${name} to that file`;
}

/**
 * Compares the ids. The first start writes both. An installation of an earlier version, which has no ids, gets them if
 * the files are those of the manifests in the database.
 *
 * @throws {FormatRefused} if files and database belong to different installations
 */
export async function checkInstallation(db: Db, blobs: ContentBlobs): Promise<void> {
  const { place } = blobs;
  const expected = await nameIn(db);
  const found = await blobs.name();
  if (expected !== undefined && found === undefined) throw new FormatRefused(withoutName(place, expected));
  if (expected === undefined) await checkUnnamed(db, blobs);
  const name = found ?? (await blobs.named());
  if (name !== (expected ?? (await nameDatabase(db, name)))) {
    throw new FormatRefused(`${place} belongs to another installation than the database; ${FIX}`);
  }
}

/**
 * Prevents that a database without an id gets the id of files that are not its own. With a new database, the clean-up
 * would delete all files.
 */
async function checkUnnamed(db: Db, blobs: ContentBlobs): Promise<void> {
  const newest = await db
    .selectFrom('manifests')
    .select('sha256')
    .where('live', '=', 1)
    .orderBy('key', 'desc')
    .limit(SAMPLE_MANIFESTS)
    .execute();
  if (newest.length === 0 && (await hasFiles(blobs)) && !(await hasManifests(db))) {
    throw new FormatRefused(
      `${blobs.place} has files of manifests, but the database is new; ${FIX}; for a new installation, empty the folder first`,
    );
  }
  const files = await Promise.all(newest.map(({ sha256 }) => blobs.find(sha256)));
  if (newest.length > 0 && files.every((file) => file === undefined)) {
    throw new FormatRefused(`${blobs.place} has no files of the manifests in the database; ${FIX}`);
  }
}

async function hasManifests(db: Db): Promise<boolean> {
  return (await db.selectFrom('manifests').select('key').limit(1).executeTakeFirst()) !== undefined;
}

async function hasFiles(blobs: ContentBlobs): Promise<boolean> {
  for await (const _ of blobs.list()) return true;
  return false;
}

function nameIn(db: Db): Promise<string | undefined> {
  const row = db.selectFrom('installation').select('name').where('id', '=', 1).executeTakeFirst();
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
