/** Errors that OpenSearch responds with. */
import { StorageUnavailable } from '../../data/unavailable.js';

export const UNAVAILABLE = 'The database of the indexes is unavailable';

/** The cluster has no primary, is overloaded, or a proxy before it has no node. */
const AWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Types of errors of a cluster whose nodes come and go. Some of them have the status 500. */
const AWAY_TYPES =
  /^node_|cluster_manager|transport_exception|unavailable_shards|no_shard_available|all_shards_failed|shard_closed|engine_closed|already_closed|rejected_execution|process_cluster_event_timeout|failed_to_commit_cluster_state/;

/** The index was deleted while the request was on its way: the next one will find that it is missing. */
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
    return AWAY_STATUSES.has(this.status) || AWAY_TYPES.test(this.type);
  }

  get isOfDeleted(): boolean {
    return this.type === DELETED;
  }
}

interface ErrorCause {
  readonly type?: string;
  readonly reason?: string;
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
  const { type = 'unknown', reason = text.slice(0, 200) } =
    typeof error === 'object' ? decisive(error) : { type: error ?? 'unknown' };
  return new OpenSearchError(status, type, `OpenSearch responded ${status} ${type}: ${reason}`);
}

/** The error of a part of a response. */
export function partError(error: { readonly type: string; readonly reason: string }, status = 500): Error {
  const failure = new OpenSearchError(status, error.type, `OpenSearch: ${error.type}: ${error.reason}`);
  return failure.isAway || failure.isOfDeleted
    ? new StorageUnavailable(UNAVAILABLE, { cause: failure })
    : failure;
}
