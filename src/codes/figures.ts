/** What the service counts, for `/metrics`. */
import { Metrics } from '../observe/metrics.js';
import type { JobOutcome, Pipeline } from './pipeline/pipeline.js';

export class Figures {
  readonly metrics = new Metrics('codes');
  readonly #jobs = this.metrics.counter('isccd_codes_jobs_total', 'Jobs of the workers', ['type', 'outcome']);
  readonly #uploads = this.metrics.counter('isccd_codes_uploads_total', 'Uploads received', []);
  readonly #bytes = this.metrics.counter('isccd_codes_upload_bytes_total', 'Bytes of these uploads', []);

  readonly job = (outcome: JobOutcome): void => {
    this.#jobs({ ...outcome });
  };

  readonly upload = (bytes: number): void => {
    this.#uploads({});
    this.#bytes({}, bytes);
  };

  /** Shows how busy the workers are. */
  watch(pipeline: Pipeline): void {
    const { metrics } = this;
    metrics.gauge('isccd_codes_jobs_waiting', 'Jobs that wait for a worker', () => pipeline.queued);
    metrics.gauge('isccd_codes_jobs_running', 'Jobs that are being done', () => pipeline.running);
  }
}
