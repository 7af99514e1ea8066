/** Builds the store from its configuration. */
import { ContentBlobs } from '../blobs/content.js';
import { SCHEMA_ATTRIBUTION } from '../c2pa/schema.js';
import type { StoreConfig } from '../config/store.js';
import { makeFolder } from '../data/folder.js';
import type { Database } from '../database/open.js';
import type { Route } from '../http/routing/route.js';
import type { CorsPolicy, ServiceApp } from '../http/routing/service.js';
import type { Throttle } from '../limits/throttle.js';
import { native } from '../native.js';
import { errorTracking } from '../observe/error-report.js';
import type { Logger } from '../observe/log.js';
import { version } from '../version.js';
import { SyncedBindingIndex } from './binding-index.js';
import { Cleanup } from './cleanup.js';
import type { Declarer } from './declarer.js';
import { errorForm } from './errors.js';
import { MANIFEST_SUFFIX } from './folder.js';
import { checkInstallation } from './installation.js';
import { Manifests } from './manifests.js';
import { declarationFigure, WatchedValidator } from './metrics.js';
import { Reindex } from './reindex.js';
import { manifestRoutes, queryRoutes } from './routes.js';
import { StoreService } from './service.js';
import { DESCRIPTION, serviceRoutes, TITLE } from './service-routes.js';

/** Resources that the caller opened, because other parts of the process use them as well. */
export interface StoreResources {
  readonly database: Database;
  readonly throttle: Throttle;
  readonly declarer: Declarer;
  readonly log: Logger;
}

export interface Store {
  readonly service: StoreService;
  /** @param routes further routes on the same address, such as the dashboard's */
  app(routes: readonly Route[]): ServiceApp;
}

const CORS: CorsPolicy = {
  origins: ['*'],
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  closedMethods: ['DELETE'],
  requestHeaders: ['Content-Type', 'Accept', 'If-None-Match'],
  exposedHeaders: ['ETag', 'Retry-After'],
  maxAgeSeconds: 86_400,
  refusedStatus: 400,
};

/**
 * Opens the data folder and loads the binding index. Call it before the service listens.
 *
 * @throws {FormatRefused} if the folder belongs to another installation than the database
 * @throws if the trust anchors are invalid, or the folder can't be used
 */
export async function openStore(config: StoreConfig, resources: StoreResources): Promise<Store> {
  const { database, throttle, declarer, log } = resources;
  makeFolder(config.dataDir);
  await checkInstallation(database.db, config.dataDir);
  const algorithms = native.softBindingAlgorithms();
  const manifests = new Manifests(database.db);
  const blobs = await ContentBlobs.open(config.dataDir, MANIFEST_SUFFIX);
  const validator = new WatchedValidator(new native.ManifestValidator(config.trustAnchorsPem));
  const cleanup = new Cleanup({ db: database.db, blobs, manifests, log });
  const index = await SyncedBindingIndex.load({
    db: database.db,
    newIndex: () => new native.BindingIndex(),
    log,
  });
  const service = new StoreService(config, {
    manifests,
    blobs,
    declarer,
    log,
    validator,
    index,
    algorithms: new Set(algorithms.map(({ alg }) => alg)),
    isManifestId: native.isManifestId,
    digest: native.sha256,
  });
  const onIndexed = (key: number) => service.changed(key);
  const reindex = new Reindex({ manifests, blobs, validator, log, onIndexed });
  const watermarks = new Set(algorithms.filter(({ kind }) => kind === 'watermark').map(({ alg }) => alg));
  index.start();
  cleanup.start();
  reindex.start();
  declarer.start();
  return {
    service,
    app: (routes) => ({
      ...described(config),
      routes: [
        ...manifestRoutes(service, { ...config, throttle }),
        ...queryRoutes(service, { ...config, throttle }),
        ...serviceRoutes(service, { url: config.url, watermarks }),
        ...routes,
      ],
      metrics: [
        ...[...database.metrics, ...validator.metrics],
        declarationFigure(() => manifests.declarationCounts()),
      ],
      readiness: () => service.readiness(),
      close: async () => {
        await declarer.close();
        await cleanup.stop();
        await reindex.stop();
        await index.close();
        await database.close();
      },
    }),
  };
}

function described(config: StoreConfig): Omit<ServiceApp, 'routes'> {
  return {
    name: 'store',
    title: TITLE,
    description: `${DESCRIPTION} ${SCHEMA_ATTRIBUTION}`,
    version,
    errors: errorForm(config.debug),
    cors: CORS,
    allowedHosts: allowedHosts(config),
    responseHeaders: { 'Referrer-Policy': 'same-origin' },
    proxies: config.proxies,
    ...errorTracking('store', config),
    docs: { page: '/docs', json: '/openapi/openapi.json', yaml: '/openapi/openapi.yaml' },
  };
}

function allowedHosts({ allowedHosts: named, url }: StoreConfig): string[] {
  return [...(named ?? [new URL(url).hostname]), 'localhost', '127.0.0.1'];
}
