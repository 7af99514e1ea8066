/** Builds the store from its configuration. */
import path from 'node:path';
import { type ContentQueries, contentRoutes } from '../../c2pa/content-routes.js';
import { type ManifestReader, warmReader } from '../../c2pa/manifest-reader.js';
import { SCHEMA_ATTRIBUTION } from '../../c2pa/schema.js';
import { ASSET_HEADERS } from '../../content/sent-filename.js';
import { namedHosts } from '../../http/head/allowed-hosts.js';
import type { Route } from '../../http/routing/route.js';
import type { CorsPolicy, ServiceApp } from '../../http/routing/service.js';
import { native } from '../../native.js';
import type { StoreConfig } from '../../platform/config/store.js';
import type { Throttle } from '../../platform/limits/throttle.js';
import { errorTracking } from '../../platform/observe/error-report.js';
import type { Logger } from '../../platform/observe/log.js';
import { SigningKey } from '../../platform/signing/key.js';
import { version } from '../../platform/version.js';
import { makeFolder } from '../../storage/data/folder.js';
import type { Database } from '../../storage/database/open.js';
import { WebhookSenders } from '../../storage/outbox/senders.js';
import { outboxOf } from '../../storage/outbox/tables.js';
import { SyncedBindingIndex } from './bindings/binding-index.js';
import type { Declarer } from './declarer.js';
import { errorForm } from './errors.js';
import { Cleanup } from './files/cleanup.js';
import { checkInstallation } from './files/installation.js';
import { openBlobs } from './files/open-blobs.js';
import { StoreLog } from './log/store-log.js';
import { Listing } from './manifests/listing.js';
import { Manifests } from './manifests/manifests.js';
import { Reindex } from './manifests/reindex.js';
import { ageDetails, datesOf, type Rules, type RuleTexts, rulesOf } from './manifests/rules.js';
import { damagedFigure, declarationFigure, WatchedValidator } from './metrics.js';
import { Receipts } from './receipts.js';
import { bindingRoutes } from './routes/binding-routes.js';
import { DESCRIPTION, storeServiceRoutes, TITLE } from './routes/service-routes.js';
import { contentQueries, type ManifestReaders, manifestRoutes, queryRoutes } from './routes.js';
import { StoreService } from './service.js';
import { Callers } from './tokens/callers.js';
import { UploadTokens } from './tokens/upload-tokens.js';
import { ocspResponses } from './validation/revocation.js';
import type { Validator } from './validation/validator.js';
import { ManifestViews } from './views.js';
import { eventLog } from './webhooks/events.js';

/** Resources that the caller opened, because other parts of the process use them as well. */
export interface StoreResources {
  readonly database: Database;
  readonly throttle: Throttle;
  readonly declarer: Declarer;
  readonly log: Logger;
  /** Queries by an asset; `undefined` if they are off. */
  readonly content?: Pick<ContentQueries, 'coder' | 'references'> | undefined;
  /** For tests: addresses of OCSP responders that need not be public. */
  readonly allowed?: ReadonlySet<string>;
}

export interface Store {
  readonly service: StoreService;
  readonly views: ManifestViews;
  /** @param routes further routes on the same address, such as the dashboard's */
  app(routes: readonly Route[]): ServiceApp;
  /** Uses other trust lists and algorithms from now on, also for stored manifests. */
  reload(texts: RuleTexts): Promise<void>;
}

const OUTDATED_ALGORITHMS =
  'the list of soft-binding algorithms is more than 90 days old: MSTORE_ALGORITHM_LIST can name a newer one';
const OUTDATED_TRUST =
  'trust lists are more than 90 days old: isccd store trust update replaces them by newer ones';
const DAY_MS = 24 * 60 * 60 * 1000;

const CORS: CorsPolicy = {
  origins: ['*'],
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  closedMethods: ['DELETE'],
  requestHeaders: ['Content-Type', 'Accept', 'If-None-Match', 'Authorization', 'X-API-Key', ...ASSET_HEADERS],
  exposedHeaders: ['ETag', 'Link', 'Retry-After'],
  maxAgeSeconds: 86_400,
  refusedStatus: 400,
};

/**
 * Opens the data folder and loads the binding index. Call it before the service listens.
 *
 * @throws {FormatRefused} if the files belong to another installation than the database
 * @throws {StorageUnavailable} if the files are in S3, and it does not serve this process
 * @throws if a trust list is invalid, or the folder can't be used
 */
export async function openStore(config: StoreConfig, resources: StoreResources): Promise<Store> {
  const { database, throttle, declarer, log, content } = resources;
  makeFolder(config.dataDir);
  const blobs = await openBlobs(config);
  await checkInstallation(database.db, blobs);
  const responses = config.ocspFetch ? ocspResponses(resources) : undefined;
  const reader = warmReader(log);
  let rules = rulesOf(config, reader, responses);
  const manifests = new Manifests(database.db, eventLog(config));
  const webhooks = webhooksOf(config, resources);
  const validator = new WatchedValidator(rules.validator);
  const undoMs = config.undoDays * DAY_MS;
  const cleanup = new Cleanup({ db: database.db, blobs, manifests, log, undoMs });
  const index = await bindingIndex(database, log);
  const tracking = await errorTracking('store', config);
  const listedAlgorithms = () => rules.algorithms;
  const { isManifestId, sha256: digest } = native;
  const parts = { manifests, blobs, declarer, log, validator, index, listedAlgorithms, isManifestId, digest };
  const service = new StoreService({ ...config, undoMs }, parts);
  const readers = readersOf(service, { manifests, validator, database, reader }, config);
  const routeOptions = { ...config, throttle, callers: callersOf(database, config) };
  const reindex = new Reindex({ manifests, blobs, validator, log, onIndexed: (key) => service.changed(key) });
  const apply = async () => {
    logChanges(rules, await manifests.applyRules(rules.digest), log);
    reindex.wake();
  };
  await apply();
  for (const task of [index, cleanup, reindex, declarer, webhooks]) task.start();
  return {
    service,
    views: readers.views,
    reload: async (texts) => {
      rules = rulesOf(texts, reader, responses);
      validator.replace(rules.validator);
      await apply();
    },
    app: (routes) => ({
      ...described(config),
      ...tracking,
      routes: [
        ...manifestRoutes(service, readers, routeOptions),
        ...bindingRoutes(service, routeOptions),
        ...queryRoutes(service, routeOptions),
        ...contentRoutes(content && contentQueries(service, { ...content, reader }, routeOptions)),
        ...storeServiceRoutes(service, {
          url: config.url,
          isWatermark: (alg) => rules.watermarks.has(alg),
          byContent: content !== undefined,
        }),
        ...routes,
      ],
      metrics: [...metricsOf(database, validator, manifests, service), ...webhooks.metrics],
      dataFolders: dataFolders(config, database),
      readiness: async () => ({
        reason: await service.readiness(),
        details: { ...ageDetails(rules), sandbox: reader.sandbox },
      }),
      close: async () => {
        await Promise.all([content?.references.close(), responses?.close()]);
        await declarer.close();
        await Promise.all([cleanup.stop(), reindex.stop(), webhooks.close()]);
        await index.close();
        await blobs.close();
        await database.close();
      },
    }),
  };
}

/** @param outdated number of stored manifests that other rules have judged */
function logChanges(rules: Rules, outdated: number, log: Logger): void {
  const { algorithmList, trustLists } = ageDetails(rules);
  if (algorithmList !== undefined) log.info({ algorithmList }, OUTDATED_ALGORITHMS);
  if (trustLists === undefined) log.info({ trustLists: datesOf(rules.trustLists) }, 'trust lists in force');
  else log.info({ trustLists }, OUTDATED_TRUST);
  // The rules of a new store differ from those before, too: it had none.
  if (outdated === 0) return;
  log.info(
    { manifests: outdated },
    'trust lists, algorithms or the validator changed: validating all manifests again',
  );
}

function bindingIndex({ db }: Database, log: Logger): Promise<SyncedBindingIndex> {
  return SyncedBindingIndex.load({ db, newIndex: () => new native.BindingIndex(), log });
}

function webhooksOf(
  { webhookUrl: url, webhookKey: key, webhookTimeoutSeconds, secretKey }: StoreConfig,
  { database: { db }, log, allowed = new Set() }: StoreResources,
): WebhookSenders {
  const configured = url === undefined || key === undefined ? undefined : { url, key };
  const timeoutMs = webhookTimeoutSeconds * 1000;
  return new WebhookSenders({
    service: 'store',
    db: outboxOf(db),
    log,
    configured,
    secretKey,
    timeoutMs,
    allowed,
  });
}

function callersOf({ db }: Database, config: StoreConfig): Callers {
  return new Callers(new UploadTokens(db), config);
}

function readersOf(
  service: StoreService,
  parts: { manifests: Manifests; validator: Validator; reader: ManifestReader; database: Database },
  { url, secretSeed }: StoreConfig,
): ManifestReaders {
  const log = new StoreLog(parts.database.db, url);
  const key = secretSeed && new SigningKey(secretSeed);
  return {
    log,
    key,
    views: new ManifestViews(service, { ...parts, url }),
    listing: new Listing(parts.database.db, url),
    receipts: new Receipts(service, log, url, key),
  };
}

function metricsOf(
  database: StoreResources['database'],
  validator: WatchedValidator,
  manifests: Manifests,
  service: StoreService,
) {
  const declarations = declarationFigure(() => manifests.declarationCounts());
  return [...database.metrics, ...validator.metrics, declarations, damagedFigure(() => service.damagedCount)];
}

/** The folder of the manifests, and that of an SQLite file. */
export function dataFolders({ dataDir }: StoreConfig, { file }: Database): readonly string[] {
  return file === undefined ? [dataDir] : [dataDir, path.dirname(file)];
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
    docs: {
      tags: {
        manifests: 'Store, fetch and delete C2PA Manifest Stores.',
        bindings: 'Bind values to stored manifests that do not name them.',
        matches: 'Find manifests by soft binding.',
        log: 'Read the transparency log of the store.',
        services: 'Algorithms, capabilities, status and identity of the service.',
        probes: 'Health of the service.',
      },
    },
  };
}

function allowedHosts({ allowedHosts: named, url }: StoreConfig): readonly string[] {
  return namedHosts(named ?? [new URL(url).hostname]);
}
