/** Puts the service together from its configuration. */
import path from 'node:path';
import { FileBlobs } from '../blobs/files.js';
import type { CodesConfig } from '../config/codes.js';
import { makeFolder } from '../data/folder.js';
import { prepareData } from '../data/format.js';
import { page, pageAssets } from '../http/docs/pages.js';
import type { Route } from '../http/routing/route.js';
import type { CorsPolicy, ServiceApp } from '../http/routing/service.js';
import { errorReports } from '../observe/error-report.js';
import type { Logger } from '../observe/log.js';
import { version } from '../version.js';
import { Cleanup } from './cleanup.js';
import { errorForm } from './error-form.js';
import { Figures } from './figures.js';
import { Pipeline } from './pipeline/pipeline.js';
import type { PoolLimits } from './pipeline/pool.js';
import { checkModels, configuredModels, type SemanticModels } from './pipeline/semantic/models.js';
import { Records } from './records.js';
import { codesRoutes } from './routes.js';
import { CodesService } from './service.js';
import { Uploaders } from './uploader.js';

/** What tests change: everything else comes from the configuration. */
export interface WorkerOptions {
  /** The program of a worker process; by default the one beside this file. */
  readonly entry?: string;
  readonly limits?: Partial<PoolLimits>;
}

const CORS_MAX_AGE_SECONDS = 300;

/** The page that tries the service. */
const START_PAGE: Route = {
  method: 'GET',
  path: '/',
  operationId: 'startPage',
  summary: 'The page that tries the service',
  hidden: true,
  responses: {},
  handler: () => page('codes'),
};

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
  const records = await Records.open(path.join(config.mediaPath, 'records'));
  const uploaders = await Uploaders.open(config.mediaPath);
  const figures = new Figures();
  const pipeline = startPipeline(config, { models, figures, log, workers });
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
      onUpload: figures.upload,
      onStep: figures.step,
      compat: config.compat,
    },
    { blobs, records, uploaders, pipeline },
  );
  const cors = corsPolicy(config);
  const { errorTrackingDsn: dsn, environment } = config;
  const errors = dsn && errorReports({ dsn, service: 'codes', release: version, environment });
  return {
    name: 'codes',
    title: 'ISCC codes',
    description: 'Makes ISCC-CODEs (ISO 24138) of uploaded files, explains codes, reads and embeds metadata.',
    version,
    routes: [
      ...codesRoutes(service, {
        uploadBytesMax: config.maxUploadBytes,
        siteAddress: config.siteAddress,
        readBytes: config.ioReadBytes,
      }),
      START_PAGE,
      ...pageAssets('codes'),
    ],
    errors: errorForm({
      details: config.environment === 'development',
      uploadBytesMax: config.maxUploadBytes,
    }),
    ...(cors ? { cors } : {}),
    proxies: config.proxies,
    metrics: figures.of(pipeline),
    ...(errors ? { errorReports: errors } : {}),
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
  readonly figures: Figures;
  readonly log: Logger;
  readonly workers: WorkerOptions;
}

function startPipeline(config: CodesConfig, { models, figures, log, workers }: PipelineParts): Pipeline {
  const pipeline = new Pipeline(
    {
      workers: config.maxWorkers,
      fallback: config.fallback,
      compat: config.compat,
      readBytes: config.ioReadBytes,
      models,
      jobSecondsMax: config.jobSecondsMax,
      onJob: figures.job,
    },
    workers.limits,
    workers.entry,
  );
  pipeline.warm().catch((error: unknown) => log.error({ err: error }, 'workers do not start'));
  return pipeline;
}

/** Off without configured origins; with some, the service's own pages may call it too. */
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
