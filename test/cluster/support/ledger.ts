/** What the cluster acknowledged, and every response that no client should have seen. */
import { ConnectionFailed, ServiceError } from '../../../src/client/errors.js';

export interface StoredFile {
  readonly id: string;
  readonly sha256: string;
  /** Only the uploader may download it. */
  readonly from: string;
  readonly iscc: string | undefined;
}

export interface StoredManifest {
  readonly id: string;
  readonly bytes: Buffer;
  /** Its soft binding, in Base64. */
  readonly value: string;
}

/** Of the load. */
export type Kind = 'files' | 'assets' | 'manifests' | 'reads';

export class Ledger {
  readonly files: StoredFile[] = [];
  /** Numbers of batches of assets. */
  readonly batches: number[] = [];
  readonly manifests: StoredManifest[] = [];
  /** Responses that break the rules, and results that miss what was acknowledged. */
  readonly violations: string[] = [];
  /** Requests per client network that were accepted, where this is not the limit. */
  readonly inexact: string[] = [];
  /** Responses with 503 and `Retry-After`. */
  readonly unavailable: string[] = [];
  reads = 0;
  exactLimits = 0;
  /** Downloads whose connection ended in the middle of the body, after the status. */
  truncated = 0;

  count(kind: Kind): number {
    switch (kind) {
      case 'files':
        return this.files.length;
      case 'assets':
        return this.batches.length;
      case 'manifests':
        return this.manifests.length;
      case 'reads':
        return this.reads;
      default:
        return kind satisfies never;
    }
  }

  get acknowledged(): number {
    return this.files.length + this.batches.length + this.manifests.length;
  }

  judge(what: string, error: unknown): void {
    const isUnavailable =
      error instanceof ServiceError && error.status === 503 && error.retryAfterMs !== undefined;
    const seen = error instanceof ServiceError ? `${error.status} ${error.message}` : describe(error);
    (isUnavailable ? this.unavailable : this.violations).push(`${new Date().toISOString()} ${what}: ${seen}`);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof ConnectionFailed)) return String(error);
  return `${error.message} (${String(error.cause)})`;
}
