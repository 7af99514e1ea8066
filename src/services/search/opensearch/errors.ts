/** Errors that OpenSearch responds with, and what clients get. */
import type { NativeError } from '../../../native.js';
import { StorageUnavailable } from '../../../storage/data/unavailable.js';

export const UNAVAILABLE = 'The database of the indexes is unavailable';

/** The cluster has no primary, is overloaded, or a proxy before it has no node. */
const AWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Types of errors of a cluster whose nodes come and go. Some of them have the status 500. */
const AWAY_TYPES =
  /^node_|cluster_manager|transport_exception|unavailable_shards|no_shard_available|all_shards_failed|shard_closed|engine_closed|already_closed|rejected_execution|process_cluster_event_timeout|failed_to_commit_cluster_state/;

/** What an operator has blocked or closed, or the cluster itself because a disk is full: each node would refuse it. */
const BLOCKED_TYPES = /^(?:cluster_block_exception|index_closed_exception)$/;
/** The status of blocks of a cluster that has not started or has no manager. Errors of parts have no status of their own. */
const NOT_STARTED = 503;

/** The index was deleted while the request was on its way, or in OpenSearch by an operator (`damages.ts`). */
const DELETED = 'index_not_found_exception';

/** A response with an error. For the log, never for a client. */
export class OpenSearchError extends Error {
  override readonly name = 'OpenSearchError';
  readonly status: number;
  /** Such as `index_not_found_exception`. */
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }

  /** Whether another node, or the same one later, may serve the request. */
  get isAway(): boolean {
    return !this.isBlocked && (AWAY_STATUSES.has(this.status) || AWAY_TYPES.test(this.type));
  }

  /** Whether the index or the cluster refuses such requests until an operator or free space ends that. */
  get isBlocked(): boolean {
    return this.status !== NOT_STARTED && BLOCKED_TYPES.test(this.type);
  }

  get isOfDeleted(): boolean {
    return this.type === DELETED;
  }

  /** Whether a later request may succeed. */
  get isTemporary(): boolean {
    return this.isAway || this.isBlocked || this.isOfDeleted;
  }
}

/** The error of OpenSearch, also behind one of unavailability. */
export function openSearchCause(error: unknown): OpenSearchError | undefined {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  return cause instanceof OpenSearchError ? cause : undefined;
}

interface ErrorCause {
  readonly type?: string;
  readonly reason?: string;
  /** The index in OpenSearch; some reasons name it, too. */
  readonly index?: string;
  readonly root_cause?: readonly ErrorCause[];
  readonly caused_by?: ErrorCause;
}

interface ErrorBody {
  readonly error?: ErrorCause | string;
}

/** The outer error of a search of several shards names no reason: that is one of its causes. */
const SEARCH_FAILED = 'search_phase_execution_exception';
const CAUSES_MAX = 8;

/** The error itself, or the cause that says more. */
function decisive(error: ErrorCause): ErrorCause {
  if (error.type !== SEARCH_FAILED) return error;
  const causes = [...(error.root_cause ?? []), ...(error.caused_by ? [error.caused_by] : [])];
  const named = causes
    .slice(0, CAUSES_MAX)
    .filter(({ type }) => type !== undefined && type !== SEARCH_FAILED);
  return named.find(({ type = '' }) => AWAY_TYPES.test(type)) ?? named[0] ?? error;
}

/** The error of a response. */
export function errorOf(status: number, text: string): OpenSearchError {
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    // A proxy has responded.
  }
  const { error } = body;
  const cause: ErrorCause = typeof error === 'object' ? decisive(error) : { type: error ?? 'unknown' };
  const { type = 'unknown', reason = text.slice(0, 200) } = cause;
  const message = `OpenSearch responded ${status} ${type}: ${withIndex(reason, cause)}`;
  return new OpenSearchError(status, type, message);
}

/** The error of a part of a response. */
export function partError(
  error: Pick<ErrorCause, 'index'> & { readonly type: string; readonly reason: string },
  status = 500,
): Error {
  const message = `OpenSearch: ${error.type}: ${withIndex(error.reason, error)}`;
  const failure = new OpenSearchError(status, error.type, message);
  return failure.isTemporary ? new StorageUnavailable(UNAVAILABLE, { cause: failure }) : failure;
}

function withIndex(reason: string, { index }: Pick<ErrorCause, 'index'>): string {
  return index === undefined || reason.includes(index) ? reason : `${reason} [${index}]`;
}

/** For a request that indexes in OpenSearch cannot answer. The message is for clients. */
export function refused(message: string): NativeError {
  const code = 'INVALID_ARGUMENT' as const;
  return Object.assign(new Error(message), { code, detail: JSON.stringify(message) });
}
