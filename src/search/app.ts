/** Builds the search service from its configuration. */
import path from 'node:path';
import type { SearchApi } from '../client/search-api.js';
import type { SearchConfig } from '../config/search.js';
import type { ServiceApp } from '../http/routing/service.js';
import { errorTracking } from '../observe/error-report.js';
import { version } from '../version.js';
import { apiKeyGuard } from './api-key.js';
import { InProcessSearch } from './engine/in-process.js';
import { openEngine, searchFolder } from './engine/open.js';
import { errorForm } from './errors.js';
import { searchMetrics } from './metrics.js';
import { searchRoutes } from './routes.js';
import { SearchService } from './service.js';

const CORS_MAX_AGE_SECONDS = 600;

export interface SearchApp extends ServiceApp {
  /** The same indexes for services in this process, without HTTP. Usable until the app is closed. */
  readonly inProcess: SearchApi;
}

/**
 * Opens the indexes and loads their vectors before the service listens.
 *
 * @throws if the location is invalid, unusable or locked by another process
 */
export async function searchApp(config: SearchConfig, dataDir: string): Promise<SearchApp> {
  const location = config.indexUri ?? `usearch://${path.join(dataDir, 'search')}`;
  const engine = await openEngine(location, {
    matchThresholdUnits: config.matchThresholdUnits,
    matchThresholdSimprints: config.matchThresholdSimprints,
    confidenceExponent: config.confidenceExponent,
    scanLimit: config.scanLimitRows,
    sync: config.sync,
  });
  const service = new SearchService(engine, searchFolder(location));
  return {
    inProcess: InProcessSearch.over(engine),
    name: 'search',
    title: 'ISCC search',
    description: 'Named indexes of ISCC-identified assets, and search for similar content.',
    version,
    routes: searchRoutes(service, {
      bodyBytesMax: config.bodyBytesMax,
      ...(config.apiSecret !== undefined && { checkKey: apiKeyGuard(config.apiSecret) }),
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
    metrics: searchMetrics(() => service.list()),
    ...errorTracking('search', config),
    readiness: () => service.readiness(),
    close: () => service.close(),
  };
}
