/** The store's database for commands, whether the store runs or not. */
import { environment } from '../../config/env.js';
import { storeVariables } from '../../config/store.js';
import { storeDataDir } from '../../config/store-settings.js';
import { readVariables } from '../../config/variable.js';
import { makeFolder } from '../../data/folder.js';
import { FormatRefused, prepareData } from '../../data/format.js';
import { type Database, openDatabase } from '../../database/open.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';

/** Opens the configured database, and closes it after the work. @throws {CommandFailed} if it can't be opened */
export async function withStoreDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const values = environment();
  const dataDir = storeDataDir(values);
  const { databaseUrl } = readVariables(storeVariables, values);
  makeFolder(dataDir);
  const opening = prepareData('store', dataDir).then(() => openDatabase(databaseUrl, dataDir));
  const database = await opening.catch((error: unknown) => {
    throw error instanceof FormatRefused
      ? new CommandFailed(error.message, EXIT_CONFIGURATION)
      : new CommandFailed(`the database can't be opened: ${reason(error)}`);
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
