/** Starts the pipeline from the configuration. */
import type { CodesConfig } from '../../../platform/config/codes.js';
import type { Logger } from '../../../platform/observe/log.js';
import { warnWithoutSandbox } from '../../../platform/workers/sandbox.js';
import type { PoolLimits } from '../../../platform/workers/worker-process.js';
import type { BlobPlaces } from '../../../storage/blobs/port.js';
import { profileOf } from './jobs.js';
import { type JobOutcome, Pipeline } from './pipeline.js';
import type { SemanticModels } from './semantic/models.js';

export interface PipelineParts {
  readonly models: SemanticModels;
  /** Where the files are. */
  readonly places: BlobPlaces;
  readonly log: Logger;
  /** Called when a job ends. */
  readonly onJob?: (job: JobOutcome) => void;
  /** For tests. */
  readonly workers?: WorkerOptions;
}

/** Options for tests; everything else comes from the configuration. */
export interface WorkerOptions {
  /** Script of a worker process. Default: `pipeline/worker.js`. */
  readonly entry?: string;
  readonly limits?: Partial<PoolLimits>;
  /** IP addresses of sources that need not be public. */
  readonly sourceAddresses?: ReadonlySet<string>;
}

/** A pipeline whose first worker starts at once. */
export function startPipeline(config: CodesConfig, parts: PipelineParts): Pipeline {
  const { models, places, log, onJob, workers = {} } = parts;
  const pipeline = new Pipeline(
    {
      workers: config.maxWorkers,
      fallback: config.fallback,
      ...profileOf(config.compat),
      granularMedia: config.granularMedia,
      readBytes: config.ioReadBytes,
      models,
      places,
      jobSecondsMax: config.jobSecondsMax,
      ...(onJob && { onJob }),
    },
    workers.limits,
    workers.entry,
  );
  pipeline
    .warm()
    .then(() => warnWithoutSandbox(log, pipeline.sandbox))
    .catch((error: unknown) => log.error({ err: error }, 'workers failed to start'));
  return pipeline;
}
