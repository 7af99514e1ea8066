/** Metrics of the service, in addition to its request metrics. */
import { counter, durations, level, type Metric } from '../../platform/observe/instruments.js';
import type { JobOutcome, Pipeline } from './pipeline/pipeline.js';
import type { PipelineStep } from './pipeline/stopwatch.js';
import type { Unremoved } from './uploads/unremoved.js';

/** Bucket limits, from media type detection (below 1 ms) to decoding a long video (minutes). */
const STEP_BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300];

export class CodesMetrics {
  readonly #jobs = counter('isccd_codes_jobs_total', 'Jobs run by worker processes', ['type', 'outcome']);
  readonly #uploads = counter('isccd_codes_uploads_total', 'Uploads received', []);
  readonly #bytes = counter('isccd_codes_upload_bytes_total', 'Bytes of all uploads received', []);
  readonly #steps = durations(
    'isccd_codes_step_duration_seconds',
    'Duration of processing steps, which may overlap',
    ['step'],
    STEP_BUCKETS_SECONDS,
  );

  readonly job = (outcome: JobOutcome): void => {
    this.#jobs.inc({ ...outcome });
  };

  readonly upload = (bytes: number): void => {
    this.#uploads.inc();
    this.#bytes.inc(bytes);
  };

  readonly step = ({ name, ms }: PipelineStep): void => {
    this.#steps.observe({ step: name }, ms / 1000);
  };

  /** All metrics, including the load of the workers. */
  of(pipeline: Pipeline, unremoved: Unremoved): Metric[] {
    return [
      this.#jobs,
      this.#uploads,
      this.#bytes,
      this.#steps,
      level('isccd_codes_jobs_waiting', 'Jobs waiting for a worker', () => pipeline.queued),
      level('isccd_codes_jobs_running', 'Jobs in progress', () => pipeline.running),
      level(
        'isccd_codes_files_unremoved',
        'Expired files and leftovers that the last clean-up could not remove',
        () => unremoved.count,
      ),
    ];
  }
}
