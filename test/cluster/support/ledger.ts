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
export type Kind = 'files' | 'assets' | 'manifests' | 'reads' | 'deletions';

export class Ledger {
  readonly files: StoredFile[] = [];
  /** Numbers of batches of assets. */
  readonly batches: number[] = [];
  readonly manifests: StoredManifest[] = [];
  /** Whose deletion was acknowledged. Those whose deletion failed may be there or not. */
  readonly deletedFiles: StoredFile[] = [];
  readonly deletedBatches: number[] = [];
  /** Responses that break the rules, and results that miss what was acknowledged. */
  readonly violations: string[] = [];
  /** Requests per client network that were accepted, where this is not the limit. */
  readonly inexact: string[] = [];
  /** Responses with 503 and `Retry-After`. */
  readonly unavailable: string[] = [];
  readonly #taken = new Map<readonly unknown[], number>();
  reads = 0;
  exactLimits = 0;
  /** Downloads whose connection ended in the middle of the body, after the status. */
  truncated = 0;

  /** How many requests of a kind have succeeded. */
  count(kind: Kind): number {
    switch (kind) {
      case 'files':
        return this.#everIn(this.files);
      case 'assets':
        return this.#everIn(this.batches);
      case 'manifests':
        return this.manifests.length;
      case 'reads':
        return this.reads;
      case 'deletions':
        return this.deletions;
      default:
        return kind satisfies never;
    }
  }

  get deletions(): number {
    return this.deletedFiles.length + this.deletedBatches.length;
  }

  get acknowledged(): number {
    return this.files.length + this.batches.length + this.manifests.length + this.deletions;
  }

  /** Takes an item that is about to be deleted from a list, so that no check expects it. */
  take<T>(items: T[], item: T): void {
    items.splice(items.indexOf(item), 1);
    this.#taken.set(items, this.#takenFrom(items) + 1);
  }

  #takenFrom(items: readonly unknown[]): number {
    return this.#taken.get(items) ?? 0;
  }

  #everIn(items: readonly unknown[]): number {
    return items.length + this.#takenFrom(items);
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
