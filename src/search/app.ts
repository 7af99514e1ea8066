/** Builds the search service from its configuration. */
import path from 'node:path';
import type { LocalSearchApi } from '../client/search-api.js';
import type { NetworkConfig } from '../config/network.js';
import type { SearchConfig } from '../config/search.js';
import type { ServiceApp } from '../http/routing/service.js';
import { Aggregator } from '../network/aggregator.js';
import { NETWORK_FACTS } from '../network/networks.js';
import { errorTracking } from '../observe/error-report.js';
import type { Logger } from '../observe/log.js';
import { version } from '../version.js';
import { apiKeyGuard } from './api-key.js';
import { InProcessSearch } from './engine/in-process.js';
import { openEngine, searchFolder } from './engine/open.js';
import { errorForm } from './errors.js';
import { searchMetrics } from './metrics.js';
import { searchRoutes } from './routes.js';
import { type Engine, SearchService } from './service.js';

const CORS_MAX_AGE_SECONDS = 600;

export interface SearchApp extends ServiceApp {
  /** The same indexes for services in this process, without HTTP. Usable until the app is closed. */
  readonly inProcess: LocalSearchApi;
}

/**
 * Opens the indexes and loads their vectors before the service listens.
 *
 * @throws if the location is invalid, unusable or locked by another process
 */
export async function searchApp(
  config: SearchConfig,
  dataDir: string,
  follow?: { readonly network: NetworkConfig; readonly log: Logger },
): Promise<SearchApp> {
  const location = config.indexUri ?? `usearch://${path.join(dataDir, 'search')}`;
  const engine = await openEngine(location, {
    matchThresholdUnits: config.matchThresholdUnits,
    matchThresholdSimprints: config.matchThresholdSimprints,
    confidenceExponent: config.confidenceExponent,
    scanLimit: config.scanLimitRows,
    sync: config.sync,
  });
  const service = new SearchService(engine, searchFolder(location));
  const aggregator = follow && (await startAggregator(engine, follow.network, follow.log));
  return {
    inProcess: InProcessSearch.over(engine),
    name: 'search',
    title: 'ISCC search',
    description: 'Named indexes of ISCC-identified assets, and search for similar content.',
    version,
    routes: searchRoutes(service, {
      bodyBytesMax: config.bodyBytesMax,
      ...(config.apiSecret !== undefined && { checkKey: apiKeyGuard(config.apiSecret) }),
      ...(aggregator !== undefined &&
        follow !== undefined &&
        networkRoutes(service, aggregator, follow.network)),
    }),
    errors: errorForm,
    cors: {
      origins: config.corsOrigins,
      methods: ['GET', 'POST', 'DELETE'],
      requestHeaders: ['*'],
      exposedHeaders: [],
      maxAgeSeconds: CORS_MAX_AGE_SECONDS,
      refusedStatus: 400,
      preflightStatus: 200,
    },
    proxies: config.proxies,
    docs: { page: '/docs', json: '/openapi/openapi.json', yaml: '/openapi/openapi.yaml' },
    metrics: [...searchMetrics(() => service.list()), ...(aggregator?.metrics.all ?? [])],
    ...errorTracking('search', config),
    readiness: async () => (await service.readiness()) ?? aggregator?.readiness(),
    close: async () => {
      await aggregator?.close();
      await service.close();
    },
  };
}

async function startAggregator(engine: Engine, network: NetworkConfig, log: Logger): Promise<Aggregator> {
  const { realm, index } = NETWORK_FACTS[network.network];
  const aggregator = new Aggregator(network, await engine.followLogs(index, realm), log);
  await aggregator.start();
  return aggregator;
}

/** The part of the routes that depends on the network. */
function networkRoutes(
  service: SearchService,
  aggregator: Aggregator,
  { network, exclusive }: NetworkConfig,
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
    networkStatus: async () => ({ index_name: index, index: await description(), ...aggregator.status() }),
  };
}
