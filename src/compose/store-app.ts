/** Wires the manifest store with what stands beside it on the same address and database. */
import { dashboardRoutes } from '../admin/app.js';
import {
  MANIFEST_INDEX_DEFAULT,
  type ManifestIndex,
  SearchManifestIndex,
} from '../c2pa/search-index-port.js';
import type { StoreConfig } from '../config/store.js';
import { makeFolder } from '../data/folder.js';
import { prepareData } from '../data/format.js';
import { type Database, openDatabase } from '../database/open.js';
import type { ServiceApp } from '../http/routing/service.js';
import { FixedWindows } from '../limits/rate-limiter.js';
import { Throttle } from '../limits/throttle.js';
import type { Logger } from '../observe/log.js';
import { openStore } from '../store/app.js';
import { declarations } from '../store/declarations/declarations.js';
import { NO_DECLARER } from '../store/declarer.js';
import { inProcessManifests } from '../store/in-process-manifests.js';
import { SearchIndexSync } from '../store/search-index-sync.js';
import type { House } from './services.js';

/**
 * Lends the house its manifests, and makes them findable in the house's index if there is one.
 *
 * @param indexName of the index that the resolver reads
 * @throws if the database, the folder or the trust anchors can't be used
 */
export async function storeApp(
  config: StoreConfig,
  log: Logger,
  house: House = {},
  indexName: string = MANIFEST_INDEX_DEFAULT,
): Promise<ServiceApp> {
  const index = await manifestIndex(config, house, indexName);
  makeFolder(config.dataDir);
  await prepareData('store', config.dataDir);
  const database = await openDatabase(config.databaseUrl, config.dataDir);
  try {
    return await wired(config, database, log, house, index);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function wired(
  config: StoreConfig,
  database: Database,
  log: Logger,
  house: House,
  index: ManifestIndex | undefined,
): Promise<ServiceApp> {
  const rates = { write: config.rateWrite, read: config.rateRead, login: config.rateLogin };
  const throttle = new Throttle(new FixedWindows(rates), config.unthrottled ?? []);
  const declarer = declarations({ config, db: database.db, log }) ?? NO_DECLARER;
  const store = await openStore(config, { database, throttle, declarer, log });
  house.manifests = inProcessManifests(store.service, config.url);
  const app = store.app(dashboardRoutes(database, store.service, throttle));
  if (index === undefined) return app;
  const local = new SearchIndexSync({ db: database.db, index, serverId: config.serverId, log });
  store.service.onChange((key) => local.changed(key));
  local.start();
  return { ...app, close: () => local.close().then(() => app.close?.()) };
}

/** The index of the search service of this process, unless the store is told to keep to itself. */
async function manifestIndex(
  { index }: StoreConfig,
  { search }: House,
  name: string,
): Promise<ManifestIndex | undefined> {
  if (index === 'none') return undefined;
  if (search !== undefined) {
    const manifests = new SearchManifestIndex(search, name);
    await manifests.prepare();
    return manifests;
  }
  if (index === undefined) return undefined;
  throw new Error('MSTORE_INDEX="local" needs the search service in the same process');
}
