/** Builds the service from its configuration. */
import path from 'node:path';
import { FileBlobs } from '../blobs/files.js';
import type { CodesConfig } from '../config/codes.js';
import { makeFolder } from '../data/folder.js';
import { prepareData } from '../data/format.js';
import { pageAssets, startPage } from '../http/docs/pages.js';
import type { CorsPolicy, ServiceApp } from '../http/routing/service.js';
import { errorTracking } from '../observe/error-report.js';
import type { Logger } from '../observe/log.js';
import { version } from '../version.js';
import { Cleanup } from './cleanup.js';
import { ClientHasher } from './client-hash.js';
import { errorForm } from './errors.js';
import { CodesMetrics } from './metrics.js';
import { Pipeline } from './pipeline/pipeline.js';
import type { PoolLimits } from './pipeline/pool.js';
import { checkModels, configuredModels, type SemanticModels } from './pipeline/semantic/models.js';
import { Records } from './records.js';
import { codesRoutes } from './routes.js';
import { CodesService } from './service.js';

/** Options for tests; everything else comes from the configuration. */
export interface WorkerOptions {
  /** Script of a worker process. Default: `pipeline/worker.js`. */
  readonly entry?: string;
  readonly limits?: Partial<PoolLimits>;
}

/** Exit status if the records are unusable, so that a supervisor restarts the process (EX_SOFTWARE of sysexits.h). */
const EXIT_BROKEN = 70;

const CORS_MAX_AGE_SECONDS = 300;

export async function codesApp(
  config: CodesConfig,
  log: Logger,
  workers: WorkerOptions = {},
): Promise<ServiceApp> {
  const models = configuredModels(config);
  await checkModels(models, log);
  makeFolder(config.mediaPath);
  await prepareData('codes', config.mediaPath);
  const blobs = await FileBlobs.open(config.mediaPath);
  const onBroken = (error: unknown) => {
    log.fatal({ err: error }, 'records can not be written; exiting to be restarted');
    process.exit(EXIT_BROKEN);
  };
  const records = await Records.open(path.join(config.mediaPath, 'records'), { onBroken });
  const clients = await ClientHasher.open(config.mediaPath);
  const metrics = new CodesMetrics();
  const pipeline = startPipeline(config, { models, metrics, log, workers });
  const cleanup = new Cleanup({ blobs, records, log }, config.storageExpirySeconds);
  await cleanup.start(config.cleanupIntervalSeconds);
  const service = new CodesService(
    {
      uploadBytesMax: config.maxUploadBytes,
      privateFiles: config.privateFiles,
      expirySeconds: config.storageExpirySeconds,
      granular: config.granular,
      semantic: config.semanticDefault,
      experimental: config.experimental,
      onUpload: metrics.upload,
      onStep: metrics.step,
      compat: config.compat,
    },
    { blobs, records, clients, pipeline },
  );
  const cors = corsPolicy(config);
  return {
    name: 'codes',
    title: 'ISCC codes',
    description:
      'Creates ISCC-CODEs (ISO 24138) from uploaded files, decomposes codes, extracts and embeds metadata.',
    version,
    routes: [
      ...codesRoutes(service, {
        uploadBytesMax: config.maxUploadBytes,
        siteAddress: config.siteAddress,
        readBytes: config.ioReadBytes,
      }),
      startPage('codes'),
      ...pageAssets('codes'),
    ],
    errors: errorForm({
      details: config.environment === 'development',
      uploadBytesMax: config.maxUploadBytes,
    }),
    ...(cors ? { cors } : {}),
    proxies: config.proxies,
    readiness: () => records.problem(),
    metrics: metrics.of(pipeline),
    ...errorTracking('codes', config),
    docs: { page: '/docs', json: '/docs/openapi.json', yaml: '/docs/openapi.yaml' },
    close: async () => {
      await cleanup.stop();
      await pipeline.close();
      await records.close();
    },
  };
}

interface PipelineParts {
  readonly models: SemanticModels;
  readonly metrics: CodesMetrics;
  readonly log: Logger;
  readonly workers: WorkerOptions;
}

function startPipeline(config: CodesConfig, { models, metrics, log, workers }: PipelineParts): Pipeline {
  const pipeline = new Pipeline(
    {
      workers: config.maxWorkers,
      fallback: config.fallback,
      compat: config.compat,
      readBytes: config.ioReadBytes,
      models,
      jobSecondsMax: config.jobSecondsMax,
      onJob: metrics.job,
    },
    workers.limits,
    workers.entry,
  );
  pipeline.warm().catch((error: unknown) => log.error({ err: error }, 'workers failed to start'));
  return pipeline;
}

/** Off without configured origins. Otherwise the service's own site is allowed too. */
function corsPolicy({ corsOrigins, siteAddress, port }: CodesConfig): CorsPolicy | undefined {
  if (corsOrigins.length === 0) return undefined;
  const own = new URL(siteAddress ?? `http://localhost:${port}`).origin;
  return {
    origins: [...corsOrigins, own],
    methods: ['GET', 'POST', 'DELETE'],
    requestHeaders: ['Content-Type', 'X-Upload-Filename'],
    exposedHeaders: ['Location', 'Content-Disposition'],
    maxAgeSeconds: CORS_MAX_AGE_SECONDS,
    refusedStatus: 400,
    preflightStatus: 200,
  };
}
