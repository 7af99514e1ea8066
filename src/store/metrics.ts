/** What the store counts beside its requests. */
import { counter, durations, gauge, level, type Metric, type Sample } from '../observe/instruments.js';
import type { DeclarationCount } from './manifests.js';
import type { ManifestReport, Validator } from './validator.js';

/** Upper ends: most validations take milliseconds, none longer than its limit of seconds. */
const VALIDATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** A validator that is watched: how many wait or run, what came of them, and how long it took. */
export class WatchedValidator implements Validator {
  readonly #validator: Validator;
  readonly #outcomes = counter('isccd_store_validations_total', 'Manifest Stores validated', ['outcome']);
  readonly #durations = durations(
    'isccd_store_validation_duration_seconds',
    'From the arrival of a Manifest Store to the verdict, its time in the queue included',
    [],
    VALIDATION_BUCKETS_SECONDS,
  );
  #pending = 0;

  constructor(validator: Validator) {
    this.#validator = validator;
  }

  get metrics(): Metric[] {
    const pending = () => this.#pending;
    return [
      ...[this.#outcomes, this.#durations],
      level('isccd_store_validations_pending', 'Manifest Stores that wait for a verdict', pending),
    ];
  }

  async validate(bytes: Uint8Array): Promise<ManifestReport> {
    this.#pending += 1;
    const finish = this.#durations.startTimer();
    try {
      const report = await this.#validator.validate(bytes);
      this.#outcomes.inc({ outcome: report.outcome });
      return report;
    } finally {
      this.#pending -= 1;
      finish();
    }
  }
}

/** @param counts by the flag of the manifest and the status of its declaration */
export function declarationFigure(counts: () => Promise<readonly DeclarationCount[]>): Metric {
  return gauge(
    'isccd_store_declarations',
    'Declarations by status; those of deleted manifests may still have to be withdrawn',
    ['status', 'manifest'],
    async () => (await counts()).map(declarationSample),
  );
}

function declarationSample({ live, status, declarations }: DeclarationCount): Sample<'status' | 'manifest'> {
  return { labels: { status, manifest: live ? 'live' : 'deleted' }, value: declarations };
}
