/** Metrics of the store in addition to those of its requests. */
import { isNativeError } from '../../native.js';
import {
  counter,
  durations,
  gauge,
  level,
  type Metric,
  type Sample,
} from '../../platform/observe/instruments.js';
import type { DeclarationCount } from './manifests/manifests.js';
import type { ManifestReport, Validator } from './validation/validator.js';

/** Upper bounds: most validations take milliseconds, and their time limit is 5 s. */
const VALIDATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** A validator with metrics: pending validations, outcomes and durations. */
export class WatchedValidator implements Validator {
  #validator: Validator;
  readonly #outcomes = counter('isccd_store_validations_total', 'Manifest Stores validated', ['outcome']);
  readonly #durations = durations(
    'isccd_store_validation_duration_seconds',
    'Duration of the validation of a Manifest Store, including time in the queue',
    [],
    VALIDATION_BUCKETS_SECONDS,
  );
  #pending = 0;

  constructor(validator: Validator) {
    this.#validator = validator;
  }

  /** Uses another validator from the next validation on. */
  replace(validator: Validator): void {
    this.#validator = validator;
  }

  get metrics(): Metric[] {
    const pending = () => this.#pending;
    return [
      ...[this.#outcomes, this.#durations],
      level('isccd_store_validations_pending', 'Manifest Stores waiting for or in validation', pending),
    ];
  }

  details(bytes: Uint8Array): Promise<string | null> {
    return this.#validator.details(bytes);
  }

  async validate(bytes: Uint8Array): Promise<ManifestReport> {
    this.#pending += 1;
    const finish = this.#durations.startTimer();
    try {
      const report = await this.#validator.validate(bytes);
      this.#outcomes.inc({ outcome: report.outcome });
      return report;
    } catch (error) {
      this.#outcomes.inc({ outcome: failure(error) });
      throw error;
    } finally {
      this.#pending -= 1;
      finish();
    }
  }
}

function failure(error: unknown): string {
  if (isNativeError(error, 'BUSY')) return 'busy';
  return isNativeError(error, 'TIMEOUT') ? 'overdue' : 'failed';
}

/** @param count of manifests whose stored bytes are not those that were uploaded */
export function damagedFigure(count: () => number): Metric {
  return level(
    'isccd_store_damaged_manifests',
    'Manifests whose file was found missing or damaged since the start, until it is uploaded again',
    count,
  );
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
