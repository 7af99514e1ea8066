/** Builds the manifest store together with the dashboard, which shares its address and database. */
import { ManifestReader } from '../c2pa/manifest-reader.js';
import { SearchManifestIndex } from '../c2pa/search-index-port.js';
import { SearchClient } from '../client/search-client.js';
import { References } from '../content/reference.js';
import type { ServiceApp } from '../http/routing/service.js';
import type { FollowedNetwork } from '../network/aggregator.js';
import { logStates } from '../network/declared.js';
import { MANIFEST_INDEX_DEFAULT } from '../platform/config/resolver.js';
import type { StoreConfig } from '../platform/config/store.js';
import { ConfigurationInvalid } from '../platform/config/variable.js';
import { type OpenLimits, openLimits } from '../platform/limits/open.js';
import { Throttle } from '../platform/limits/throttle.js';
import type { Logger } from '../platform/observe/log.js';
import { dashboardRoutes } from '../services/dashboard/app.js';
import type { NetworkView } from '../services/dashboard/port.js';
import type { InProcessServices } from '../services/resolver/app.js';
import type { LocalManifests } from '../services/resolver/manifests.js';
import { MEMORY_ID, OPENSEARCH_ID, SHARED_ID } from '../services/search/engine/open.js';
import { dataFolders, openStore, type StoreResources } from '../services/store/app.js';
import { declarations } from '../services/store/declarations/declarations.js';
import { NO_DECLARER } from '../services/store/declarer.js';
import { inProcessManifests } from '../services/store/in-process-manifests.js';
import { forgetLedger } from '../services/store/index-sync/search-index-ledger.js';
import {
  SearchIndexSync,
  type SearchIndexSyncOptions,
} from '../services/store/index-sync/search-index-sync.js';
import { TOKEN_LIMITS } from '../services/store/tokens/token-limit.js';
import { unloggedGauge } from '../services/store/unlogged.js';
import { eventLog } from '../services/store/webhooks/events.js';
import { makeFolder } from '../storage/data/folder.js';
import { prepareData } from '../storage/data/format.js';
import { type Database, openDatabase } from '../storage/database/open.js';
import { fileSearch } from './file-search.js';
import { manifestsForResolver } from './manifests-for-resolver.js';
import { thumbnailsOf } from './thumbnails.js';
import { tokenActions } from './token-actions.js';
import { webhookActions } from './webhook-actions.js';

export interface StoreApp extends ServiceApp {
  /** The stored manifests for services in this process, without HTTP. */
  readonly inProcess: LocalManifests;
  /** Reads trust anchors and algorithms again. @throws {ConfigurationInvalid} if they are invalid; the old ones stay */
  reload(): Promise<void>;
}

/** Shorter than the lease of an index. */
const SEARCH_TIMEOUT_MS = 10_000;

type FedIndex = Pick<SearchIndexSyncOptions, 'index' | 'indexId' | 'isLocal' | 'isShared'>;

export interface StoreAppOptions {
  /** Name of the index that the resolver reads. */
  readonly indexName?: string | undefined;
  /** For tests: addresses of assets and OCSP responders that need not be public. */
  readonly allowed?: ReadonlySet<string>;
}

/** Concurrent downloads of assets. */
const DOWNLOADS_MAX = 16;

interface StoreParts {
  readonly index: FedIndex | undefined;
  readonly content: StoreResources['content'];
  readonly network: FollowedNetwork | undefined;
  readonly allowed: ReadonlySet<string>;
}

/**
 * Also keeps the manifests in an index of a search service: that of `MSTORE_INDEX`, or the one in this process.
 *
 * @throws if the database, the folder or the trust anchors are unusable
 */
export async function storeApp(
  config: StoreConfig,
  log: Logger,
  inProcess: InProcessServices = {},
  { indexName = MANIFEST_INDEX_DEFAULT, allowed = new Set() }: StoreAppOptions = {},
): Promise<StoreApp> {
  const index = fedIndex(config, inProcess, indexName);
  // The resolver in this process reads it from the start.
  if (index?.isLocal) await index.index.prepare();
  makeFolder(config.dataDir);
  await prepareData('store', config.dataDir);
  const database = await openDatabase(config.databaseUrl, config.dataDir);
  try {
    const { coder } = inProcess;
    const references = new References({ allowed, parallel: DOWNLOADS_MAX });
    const content = config.byContent && coder !== undefined ? { coder, references } : undefined;
    return await appOver(database, config, log, { index, content, network: inProcess.network, allowed });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function appOver(
  database: Database,
  config: StoreConfig,
  log: Logger,
  { index, content, network, allowed }: StoreParts,
): Promise<StoreApp> {
  // Before anything is opened or started that a failure would have to close.
  if (index !== undefined) await forgetLedger(database.db, { idPrefix: MEMORY_ID, leasedBefore: Date.now() });
  const { rateWrite: write, rateRead: read, rateLogin: login } = config;
  const limited = Object.fromEntries(TOKEN_LIMITS.map((kind) => [kind, write]));
  const rates = { write, read, login, ...limited };
  const limits = await openLimits(config.redisUrl, rates, log);
  const throttle = new Throttle(limits.limiter, config.unthrottled ?? []);
  const declarer = declarations({ config, db: database.db, log, events: eventLog(config) }) ?? NO_DECLARER;
  const store = await openStore(config, { database, throttle, declarer, log, content, allowed }).catch(
    (error: unknown) => {
      limits.close();
      throw error;
    },
  );
  const inProcess = manifestsForResolver(inProcessManifests(store.service, config.url));
  const routes = dashboardRoutes(database, store.service, throttle, {
    url: config.url,
    undoDays: config.undoDays,
    secretKey: config.secretKey,
    network: network && networkView(network),
    tokens: tokenActions(database.db),
    webhooks: webhookActions(database.db, {
      secretKey: config.secretKey,
      isConfigured: config.webhookUrl !== undefined,
      allowed,
    }),
    thumbnails: thumbnailsOf(store.views),
    dataFolders: dataFolders(config, database),
    fileSearch: content && fileSearch(store.service, content.coder, new ManifestReader(log)),
  });
  const app = withLimits(withUnlogged(store.app(routes), database, network), limits);
  const reload = () => store.reload(config.reread());
  if (index === undefined) return { ...app, inProcess, reload };
  const { serverId, url } = config;
  const sync = new SearchIndexSync({ db: database.db, ...index, serverId, url, log });
  store.service.onChange(() => sync.changed());
  store.service.addHealthCheck(() => !sync.isDegraded());
  sync.start();
  const metrics = [...(app.metrics ?? []), ...sync.metrics];
  const reloadAll = async () => {
    await reload();
    sync.recheck();
  };
  return {
    ...app,
    inProcess,
    reload: reloadAll,
    metrics,
    close: () => sync.close().then(() => app.close?.()),
  };
}

function withLimits(app: ServiceApp, limits: OpenLimits): ServiceApp {
  const close = async () => {
    await app.close?.();
    limits.close();
  };
  return { ...app, metrics: [...(app.metrics ?? []), ...limits.metrics], close };
}

function withUnlogged(app: ServiceApp, { db }: Database, network: FollowedNetwork | undefined): ServiceApp {
  if (network === undefined) return app;
  return { ...app, metrics: [...(app.metrics ?? []), unloggedGauge(db, network)] };
}

/** The followed hubs as the dashboard shows them. */
function networkView(network: FollowedNetwork): NetworkView {
  return {
    hubs: () => network.status().hubs,
    logStates: (declared) => logStates(network, declared, Date.now()),
  };
}

/** The index to feed; `undefined` with `MSTORE_INDEX=none`, or if it is not set and no search service runs here. */
function fedIndex(
  { index, indexApiKey: apiKey }: StoreConfig,
  { search, searchId }: InProcessServices,
  name: string,
): FedIndex | undefined {
  if (index === 'none' || (index === undefined && search === undefined)) return undefined;
  if (index !== undefined && index !== 'local') {
    const options = { timeoutMs: SEARCH_TIMEOUT_MS, retry: { attempts: 1 } };
    const client = new SearchClient(index.service, { ...options, ...(apiKey !== undefined && { apiKey }) });
    return { index: new SearchManifestIndex(client, index.name), indexId: index.address, isLocal: false };
  }
  if (search === undefined || searchId === undefined) {
    throw new ConfigurationInvalid('MSTORE_INDEX="local" needs the search service in the same process');
  }
  const isShared = [SHARED_ID, OPENSEARCH_ID].some((prefix) => searchId.startsWith(prefix));
  return {
    index: new SearchManifestIndex(search, name),
    indexId: `${searchId}/${name}`,
    isLocal: true,
    isShared,
  };
}
