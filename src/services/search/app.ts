/** Builds the search service from its configuration. */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { InProcessIndexes } from '../../c2pa/local-search.js';
import type { CorsPolicy, ServiceApp } from '../../http/routing/service.js';
import { isNativeError, type SearchEngine, type SearchOptions } from '../../native.js';
import type { Aggregator, FollowedNetwork } from '../../network/aggregator.js';
import type { HubRoutes } from '../../network/hub-client.js';
import type { Leadership } from '../../network/leadership.js';
import type { LogStore } from '../../network/log-store.js';
import { NETWORK_FACTS } from '../../network/networks.js';
import type { NetworkConfig } from '../../platform/config/network.js';
import type { SearchConfig } from '../../platform/config/search.js';
import { exitToRestart } from '../../platform/observe/broken.js';
import type { ErrorReports } from '../../platform/observe/error-client.js';
import { errorTracking } from '../../platform/observe/error-report.js';
import type { Metric } from '../../platform/observe/instruments.js';
import type { Logger } from '../../platform/observe/log.js';
import { workerNumber } from '../../platform/observe/worker.js';
import { present } from '../../platform/present.js';
import { version } from '../../platform/version.js';
import { FormatRefused } from '../../storage/data/format.js';
import { DecisionLog } from './decision-log.js';
import { FolderGuard } from './engine/folder-guard.js';
import { locationId, openEngine, searchFolder } from './engine/open.js';
import type { Engine } from './engine/port.js';
import { errorForm, exclusiveErrorForm, SearchRefusal } from './errors.js';
import { FloodGuard } from './flood/guard.js';
import { STALE_HEADER, withFreshness } from './freshness.js';
import { InProcessSearch } from './in-process.js';
import { ApiKeys } from './keys/api-keys.js';
import { keyFilePath } from './keys/key-file.js';
import { databaseMetric, searchMetrics } from './metrics.js';
import { isOpenSearch } from './opensearch/location.js';
import { cacheFolder, isPostgres } from './postgres/location.js';
import { networkRoutes } from './routes/network-routes.js';
import { searchRoutes } from './routes.js';
import { SearchService } from './service.js';
import { watchWrites } from './watch-writes.js';
import type { WatchHost } from './watches/host.js';
import { watchApi } from './watches/in-process.js';
import { Recorder } from './watches/recorder.js';
import { WatchService } from './watches/service.js';

const CORS_MAX_AGE_SECONDS = 600;
const MIB = 1_048_576;
/** With fewer different units in a column, a scan is not slower than a graph. */
const GRAPH_ROWS_MIN = 1 << 20;
/** The service listens after this time, whether its indexes are loaded or not. */
const SMALL_LOAD_MS = 250;

const TAGS = {
  indexes: 'Create, list, rename and delete indexes.',
  aliases: 'Second names of indexes, which can be switched.',
  assets: 'Add, read and delete assets of an index.',
  search: 'Find similar assets.',
  watches: 'Report assets that match a query when they are added, updated or deleted.',
  quarantine: 'Units that suddenly matched too much and were set aside by the flood guard.',
  probes: 'Health and state of the service.',
};

export interface SearchApp extends ServiceApp {
  /** The same indexes for services in this process, without HTTP. Usable until the app is closed. */
  readonly inProcess: InProcessIndexes;
  /** Identifies the indexes, also after a restart. */
  readonly inProcessId: string;
  /** The hubs that are followed; `undefined` outside aggregator mode. */
  readonly network?: FollowedNetwork | undefined;
}

/** The network to follow. */
export interface Follow {
  readonly network: NetworkConfig;
  readonly log: Logger;
  readonly routes?: HubRoutes;
}

/**
 * Finds the indexes. Their vectors are loaded in the background: until then, requests to an index are 503.
 *
 * @param allowed for tests: addresses of webhooks that need not be public
 * @throws if the location is invalid, unusable or locked by another process
 */
export async function searchApp(
  config: SearchConfig,
  dataDir: string,
  follow?: Follow,
  log?: Logger,
  allowed: ReadonlySet<string> = new Set(),
): Promise<SearchApp> {
  const keys = apiKeys(config, dataDir, log);
  const { engine, local, followLogs, folder, id, watched } = await openIndexes(config, dataDir, log);
  const guard = folder === undefined ? undefined : await FolderGuard.open(folder);
  if (local !== undefined) guard?.watch(local, log);
  const failing = watchWrites(local ?? engine, (error) => exitToRestart(log, error, 'an index'));
  const service = new SearchService(engine, guard && (() => guard.isPresent()), failing);
  const decisions = log && new DecisionLog(engine, log);
  const loaded = engine.whenLoaded();
  // The follower needs its index. Small indexes are loaded before the service listens.
  const small = pause(SMALL_LOAD_MS, undefined, { ref: false });
  await (follow === undefined ? Promise.race([loaded, small]) : loaded);
  const tracking = await errorTracking('search', config);
  const aggregator = follow && (await startAggregator(engine, followLogs, follow, tracking.errorReports));
  const watching = watchService(config, engine, watched, allowed, log);
  const watches = () => watching?.watches ?? unwatched(watched);
  const flood = await floodGuard(config, engine, watched, watching, log);
  const inProcess = InProcessSearch.over(engine, loaded, watchApi(watches, loaded));
  return {
    inProcess,
    inProcessId: id,
    network: aggregator,
    name: 'search',
    title: 'ISCC search',
    description: 'Named indexes of ISCC-identified assets, and search for similar content.',
    version,
    routes: withFreshness(
      engine,
      searchRoutes(
        service,
        {
          bodyBytesMax: config.bodyBytesMax,
          keys,
          aliasTarget: (name) => service.aliasTarget(name),
          fresh: engine.fresh && (() => engine.fresh?.() ?? Promise.resolve(undefined)),
          ...(aggregator !== undefined &&
            follow !== undefined &&
            networkOptions(service, aggregator, follow.network)),
        },
        watches,
        () => flood?.quarantine ?? unguarded(),
      ),
    ),
    errors: follow?.network.exclusive ? exclusiveErrorForm : errorForm,
    cors: corsPolicy(config, engine),
    proxies: config.proxies,
    docs: { tags: TAGS },
    metrics: [
      ...searchMetrics(service),
      ...engineMetrics(engine),
      ...[watching?.metrics, flood?.metrics, aggregator?.metrics.all].flatMap((all) => all ?? []),
    ],
    dataFolders: folder === undefined ? [] : [folder],
    ...tracking,
    readiness: async () => (await service.readiness()) ?? aggregator?.readiness(),
    endStreams: () => watching?.watches.close(),
    close: async () => {
      decisions?.close();
      for (const part of [flood, watching, aggregator, service]) await part?.close();
    },
  };
}

/** An index that follows logs, and what decides which process writes it. */
interface SharedIndex {
  readonly index: LogStore;
  readonly leadership?: Leadership;
}

interface OpenIndexes {
  readonly engine: Engine;
  /** The engine, if only this process can change its indexes. */
  readonly local: SearchEngine | undefined;
  /** The index of a network; creates it if it is missing. */
  readonly followLogs: (index: string, realm: number) => Promise<SharedIndex>;
  readonly folder: string | undefined;
  /** Identifies the indexes. */
  readonly id: string;
  /** Watches the indexes; for engines without watches, where the indexes are. */
  readonly watched: WatchHost | string;
}

async function openIndexes(
  config: SearchConfig,
  dataDir: string,
  log: Logger | undefined,
): Promise<OpenIndexes> {
  const options = engineOptions(config);
  const location = config.indexUri ?? `usearch://${path.join(dataDir, 'search')}`;
  if (isOpenSearch(location)) return openForeign(config, location, options, log);
  if (!isPostgres(location)) {
    const local = await openEngine(location, options);
    const followLogs = async (index: string, realm: number) => ({
      index: await local.followLogs(index, realm),
    });
    const [folder, id] = [searchFolder(location), await locationId(location)];
    const watched = isPrefix(location) ? 'lmdb://' : new Recorder(local, folder);
    return { engine: local, local, followLogs, folder, id, watched };
  }
  const { PostgresEngine } = await import('./postgres/engine.js');
  const folder = cacheFolder(dataDir, workerNumber());
  const { stalenessMs, stalenessSecondsMax } = config;
  const engine = await PostgresEngine.open({
    location,
    folder,
    engine: options,
    stalenessMs,
    stalenessSecondsMax,
    log,
  });
  const followLogs = (index: string, realm: number) => engine.shareLogs(index, realm);
  return { engine, local: undefined, followLogs, folder, id: engine.id, watched: engine.watched };
}

function engineOptions(config: SearchConfig): SearchOptions {
  return {
    matchThresholdUnits: config.matchThresholdUnits,
    matchThresholdSimprints: config.matchThresholdSimprints,
    ...present({ thresholdFloor: config.thresholdFloor }),
    confidenceExponent: config.confidenceExponent,
    skipFeatureless: config.skipFeatureless,
    searchSecondsMax: config.searchSecondsMax,
    searchBytesMax: config.searchBytesMax,
    ...(config.graphs === 'on' && { graphRowsMin: GRAPH_ROWS_MIN }),
    simprintLists: config.simprintLists,
    sealBytesPerSecond: config.sealRate * MIB,
    sync: config.sync,
    loadsInBackground: true,
  };
}

function corsPolicy({ corsOrigins }: SearchConfig, engine: Engine): CorsPolicy {
  return {
    origins: corsOrigins,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    requestHeaders: ['*'],
    exposedHeaders: ['Search-Exact', 'Server-Timing', ...(engine.fresh ? [STALE_HEADER] : [])],
    maxAgeSeconds: CORS_MAX_AGE_SECONDS,
    refusedStatus: 400,
    preflightStatus: 200,
  };
}

/** Metrics that only this kind of engine has. */
function engineMetrics(engine: Engine): readonly Metric[] {
  const ofDatabase = engine.problem === undefined ? [] : [databaseMetric(() => engine.problem?.())];
  return [...ofDatabase, ...(engine.instruments ?? [])];
}

/** @throws {SearchRefusal} that the engine has no watches */
function unwatched(place: WatchHost | string): never {
  throw new SearchRefusal('UNWATCHED', { place: String(place) });
}

/** Starts to compare, if the engine has watches. */
function watchService(
  config: SearchConfig,
  engine: Engine,
  host: WatchHost | string,
  allowed: ReadonlySet<string>,
  log: Logger | undefined,
): WatchService | undefined {
  if (typeof host === 'string') return undefined;
  const { watchesMax, webhookKey } = config;
  const service = new WatchService({
    engine,
    host,
    options: engineOptions(config),
    watchesMax,
    webhookKey,
    allowed,
    log,
  });
  service.start();
  return service;
}

/** @throws {SearchRefusal} that the guard is off */
function unguarded(): never {
  throw new SearchRefusal('GUARD_OFF');
}

/** Starts to count matches, if the operator wants it. */
async function floodGuard(
  { floodFactor: factor, floodWindowSeconds }: SearchConfig,
  engine: Engine,
  host: WatchHost | string,
  watching: WatchService | undefined,
  log: Logger | undefined,
): Promise<FloodGuard | undefined> {
  if (factor === undefined || typeof host === 'string') return undefined;
  const onEvents = () => watching?.watches.notify();
  const guard = new FloodGuard({ engine, host, factor, windowMs: floodWindowSeconds * 1000, log, onEvents });
  await guard.start();
  return guard;
}

/** Whether a location is that of indexes that match equal prefixes, as no index in memory does. */
function isPrefix(location: string): boolean {
  return location.startsWith('lmdb://');
}

/** Indexes in OpenSearch. */
async function openForeign(
  { candidates, openSearchApiKey: apiKey }: SearchConfig,
  location: string,
  options: SearchOptions,
  log: Logger | undefined,
): Promise<OpenIndexes> {
  const { OpenSearchEngine } = await import('./opensearch/engine.js');
  const engine = await OpenSearchEngine.open({ location, apiKey, engine: options, candidates, log });
  const followLogs = () =>
    Promise.reject(
      new FormatRefused('indexes in OpenSearch cannot follow the network; use PostgreSQL or a folder'),
    );
  const folder = undefined;
  return { engine, local: undefined, followLogs, folder, id: engine.id, watched: 'OpenSearch' };
}

function apiKeys(config: SearchConfig, dataDir: string, log: Logger | undefined): ApiKeys {
  return new ApiKeys(config.apiSecret, keyFilePath(config, dataDir), (error) =>
    log?.error({ err: error }, 'the file of API keys is invalid; its earlier keys stay valid'),
  );
}

async function startAggregator(
  engine: Engine,
  followLogs: OpenIndexes['followLogs'],
  { network, log, routes }: Follow,
  reports: ErrorReports | undefined,
): Promise<Aggregator> {
  const { realm, index } = NETWORK_FACTS[network.network];
  await refuseDamaged(engine, index);
  const followed = await followLogs(index, realm);
  const { Aggregator } = await import('../../network/aggregator.js');
  const aggregator = new Aggregator(network, followed.index, log, {
    onAlarm: (alarm, hubId) => reports?.report(alarm, { hub: String(hubId) }),
    ...present({ routes, leadership: followed.leadership }),
  });
  await aggregator.start();
  return aggregator;
}

/** @throws if the index is damaged: it can't be followed, and must not be replaced */
async function refuseDamaged(engine: Engine, index: string): Promise<void> {
  await engine.getIndex(index).catch((error: unknown) => {
    if (isNativeError(error, 'INDEX_DAMAGED')) throw error;
  });
}

/** The part of the routes that depends on the network. */
function networkOptions(
  service: SearchService,
  aggregator: Aggregator,
  { network, exclusive, mirrors }: NetworkConfig,
) {
  const { index } = NETWORK_FACTS[network];
  const description = () =>
    service.get(index).then(
      (bytes) => JSON.parse(bytes.toString()) as object,
      () => null,
    );
  return {
    ...(exclusive && { only: index }),
    mode: { mode: 'aggregator', network } as const,
    networkRoutes: networkRoutes(aggregator.published, mirrors),
    networkStatus: async () => ({ index_name: index, index: await description(), ...aggregator.status() }),
  };
}
