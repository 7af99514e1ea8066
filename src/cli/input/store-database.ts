/** The store's database for commands, whether the store runs or not. */
import { statSync } from 'node:fs';
import { environment } from '../../platform/config/env.js';
import { storeVariables } from '../../platform/config/store.js';
import { storeDataDir } from '../../platform/config/store-settings.js';
import { readVariables } from '../../platform/config/variable.js';
import { makeFolder } from '../../storage/data/folder.js';
import { FormatRefused, prepareData } from '../../storage/data/format.js';
import { type Database, databasePlace, openDatabase } from '../../storage/database/open.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';

/**
 * Opens the configured database, and closes it after the work.
 *
 * @param options.creates whether the command may be the first use of the store. Others fail without a store, so that a
 * wrong folder is noticed
 * @throws {CommandFailed} if it can't be opened
 */
export async function withStoreDatabase<T>(
  work: (database: Database) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const values = environment();
  const dataDir = storeDataDir(values);
  const { databaseUrl } = readVariables(storeVariables, values);
  const place = databasePlace(databaseUrl, dataDir);
  // Throws if the system does not tell, for lack of permission.
  if (!creates && 'file' in place && statSync(place.file, { throwIfNoEntry: false }) === undefined) {
    throw new CommandFailed(
      `there is no store in ${dataDir}: no file ${place.file}; set MSTORE_DATA_DIR or DATABASE_URL`,
      EXIT_CONFIGURATION,
    );
  }
  makeFolder(dataDir);
  const opening = prepareData('store', dataDir).then(() => openDatabase(databaseUrl, dataDir));
  const database = await opening.catch((error: unknown) => {
    throw error instanceof FormatRefused
      ? error
      : new CommandFailed(`the database can't be opened: ${reason(error)}`);
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
