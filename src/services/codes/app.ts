/** Builds the service from its configuration. */
import type { ContentCoder } from '../../content/coder.js';
import { pageAssets, startPage } from '../../http/docs/pages.js';
import type { CorsPolicy, ServiceApp } from '../../http/routing/service.js';
import type { CodesConfig } from '../../platform/config/codes.js';
import type { RateLimiter } from '../../platform/limits/rate-limiter.js';
import { Throttle } from '../../platform/limits/throttle.js';
import { errorTracking } from '../../platform/observe/error-report.js';
import type { Logger } from '../../platform/observe/log.js';
import { version } from '../../platform/version.js';
import { PipelineCoder } from './content-coder.js';
import { errorForm } from './error-form.js';
import { JobBoard } from './jobs/job-board.js';
import { openProgress } from './jobs/open-progress.js';
import { CodesMetrics } from './metrics.js';
import { profileOf } from './pipeline/jobs.js';
import { checkModels, configuredModels } from './pipeline/semantic/models.js';
import { startPipeline, type WorkerOptions } from './pipeline/start.js';
import { codesRoutes } from './routes.js';
import { type CodesOptions, CodesService } from './service.js';
import { Sources } from './sources.js';
import { UploadQuota } from './uploads/quota.js';
import { openUploads } from './uploads/uploads.js';

const CORS_MAX_AGE_SECONDS = 300;

const TAGS = {
  iscc: 'Create ISCC-CODEs of files, and decompose codes.',
  media: 'Upload, download and delete files.',
  metadata: 'Extract metadata of files, and embed it.',
  jobs: 'Processing that goes on after its request was answered.',
  simprint: 'Simprints of plain text.',
  probes: 'Health of the service.',
};

export interface CodesApp extends ServiceApp {
  /** Codes assets for the other services of this process. */
  readonly coder: ContentCoder;
}

export async function codesApp(
  config: CodesConfig,
  log: Logger,
  workers: WorkerOptions = {},
): Promise<CodesApp> {
  const models = configuredModels(config);
  await checkModels(models, log);
  const uploads = await openUploads(config, log);
  const { blobs, records, clients, cleanup } = uploads;
  const metrics = new CodesMetrics();
  const pipeline = startPipeline(config, { models, places: blobs.places, log, onJob: metrics.job, workers });
  const sources = new Sources({ origins: config.sources, allowed: workers.sourceAddresses });
  await cleanup.start(config.cleanupIntervalSeconds);
  const shared = await openProgress(config, log);
  const reports = await errorTracking('codes', config);
  const jobs = new JobBoard(shared.parts.jobs, (err, job) => {
    log.error({ err, job }, 'unexpected error');
    reports.errorReports?.report(err, { job });
  });
  const quota = quotaOf(config, uploads.folder, shared.limiter);
  const parts = { blobs, records, clients, pipeline, sources, quota, ...shared.parts, jobs };
  const service = new CodesService(serviceOptions(config, metrics), parts);
  const cors = corsPolicy(config);
  const { maxUploadBytes: bytesMax, semanticDefault: semantic } = config;
  return {
    coder: new PipelineCoder({ blobs, pipeline, bytesMax, semantic }),
    name: 'codes',
    title: 'ISCC codes',
    description:
      'Creates ISCC-CODEs (ISO 24138) from uploaded files, decomposes codes, extracts and embeds metadata.',
    version,
    routes: [
      ...codesRoutes(service, {
        uploadBytesMax: config.maxUploadBytes,
        siteAddress: config.siteAddress,
        jobs: config.jobs,
        readBytes: config.ioReadBytes,
        redirects: config.redirectsToS3,
        quota,
      }),
      startPage(START_PAGE),
      ...pageAssets(),
    ],
    errors: errorForm({
      details: config.environment === 'development',
      uploadBytesMax: config.maxUploadBytes,
    }),
    ...(cors ? { cors } : {}),
    proxies: config.proxies,
    readiness: async () => {
      const { lines } = cleanup.unremoved;
      const unremoved = lines.length === 0 ? {} : { unremoved: lines };
      const details = { ...unremoved, sandbox: pipeline.sandbox };
      return { reason: await uploads.problem(), details };
    },
    metrics: [...metrics.of(pipeline, cleanup.unremoved), ...shared.metrics],
    dataFolders: [uploads.folder],
    ...reports,
    docs: { tags: TAGS },
    close: async () => {
      await cleanup.stop();
      await service.close();
      await pipeline.close();
      await uploads.close();
      shared.close();
    },
  };
}

function quotaOf(config: CodesConfig, folder: string, limiter: RateLimiter): UploadQuota {
  const throttle = new Throttle(limiter, config.unthrottled ?? []);
  const { diskReserveBytes: reserveBytes, maxUploadBytes: uploadBytesMax } = config;
  return new UploadQuota({ throttle, folder, reserveBytes, uploadBytesMax });
}

function serviceOptions(config: CodesConfig, metrics: CodesMetrics): CodesOptions {
  return {
    uploadBytesMax: config.maxUploadBytes,
    privateFiles: config.privateFiles,
    expirySeconds: config.storageExpirySeconds,
    granular: config.granular,
    semantic: config.semanticDefault,
    fallbackSum: config.fallbackAlways,
    experimental: config.experimental,
    onUpload: metrics.upload,
    onStep: metrics.step,
    compat: profileOf(config.compat).compat,
  };
}

const START_PAGE = {
  service: 'codes',
  title: 'isccd: content codes',
};

/** Off without configured origins. Otherwise the service's own site is allowed too. */
function corsPolicy({ corsOrigins, siteAddress, port }: CodesConfig): CorsPolicy | undefined {
  if (corsOrigins.length === 0) return undefined;
  const own = new URL(siteAddress ?? `http://localhost:${port}`).origin;
  return {
    origins: [...corsOrigins, own],
    methods: ['GET', 'POST', 'DELETE'],
    requestHeaders: [
      'Content-Type',
      ...['X-Upload-Filename', 'X-Upload-Name', 'X-Upload-Description', 'X-Upload-Meta', 'X-Upload-Metadata'],
    ],
    exposedHeaders: ['Location', 'Content-Disposition'],
    maxAgeSeconds: CORS_MAX_AGE_SECONDS,
    refusedStatus: 400,
    preflightStatus: 200,
  };
}
