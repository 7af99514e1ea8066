/** Builds the manifest store together with the dashboard, which shares its address and database. */
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
import type { InProcessServices } from '../resolver/app.js';
import type { LocalManifests } from '../resolver/manifests.js';
import { openStore } from '../store/app.js';
import { declarations } from '../store/declarations/declarations.js';
import { NO_DECLARER } from '../store/declarer.js';
import { inProcessManifests } from '../store/in-process-manifests.js';
import { SearchIndexSync } from '../store/search-index-sync.js';

export interface StoreApp extends ServiceApp {
  /** The stored manifests for services in this process, without HTTP. */
  readonly inProcess: LocalManifests;
}

/**
 * Also keeps the manifests in an index of the search service, if that runs in this process.
 *
 * @param indexName name of the index that the resolver reads
 * @throws if the database, the folder or the trust anchors are unusable
 */
export async function storeApp(
  config: StoreConfig,
  log: Logger,
  inProcess: InProcessServices = {},
  indexName: string = MANIFEST_INDEX_DEFAULT,
): Promise<StoreApp> {
  const index = await manifestIndex(config, inProcess, indexName);
  makeFolder(config.dataDir);
  await prepareData('store', config.dataDir);
  const database = await openDatabase(config.databaseUrl, config.dataDir);
  try {
    return await appOver(database, config, log, index);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function appOver(
  database: Database,
  config: StoreConfig,
  log: Logger,
  index: ManifestIndex | undefined,
): Promise<StoreApp> {
  const rates = { write: config.rateWrite, read: config.rateRead, login: config.rateLogin };
  const throttle = new Throttle(new FixedWindows(rates), config.unthrottled ?? []);
  const declarer = declarations({ config, db: database.db, log }) ?? NO_DECLARER;
  const store = await openStore(config, { database, throttle, declarer, log });
  const inProcess = inProcessManifests(store.service, config.url);
  const app = store.app(dashboardRoutes(database, store.service, throttle));
  if (index === undefined) return { ...app, inProcess };
  const local = new SearchIndexSync({ db: database.db, index, serverId: config.serverId, log });
  store.service.onChange((key) => local.changed(key));
  local.start();
  return { ...app, inProcess, close: () => local.close().then(() => app.close?.()) };
}

/** The index in the search service of this process; `undefined` without a search service, or with `MSTORE_INDEX=none`. */
async function manifestIndex(
  { index }: StoreConfig,
  { search }: InProcessServices,
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
